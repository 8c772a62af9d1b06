// SPDX-License-Identifier: MIT
#include "samples/garments/poke.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/gtc/constants.hpp>
#include <glm/gtx/intersect.hpp>
#include <limits>
#include <optional>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/mesh.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/parallel.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/try.h>

#include "samples/pelt/input.h"

namespace pelt::samples {
namespace {

// Joins all skins of a character into one mesh, in packed order.
struct Skin {
  explicit Skin(const Character& character) {
    for (const CharacterMesh& mesh : character->meshes) {
      if (mesh.control) continue;
      const auto first = static_cast<std::uint32_t>(vertices.size());
      for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) vertices.push_back(mesh.first_vertex + v);
      rest.insert(rest.end(), mesh.binding.points.begin(), mesh.binding.points.end());
      for (const glm::uvec3 t : mesh.triangles) triangles.push_back(t + first);
    }
    std::erase_if(triangles, [&](glm::uvec3 t) {
      return !(glm::length(glm::cross(rest[t.y] - rest[t.x], rest[t.z] - rest[t.x])) > 0);
    });
  }

  std::vector<glm::vec3> positions(const Evaluator& evaluator) const {
    std::vector<glm::vec3> posed;
    for (const std::uint32_t v : vertices) posed.push_back(evaluator.positions()[v]);
    return posed;
  }

  std::vector<std::uint32_t> vertices;  // indices in the character
  std::vector<glm::vec3> rest;          // model space at bind
  std::vector<glm::uvec3> triangles;
};

// A point of the body, and the triangles of the garment that cover it.
struct Covered {
  glm::uvec3 corners;  // the point is their mean; three equal corners: a vertex
  std::vector<std::uint32_t> above;
  std::optional<double> surrounded{};  // the garment's winding number at bind; found when first needed

  // Returns the point's value, given those of all vertices of the body.
  glm::dvec3 mean(std::span<const glm::vec3> values) const {
    return (glm::dvec3(values[corners.x]) + glm::dvec3(values[corners.y]) + glm::dvec3(values[corners.z])) / 3.0;
  }
};

// Returns the distance to the first triangle along a ray, metres; infinite if it meets none.
double first_met(const glm::dvec3& point, const glm::dvec3& direction, std::span<const glm::uvec3> triangles,
                 std::span<const glm::vec3> positions) {
  constexpr double kOwn = 1e-6;  // metres within which a triangle belongs to the point itself
  double first = std::numeric_limits<double>::infinity();
  for (const glm::uvec3 t : triangles) {
    glm::dvec2 at(0);
    double distance = 0;
    const bool met = glm::intersectRayTriangle(point, direction, glm::dvec3(positions[t.x]), glm::dvec3(positions[t.y]),
                                               glm::dvec3(positions[t.z]), at, distance);
    if (met && distance > kOwn) first = std::min(first, distance);
  }
  return first;
}

// Returns how far triangles surround a point: their solid angle divided by a sphere's, 1 inside of a closed surface, 0
// outside (Jacobson, Kavan & Sorkine-Hornung 2013). It changes by 1 when a point passes through the surface, even if
// the surface has openings and folds.
double winding_number(const glm::dvec3& point, std::span<const glm::uvec3> triangles,
                      std::span<const glm::vec3> positions) {
  double sum = 0;  // of half the solid angles (Van Oosterom & Strackee 1983)
  for (const glm::uvec3 t : triangles) {
    const glm::dvec3 a = glm::dvec3(positions[t.x]) - point;
    const glm::dvec3 b = glm::dvec3(positions[t.y]) - point;
    const glm::dvec3 c = glm::dvec3(positions[t.z]) - point;
    const double la = glm::length(a);
    const double lb = glm::length(b);
    const double lc = glm::length(c);
    sum += std::atan2(glm::dot(a, glm::cross(b, c)),
                      la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb);
  }
  return sum / glm::two_pi<double>();
}

// Returns the distance from a garment, above 0 outside. The sign is that of the normal at the closest point,
// interpolated over the triangle: a face's own normal gives wrong signs near edges.
double signed_distance(const ClosestPoint& closest, const glm::dvec3& point, std::span<const glm::vec3> positions,
                       std::span<const glm::vec3> normals) {
  glm::dvec3 on(0);
  glm::dvec3 normal(0);
  for (int c = 0; c < 3; ++c) {
    on += closest.weights[c] * glm::dvec3(positions[closest.vertices[c]]);
    normal += closest.weights[c] * glm::dvec3(normals[closest.vertices[c]]);
  }
  return std::copysign(std::sqrt(closest.squared_distance), glm::dot(point - on, normal));
}

Result<std::vector<Covered>> find_covered(const Skin& garment, const Skin& body, double reach) {
  constexpr std::size_t kAbove = 128;  // number of nearest triangles of the garment
  PELT_ASSIGN(const auto tree, TriangleTree::create(garment.rest, garment.triangles));
  const std::vector<glm::vec3> normals = vertex_normals(garment.rest, garment.triangles);
  std::vector<bool> at_border(garment.triangles.size(), false);
  for (const BorderEdge& edge : border_edges(garment.triangles)) at_border[edge.triangle] = true;
  PELT_ASSIGN(const auto body_tree, TriangleTree::create(body.rest, body.triangles));
  std::vector<Covered> points;
  std::vector<glm::dvec3> places;
  const std::vector<glm::vec3> outward = vertex_normals(body.rest, body.triangles);
  const auto add = [&](glm::uvec3 corners) {
    points.push_back({.corners = corners, .above = {}});
    places.push_back(points.back().mean(body.rest));
  };
  for (std::uint32_t v = 0; v < body.rest.size(); ++v) add(glm::uvec3(v));
  for (const glm::uvec3 t : body.triangles) add(t);
  tree.nearest(places, kAbove, [&](std::size_t i, std::span<const TriangleTree::NearPoint> near) {
    const ClosestPoint& closest = near.front().closest;
    const bool inner = std::ranges::none_of(near, [&](const auto& point) { return at_border[point.triangle]; });
    if (!inner || closest.squared_distance > reach * reach ||
        signed_distance(closest, places[i], garment.rest, normals) > 0)
      return;
    std::vector<glm::uvec3> above;
    for (const TriangleTree::NearPoint& point : near) above.push_back(garment.triangles[point.triangle]);
    std::vector<TriangleTree::Near> beside;
    body_tree.nearest(places[i], kAbove, beside);
    std::vector<glm::uvec3> skin;
    for (const TriangleTree::Near& point : beside) skin.push_back(body.triangles[point.triangle]);
    const glm::dvec3 direction = glm::normalize(points[i].mean(outward));
    const double cloth = first_met(places[i], direction, above, garment.rest);
    if (cloth > 2 * reach || first_met(places[i], direction, skin, body.rest) < cloth) return;
    for (const TriangleTree::NearPoint& point : near) points[i].above.push_back(point.triangle);
  });
  std::erase_if(points, [](const Covered& point) { return point.above.empty(); });
  return points;
}

}  // namespace

