// SPDX-License-Identifier: MIT
// Linear blend, by all influences or by the strongest.

// Returns sum w T of the row; adds to `passage`.
Affine blend_affine(VertexRow row, inout Passage passage) {
  Affine sum = Affine(0.0f);
  for (uint at = row.first; at < row.end; at += kSliceRows) {
    Affine entry = palette[row.palette_first + influence_index(rows[at])];
    sum += influence_weight(rows[at]) * entry;
    passage = add_passage(passage, row, at, transform_point(entry, row.point));
  }
  return sum;
}

// Blends only the first `most` influences of the row, which are its strongest.
Affine blend_reduced(uint palette_first, uint first, uint end, uint most) {
  Affine sum = Affine(0.0f);
  uint units = 0u;
  end = min(end, first + most * kSliceRows);
  for (uint at = first; at < end; at += kSliceRows) {
    uint word = rows[at];
    sum += float(influence_units(word)) * palette[palette_first + influence_index(word)];
    units += influence_units(word);
  }
  return sum * (1.0f / float(max(units, 1u)));
}
