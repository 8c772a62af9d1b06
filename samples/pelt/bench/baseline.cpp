// SPDX-License-Identifier: MIT
#include "samples/pelt/bench/baseline.h"

#include <cmath>
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

void store3(Float4 v, glm::vec3& out) {
  std::memcpy(&out, &v, 8);
  out.z = v[2];
}

Float4 all(float v) { return Float4{v, v, v, v}; }

Float4 yzx(Float4 v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }

Float4 cross(Float4 a, Float4 b) { return yzx(a * yzx(b) - yzx(a) * b); }

// The columns of a blended matrix.
struct Columns {
  Float4 a, b, c, o;
};

template <class Normal>
void skin(const PlainSkin& skin, std::span<const glm::mat4> palette, const PlainOutputs& out, const Normal& normal) {
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
    const auto column = [&](int c) {
      return (w0 * load(m0[c]) + w1 * load(m1[c])) + (w2 * load(m2[c]) + w3 * load(m3[c]));
    };
    const Columns m{column(0), column(1), column(2), column(3)};
    const glm::vec3& p = skin.positions[i];
    store3((m.a * all(p.x) + m.b * all(p.y)) + (m.c * all(p.z) + m.o), out.positions[i]);
    store3(normal(m, skin.normals[i]), out.normals[i]);
  }
}

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
    const glm::mat3 axes(blended);
    const glm::mat3 cofactors(glm::cross(axes[1], axes[2]), glm::cross(axes[2], axes[0]), glm::cross(axes[0], axes[1]));
    out.normals[i] = glm::normalize(cofactors * skin.normals[i]);
  }
}

void skin_128(const PlainSkin& plain, std::span<const glm::mat4> palette, const PlainOutputs& out) {
  skin(plain, palette, out, [](const Columns& m, const glm::vec3& n) {
    const Float4 v = cross(m.b, m.c * all(n.x) - m.a * all(n.z)) + cross(m.c, m.a) * all(n.y);
    const Float4 squares = v * v;
    return v * all(1 / std::sqrt(squares[0] + squares[1] + squares[2]));
  });
}

void skin_128_least(const PlainSkin& plain, std::span<const glm::mat4> palette, const PlainOutputs& out) {
  skin(plain, palette, out,
       [](const Columns& m, const glm::vec3& n) { return m.a * all(n.x) + m.b * all(n.y) + m.c * all(n.z); });
}

}  // namespace pelt::samples
