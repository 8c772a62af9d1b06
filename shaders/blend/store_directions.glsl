// SPDX-License-Identifier: MIT
// Writes normals and tangents to the outputs, for shaders that bind these as normals, directions16 and tangents, and
// have their layouts in `constants`.

layout(constant_id = kSpecNormalsFormat) const uint kNormalsFormat = kFormatNone;
layout(constant_id = kSpecTangentsFormat) const uint kTangentsFormat = kFormatNone;

// True if tangents are written in any form.
bool writes_tangents() {
  return kTangentsFormat != kFormatNone || kNormalsFormat == kFormatOctahedral16Both;
}

void store_directions(uint element, vec3 normal, vec4 tangent) {
  uint at = constants.normals.first + element * constants.normals.stride;
  if (kNormalsFormat == kFormatOctahedral16Both) {
    directions16[at / 2u] = uvec2(pack_normal(normal), pack_tangent(tangent));
  } else if (kNormalsFormat == kFormatOctahedral16) {
    normals[at] = pack_normal(normal);
  } else if (kNormalsFormat == kFormatFloat) {
    normals[at] = floatBitsToUint(normal.x);
    normals[at + 1u] = floatBitsToUint(normal.y);
    normals[at + 2u] = floatBitsToUint(normal.z);
  }
  at = constants.tangents.first + element * constants.tangents.stride;
  if (kTangentsFormat == kFormatOctahedral16) {
    tangents[at] = pack_tangent(tangent);
  } else if (kTangentsFormat == kFormatFloat) {
    for (uint i = 0u; i < 4u; ++i) tangents[at + i] = floatBitsToUint(tangent[i]);
  }
}
