// SPDX-License-Identifier: MIT
// Blends by dual quaternions (dual_quaternion/dual_quaternion.h).

// Blends the same row as dual quaternions, two palette entries a joint: blends the stretches, then applies the blended
// rigid motion.
Affine blend_dual_quaternion(VertexRow row, inout Passage passage) {
  Affine strongest = palette[row.palette_first + influence_index(rows[row.first])];
  DualQuaternion pivot = DualQuaternion(strongest[0], strongest[1]);
  DualQuaternion sum = DualQuaternion(vec4(0.0f), vec4(0.0f));
  DualQuaternion by_e = sum;  // how the sum changes along e and f
  DualQuaternion by_f = sum;
  Affine stretch = Affine(0.0f);
  Passage stretching = passage_begin();
  for (uint at = row.first; at < row.end; at += kSliceRows) {
    uint slot = row.palette_first + influence_index(rows[at]);
    float weight = influence_weight(rows[at]);
    Affine entry = palette[slot];
    DualQuaternion rigid = on_side_of(DualQuaternion(entry[0], entry[1]), pivot);
    sum = dual_quaternion_add(sum, rigid, weight);
    stretch += weight * palette[slot + 1u];
    if (!has(kHasGradients) || row.gradients == kNoSlot) continue;
    uint place = at - row.influences;
    vec2 steps = gradient_steps(rows[row.gradients + place / 2u], place);
    by_e = dual_quaternion_add(by_e, rigid, steps.x);
    by_f = dual_quaternion_add(by_f, rigid, steps.y);
    stretching = passage_add(stretching, steps, transform_point(palette[slot + 1u], row.point));
  }
  Affine moving = rigid_from_dual_quaternion(sum, pivot);
  Affine frame = affine_compose(moving, stretch);
  if (!has(kHasGradients) || row.gradients == kNoSlot) return frame;
  vec3 stretched = transform_point(stretch, row.point);
  passage.e = rigid_derivative(sum, by_e, stretched) + transform_vector(moving, stretching.e);
  passage.f = rigid_derivative(sum, by_f, stretched) + transform_vector(moving, stretching.f);
  return frame;
}
