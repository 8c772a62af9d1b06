// SPDX-License-Identifier: MIT
#include "tests/support/tube_surface.h"

#include <cmath>
#include <glm/gtc/constants.hpp>

namespace pelt::test {

namespace {
constexpr std::uint32_t kAround = 8;
}  // namespace

HierarchicalBsplineParameters tube_surface(const TubeOptions& options, std::uint32_t rings) {
  HierarchicalBsplineParameters surface;
  surface.shape = {rings, kAround};
  surface.closed_v = true;
  SurfaceLevel& base = surface.levels.emplace_back();
  SurfaceAttachment upper{.joint = "joint0", .vertices = {}};
  SurfaceAttachment bisecting{.joint = "joint1", .segment = 2, .segments = 3, .vertices = {}};
  SurfaceAttachment lower{.joint = "joint1", .vertices = {}};
  const float bend = options.length / static_cast<float>(options.joints);
  const float step = options.length / static_cast<float>(rings - 3);
  // A closed uniform B-spline lies within its control polygon: at a knot, 4/6 of a vertex and 1/6 of its neighbours.
  const float radius = options.radius * 3.0f / (2.0f + std::cos(glm::two_pi<float>() / kAround));
  for (std::uint32_t i = 0; i < rings; ++i) {
    const float x = (static_cast<float>(i) - 1) * step;
    for (std::uint32_t j = 0; j < kAround; ++j) {
      const float angle = glm::two_pi<float>() * static_cast<float>(j) / kAround;
      surface.control.emplace_back(x, radius * std::cos(angle), radius * std::sin(angle));
    }
    SurfaceAttachment& follows = x < bend - 0.5f * step ? upper : x > bend + 0.5f * step ? lower : bisecting;
    follows.vertices.push_back({i * kAround, i * kAround + kAround - 1});
  }
  base.attach = {upper, bisecting, lower};
  return surface;
}

HierarchicalBsplineParameters tube_mesh_surface(std::uint32_t rings) {
  HierarchicalBsplineParameters surface;
  const std::uint32_t ends = rings * kAround;  // the middles of both ends
  for (std::uint32_t i = 0; i < rings; ++i) {
    for (std::uint32_t j = 0; j < kAround; ++j) {
      const float angle = glm::two_pi<float>() * static_cast<float>(j) / kAround;
      surface.control.emplace_back(static_cast<float>(i), 1.1f * std::cos(angle), 1.1f * std::sin(angle));
      const std::uint32_t next = (j + 1) % kAround;
      if (i + 1 < rings) {
        surface.faces.push_back({i * kAround + j, i * kAround + next, (i + 1) * kAround + next, (i + 1) * kAround + j});
      }
    }
  }
  surface.control.emplace_back(-0.3f, 0, 0);
  surface.control.emplace_back(static_cast<float>(rings) - 0.7f, 0, 0);
  std::vector<std::uint32_t> rim;
  for (std::uint32_t j = 0; j < kAround; ++j) {
    const std::uint32_t next = (j + 1) % kAround;
    surface.faces.push_back({next, j, ends});
    surface.faces.push_back({ends - kAround + j, ends - kAround + next, ends + 1});
    rim.push_back(j);
  }
  rim.push_back(0);
  surface.creases = {{{rim}, 10}, {{{kAround, 2 * kAround, 3 * kAround}}, 1.5f}};
  surface.levels.resize(2);
  surface.levels[1].offsets = {{2 * kAround + 2, {0.05f, 0, -0.1f}}, {4 * kAround, {0, 0.05f, 0.08f}}};
  surface.levels[1].attach = {{.painted = true, .vertices = {{3 * kAround, 3 * kAround + 3}}},
                              {.joint = "joint0", .vertices = {{kAround + 4, kAround + 5}}}};
  return surface;
}

void add_overlays(HierarchicalBsplineParameters& surface) {
  const std::uint32_t across = 2 * kAround;
  SurfaceLevel& first = surface.levels.emplace_back();
  first.offsets = {{7 * across + 2, {0.02f, 0, -0.1f}}, {8 * across + 3, {0, 0.05f, 0.08f}}};
  first.attach = {{.joint = "joint0", .vertices = {{9 * across + 9, 9 * across + 11}}}};
  SurfaceLevel& second = surface.levels.emplace_back();
  second.offsets = {{15 * 2 * across + 6, {0, 0.01f, 0.04f}}};
}

}  // namespace pelt::test
