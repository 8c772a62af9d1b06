// SPDX-License-Identifier: MIT
// The row of a vertex: its influences, and how their weights change along the skin.

// A vertex, and where its row is.
struct VertexRow {
  uint palette_first;
  uint first;  // its first word in `rows`; the next ones follow kSliceRows apart
  uint end;
  uint influences;  // index of influence 0 of the mesh
  uint gradients;   // the word of its gradient, or kNoSlot
  float unit;       // of the gradient steps
  TangentBasis basis;
  vec3 point;
};

Passage add_passage(Passage passage, VertexRow row, uint at, vec3 moved) {
  if (!has(kHasGradients) || row.gradients == kNoSlot) return passage;
  uint place = at - row.influences;
  return passage_add(passage, gradient_steps(rows[row.gradients + place / 2u], place), moved);
}

Affine with_passage(Affine frame, VertexRow row, Passage passage) {
  if (!has(kHasGradients)) return frame;
  return frame_with_passage(frame, passage, row.unit, row.basis, row.point);
}
