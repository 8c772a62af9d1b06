// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/fitting_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/weld.h>

#include "engine/authoring/geometry/edge_distances.h"

namespace pelt {
namespace {

// Idea: the normals of cloth point away from the body that it lies on, those of a lining towards it. So the side of a
// vertex tells whether a close point of the body is its own, or of a limb beyond. Cloth of one layer has one side. In a
// part with both sides, a vertex that the body faces only from one side is certain, and the others follow the closest
// certain one along the cloth. To find the body on either side, also searches around points along the normal.

constexpr double kCosine = 0.866;  // of 30 degrees
constexpr double kContact = 1e-3;  // of the reach: cloth this close to the body lies on it in any direction
constexpr float kProbes[] = {0.125f, 0.25f, 0.5f};  // of the reach, along the normal
constexpr std::size_t kFewest = 4;  // a part in which fewer than 1 in kFewest vertices disagree has one side

struct Fit {
  double squared_distance = std::numeric_limits<double>::infinity();
  ClosestPoint point;
  bool exists() const { return std::isfinite(squared_distance); }
};
enum Facing : std::uint8_t { kAlong, kAgainst, kBoth };  // the normals of the body
using Fits = std::array<Fit, 2>;                         // by Facing

bool is_certain(const Fits& fits, Facing side) { return fits[side].exists() && !fits[1 - side].exists(); }

class Finder {
 public:
  Finder(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles, const BodySurface& body,
         double reach, unsigned threads)
      : positions_(positions),
        triangles_(triangles),
        normals_(vertex_normals(positions, triangles)),
        body_(body),
        reach_(reach),
        threads_(threads),
        may_fit_(positions.size(), false),
        closest_(positions.size()),
        fits_(positions.size()),
        sides_(positions.size(), kBoth) {}

  void run() {
    for (const glm::uvec3& t : triangles_) may_fit_[t.x] = may_fit_[t.y] = may_fit_[t.z] = true;
    search(0, [](std::uint32_t) { return true; });
    choose_sides_of_parts();
    for (const float step : kProbes) {
      search(-step, [&](std::uint32_t v) { return lacks(v, kAlong); });
      search(step, [&](std::uint32_t v) { return lacks(v, kAgainst); });
    }
    choose_sides_of_vertices();
  }

  const Fit& fit(std::uint32_t v) const { return fits_[v][sides_[v]]; }
  const std::vector<ClosestPoint>& closest() const { return closest_; }

 private:
  bool lacks(std::uint32_t v, Facing side) const {
    return sides_[v] == kBoth || (sides_[v] == side && !fits_[v][side].exists());
  }

  // Looks for fits close to the points `step` reaches before the chosen vertices.
  template <class Chosen>
  void search(float step, const Chosen& is_chosen) {
    std::vector<std::uint32_t> vertices;
    std::vector<glm::vec3> points;
    for (std::uint32_t v = 0; v < positions_.size(); ++v) {
      if ((step != 0 && !may_fit_[v]) || !is_chosen(v)) continue;
      vertices.push_back(v);
      points.push_back(positions_[v] + step * static_cast<float>(reach_) * normals_[v]);
    }
    body_.tree.nearest_of_each(points, 1, threads_, [&](std::size_t i, std::span<const TriangleTree::NearPoint> near) {
      if (step == 0) closest_[vertices[i]] = near[0].closest;
      if (may_fit_[vertices[i]]) add(vertices[i], near[0].closest, step == 0);
    });
  }

