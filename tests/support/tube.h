// SPDX-License-Identifier: MIT
// Small procedural models for tests: tubes along +x over a chain of joints, and a flat grid.
#pragma once

#include <pelt/model.h>

namespace pelt::test {

struct TubeOptions {
  std::uint32_t around = 12;
  std::uint32_t along = 16;  // number of rings - 1
  float radius = 1.0f;
  float length = 8.0f;
  std::uint32_t joints = 2;  // evenly spaced from x = 0 on
  float blend_length = 2.0f;
};

// Returns an open tube whose weights pass linearly from joint to joint.
Mesh make_tube_mesh(const TubeOptions& options);

// Returns a model with the tube as mesh "tube" and joints "joint0", "joint1", ... each the parent of the next.
Model make_tube(const TubeOptions& options = {});

// Returns rows that follow one joint wholly.
SparseRows rows_on(std::uint32_t joint, std::size_t count);

// Returns the mesh with corners of its own for every triangle.
Mesh split(const Mesh& mesh);

// Returns n x n quads of side 1 on the plane z = 0, with vertices row by row from the origin.
Mesh make_grid(std::uint32_t n);

// Returns a model of `count` vertices and no triangles, scattered round the joints of make_tube and weighted by it.
Model make_cloud(std::size_t count);

// Returns a turn about an axis through a point.
glm::mat4 turn_about(glm::vec3 place, float degrees, glm::vec3 axis = {0, 0, 1});

// Returns the model-space joint matrices of the bind pose.
std::vector<glm::mat4> bind_matrices(const Model& model);

}  // namespace pelt::test
