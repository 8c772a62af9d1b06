// SPDX-License-Identifier: MIT
// Plain kernels that the engine's is measured against: four influences a vertex, 4 x 4 matrices, positions and normals,
// one vertex at a time. Kernels tuned by others are faster: docs/benchmarks.md holds the engine's against one.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/model.h>

namespace pelt::samples {

// Rest vertices and four influences each, in the model's order.
struct PlainSkin {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::u16vec4> joints;  // columns of `weights`
  std::vector<glm::vec3> weights;    // of the first three; the fourth takes the rest
};

// Precondition: every row of the mesh has four influences.
PlainSkin make_plain_skin(const Mesh& mesh);

// palette[j] = joint matrix * inverse bind. Shape of out: the skin's.
struct PlainOutputs {
  std::span<glm::vec3> positions;
  std::span<glm::vec3> normals;
};

// Normals as the engine's: by the cofactors of the blended matrix, which is right where it scales or shears, and unit.
void skin_scalar(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out);  // GLM
void skin_128(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out);  // 4 floats at once

// Turns normals by the blended matrix itself and does not make them unit: the least arithmetic, not the least time.
void skin_128_least(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out);

}  // namespace pelt::samples
