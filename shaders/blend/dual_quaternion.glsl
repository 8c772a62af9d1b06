// SPDX-License-Identifier: MIT
// Blends dual quaternions (dual_quaternion/dual_quaternion.h).

// The sums of dual quaternions and stretches over a row, and their derivatives along e and f.
struct DualSum {
  DualQuaternion rigid;
  DualQuaternion by_e;
  DualQuaternion by_f;
  Affine stretch;  // of origin 0
  TangentialDerivative stretching;
};

// `motion`, `stretch`: the influence's two palette entries; `word`, `gradient`: its words.
DualSum add_dual_influence(DualSum sum, VertexRow row, DualQuaternion pivot, Affine motion, Affine stretch, uint word,
                           uint gradient) {
  float weight = influence_weight(word);
  DualQuaternion rigid = on_side_of(DualQuaternion(motion[0], motion[1]), pivot);
  sum.rigid = dual_quaternion_add(sum.rigid, rigid, weight);
  sum.stretch += weight * stretch;
  if (has_gradients(row)) {
    vec2 steps = row_gradient(row, gradient);
    sum.by_e = dual_quaternion_add(sum.by_e, rigid, steps.x);
    sum.by_f = dual_quaternion_add(sum.by_f, rigid, steps.y);
    sum.stretching = derivative_add(sum.stretching, steps, transform_vector(stretch, row.point));
  }
  return sum;
}

// Blends a row of dual quaternions, two palette entries per joint: blends the stretches, then applies the blended rigid
// motion. Reads two influences at a time, so that their loads overlap, and stretches only if there are any. Adds to
// `derivative`.
Affine blend_dual_quaternion(VertexRow row, inout TangentialDerivative derivative) {
  DualQuaternion none = DualQuaternion(vec4(0.0f), vec4(0.0f));
  DualSum sum = DualSum(none, none, none, Affine(0.0f), derivative_begin());
  DualQuaternion pivot = none;
  for (uint at = row.first; at < row.end; at += 2u * kSliceRows) {
    InfluenceWords words = influence_words(row, at, false);
    uvec2 entries = row.palette_first + (words.influences.xy & 0xFFFFu);
    Affine motion_a = palette[entries.x];
    Affine motion_b = palette[entries.y];
    Affine stretch_a = affine_identity();
    Affine stretch_b = affine_identity();
    if (motion_a[2].x + motion_b[2].x > 0.0f) {
      stretch_a = palette[entries.x + 1u];
      stretch_b = palette[entries.y + 1u];
    }
    if (at == row.first) pivot = DualQuaternion(motion_a[0], motion_a[1]);
    sum = add_dual_influence(sum, row, pivot, motion_a, stretch_a, words.influences.x, words.gradients.x);
    sum = add_dual_influence(sum, row, pivot, motion_b, stretch_b, words.influences.y, words.gradients.y);
  }
  Affine moving = rigid_from_dual_quaternion(sum.rigid, pivot);
  Affine frame = affine_from_axes(affine_axes(moving) * affine_axes(sum.stretch), affine_origin(moving));
  if (!has_gradients(row)) return frame;
  vec3 stretched = transform_vector(sum.stretch, row.point);
  derivative.e = rigid_derivative(sum.rigid, sum.by_e, stretched) + transform_vector(moving, sum.stretching.e);
  derivative.f = rigid_derivative(sum.rigid, sum.by_f, stretched) + transform_vector(moving, sum.stretching.f);
  return frame;
}