  void add(std::uint32_t v, const ClosestPoint& closest, bool is_closest) {
    glm::dvec3 point(0);
    glm::dvec3 normal(0);
    for (int c = 0; c < 3; ++c) {
      point += closest.weights[c] * glm::dvec3(body_.positions[closest.vertices[c]]);
      normal += closest.weights[c] * glm::dvec3(body_.normals[closest.vertices[c]]);
    }
    const glm::dvec3 from_body = glm::dvec3(positions_[v]) - point;
    const double squared_distance = glm::dot(from_body, from_body);
    const double cosine = glm::dot(normal, glm::dvec3(normals_[v])) / glm::length(normal);
    if (squared_distance > reach_ * reach_) {
      if (is_closest) may_fit_[v] = false;
      return;
    }
    if (!(std::abs(cosine) >= kCosine)) return;
    // The closest point of all may face away: there the cloth is inside the body. Next to a border it lies elsewhere.
    const double height = glm::dot(from_body, normal) / glm::length(normal);
    if (!is_closest && height < 0) return;
    if (std::abs(height) < kCosine * std::sqrt(squared_distance) - kContact * reach_) return;
    Fit& fit = fits_[v][cosine > 0 ? kAlong : kAgainst];
    if (squared_distance < fit.squared_distance) fit = {squared_distance, closest};
  }

  void choose_sides_of_parts() {
    const std::vector<std::uint32_t> parts = connected_parts(positions_.size(), triangles_);
    std::vector<std::array<std::size_t, 2>> counts(positions_.size(), {0, 0});
    for (std::size_t v = 0; v < parts.size(); ++v) {
      for (const Facing side : {kAlong, kAgainst}) counts[parts[v]][side] += is_certain(fits_[v], side);
    }
    for (std::size_t v = 0; v < parts.size(); ++v) {
      const auto& [along, against] = counts[parts[v]];
      const std::size_t few = (along + against) / kFewest;
      sides_[v] = against <= few ? kAlong : along <= few ? kAgainst : kBoth;
    }
  }

  void choose_sides_of_vertices() {
    if (std::ranges::find(sides_, kBoth) == sides_.end()) return;
    std::vector<glm::uvec3> smooth;  // not at hems, which lead from cloth to lining
    for (const glm::uvec3& t : triangles_) {
      const auto agree = [&](std::uint32_t a, std::uint32_t b) { return glm::dot(normals_[a], normals_[b]) > 0; };
      if (agree(t.x, t.y) && agree(t.y, t.z) && agree(t.z, t.x)) smooth.push_back(t);
    }
    std::vector<std::uint32_t> welded(positions_.size());
    std::iota(welded.begin(), welded.end(), 0u);
    const auto flooded = [&](Facing side) {
      std::vector<EdgeDistances::Start> starts;
      for (std::uint32_t v = 0; v < welded.size(); ++v) {
        if (is_certain(fits_[v], side)) starts.emplace_back(v, 0.0);
      }
      EdgeDistances distances(positions_, welded, smooth);
      distances.flood(starts);
      return distances;
    };
    const EdgeDistances along = flooded(kAlong);
    const EdgeDistances against = flooded(kAgainst);
    for (std::uint32_t v = 0; v < welded.size(); ++v) {
      if (sides_[v] == kBoth) sides_[v] = along[v] <= against[v] ? kAlong : kAgainst;
    }
  }

  std::span<const glm::vec3> positions_;
  std::span<const glm::uvec3> triangles_;
  std::vector<glm::vec3> normals_;
  const BodySurface& body_;
  double reach_;
  unsigned threads_;
  std::vector<std::uint8_t> may_fit_;
  std::vector<ClosestPoint> closest_;
  std::vector<Fits> fits_;
  std::vector<Facing> sides_;
};

}  // namespace

BodySurface body_surface(const Mesh& skin, TriangleTree tree) {
  const std::vector<std::uint32_t> first = weld_by_position(skin.positions);
  const std::vector<glm::vec3> welded = vertex_normals(skin.positions, welded_triangles(first, skin.triangles));
  BodySurface body{std::move(tree), skin.positions, {}};
  for (const std::uint32_t v : first) body.normals.push_back(welded[v]);
  return body;
}

FittingPoints fitting_points(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                             const BodySurface& body, double reach, unsigned threads) {
  Finder finder(positions, triangles, body, reach, threads);
  finder.run();
  FittingPoints result{std::vector<std::optional<ClosestPoint>>(positions.size()), finder.closest()};
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    if (finder.fit(v).exists()) result.fits[v] = finder.fit(v).point;
  }
  return result;
}

}  // namespace pelt
