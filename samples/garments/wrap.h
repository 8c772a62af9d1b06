// SPDX-License-Identifier: MIT
// How near a skin in a cage comes to what the cage's own motion would do to it.
#pragma once

#include <array>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/surface_ffd.h>

namespace pelt::samples {

// A motion of space that both follow, vertex by vertex: what is below stands, what is above turns by `degrees` about an
// axis through the middle between, and dual quaternions pass smoothly from one to the other. Heights are along y, as
// shares of the height of the skin.
struct Motion {
  const char* name;
  glm::vec3 axis;  // unit
  float degrees;
  float from = 0.53f;
  float to = 0.78f;
};
constexpr std::array<Motion, 2> kMotions{
    {{.name = "bow 60", .axis = {1, 0, 0}, .degrees = 60}, {.name = "turn 90", .axis = {0, 1, 0}, .degrees = 90}}};

// Positions of both: model space, metres.
struct Wrapped {
  std::vector<glm::vec3> cage;   // where the motion takes it
  std::vector<glm::vec3> ideal;  // where it would take the skin
  std::vector<glm::vec3> skin;   // where the cage takes it, by surface FFD
};

// `parameters` without a driver. Errors: those of bind.
Result<Wrapped> wrap(const Mesh& skin, const Mesh& cage, const Motion& motion, SurfaceFfdParameters parameters);

struct WrapError {
  double rms = 0;    // over the vertices between that move with neither end
  double worst = 0;  // of all
};

// Metres. `rest`, `ideal` and `found` are of the same vertices.
WrapError wrap_error(std::span<const glm::vec3> rest, std::span<const glm::vec3> ideal,
                     std::span<const glm::vec3> found, const Motion& motion);

}  // namespace pelt::samples
