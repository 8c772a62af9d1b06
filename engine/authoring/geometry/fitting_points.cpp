// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/fitting_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/weld.h>

#include "engine/authoring/geometry/edge_distances.h"

namespace pelt {
namespace {

// Idea: a vertex lies between two sides of the body if the body faces it from both sides. So the body is also searched
// around points before and behind the vertex, along its normal. A vertex that only one side faces is certain: its
// normal agrees with the body's, or is opposite. The others follow the closest certain vertex, along the cloth.

constexpr double kCosine = 0.866;                                             // of 30 degrees
constexpr float kSteps[] = {0, -0.125f, 0.125f, -0.25f, 0.25f, -0.5f, 0.5f};  // of the reach, along the normal
constexpr std::size_t kFewest = 4;  // a part of whose certain vertices fewer than 1 in kFewest disagree is of one side

struct Fit {
  double squared_distance = std::numeric_limits<double>::infinity();
  ClosestPoint point;
  bool exists() const { return std::isfinite(squared_distance); }
};
struct Fits {
  Fit along, against;  // the normal of the cloth
};

std::vector<Fits> find_fits(std::span<const glm::vec3> positions, std::span<const glm::vec3> normals,
                            const BodySurface& body, double reach, unsigned threads) {
  std::vector<Fits> fits(positions.size());
  std::vector<glm::vec3> points(positions.size());
  for (const float step : kSteps) {
    for (std::size_t v = 0; v < points.size(); ++v)
      points[v] = positions[v] + step * static_cast<float>(reach) * normals[v];
    body.tree.nearest_of_each(points, 1, threads, [&](std::size_t v, std::span<const TriangleTree::NearPoint> near) {
      const ClosestPoint& closest = near[0].closest;
      glm::dvec3 point(0);
      glm::dvec3 normal(0);
      for (int c = 0; c < 3; ++c) {
        point += closest.weights[c] * glm::dvec3(body.positions[closest.vertices[c]]);
        normal += closest.weights[c] * glm::dvec3(body.normals[closest.vertices[c]]);
      }
      const glm::dvec3 from_body = glm::dvec3(positions[v]) - point;
      const double squared_distance = glm::dot(from_body, from_body);
      const double cosine = glm::dot(normal, glm::dvec3(normals[v])) / glm::length(normal);
      if (squared_distance > reach * reach || !(std::abs(cosine) >= kCosine)) return;
      // The closest point of all may face away: there the cloth is inside the body.
      if (step != 0 && glm::dot(from_body, normal) < 0) return;
      Fit& fit = cosine > 0 ? fits[v].along : fits[v].against;
      if (squared_distance < fit.squared_distance) fit = {squared_distance, closest};
    });
  }
  return fits;
}

// Returns for each vertex whether the cloth around it has the normals of the body.
std::vector<bool> find_sides(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                             std::span<const Fits> fits) {
  const std::vector<std::uint32_t> parts = connected_parts(positions.size(), triangles);
  std::vector<std::size_t> along(positions.size(), 0);  // certain vertices of each part
  std::vector<std::size_t> against(positions.size(), 0);
  for (std::size_t v = 0; v < fits.size(); ++v) {
    along[parts[v]] += fits[v].along.exists() && !fits[v].against.exists();
    against[parts[v]] += fits[v].against.exists() && !fits[v].along.exists();
  }
  std::vector<EdgeDistances::Start> starts[2];
  for (std::uint32_t v = 0; v < fits.size(); ++v) {
    if (fits[v].along.exists() != fits[v].against.exists()) starts[fits[v].along.exists()].emplace_back(v, 0.0);
  }
  std::vector<std::uint32_t> welded(positions.size());
  for (std::uint32_t v = 0; v < welded.size(); ++v) welded[v] = v;
  EdgeDistances to_along(positions, welded, triangles);
  EdgeDistances to_against = to_along;
  to_against.flood(starts[0]);
  to_along.flood(starts[1]);
  std::vector<bool> is_along(positions.size());
  for (std::uint32_t v = 0; v < fits.size(); ++v) {
    const std::size_t a = along[parts[v]];
    const std::size_t b = against[parts[v]];
    const std::size_t few = (a + b) / kFewest;
    is_along[v] = b <= few || (a > few && to_along[v] <= to_against[v]);
  }
  return is_along;
}

}  // namespace

BodySurface body_surface(const Mesh& skin, TriangleTree tree) {
  const std::vector<std::uint32_t> first = weld_by_position(skin.positions);
  const std::vector<glm::vec3> welded = vertex_normals(skin.positions, welded_triangles(first, skin.triangles));
  BodySurface body{std::move(tree), skin.positions, {}};
  for (const std::uint32_t v : first) body.normals.push_back(welded[v]);
  return body;
}

std::vector<std::optional<ClosestPoint>> fitting_points(std::span<const glm::vec3> positions,
                                                        std::span<const glm::uvec3> triangles, const BodySurface& body,
                                                        double reach, unsigned threads) {
  const std::vector<Fits> fits = find_fits(positions, vertex_normals(positions, triangles), body, reach, threads);
  const std::vector<bool> is_along = find_sides(positions, triangles, fits);
  std::vector<std::optional<ClosestPoint>> result(positions.size());
  for (std::size_t v = 0; v < fits.size(); ++v) {
    const Fit& fit = is_along[v] ? fits[v].along : fits[v].against;
    if (fit.exists()) result[v] = fit.point;
  }
  return result;
}

}  // namespace pelt
