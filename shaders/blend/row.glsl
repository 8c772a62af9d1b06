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

uvec4 row_words(uvec4 places) {
  if (!has(kHasRowsOver2)) return uvec4(rows[places.x], rows[places.y], 0u, 0u);
  return uvec4(rows[places.x], rows[places.y], rows[places.z], rows[places.w]);
}

// Returns influence `at` and the next three. Those past the row's end repeat its last palette entry, with no weight and
// no gradient.
InfluenceWords influence_words(VertexRow row, uint at) {
  uvec4 places = at + kSliceRows * uvec4(0u, 1u, 2u, 3u);
  bvec4 inside = lessThan(places, uvec4(row.end));
  places = min(places, uvec4(row.end - kSliceRows));
  InfluenceWords words = InfluenceWords(row_words(places), uvec4(0u));
  words.influences &= mix(uvec4(0xFFFFu), uvec4(0xFFFFFFFFu), inside);
  if (has_gradients(row))
    words.gradients = mix(uvec4(0u), row_words(row.gradients + (places - row.influences) / 2u), inside);
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
