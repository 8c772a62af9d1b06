// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/painting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/try.h>

#include "engine/authoring/driver/from_skin/joint_spread.h"
#include "engine/authoring/driver/from_skin/shown_surface.h"
#include "engine/authoring/rows/row_weights.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr std::size_t kCandidates = 16;
// Penalty, in triangle edges, for painting with less than half in common and for a normal that faces the other way.
constexpr double kUnlike = 4;
constexpr double kTurned = 2;

double weight_similarity_at(const PaintedTriangles& surface, const ClosestPoint& at,
                            std::span<const Influence> weights) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    if (at.weights[c] > 0) sum += at.weights[c] * weight_similarity(surface.weights(at.vertices[c]), weights);
  }
  return sum;
}

// Returns the parts of the weighted skin (Base::skin_parts).
std::vector<std::uint32_t> painted_parts(const Base& base, const DeformerInput& input) {
  std::vector<std::uint32_t> parts;
  if (base.skin_parts.empty()) return parts;
  auto next = base.skin_parts.begin();
  for (const DeformerTarget& target : full_detail(input)) {
    const auto last = next + static_cast<std::ptrdiff_t>(mesh_of(input, target).positions.size());
    if (has_weights(mesh_of(input, target))) parts.insert(parts.end(), next, last);
    next = last;
  }
  return parts;
}

// Finds the closest points on triangles that are similar to the points searched for.
class AlikeSearch {
 public:
  AlikeSearch(const PaintedTriangles& surface, std::span<const PaintedPoint> points, unsigned threads)
      : surface_(surface), points_(points), threads_(threads), result_(points.size()) {}

  std::vector<ClosestPoint> run(const TriangleTree& tree) {
    find_in_parts(find_among_near(find_closest(tree), tree));
    return std::move(result_);
  }

 private:
  using NearPoint = TriangleTree::NearPoint;

  // Takes the closest point for each, and returns the numbers of those that are unlike it.
  std::vector<std::uint32_t> find_closest(const TriangleTree& tree) {
    std::vector<std::uint32_t> all(points_.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<std::uint8_t> unlike(points_.size());
    tree.nearest_of_each(positions_of(all), 1, threads_, [&](std::size_t i, std::span<const NearPoint> found) {
      result_[i] = found[0].closest;
      unlike[i] = is_of_part(points_[i], found[0]) && weight_difference(points_[i], found[0]) == 0 ? 0 : 1;
    });
    std::erase_if(all, [&](std::uint32_t i) { return unlike[i] == 0; });
    return all;
  }

  // Takes the best of the nearest triangles for each, and returns the numbers of those that have none of their part
  // there.
  std::vector<std::uint32_t> find_among_near(std::vector<std::uint32_t> numbers, const TriangleTree& tree) {
    if (numbers.empty()) return numbers;
    std::vector<std::uint8_t> is_found(points_.size());
    tree.nearest_of_each(
        positions_of(numbers), kCandidates, threads_, [&](std::size_t i, std::span<const NearPoint> found) {
          const PaintedPoint& point = points_[numbers[i]];
          double least = std::numeric_limits<double>::infinity();
          for (const NearPoint& near : found) {
            const double badness = std::sqrt(near.closest.squared_distance) + weight_difference(point, near);
            if (!is_of_part(point, near) || !(badness < least)) continue;
            least = badness;
            is_found[numbers[i]] = 1;
            result_[numbers[i]] = near.closest;
          }
        });
    std::erase_if(numbers, [&](std::uint32_t i) { return is_found[i] != 0; });
    return numbers;
  }

  // Takes the closest point of its part for each; keeps the closest of all if the part has no triangle.
  void find_in_parts(std::span<const std::uint32_t> numbers) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> of_parts;
    for (const std::uint32_t i : numbers) of_parts[points_[i].part].push_back(i);
    for (const auto& [part, in_part] : of_parts) {
      std::vector<glm::uvec3> triangles;
      for (const glm::uvec3 t : surface_.triangles) {
        if (surface_.parts[t.x] == part) triangles.push_back(t);
      }
      const Result<TriangleTree> tree = TriangleTree::create(surface_.positions, triangles);
      if (!tree) continue;
      const std::vector<NearPoint> near = tree->nearest_of_each(positions_of(in_part), threads_);
      for (std::size_t i = 0; i < in_part.size(); ++i) result_[in_part[i]] = near[i].closest;
    }
  }

