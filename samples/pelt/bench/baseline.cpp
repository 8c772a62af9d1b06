// SPDX-License-Identifier: MIT
#include "samples/pelt/bench/baseline.h"

#include <cstring>

namespace pelt::samples {
namespace {

// The compiler's own 128-bit vectors: SSE2 on x86-64, NEON on ARM.
using Float4 = float __attribute__((vector_size(16)));

Float4 load(const glm::vec4& v) {
  Float4 loaded;
  std::memcpy(&loaded, &v, sizeof loaded);
  return loaded;
}

void store3(Float4 v, glm::vec3& out) { std::memcpy(&out, &v, sizeof out); }

Float4 all(float v) { return Float4{v, v, v, v}; }

}  // namespace

PlainSkin make_plain_skin(const Mesh& mesh) {
  PlainSkin skin{.positions = mesh.positions, .normals = mesh.normals, .joints = {}, .weights = {}};
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const std::span<const Influence> row = mesh.weights.row(i);
    skin.joints.emplace_back(row[0].index, row[1].index, row[2].index, row[3].index);
    skin.weights.emplace_back(row[0].weight, row[1].weight, row[2].weight);
  }
  return skin;
}

void skin_scalar(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out) {
  for (std::size_t i = 0; i < skin.positions.size(); ++i) {
    const glm::u16vec4 joints = skin.joints[i];
    const glm::vec3 weights = skin.weights[i];
    const float last = 1 - weights.x - weights.y - weights.z;
    const glm::mat4 blended = weights.x * palette[joints.x] + weights.y * palette[joints.y] +
                              weights.z * palette[joints.z] + last * palette[joints.w];
    out.positions[i] = glm::vec3(blended * glm::vec4(skin.positions[i], 1.0f));
    out.normals[i] = glm::mat3(blended) * skin.normals[i];
  }
}

void skin_128(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out) {
  for (std::size_t i = 0; i < skin.positions.size(); ++i) {
    const glm::u16vec4 joints = skin.joints[i];
    const glm::vec3 weights = skin.weights[i];
    const Float4 w0 = all(weights.x);
    const Float4 w1 = all(weights.y);
    const Float4 w2 = all(weights.z);
    const Float4 w3 = all(1 - weights.x - weights.y - weights.z);
    const glm::mat4& m0 = palette[joints.x];
    const glm::mat4& m1 = palette[joints.y];
    const glm::mat4& m2 = palette[joints.z];
    const glm::mat4& m3 = palette[joints.w];
    Float4 columns[4];
    for (int c = 0; c < 4; ++c) {
      columns[c] = (w0 * load(m0[c]) + w1 * load(m1[c])) + (w2 * load(m2[c]) + w3 * load(m3[c]));
    }
    const glm::vec3& p = skin.positions[i];
    const glm::vec3& n = skin.normals[i];
    store3((columns[0] * all(p.x) + columns[1] * all(p.y)) + (columns[2] * all(p.z) + columns[3]), out.positions[i]);
    store3(columns[0] * all(n.x) + columns[1] * all(n.y) + columns[2] * all(n.z), out.normals[i]);
  }
}

}  // namespace pelt::samples
