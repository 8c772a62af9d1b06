// SPDX-License-Identifier: MIT
// Writes normals and tangents to the outputs.

layout(constant_id = kSpecNormalsFormat) const uint kNormalsFormat = kFormatNone;
layout(constant_id = kSpecTangentsFormat) const uint kTangentsFormat = kFormatNone;

// True if tangents are written in any form.
bool writes_tangents() {
  return kTangentsFormat != kFormatNone || kNormalsFormat == kFormatOctahedral16Both;
}

// Packs a direction of any length. One without length, or that is not finite, gives some direction.
uint pack_direction(vec3 v) {
  uvec2 signs = floatBitsToUint(v.xy) & 0x80000000u;
  vec2 folded = v.xy + uintBitsToFloat(floatBitsToUint(max(-v.z, 0.0f)) | signs);
  return packSnorm2x16(folded * (1.0f / (abs(v.x) + abs(v.y) + abs(v.z))));
}

// Directions that are written as floats must be of unit length.
void store_directions(uint element, vec3 normal, vec4 tangent) {
  uint tangent_word = (pack_direction(tangent.xyz) & 0xFFFFFFFEu) | floatBitsToUint(tangent.w) >> 31u;
  uint at = constants.normals.first + element * constants.normals.stride;
  if (kNormalsFormat == kFormatOctahedral16Both) {
    directions16[at / 2u] = uvec2(pack_direction(normal), tangent_word);
  } else if (kNormalsFormat == kFormatOctahedral16) {
    normals[at] = pack_direction(normal);
  } else if (kNormalsFormat == kFormatFloat) {
    normals[at] = floatBitsToUint(normal.x);
    normals[at + 1u] = floatBitsToUint(normal.y);
    normals[at + 2u] = floatBitsToUint(normal.z);
  }
  at = constants.tangents.first + element * constants.tangents.stride;
  if (kTangentsFormat == kFormatOctahedral16) {
    tangents[at] = tangent_word;
  } else if (kTangentsFormat == kFormatFloat) {
    for (uint i = 0u; i < 4u; ++i) tangents[at + i] = floatBitsToUint(tangent[i]);
  }
}