  std::vector<glm::vec3> positions_of(std::span<const std::uint32_t> numbers) const {
    std::vector<glm::vec3> positions;
    for (const std::uint32_t i : numbers) positions.push_back(points_[i].position);
    return positions;
  }

  // Returns a triangle's dissimilarity to a point, metres.
  double weight_difference(const PaintedPoint& point, const NearPoint& near) const {
    const glm::uvec3 t = surface_.triangles[near.triangle];
    const glm::dvec3 a(surface_.positions[t.x]);
    const glm::dvec3 across =
        glm::cross(glm::dvec3(surface_.positions[t.y]) - a, glm::dvec3(surface_.positions[t.z]) - a);
    const double area = glm::length(across);
    double edges = 0;
    if (!point.weights.empty() && surface_.weights) {
      edges += kUnlike * std::max(0.5 - weight_similarity_at(surface_, near.closest, point.weights), 0.0);
    }
    if (point.normal != glm::vec3(0)) {
      edges += kTurned * std::max(-glm::dot(across, glm::dvec3(point.normal)) / area, 0.0);
    }
    return edges * std::sqrt(area);
  }

  bool is_of_part(const PaintedPoint& point, const NearPoint& near) const {
    return point.part == kAnyPart || surface_.parts.empty() ||
           surface_.parts[surface_.triangles[near.triangle].x] == point.part;
  }

  const PaintedTriangles& surface_;
  std::span<const PaintedPoint> points_;
  unsigned threads_;
  std::vector<ClosestPoint> result_;
};

// Returns the control vertices of a level as points to search for on the skin. `before`: their rows by refinement of
// the coarser level; none for the base.
std::vector<PaintedPoint> points_of(const Surface& surface, std::uint32_t level, const Base& base,
                                    const SparseRows& before) {
  const std::vector<std::uint32_t> parts = parts_of(surface.topology(), level, base);
  std::vector<PaintedPoint> points;
  for (const SurfacePoint& limit : limit_points(surface, level)) {
    const std::size_t v = points.size();
    PaintedPoint& point = points.emplace_back();
    if (!parts.empty()) point.part = parts[v];
    point.position = glm::vec3(limit.position);
    if (limit.has_frame()) point.normal = glm::vec3(limit.axes()[2]);
    if (before.row_count() != 0) point.weights = before.row(v);
  }
  return points;
}

}  // namespace

std::vector<ClosestPoint> closest_alike(const PaintedTriangles& surface, const TriangleTree& tree,
                                        std::span<const PaintedPoint> points, unsigned threads) {
  return AlikeSearch(surface, points, threads).run(tree);
}

std::vector<glm::uvec3> triangles_of(const Polygons& faces, std::span<const glm::vec3> positions) {
  std::vector<glm::uvec3> triangles;
  for (const std::vector<std::uint32_t>& face : faces) {
    const bool turned = face.size() == 4 && glm::distance(positions[face[1]], positions[face[3]]) <
                                                glm::distance(positions[face[0]], positions[face[2]]);
    const std::size_t first = turned ? 1 : 0;
    for (std::size_t c = 2; c < face.size(); ++c) {
      triangles.emplace_back(face[first], face[(first + c - 1) % face.size()], face[(first + c) % face.size()]);
    }
  }
  return triangles;
}

