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

// The strongest influence is read only where the frame maps a direction to nothing.
void write_directions(uint element, Moved moved, uvec2 rest) {
  if (kNormalsFormat == kFormatNone && kTangentsFormat == kFormatNone) return;
  mat3 axes = affine_axes(moved.frame);
  vec3 rest_normal = unpack_normal(rest.x);
  vec4 rest_tangent = writes_tangents() ? unpack_tangent(rest.y) : vec4(0.0f, 0.0f, 1.0f, 1.0f);
  vec3 normal = mapped_normal(axes, rest_normal);
  vec3 tangent = rest_tangent.xyz;
  if (writes_tangents()) tangent = mapped_tangent(axes, rest_tangent.xyz, normal);
  if (normal == vec3(0.0f) || tangent == vec3(0.0f)) {
    mat3 turn = strongest_turn(moved);
    normal = blended_normal(axes, rest_normal, turn);
    if (writes_tangents()) tangent = blended_tangent(axes, rest_tangent.xyz, normal, turn);
  }
  store_directions(element, normal, vec4(tangent, rest_tangent.w));
}

void write_outputs(uint element, uint state, Moved moved, uvec2 rest) {
  uint at = constants.positions.first + element * constants.positions.stride;
  if (kPreviousFormat != kFormatNone) {
    bool teleport = (state & kEntryTeleport) != 0u;
    vec3 before = teleport ? moved.position : vec3(positions[at], positions[at + 1u], positions[at + 2u]);
    write_previous(constants.previous.first + element * constants.previous.stride, before);
  }
  if (kPositionsFormat != kFormatNone) write_point(at, moved.position);
  write_directions(element, moved, rest);
}

// Writes the outputs of an instance that is held: only its previous positions change.
void hold_outputs(uint element) {
  if (kPreviousFormat == kFormatNone) return;
  uint at = constants.positions.first + element * constants.positions.stride;
  write_previous(constants.previous.first + element * constants.previous.stride,
                 vec3(positions[at], positions[at + 1u], positions[at + 2u]));
}
