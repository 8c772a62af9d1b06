// SPDX-License-Identifier: MIT
// Plain kernels to compare the engine's with: four influences per vertex, 4 x 4 matrices, positions and normals, one
// vertex at a time. docs/benchmarks.md also compares the engine with a faster, tuned kernel.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/mesh.h>

namespace pelt::samples {

// Vertices in the rest pose with four influences each, in the model's order.
struct PlainSkin {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::u16vec4> joints;  // columns of `weights`
  std::vector<glm::vec3> weights;    // of the first three influences; the fourth is the remainder
};

// Precondition: every row of the mesh has four influences.
PlainSkin make_plain_skin(const Mesh& mesh);

// Outputs have the skin's shape; palette[j] = joint matrix * inverse bind.
struct PlainOutputs {
  std::span<glm::vec3> positions;
  std::span<glm::vec3> normals;
};

// Compute unit normals like the engine: by the cofactors of the blended matrix, which are also exact for scale and
// shear.
void skin_scalar(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out);  // GLM
void skin_128(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out);  // 4 floats at once

// Multiplies normals by the blended matrix and does not normalise them: the least arithmetic, not the least time.
void skin_128_least(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out);

}  // namespace pelt::samples