std::vector<SurfacePoint> limit_points(const Surface& surface, std::uint32_t level) {
  const std::span<const glm::dvec3> control = surface.control(level);
  std::vector<SurfacePoint> points;
  for (std::uint32_t v = 0; v < control.size(); ++v) {
    points.push_back(surface.evaluate(level, surface.topology().limit(level, v, control)));
  }
  return points;
}

SparseRows refined_rows(const Topology& topology, std::uint32_t level, const SparseRows& rows) {
  SparseRows result;
  std::vector<WeightedElement> row;
  for (std::uint32_t v = 0; v < topology.size(level + 1); ++v) {
    row.clear();
    for (const auto& [parent, weight] : topology.refinement(level, v)) {
      for (const Influence& influence : rows.row(parent)) row.push_back({influence.index, weight * influence.weight});
    }
    append_row(result, row);
  }
  return result;
}

std::vector<std::uint32_t> parts_of(const Topology& topology, std::uint32_t level, const Base& base) {
  std::vector<std::uint32_t> parts = base.parts;
  for (std::uint32_t l = 0; l < level && !parts.empty(); ++l) {
    std::vector<std::uint32_t> next;
    for (std::uint32_t v = 0; v < topology.size(l + 1); ++v) next.push_back(parts[topology.refinement(l, v)[0].first]);
    parts = std::move(next);
  }
  return parts;
}

Result<Painting> Painting::create(const Surface& surface, const Base& base, const DeformerInput& input) {
  Painting painting;
  painting.topology_ = &surface.topology();
  painting.finest_ = surface.finest();
  painting.rows_ = base.weights;
  if (base.painted) {
    for (std::uint32_t level = 0; level < surface.finest(); ++level) {
      painting.rows_ = refined_rows(surface.topology(), level, painting.rows_);
    }
    return painting;
  }
  from_skin::ShownSurface skin = from_skin::shown_surface(input, true);
  drop_flat(skin.mesh.positions, skin.mesh.triangles);
  if (skin.mesh.triangles.empty()) return invalid(input, "no target has weights that the surface could follow");
  PELT_ASSIGN(const auto tree, within(input.layer, TriangleTree::create(skin.mesh.positions, skin.mesh.triangles)));
  const std::vector<std::uint32_t> skin_parts = painted_parts(base, input);
  const PaintedTriangles painted{skin.mesh.positions, skin.mesh.triangles,
                                 [&](std::uint32_t v) { return skin.weights(v); }, skin_parts};
  Mesh mesh;
  for (std::uint32_t level = 0; level <= surface.finest(); ++level) {
    if (level == 0 && base.weights.row_count() != 0) continue;
    const SparseRows before = level > 0 ? refined_rows(surface.topology(), level - 1, painting.rows_) : SparseRows{};
    const std::vector<PaintedPoint> points = points_of(surface, level, base, before);
    const std::vector<ClosestPoint> closest = closest_alike(painted, tree, points, input.threads);
    painting.rows_ = {};
    for (const ClosestPoint& at : closest) append_weights_at(at, painted.weights, painting.rows_);
  }
  for (const SurfacePoint& point : limit_points(surface, surface.finest())) mesh.positions.emplace_back(point.position);
  mesh.triangles = triangles_of(surface.topology().faces(surface.finest()), mesh.positions);
  mesh.weights = std::move(painting.rows_);
  painting.rows_ = from_skin::spread_along(mesh, base.parameters.spread, input.model, input.threads);
  return painting;
}

std::span<const Influence> Painting::row(std::uint32_t level, std::uint32_t number) const {
  for (; level < finest_; ++level) number = topology_->child(level, number);
  return rows_.row(number);
}

SparseRows Painting::rows_of(const Topology& topology, std::uint32_t level) const {
  SparseRows rows = rows_;
  for (std::uint32_t l = finest_; l < level; ++l) rows = refined_rows(topology, l, rows);
  return rows;
}

}  // namespace pelt::hierarchical_bspline
