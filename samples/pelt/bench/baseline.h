// SPDX-License-Identifier: MIT
// The kernels that games have: four influences a vertex, 4 x 4 matrices, positions and normals, one vertex at a time.
// What the engine's kernel is measured against, and nothing else.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/model/model.h"

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

// Normals by the blended matrix itself, and not made unit: the least that a kernel can do.
void skin_128_least(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out);

}  // namespace pelt::samples
