// SPDX-License-Identifier: MIT
// Unit vectors in 32 bits: octahedral projection, snorm16 x 2 (Cigolle et al. 2014, "A Survey of Efficient
// Representations for Independent Unit Vectors"). An unpacked normal differs from the original by at most 0.004
// degrees, a tangent by at most 0.008: it has one bit fewer, which holds the handedness.
#ifndef PELT_SHADERS_OCTAHEDRAL_H
#define PELT_SHADERS_OCTAHEDRAL_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

// The result is within -2 to 2 even if the vector has no length or is not finite.
PELT_SHARED_FN vec2 octahedral_from_unit(vec3 n) {
  vec2 p = vec2(n.x, n.y) * (1.0f / (abs(n.x) + abs(n.y) + abs(n.z)));
  vec2 folded =
      vec2((1.0f - abs(p.y)) * (p.x >= 0.0f ? 1.0f : -1.0f), (1.0f - abs(p.x)) * (p.y >= 0.0f ? 1.0f : -1.0f));
  vec2 projected = n.z >= 0.0f ? p : folded;
  return vec2(abs(projected.x) <= 2.0f ? projected.x : 0.0f, abs(projected.y) <= 2.0f ? projected.y : 0.0f);
}

PELT_SHARED_FN vec3 unit_from_octahedral(vec2 p) {
  vec3 n = vec3(p.x, p.y, 1.0f - abs(p.x) - abs(p.y));
  float fold = max(-n.z, 0.0f);
  n.x += n.x >= 0.0f ? -fold : fold;
  n.y += n.y >= 0.0f ? -fold : fold;
  return normalize(n);
}

PELT_SHARED_FN uint pack_normal(vec3 unit_normal) { return packSnorm2x16(octahedral_from_unit(unit_normal)); }

PELT_SHARED_FN vec3 unpack_normal(uint word) { return unit_from_octahedral(unpackSnorm2x16(word)); }

// Packs a unit xyz and w = handedness, whose sign replaces the lowest bit, so the first coordinate keeps 15 bits.
PELT_SHARED_FN uint pack_tangent(vec4 tangent) {
  uint word = packSnorm2x16(octahedral_from_unit(vec3(tangent.x, tangent.y, tangent.z)));
  return (word & 0xFFFFFFFEu) | (tangent.w < 0.0f ? 1u : 0u);
}

PELT_SHARED_FN vec4 unpack_tangent(uint word) {
  return vec4(unit_from_octahedral(unpackSnorm2x16(word & 0xFFFFFFFEu)), (word & 1u) != 0u ? -1.0f : 1.0f);
}

PELT_SHARED_END

#endif
