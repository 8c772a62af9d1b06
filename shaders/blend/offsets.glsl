// SPDX-License-Identifier: MIT
// Blends groups of influences that have their own local points (blend.h).

LocalFrame read_local_frame(uint at) {
  return local_frame(local_points[at], local_points[at + 1u], local_points[at + 2u], local_points[at + 3u]);
}

// Combines the groups of a row; each has weights that sum to 65535 and its own local point. `local`: index of the first
// group's point in local_points; `local_frame`: of its frame, or kNoIndex; `stride`: distance to the next group's point.
// `strongest` receives the first word of the group with the largest share. `rest`: the position to which the local
// points belong.
Affine blend_offsets(VertexRow row, vec3 rest, uint local, uint local_frame, uint stride, inout uint strongest,
                     inout TangentialDerivative derivative) {
  OffsetsSum sum = offsets_begin();
  Affine frame = Affine(0.0f);
  uint units = 0u;
  uint leading = 0u;
  float largest = 0.0f;
  for (uint at = row.first; at < row.end; at += kSliceRows) {
    uint word = rows[at];
    if (influence_units(word) == 0u) continue;  // padding: no local point after the last group
    vec4 local_point = local_points[local];
    Affine entry = palette[row.palette_first + influence_index(word)];
    if (units == 0u) leading = word;
    frame += influence_weight(word) * entry;
    derivative = add_derivative(derivative, row, at, transform_point(entry, local_point.xyz));
    units += influence_units(word);
    if (units < kWeightUnits) continue;
    if (local_frame == kNoIndex) {
      sum = offsets_add(sum, frame, local_point);
    } else {
      sum = offsets_add_framed(sum, frame, local_point, read_local_frame(local_frame));
      local_frame += kLocalFrameVectors * stride;
    }
    if (local_point.w > largest) {
      largest = local_point.w;
      strongest = leading;
    }
    local += stride;
    frame = Affine(0.0f);
    units = 0u;
  }
  derivative.e += sum.derivative.e;
  derivative.f += sum.derivative.f;
  return offsets_frame(sum, rest);
}
