// SPDX-License-Identifier: MIT
// Positions in 64 bits: three unorm16 between the corners of a box, and 0. An unpacked position differs from the
// original by at most 1 / 131070 of the box's edge along each axis, 0.014 mm on an edge of 1.8 m, and a
// float's rounding.
#ifndef PELT_SHADERS_BOX16_H
#define PELT_SHADERS_BOX16_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

// Packs a position that lies in the box.
PELT_SHARED_FN uvec2 pack_position(vec3 position, vec3 least, vec3 greatest) {
  vec3 share = (position - least) / max(greatest - least, vec3(1e-30f));
  return uvec2(packUnorm2x16(vec2(share.x, share.y)), packUnorm2x16(vec2(share.z, 0.0f)));
}

PELT_SHARED_FN vec3 unpack_position(uvec2 words, vec3 least, vec3 greatest) {
  vec2 xy = unpackUnorm2x16(words.x);
  return least + vec3(xy.x, xy.y, unpackUnorm2x16(words.y).x) * (greatest - least);
}

PELT_SHARED_END

#endif
