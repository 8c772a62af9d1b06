// SPDX-License-Identifier: MIT
// The vertex before its blend: at rest, with morph targets (morph/morph.h).

// A rest position, and a packed normal and tangent.
struct RestVertex {
  vec3 point;
  uvec2 directions;
};

// Returns true if any morph target of the mesh has a weight other than 0.
bool is_morphed(BlendJob job, uint instance_palette) {
  if (!has(kHasMorphs) || job.morph_first == kNoIndex) return false;
  for (uint entry = 0u; entry < job.morph_entries; ++entry) {
    if (morph_weights[(job.morph_first + instance_palette + entry) * kMorphEntryFloats] > 0.0f) return true;
  }
  return false;
}

// Adds the mesh's morph targets to the vertex.
RestVertex morph_vertex(BlendJob job, uint vertex, uint instance_palette, RestVertex rest) {
  uint first_weight = (job.morph_first + instance_palette) * kMorphEntryFloats;
  uint slice = job.first_morph_slice + vertex / kSliceRows;
  uint end = rows[slice + 1u];
  MorphSum sum = morph_begin();
  bool turned = false;
  for (uint c = rows[slice]; c < end; ++c) {
    uint column = job.first_morph_column + c * kMorphColumnWords;
    float weight = morph_weights[first_weight + rows[column]];
    if (weight == 0.0f) continue;
    uint at = job.first_morph_offset + rows[column + 1u] * job.morph_row_words * kSliceRows + vertex % kSliceRows;
    sum = morph_add_position(sum, weight * uintBitsToFloat(rows[column + 2u]), rows[at], rows[at + kSliceRows]);
    if (job.morph_row_words == kMorphPositionWords) continue;
    sum = morph_add_normal(sum, weight, rows[at + 2u * kSliceRows]);
    if (job.morph_row_words == kMorphTangentWords) sum = morph_add_tangent(sum, weight, rows[at + 3u * kSliceRows]);
    turned = true;
  }
  return RestVertex(rest.point + sum.position, turned ? morphed_directions(sum, rest.directions) : rest.directions);
}

RestVertex rest_vertex(BlendJob job, uint vertex) {
  RestVertex rest = RestVertex(unpacked(points[job.first_point + vertex]), uvec2(0u));
  if (has(kHasOutputs)) rest.directions = directions[job.first_direction + vertex];
  return rest;
}

// Returns the vertex with the instance's morph targets.
RestVertex shape_vertex(BlendJob job, uint vertex, uint instance_palette, RestVertex rest) {
  if (!is_morphed(job, instance_palette)) return rest;
  return morph_vertex(job, vertex, instance_palette, rest);
}
