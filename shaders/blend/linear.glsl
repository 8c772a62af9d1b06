// SPDX-License-Identifier: MIT
// Linear blend.

// Returns the palette entry of an influence.
Affine row_entry(VertexRow row, uint word) { return palette[row.palette_first + influence_index(word)]; }

// The sums over a row.
struct RowSum {
  Affine frame;
  TangentialDerivative derivative;
};

RowSum add_influence(RowSum sum, VertexRow row, uint word, uint gradient) {
  Affine entry = row_entry(row, word);
  sum.frame += influence_weight(word) * entry;
  if (has_gradients(row))
    sum.derivative = derivative_add(sum.derivative, row_gradient(row, gradient), transform_point(entry, row.point));
  return sum;
}

// Adds influence `at` of the row and the next, or the next three. Neighbours have rows of one length, so they branch
// alike.
RowSum add_influences(RowSum sum, VertexRow row, uint at) {
  bool four = has(kHasRowsOver2) && row.end - at > 2u * kSliceRows;
  InfluenceWords words = influence_words(row, at, four);
  sum = add_influence(sum, row, words.influences.x, words.gradients.x);
  sum = add_influence(sum, row, words.influences.y, words.gradients.y);
  if (!four) return sum;
  sum = add_influence(sum, row, words.influences.z, words.gradients.z);
  return add_influence(sum, row, words.influences.w, words.gradients.w);
}

// Returns sum w T over the row.
RowSum blend_affine(VertexRow row) {
  RowSum sum = add_influences(RowSum(Affine(0.0f), derivative_begin()), row, row.first);
  if (!has(kHasRowsOver4)) return sum;
  for (uint at = row.first + 4u * kSliceRows; at < row.end; at += 4u * kSliceRows) sum = add_influences(sum, row, at);
  return sum;
}
