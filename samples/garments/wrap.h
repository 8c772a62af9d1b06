// SPDX-License-Identifier: MIT
// Compares a skin in a cage with the motion that moved the cage.
#pragma once

#include <array>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/surface_ffd.h>

namespace pelt::samples {

// A motion that skin and cage both follow, vertex by vertex: everything below `from` stands, everything above `to`
// turns by `degrees` about an axis through the middle between them, and dual quaternions pass smoothly from one to the
// other. Heights are along y, as shares of the skin's height.
struct Motion {
  const char* name;
  glm::vec3 axis;  // unit
  float degrees;
  float from = 0.53f;
  float to = 0.78f;
};
constexpr std::array<Motion, 2> kMotions{
    {{.name = "bow 60", .axis = {1, 0, 0}, .degrees = 60}, {.name = "turn 90", .axis = {0, 1, 0}, .degrees = 90}}};

// Positions of skin and cage: model space, metres.
struct Wrapped {
  std::vector<glm::vec3> cage;   // as the motion moves the cage
  std::vector<glm::vec3> ideal;  // as the motion itself would move the skin
  std::vector<glm::vec3> skin;   // as the cage moves the skin, by surface FFD
};

// Moves a skin by its cage. `parameters` name no driver. Errors: those of bind.
Result<Wrapped> wrap(const Mesh& skin, const Mesh& cage, const Motion& motion, SurfaceFfdParameters parameters);

struct WrapError {
  double rms = 0;    // over the vertices between the two ends
  double worst = 0;  // over all vertices
};

// Returns the distances of `found` from `ideal`, metres. `rest`, `ideal` and `found` are positions of the same
// vertices.
WrapError wrap_error(std::span<const glm::vec3> rest, std::span<const glm::vec3> ideal,
                     std::span<const glm::vec3> found, const Motion& motion);

}  // namespace pelt::samples