Result<Poke> measure_poke(const Character& garment, const Character& body, std::span<const std::string> clips,
                          std::uint32_t frames) {
  constexpr double kReach = 0.025;  // share of the size
  const double reach = kReach * body.size();
  const Skin worn(garment);
  const Skin wearer(body);
  PELT_ASSIGN(auto covered, find_covered(worn, wearer, reach));
  if (covered.empty()) return fail(ErrorCode::kInvalidArgument, "the garment covers nothing of the body");

  Poke poke{.size = body.size(), .points = covered.size(), .clips = {}};
  Evaluator worn_evaluator(garment, {.jobs = thread_jobs()});
  Evaluator wearer_evaluator(body, {.jobs = thread_jobs()});
  for (const std::string& clip : clips) {
    PELT_ASSIGN(const auto worn_poser, Poser::create(garment, {.clip = clip, .caches = {}}));
    PELT_ASSIGN(const auto wearer_poser, Poser::create(body, {.clip = clip, .caches = {}}));
    ClipPoke clip_poke{.clip = clip};
    for (std::uint32_t frame = 0; frame < frames; ++frame) {
      const float share = frames > 1 ? static_cast<float>(frame) / static_cast<float>(frames - 1) : 0.0f;
      const float seconds = share * wearer_poser.duration();
      const auto pose = [&](Evaluator& evaluator, const Poser& poser) {
        const InstancePose at = poser.at(seconds);
        evaluator.pose(at.joints);
        evaluator.inputs(at.inputs);
        evaluator.evaluate();
      };
      pose(worn_evaluator, worn_poser);
      pose(wearer_evaluator, wearer_poser);
      const std::vector<glm::vec3> posed = worn.positions(worn_evaluator);
      const std::vector<glm::vec3> beneath = wearer.positions(wearer_evaluator);
      const std::vector<glm::vec3> normals = vertex_normals(posed, worn.triangles);
      PELT_ASSIGN(const auto tree, TriangleTree::create(posed, worn.triangles));
      std::vector<std::pair<double, std::size_t>> outside;  // depth, and the point's index
      for (std::size_t i = 0; i < covered.size(); ++i) {
        const Covered& point = covered[i];
        const glm::dvec3 place = point.mean(beneath);
        ClosestPoint closest{.squared_distance = std::numeric_limits<double>::infinity()};
        for (const std::uint32_t triangle : point.above) {
          const ClosestPoint other = tree.closest_point(triangle, place);
          if (other.squared_distance < closest.squared_distance) closest = other;
        }
        const double distance = signed_distance(closest, place, posed, normals);
        if (distance > clip_poke.deepest) outside.emplace_back(distance, i);
      }
      std::ranges::sort(outside, std::greater());
      for (const auto& [distance, i] : outside) {
        Covered& point = covered[i];
        const auto surrounded = [&](const std::vector<glm::vec3>& skin, const std::vector<glm::vec3>& cloth) {
          return winding_number(point.mean(skin), worn.triangles, cloth);
        };
        if (!point.surrounded) point.surrounded = surrounded(wearer.rest, worn.rest);
        if (*point.surrounded - surrounded(beneath, posed) < 0.5) continue;
        clip_poke = {clip, distance, seconds, point.mean(wearer.rest)};
        break;
      }
    }
    poke.clips.push_back(std::move(clip_poke));
  }
  return poke;
}

}  // namespace pelt::samples
