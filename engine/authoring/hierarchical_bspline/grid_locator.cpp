// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <pelt/tools/triangle_tree.h>
#include <pelt/try.h>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/hierarchical_bspline/skin_locator.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr double kTessellation = 4.0;  // quads per span of the base, at least
constexpr int kSteps = 12;
constexpr std::size_t kGrain = 256;
constexpr double kCurvatureStep = 1e-3;  // of a span

bool is_at_end(const Direction& direction, double parameter, double move) {
  return !direction.closed && (move < 0 ? parameter <= 0 : parameter >= direction.spans());
}

// Refines parameters to those of the closest point nearby.
glm::dvec2 refined(const Surface& surface, const glm::dvec3& target, glm::dvec2 uv) {
  const Grid& grid = surface.grid()->grid(surface.finest());
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
    // If the step would leave an open direction at its end, it only goes along the other one.
    if (is_at_end(grid.along[0], uv.x, move.x)) move = {0, b * determinant / vv};
    if (is_at_end(grid.along[1], uv.y, move.y)) move = {a * determinant / uu, 0};
    const glm::dvec2 next = grid.inside(uv + move * (part / determinant));
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

class GridLocator : public SkinLocator {
 public:
  GridLocator(const HierarchicalBsplineParameters& parameters, Surface& surface, const DeformerInput& input)
      : parameters_(parameters),
        surface_(surface),
        input_(input),
        grid_(surface.grid()->grid(surface.finest())),
        per_span_(frames_per_span()) {}

  Result<void> find(const Mesh& mesh, std::span<const std::uint32_t>) override {
    if (parameters_.mapping == SurfaceMapping::kClosest) {
      PELT_ASSIGN(parameters_at_, within(input_.layer, closest_parameters(surface_, mesh.positions, input_.threads)));
      return {};
    }
    if (mesh.uvs.size() != mesh.positions.size()) {
      return invalid(input_,
                     fmt::format("mesh '{}' needs texture coordinates for mapping by texture_coordinates", mesh.name));
    }
    parameters_at_.clear();
    for (const glm::vec2 uv : mesh.uvs) {
      parameters_at_.push_back(
          grid_.inside(glm::dvec2(uv) * glm::dvec2(grid_.along[0].spans(), grid_.along[1].spans())));
    }
    return {};
  }

  SurfacePoint at(std::size_t vertex) const override {
    return surface_.evaluate(surface_.finest(), parameters_at_[vertex]);
  }

  bool is_beyond_curvature(std::size_t vertex, double height) const override {
    const glm::dvec2 uv = parameters_at_[vertex];
    const SurfacePoint here = at(vertex);
    std::array<glm::dvec3, 2> lifted{here.tangent_u, here.tangent_v};
    for (int d = 0; d < 2; ++d) {
      glm::dvec2 step(0);
      step[d] = kCurvatureStep;
      const Direction& direction = grid_.along[d];
      // At the end of an open direction there is only one side.
      const glm::dvec2 low = direction.closed || uv[d] >= step[d] ? uv - step : uv;
      const glm::dvec2 high = direction.closed || uv[d] + step[d] <= direction.spans() ? uv + step : uv;
      const SurfacePoint before = surface_.evaluate(surface_.finest(), low);
      const SurfacePoint after = surface_.evaluate(surface_.finest(), high);
      if (!before.has_frame() || !after.has_frame()) return false;
      lifted[d] += height * (after.axes()[2] - before.axes()[2]) / (high - low)[d];
    }
    return glm::dot(glm::cross(lifted[0], lifted[1]), here.axes()[2]) <= 0 ||
           glm::dot(lifted[0], here.tangent_u) + glm::dot(lifted[1], here.tangent_v) < 0;
  }

  Result<void> append(std::size_t vertex, Frames& frames, std::vector<WeightedElement>& row) override {
    const glm::dvec2 uv = parameters_at_[vertex];
    if (per_span_[0] == 0) return append_frame(uv, 1, frames, row);
    std::array<double, 2> low;
    std::array<double, 2> part;
    for (int d = 0; d < 2; ++d) {
      const double at = uv[d] * per_span_[d];
      low[d] = std::clamp(std::floor(at), 0.0, std::max(grid_.along[d].spans() * per_span_[d] - 1, 0.0));
      part[d] = at - low[d];
    }
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) {
        const double u = a == 1 ? part[0] : 1 - part[0];
        const double v = b == 1 ? part[1] : 1 - part[1];
        if (u * v == 0) continue;
        PELT_TRY(append_frame({(low[0] + a) / per_span_[0], (low[1] + b) / per_span_[1]}, u * v, frames, row));
      }
    }
    return {};
  }

 private:
  Result<void> append_frame(glm::dvec2 uv, double weight, Frames& frames, std::vector<WeightedElement>& row) {
    const glm::dvec2 place = grid_.inside(uv);
    const auto frame = frames.at({place.x, place.y}, [&] { return surface_.shares(surface_.finest(), place); });
    if (!frame) {
      return invalid(input_, fmt::format("the surface has no tangent plane at u {:.3g}, v {:.3g}", place.x, place.y));
    }
    row.push_back({*frame, weight});
    return {};
  }

  // Returns how many frames a span of the finest level gets along u and v; 0: every vertex has its own.
  std::array<double, 2> frames_per_span() const {
    if (parameters_.frames_per_span) {
      const auto given = static_cast<double>(*parameters_.frames_per_span);
      return {given, given};
    }
    glm::dvec2 length(0);  // of a span
    double count = 0;
    for (double u = 0.5; u < grid_.along[0].spans(); ++u) {
      for (double v = 0.5; v < grid_.along[1].spans(); ++v) {
        const SurfacePoint point = surface_.evaluate(surface_.finest(), {u, v});
        length += glm::dvec2(glm::length(point.tangent_u), glm::length(point.tangent_v));
        ++count;
      }
    }
    const double edge = mean_edge(input_);
    return {cells_of_span(length.x / count, edge), cells_of_span(length.y / count, edge)};
  }

  const HierarchicalBsplineParameters& parameters_;
  Surface& surface_;
  const DeformerInput& input_;
  const Grid& grid_;
  std::array<double, 2> per_span_;
  std::vector<glm::dvec2> parameters_at_;
};

}  // namespace

Result<std::vector<glm::dvec2>> closest_parameters(const Surface& surface, std::span<const glm::vec3> points,
                                                   unsigned threads) {
  const Grid& grid = surface.grid()->grid(surface.finest());
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
  parallel_each(points.size(), kGrain, threads, [&](std::size_t i) {
    glm::dvec2 uv(0);
    for (int c = 0; c < 3; ++c) uv += near[i].closest.weights[c] * places[near[i].closest.vertices[c]];
    result[i] = refined(surface, points[i], grid.inside(uv));
  });
  return result;
}

Result<std::unique_ptr<SkinLocator>> grid_locator(const HierarchicalBsplineParameters& parameters, Surface& surface,
                                                  const DeformerInput& input) {
  return std::make_unique<GridLocator>(parameters, surface, input);
}

}  // namespace pelt::hierarchical_bspline
