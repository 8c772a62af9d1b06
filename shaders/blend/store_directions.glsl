// SPDX-License-Identifier: MIT
// Normals and tangents into the outputs, for shaders that have them bound as normals, directions16 and tangents, and
// streams of theirs in `constants`.

// Whether anything is written of tangents.
bool writes_tangents() {
  uint format = constants.normals.format;
  return constants.tangents.format != kFormatNone || format == kFormatOctahedral16Both || format == kFormatOctahedral8;
}

void store_directions(uint element, vec3 normal, vec4 tangent) {
  uint at = constants.normals.first + element * constants.normals.stride;
  uint format = constants.normals.format;
  if (format == kFormatOctahedral16Both) {
    directions16[at / 2u] = uvec2(pack_normal(normal), pack_tangent(tangent));
  } else if (format == kFormatOctahedral16) {
    normals[at] = pack_normal(normal);
  } else if (format == kFormatOctahedral8 || format == kFormatOctahedral8Alone) {
    normals[at] = pack_directions8(normal, tangent);
  } else if (format == kFormatFloat) {
    normals[at] = floatBitsToUint(normal.x);
    normals[at + 1u] = floatBitsToUint(normal.y);
    normals[at + 2u] = floatBitsToUint(normal.z);
  }
  at = constants.tangents.first + element * constants.tangents.stride;
  if (constants.tangents.format == kFormatOctahedral16) {
    tangents[at] = pack_tangent(tangent);
  } else if (constants.tangents.format == kFormatFloat) {
    for (uint i = 0u; i < 4u; ++i) tangents[at + i] = floatBitsToUint(tangent[i]);
  }
}
