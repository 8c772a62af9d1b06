// SPDX-License-Identifier: MIT
// Morph targets of skins (glTF 2.0, section 3.7.2.2): before anything else moves a vertex, each target of weight w adds
// w times its offsets to the vertex's position, normal and tangent.
//
// Targets are stored as columns of a slice: a column holds the offsets of one target for the 32 rows of the slice
// (pelt/pack.h), so that neighbouring invocations read one weight and skip a column of weight 0. A slice has columns
// only for targets that move one of its rows. The words of columns are ordered by target (morph_places in
// engine/character/rows/morphs.h).
#ifndef PELT_SHADERS_MORPH_MORPH_H
#define PELT_SHADERS_MORPH_MORPH_H

#include "pelt/shaders/frame.h"
#include "pelt/shaders/octahedral.h"

PELT_SHARED_BEGIN

// Weights are stored in the palette, as the floats of its entries. Each entry begins with the largest magnitude of its
// weights, so that a mesh without weights costs only a few reads, followed by the weights of kMorphEntryTargets
// targets.
PELT_SHARED_CONST uint kMorphEntryFloats = 12u;
PELT_SHARED_CONST uint kMorphEntryTargets = 11u;

// The index of a target's weight among the floats of the mesh's weights, and the target of an index.
PELT_SHARED_FN uint morph_weight_place(uint target) {
  return target / kMorphEntryTargets * kMorphEntryFloats + target % kMorphEntryTargets + 1u;
}

PELT_SHARED_FN uint morph_weight_target(uint place) {
  return place / kMorphEntryFloats * kMorphEntryTargets + place % kMorphEntryFloats - 1u;
}

PELT_SHARED_CONST uint kMorphColumnWords = 3u;    // the indices of its target's weight and of its words; the unit
                                                  // of positions, metres
PELT_SHARED_CONST uint kMorphPositionWords = 2u;  // words per row, if targets move only positions
PELT_SHARED_CONST uint kMorphNormalWords = 3u;    // words per row, if they move normals, too
PELT_SHARED_CONST uint kMorphTangentWords = 4u;   // words per row, if they move tangents, too
PELT_SHARED_CONST float kMorphDirectionUnit = 2.0f / 511.0f;

// The sum of the offsets of a vertex's targets.
struct MorphSum {
  vec3 position;
  vec3 normal;
  vec3 tangent;
};

PELT_SHARED_FN MorphSum morph_begin() {
  MorphSum sum;
  sum.position = vec3(0.0f);
  sum.normal = vec3(0.0f);
  sum.tangent = vec3(0.0f);
  return sum;
}

// Adds an offset of three signed integers of 16 bits; the upper half of `z` is unused.
PELT_SHARED_FN MorphSum morph_add_position(MorphSum sum, float weight, uint xy, uint z) {
  sum.position += weight * vec3(float(int(xy << 16u) >> 16), float(int(xy) >> 16), float(int(z << 16u) >> 16));
  return sum;
}

PELT_SHARED_FN vec3 morph_direction(uint word) {
  return vec3(float(int(word << 22u) >> 22), float(int(word << 12u) >> 22), float(int(word << 2u) >> 22));
}

// Add offsets of three signed integers of 10 bits, in units of kMorphDirectionUnit.
PELT_SHARED_FN MorphSum morph_add_normal(MorphSum sum, float weight, uint normal) {
  sum.normal += weight * kMorphDirectionUnit * morph_direction(normal);
  return sum;
}

PELT_SHARED_FN MorphSum morph_add_tangent(MorphSum sum, float weight, uint tangent) {
  sum.tangent += weight * kMorphDirectionUnit * morph_direction(tangent);
  return sum;
}

// The packed normal and tangent with the targets applied, of unit length again; unchanged if the offset is 0.
PELT_SHARED_FN uvec2 morphed_directions(MorphSum sum, uvec2 directions) {
  vec3 normal = unpack_normal(directions.x);
  uvec2 morphed = uvec2(pack_normal(normalize_or(normal + sum.normal, normal)), directions.y);
  if (sum.tangent == vec3(0.0f)) return morphed;
  vec4 tangent = unpack_tangent(directions.y);
  vec3 along = vec3(tangent.x, tangent.y, tangent.z);
  morphed.y = pack_tangent(vec4(normalize_or(along + sum.tangent, along), tangent.w));
  return morphed;
}

PELT_SHARED_END

#endif
