// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/places.h"

#include <algorithm>
#include <cmath>

#include <pelt/tools/parallel.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/try.h>

namespace pelt::hierarchical_bspline {
namespace {

constexpr double kTessellation = 4.0;  // quads of a span of the base, at least
constexpr int kSteps = 12;
constexpr std::size_t kGrain = 256;

glm::dvec2 inside(const Grid& grid, glm::dvec2 uv) { return {grid.along[0].inside(uv.x), grid.along[1].inside(uv.y)}; }

bool is_at_end(const Direction& direction, double parameter, double move) {
  return !direction.closed && (move < 0 ? parameter <= 0 : parameter >= direction.spans());
}

// Refines parameters to those of the closest point nearby.
glm::dvec2 refined(const Surface& surface, const glm::dvec3& target, glm::dvec2 uv) {
  const Grid& grid = surface.grid(surface.finest());
  SurfacePoint point = surface.evaluate(surface.finest(), uv);
  double distance = glm::distance(point.position, target);
  double part = 1;  // of a step
  for (int step = 0; step < kSteps; ++step) {
    const double uu = glm::dot(point.tangent_u, point.tangent_u);
    const double uv_ = glm::dot(point.tangent_u, point.tangent_v);
    const double vv = glm::dot(point.tangent_v, point.tangent_v);
    const double determinant = uu * vv - uv_ * uv_;
    if (!(determinant > 1e-12 * uu * vv)) break;
    const glm::dvec3 away = target - point.position;
    const double a = glm::dot(away, point.tangent_u);
    const double b = glm::dot(away, point.tangent_v);
    glm::dvec2 move(vv * a - uv_ * b, uu * b - uv_ * a);
    // At an end of an open direction that the step would leave, it goes along the other one alone.
    if (is_at_end(grid.along[0], uv.x, move.x)) move = {0, b * determinant / vv};
    if (is_at_end(grid.along[1], uv.y, move.y)) move = {a * determinant / uu, 0};
    const glm::dvec2 next = inside(grid, uv + move * (part / determinant));
    const SurfacePoint there = surface.evaluate(surface.finest(), next);
    const double closer = glm::distance(there.position, target);
    if (closer > distance) {
      part /= 2;
      continue;
    }
    const bool settled = distance - closer < 1e-12 * (distance + 1e-30) && glm::length(move) < 1e-9 * determinant;
    uv = next;
    point = there;
    distance = closer;
    if (settled) break;
  }
  return uv;
}

}  // namespace

Result<std::vector<glm::dvec2>> closest_places(const Surface& surface, std::span<const glm::vec3> points,
                                               unsigned threads) {
  const Grid& grid = surface.grid(surface.finest());
  const double base_spans = std::pow(2.0, surface.finest());
  std::array<std::uint32_t, 2> quads;
  std::array<double, 2> step;
  for (int d = 0; d < 2; ++d) {
    const double spans = grid.along[d].spans();
    quads[d] = static_cast<std::uint32_t>(std::ceil(std::max(spans, kTessellation * spans / base_spans)));
    step[d] = spans / quads[d];
  }
  std::vector<glm::vec3> positions;
  std::vector<glm::dvec2> places;
  std::vector<glm::uvec3> triangles;
  for (std::uint32_t i = 0; i <= quads[0]; ++i) {
    for (std::uint32_t j = 0; j <= quads[1]; ++j) {
      places.emplace_back(i * step[0], j * step[1]);
      positions.emplace_back(surface.evaluate(surface.finest(), places.back()).position);
      if (i == 0 || j == 0) continue;
      const auto d = static_cast<std::uint32_t>(positions.size()) - 1;
      const std::uint32_t b = d - quads[1] - 1;
      for (const glm::uvec3 triangle : {glm::uvec3(b - 1, d - 1, d), glm::uvec3(b - 1, d, b)}) {
        const glm::vec3 across =
            glm::cross(positions[triangle.y] - positions[triangle.x], positions[triangle.z] - positions[triangle.x]);
        if (glm::dot(across, across) > 0) triangles.push_back(triangle);
      }
    }
  }
  PELT_ASSIGN(const auto tree, TriangleTree::create(positions, triangles));
  const std::vector<TriangleTree::NearPoint> near = tree.nearest_of_each(points, threads);
  std::vector<glm::dvec2> result(points.size());
  parallel_for(points.size(), kGrain, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      glm::dvec2 uv(0);
      for (int c = 0; c < 3; ++c) uv += near[i].closest.weights[c] * places[near[i].closest.vertices[c]];
      result[i] = refined(surface, points[i], inside(grid, uv));
    }
  });
  return result;
}

}  // namespace pelt::hierarchical_bspline
