// SPDX-License-Identifier: MIT
// The row of a vertex: its influences, and the gradients of their weights.

// A vertex and its row.
struct VertexRow {
  uint palette_first;
  uint first;  // first word in `rows`; the next ones follow at steps of kSliceRows
  uint end;    // after the last word
  uint influences;  // index of influence 0 of the mesh
  uint gradients;   // the word of its gradient, or kNoIndex
  float unit;       // of the gradient steps
  uint normal;      // packed
  vec3 point;
};

bool has_gradients(VertexRow row) { return has(kHasGradients) && row.gradients != kNoIndex; }

// Four influences of a row: their words, and the words of their gradients.
struct InfluenceWords {
  uvec4 influences;
  uvec4 gradients;
};

// Reads the words of an influence and the next; if `four`, also the two after them, else these again. `column`: the
// distance between them.
uvec4 row_words(uint at, uint column, bool four) {
  if (!has(kHasRowsOver2)) return uvec4(rows[at], rows[at + column], 0u, 0u);
  uint next = four ? at + 2u * column : at;
  return uvec4(rows[at], rows[at + column], rows[next], rows[next + column]);
}

InfluenceWords influence_words(VertexRow row, uint at, bool four) {
  InfluenceWords words = InfluenceWords(row_words(at, kSliceRows, four), uvec4(0u));
  if (has_gradients(row)) words.gradients = row_words(row.gradients + (at - row.influences) / 2u, kSliceRows / 2u, four);
  return words;
}

// Returns the components of a gradient from its word; all gradients of a row are in the same half of their words.
vec2 row_gradient(VertexRow row, uint word) { return gradient_steps(word, row.first - row.influences); }

// Adds influence `at` to the tangential derivative.
TangentialDerivative add_derivative(TangentialDerivative derivative, VertexRow row, uint at, vec3 moved) {
  if (!has_gradients(row)) return derivative;
  return derivative_add(derivative, row_gradient(row, rows[row.gradients + (at - row.influences) / 2u]), moved);
}

Affine with_derivative(Affine frame, VertexRow row, TangentialDerivative derivative) {
  if (!has_gradients(row)) return frame;
  return frame_with_derivative(frame, derivative, row.unit, tangent_basis(row.normal), row.point);
}
