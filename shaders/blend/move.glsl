// SPDX-License-Identifier: MIT
// Moves a vertex by the blend mode of its mesh.

// The frame of a vertex, its moved position, and its strongest influence.
struct Moved {
  Affine frame;
  vec3 position;
  uint strongest;       // palette entry
  bool strongest_dual;  // the entry is a dual quaternion
  float mirror;         // mirror_sign, without the gradients of weights
  TangentialDerivative derivative;  // in steps of `unit`, if it is not in the frame (defers_derivative)
  float unit;
};

// True if only directions need the derivative: then it is added to two directions instead of the frame.
bool defers_derivative() {
  return has(kHasGradients) && (kContents & (kHasDrivers | kHasKeyPoses | kHasWires | kHasMorphs)) == 0u;
}

// Returns a rotation near that of the strongest influence.
mat3 strongest_turn(Moved moved) {
  Affine entry = palette[moved.strongest];
  if (has(kHasDualQuaternion) && moved.strongest_dual) return rotation_from_quaternion(entry[0]);
  return orthonormal_axes(affine_axes(entry));
}

// True if `mode`, a job's, is `of`. No job's is read if all are alike.
bool is_mode(uint mode, uint of) {
  return has(1u << of) && ((kContents & kHasModes) == 1u << of || mode == of);
}

// `state`: the instance's; `rest`: the vertex's rest position, to which local points belong; `point`: the rest position
// with morph targets.
Moved move_vertex(BlendJob job, uint vertex, uint instance_palette, uint state, vec3 rest, vec3 point) {
  bool painted = has(kHasPainted) && (state & kEntryLinearBlend) != 0u && job.painted_first_slice != kNoIndex;
  uint mode = painted ? kBlendLinear : job.mode;
  uint slice = vertex / kSliceRows;
  uint slices = painted ? job.painted_first_slice : job.first_slice;
  VertexRow row;
  row.palette_first = (painted ? job.painted_palette_first : job.palette_first) + instance_palette;
  row.influences = painted ? job.painted_first_influence : job.first_influence;
  row.first = row.influences + rows[slices + slice] + vertex % kSliceRows;
  row.end = row.influences + rows[slices + slice + 1u] + vertex % kSliceRows;
  row.gradients = has(kHasGradients) && !painted ? job.first_gradient : kNoIndex;
  row.point = point;
  row.unit = 0.0f;
  row.normal = has(kHasGradients) ? directions[job.first_direction + vertex].x : 0u;
  if (has_gradients(row)) row.unit = uintBitsToFloat(rows[job.first_gradient_unit + slice]);
  if (row.unit == 0.0f) row.gradients = kNoIndex;
  uint strongest_word = rows[row.first];

  Moved moved;
  moved.frame = Affine(0.0f);
  TangentialDerivative derivative = derivative_begin();
  if (is_mode(mode, kBlendLinear)) {
    RowSum sum = blend_affine(row);
    moved.frame = sum.frame;
    derivative = sum.derivative;
  } else if (is_mode(mode, kBlendDualQuaternion)) {
    moved.frame = blend_dual_quaternion(row, derivative);
  } else if (is_mode(mode, kBlendWires)) {
    moved.frame = blend_wires(row, palette[job.mode_index + instance_palette], job.wires_exponent);
  } else if (has(kHasOffsets)) {
    uint local_frame = job.mode_index == kNoIndex ? kNoIndex : job.mode_index + kLocalFrameVectors * vertex;
    moved.frame = blend_offsets(row, rest, job.first_local + vertex, local_frame, job.vertex_count, strongest_word, derivative);
  }
  moved.strongest = row.palette_first + influence_index(strongest_word);
  bool by_wires = is_mode(mode, kBlendWires);
  moved.mirror = mirror_sign(affine_axes(by_wires ? palette[moved.strongest] : moved.frame));
  moved.position = transform_point(moved.frame, point);
  moved.derivative = derivative;
  moved.unit = row.unit;
  if (!defers_derivative()) moved.frame = with_derivative(moved.frame, row, derivative);
  if (has(kHasKeyPoses) && job.offset_first != kNoIndex) {
    moved.frame = offset_frame(moved.frame, palette[job.offset_first + instance_palette + vertex], point);
    moved.position = transform_point(moved.frame, point);
    moved.mirror = mirror_sign(affine_axes(moved.frame));
  }
  moved.strongest_dual = is_mode(mode, kBlendDualQuaternion);
  return moved;
}
