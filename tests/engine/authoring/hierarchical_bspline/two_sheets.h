// SPDX-License-Identifier: MIT
// Skin in two sheets that nearly touch.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "tests/support/driven.h"

namespace pelt::test {

// Returns two wavy sheets of 4 m, so far apart, of side x side vertices, each painted to two of four joints.
inline Mesh two_sheets(const char* name, std::uint32_t side, float gap) {
  Mesh mesh{.name = name};
  for (std::uint32_t v = 0; v < 2 * side * side; ++v) {
    const std::uint32_t sheet = v / (side * side);
    const float x = static_cast<float>(v / side % side) / static_cast<float>(side - 1);
    const float y = static_cast<float>(v % side) / static_cast<float>(side - 1);
    mesh.positions.emplace_back(4 * x, 4 * y, gap * static_cast<float>(sheet) + 0.3f * std::sin(4 * x));
    append_row(mesh.weights, std::vector<WeightedElement>{{2 * sheet, 1.0 - x}, {2 * sheet + 1, x}});
    if (v / side % side + 1 == side || v % side + 1 == side) continue;
    mesh.triangles.emplace_back(v, v + side, v + side + 1);
    mesh.triangles.emplace_back(v, v + side + 1, v + 1);
  }
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  return mesh;
}

// Expects that mesh 0 of the model, such sheets, comes apart as the joints of the second one move away.
inline void expect_to_part(const Model& model, const Character& character) {
  const Mesh& sheets = model.meshes[0];
  std::vector<glm::mat4> joints = bind_matrices(model);
  for (const std::size_t j : {2, 3}) joints[j] = glm::translate(glm::mat4(1), glm::vec3(0, 0, 2)) * joints[j];
  const std::vector<glm::vec3> moved = posed(character, joints, sheets.name);
  for (std::size_t v = 0; v < moved.size(); ++v) {
    const glm::vec3 wanted = sheets.positions[v] + glm::vec3(0, 0, v < moved.size() / 2 ? 0 : 2);
    EXPECT_LT(glm::distance(moved[v], wanted), 1e-4f) << v;
  }
}

}  // namespace pelt::test
