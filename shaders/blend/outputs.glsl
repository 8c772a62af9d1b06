// SPDX-License-Identifier: MIT
// Writes what a vertex has become.

void write_point(uint at, vec3 point) {
  positions[at] = point.x;
  positions[at + 1u] = point.y;
  positions[at + 2u] = point.z;
}

void write_previous(uint at, vec3 point) {
  previous[at] = point.x;
  previous[at + 1u] = point.y;
  previous[at + 2u] = point.z;
}

void write_directions(uint element, mat3 axes, mat3 turn, uvec2 rest) {
  if (kNormalsFormat == kFormatNone && kTangentsFormat == kFormatNone) return;
  vec4 rest_tangent = unpack_tangent(rest.y);
  vec3 normal = blended_normal(axes, unpack_normal(rest.x), turn);
  vec4 tangent = vec4(0.0f, 0.0f, 1.0f, 1.0f);
  if (writes_tangents()) tangent = vec4(blended_tangent(axes, rest_tangent.xyz, normal, turn), rest_tangent.w);
  store_directions(element, normal, tangent);
}

void write_outputs(uint element, uint state, Moved moved, uvec2 rest) {
  uint at = constants.positions.first + element * constants.positions.stride;
  if (kPreviousFormat != kFormatNone) {
    bool teleport = (state & kEntryTeleport) != 0u;
    vec3 before = teleport ? moved.position : vec3(positions[at], positions[at + 1u], positions[at + 2u]);
    write_previous(constants.previous.first + element * constants.previous.stride, before);
  }
  if (kPositionsFormat != kFormatNone) write_point(at, moved.position);
  write_directions(element, affine_axes(moved.frame), moved.turn, rest);
}

// Writes the outputs of an instance that is held: only its previous positions change.
void hold_outputs(uint element) {
  if (kPreviousFormat == kFormatNone) return;
  uint at = constants.positions.first + element * constants.positions.stride;
  write_previous(constants.previous.first + element * constants.previous.stride,
                 vec3(positions[at], positions[at + 1u], positions[at + 2u]));
}
