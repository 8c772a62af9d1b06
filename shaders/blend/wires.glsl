// SPDX-License-Identifier: MIT
// Blends several deformers as in Wires (blend.h).

// Combines the groups of a row as in Wires; each group is one deformer with weights that sum to 65535.
Affine blend_wires(VertexRow row, Affine root, float exponent) {
  WiresSum sum = wires_begin();
  Affine frame = Affine(0.0f);
  TangentialDerivative derivative = derivative_begin();
  uint units = 0u;
  for (uint at = row.first; at < row.end; at += kSliceRows) {
    uint word = rows[at];
    Affine entry = palette[row.palette_first + influence_index(word)];
    frame += influence_weight(word) * entry;
    derivative = add_derivative(derivative, row, at, transform_point(entry, row.point));
    units += influence_units(word);
    if (units < kWeightUnits) continue;
    sum = wires_add(sum, with_derivative(frame, row, derivative), root, row.point, exponent);
    frame = Affine(0.0f);
    derivative = derivative_begin();
    units = 0u;
  }
  return wires_frame(sum, row.point);
}
