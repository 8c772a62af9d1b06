// SPDX-License-Identifier: MIT
// Linear blend.

// Returns the palette entry of an influence.
Affine row_entry(VertexRow row, uint word) { return palette[row.palette_first + influence_index(word)]; }

// The sums over a row.
struct RowSum {
  Affine frame;
  TangentialDerivative derivative;
};

// Adds influence `at` of the row and the next three. All are read before the first is used, so that their loads
// overlap. Neighbours have rows of one length, so they branch alike.
RowSum add_influences(RowSum sum, VertexRow row, uint at) {
  InfluenceWords words = influence_words(row, at);
  Affine a = row_entry(row, words.influences.x);
  Affine b = row_entry(row, words.influences.y);
  Affine c = Affine(0.0f);
  Affine d = Affine(0.0f);
  if (has(kHasRowsOver2) && row.end - at > 2u * kSliceRows) {
    c = row_entry(row, words.influences.z);
    d = row_entry(row, words.influences.w);
  }
  vec4 weights = vec4(words.influences >> 16u) * kWeightUnit;
  sum.frame += weights.x * a;
  sum.frame += weights.y * b;
  sum.frame += weights.z * c;
  sum.frame += weights.w * d;
  if (has_gradients(row)) {
    sum.derivative = derivative_add(sum.derivative, row_gradient(row, words.gradients.x), transform_point(a, row.point));
    sum.derivative = derivative_add(sum.derivative, row_gradient(row, words.gradients.y), transform_point(b, row.point));
    sum.derivative = derivative_add(sum.derivative, row_gradient(row, words.gradients.z), transform_point(c, row.point));
    sum.derivative = derivative_add(sum.derivative, row_gradient(row, words.gradients.w), transform_point(d, row.point));
  }
  return sum;
}

// Returns sum w T over the row.
RowSum blend_affine(VertexRow row) {
  RowSum sum = add_influences(RowSum(Affine(0.0f), derivative_begin()), row, row.first);
  if (!has(kHasRowsOver4)) return sum;
  for (uint at = row.first + 4u * kSliceRows; at < row.end; at += 4u * kSliceRows) sum = add_influences(sum, row, at);
  return sum;
}
