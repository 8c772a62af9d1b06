// SPDX-License-Identifier: MIT
// A workgroup moves kBlendWorkgroupSize vertices of one instance: four slices, so that the influence words of
// neighbouring invocations are neighbours in memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "blend.h"
#include "../morph/morph.h"

layout(local_size_x = kBlendWorkgroupSize) in;

layout(binding = kBindWork, scalar) readonly buffer Jobs { BlendJob jobs[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer LocalPoints { vec4 local_points[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Points { vec3 points[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Directions { uvec2 directions[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Rows { uint rows[]; };
layout(binding = kBlendBindPalette, scalar) readonly buffer Palette { Affine palette[]; };
layout(binding = kBlendBindPalette, scalar) readonly buffer Weights { float morph_weights[]; };
layout(binding = kBlendBindDrivers, scalar) writeonly buffer Frames { Affine frames[]; };
layout(binding = kBlendBindDrivers, scalar) writeonly buffer Drivers { float drivers[]; };
layout(binding = kBlendBindPositions, scalar) buffer Positions { float positions[]; };
layout(binding = kBlendBindNormals, scalar) writeonly buffer Normals { uint normals[]; };
layout(binding = kBlendBindNormals, scalar) writeonly buffer Directions16 { uvec2 directions16[]; };
layout(binding = kBlendBindTangents, scalar) writeonly buffer Tangents { uint tangents[]; };
layout(binding = kBlendBindPrevious, scalar) writeonly buffer Previous { float previous[]; };

layout(push_constant, scalar) uniform Constants { BlendConstants constants; };

layout(constant_id = kSpecPositionsFormat) const uint kPositionsFormat = kFormatNone;
layout(constant_id = kSpecPreviousFormat) const uint kPreviousFormat = kFormatNone;
layout(constant_id = kSpecContents) const uint kContents = 0u;

bool has(uint what) { return (kContents & what) != 0u; }

#include "../find_job.glsl"
#include "store_directions.glsl"

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

// Blends the same row as dual quaternions, two palette entries a joint: blends the stretches, then applies the blended
// rigid motion.
Affine blend_dual_quaternion(VertexRow row, inout Passage passage) {
  Affine strongest = palette[row.palette_first + influence_index(rows[row.first])];
  DualQuaternion pivot = DualQuaternion(strongest[0], strongest[1]);
  DualQuaternion sum = DualQuaternion(vec4(0.0f), vec4(0.0f));
  DualQuaternion by_e = sum;  // how the sum changes along e and f
  DualQuaternion by_f = sum;
  Affine stretch = Affine(0.0f);
  Passage stretching = passage_begin();
  for (uint at = row.first; at < row.end; at += kSliceRows) {
    uint slot = row.palette_first + influence_index(rows[at]);
    float weight = influence_weight(rows[at]);
    Affine entry = palette[slot];
    DualQuaternion rigid = on_side_of(DualQuaternion(entry[0], entry[1]), pivot);
    sum = dual_quaternion_add(sum, rigid, weight);
    stretch += weight * palette[slot + 1u];
    if (!has(kHasGradients) || row.gradients == kNoSlot) continue;
    uint place = at - row.influences;
    vec2 steps = gradient_steps(rows[row.gradients + place / 2u], place);
    by_e = dual_quaternion_add(by_e, rigid, steps.x);
    by_f = dual_quaternion_add(by_f, rigid, steps.y);
    stretching = passage_add(stretching, steps, transform_point(palette[slot + 1u], row.point));
  }
  Affine moving = rigid_from_dual_quaternion(sum, pivot);
  Affine frame = affine_compose(moving, stretch);
  if (!has(kHasGradients) || row.gradients == kNoSlot) return frame;
  vec3 stretched = transform_point(stretch, row.point);
  passage.e = rigid_derivative(sum, by_e, stretched) + transform_vector(moving, stretching.e);
  passage.f = rigid_derivative(sum, by_f, stretched) + transform_vector(moving, stretching.f);
  return frame;
}

// Combines the groups of a row as in Wires; each group is one deformer and its weights sum to 65535.
Affine blend_wires(VertexRow row, Affine root, float exponent) {
  WiresSum sum = wires_begin();
  Affine frame = Affine(0.0f);
  Passage passage = passage_begin();
  uint units = 0u;
  for (uint at = row.first; at < row.end; at += kSliceRows) {
    uint word = rows[at];
    Affine entry = palette[row.palette_first + influence_index(word)];
    frame += influence_weight(word) * entry;
    passage = add_passage(passage, row, at, transform_point(entry, row.point));
    units += influence_units(word);
    if (units < kWeightUnits) continue;
    sum = wires_add(sum, with_passage(frame, row, passage), root, row.point, exponent);
    frame = Affine(0.0f);
    passage = passage_begin();
    units = 0u;
  }
  return wires_frame(sum, row.point);
}

// Combines the groups of a row; each has weights that sum to 65535 and a local point of its own. `local`: index of the
// first group's point in local_points; each next group's is `stride` further. `strongest` receives the first word of
// the group with the largest share. `rest`: the position that the local points belong to.
Affine blend_offsets(VertexRow row, vec3 rest, uint local, uint stride, inout uint strongest, inout Passage passage) {
  OffsetsSum sum = offsets_begin();
  Affine frame = Affine(0.0f);
  uint units = 0u;
  uint leading = 0u;
  float largest = 0.0f;
  for (uint at = row.first; at < row.end; at += kSliceRows) {
    uint word = rows[at];
    if (influence_units(word) == 0u) continue;  // padding: there is no local point after the last group
    vec4 local_point = local_points[local];
    Affine entry = palette[row.palette_first + influence_index(word)];
    if (units == 0u) leading = word;
    frame += influence_weight(word) * entry;
    passage = add_passage(passage, row, at, transform_point(entry, local_point.xyz));
    units += influence_units(word);
    if (units < kWeightUnits) continue;
    sum = offsets_add(sum, frame, local_point);
    if (local_point.w > largest) {
      largest = local_point.w;
      strongest = leading;
    }
    local += stride;
    frame = Affine(0.0f);
    units = 0u;
  }
  return offsets_frame(sum, rest);
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

// A rest position, and a packed normal and tangent.
struct RestVertex {
  vec3 point;
  uvec2 directions;
};

// Returns true if the mesh has morph targets of a weight other than 0.
bool is_morphed(BlendJob job, uint instance_palette) {
  if (!has(kHasMorphs) || job.morph_first == kNoSlot) return false;
  for (uint slot = 0u; slot < job.morph_slots; ++slot) {
    if (morph_weights[(job.morph_first + instance_palette + slot) * kMorphEntryFloats] > 0.0f) return true;
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

// The frame of a vertex, the position it moves the vertex to, and a rotation near that of its strongest influence.
struct Moved {
  Affine frame;
  vec3 position;
  mat3 turn;
};

// `rest`: the vertex's rest position, to which local points belong; `point`: the same with morph targets.
Moved move_vertex(BlendJob job, uint vertex, uint instance_palette, uint detail, vec3 rest, vec3 point) {
  bool fitted = has(kHasFits) && detail == kDetailLinearFit && job.fit_first_slice != kNoSlot;
  uint mode = fitted ? kBlendLinear : job.mode;
  bool reduced = has(kHasLinear) && mode == kBlendLinear && detail == kDetailReduced;
  uint slice = vertex / kSliceRows;
  uint slices = fitted ? job.fit_first_slice : job.first_slice;
  VertexRow row;
  row.palette_first = (fitted ? job.fit_palette_first : job.palette_first) + instance_palette;
  row.influences = fitted ? job.fit_first_influence : job.first_influence;
  row.first = row.influences + rows[slices + slice] + vertex % kSliceRows;
  row.end = row.influences + rows[slices + slice + 1u];
  row.gradients = has(kHasGradients) && !fitted && !reduced ? job.first_gradient : kNoSlot;
  row.point = point;
  row.unit = 0.0f;
  row.basis = TangentBasis(vec3(0.0f), vec3(0.0f));
  if (has(kHasGradients) && row.gradients != kNoSlot) {
    row.unit = uintBitsToFloat(rows[job.first_gradient_unit + slice]);
    row.basis = tangent_basis(directions[job.first_direction + vertex].x);
  }
  uint strongest_word = rows[row.first];

  Moved moved;
  moved.frame = Affine(0.0f);
  Passage passage = passage_begin();
  if (reduced) {
    moved.frame = blend_reduced(row.palette_first, row.first, row.end, constants.reduced_influences);
  } else if (has(kHasLinear) && mode == kBlendLinear) {
    moved.frame = blend_affine(row, passage);
  } else if (has(kHasDualQuaternion) && mode == kBlendDualQuaternion) {
    moved.frame = blend_dual_quaternion(row, passage);
  } else if (has(kHasWires) && mode == kBlendWires) {
    moved.frame = blend_wires(row, palette[job.root_slot + instance_palette], job.wires_exponent);
  } else if (has(kHasOffsets)) {
    moved.frame = blend_offsets(row, rest, job.first_local + vertex, job.vertex_count, strongest_word, passage);
  }
  moved.position = transform_point(moved.frame, point);
  moved.frame = with_passage(moved.frame, row, passage);
  if (has(kHasKeyPoses) && job.offset_first != kNoSlot) {
    moved.frame = offset_frame(moved.frame, palette[job.offset_first + instance_palette + vertex], point);
    moved.position = transform_point(moved.frame, point);
  }
  Affine strongest = palette[row.palette_first + influence_index(strongest_word)];
  if (has(kHasDualQuaternion) && mode == kBlendDualQuaternion) {
    moved.turn = rotation_from_quaternion(strongest[0]);
  } else {
    moved.turn = orthonormal_axes(affine_axes(strongest));
  }
  return moved;
}

void write_point(uint at, vec3 point) {
  positions[at] = point.x;
  positions[at + 1u] = point.y;
  positions[at + 2u] = point.z;
}

void write_previous(uint at, vec3 point) {
  previous[at] = point.x;
  previous[at + 1u] = point.y;
  previous[at + 2u] = point.z;
}

void write_directions(uint element, mat3 axes, mat3 turn, uvec2 rest) {
  if (kNormalsFormat == kFormatNone && kTangentsFormat == kFormatNone) return;
  vec4 rest_tangent = unpack_tangent(rest.y);
  vec3 normal = blended_normal(axes, unpack_normal(rest.x), turn);
  vec4 tangent = vec4(0.0f, 0.0f, 1.0f, 1.0f);
  if (writes_tangents()) tangent = vec4(blended_tangent(axes, rest_tangent.xyz, normal, turn), rest_tangent.w);
  store_directions(element, normal, tangent);
}

void write_outputs(uint element, uint state, Moved moved, uvec2 rest) {
  uint at = constants.positions.first + element * constants.positions.stride;
  if (kPreviousFormat != kFormatNone) {
    bool teleport = (state & kEntryTeleport) != 0u;
    vec3 before = teleport ? moved.position : vec3(positions[at], positions[at + 1u], positions[at + 2u]);
    write_previous(constants.previous.first + element * constants.previous.stride, before);
  }
  if (kPositionsFormat != kFormatNone) write_point(at, moved.position);
  write_directions(element, affine_axes(moved.frame), moved.turn, rest);
}

// Writes the outputs of an instance that is held: only its previous positions change.
void hold_outputs(uint element) {
  if (kPreviousFormat == kFormatNone) return;
  uint at = constants.positions.first + element * constants.positions.stride;
  write_previous(constants.previous.first + element * constants.previous.stride,
                 vec3(positions[at], positions[at + 1u], positions[at + 2u]));
}

void main() {
  JobWork found = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  BlendJob job = jobs[found.job];
  uint vertex = found.block * kBlendWorkgroupSize + gl_LocalInvocationID.x;
  if (!found.inside || vertex >= job.vertex_count) return;
  ListEntry entry = list_entry(job.list_first, found.list_place);
  uint element = job.output_first + entry.instance * job.output_stride + vertex;
  if ((entry.state & kEntryHold) != 0u) {
    hold_outputs(element);
    return;
  }

  uint instance_palette = entry.instance * job.palette_stride;
  RestVertex rest = RestVertex(points[job.first_point + vertex], uvec2(0u));
  if (has(kHasOutputs)) rest.directions = directions[job.first_direction + vertex];
  RestVertex shape = rest;
  if (is_morphed(job, instance_palette)) shape = morph_vertex(job, vertex, instance_palette, rest);
  // Runs once, or twice while it fades, through the same code: inlined twice, it would need the registers of both.
  uint share = entry_share(entry.state);
  float part = float(share) * (1.0f / 255.0f);
  bool fades = share > 0u && share < 255u && entry_detail_from(entry.state) != entry_detail_to(entry.state);
  Moved moved;
  for (uint side = 0u; side < (fades ? 2u : 1u); ++side) {
    bool to = fades ? side == 1u : share == 255u;
    Moved own = move_vertex(job, vertex, instance_palette,
                            to ? entry_detail_to(entry.state) : entry_detail_from(entry.state), rest.point, shape.point);
    if (side == 0u) {
      moved = own;
    } else {
      moved.frame = moved.frame * (1.0f - part) + own.frame * part;
      moved.position = mix(moved.position, own.position, part);
    }
  }

  if (has(kHasOutputs) && job.output_first != kNoSlot)
    write_outputs(element, entry.state, moved, shape.directions);
  if (!has(kHasDrivers)) return;
  if (job.driver_first != kNoSlot) {
    uint at = job.driver_first + entry.instance * job.driver_stride + 3u * vertex;
    drivers[at] = moved.position.x;
    drivers[at + 1u] = moved.position.y;
    drivers[at + 2u] = moved.position.z;
  }
  if (job.frame_first != kNoSlot) frames[job.frame_first + instance_palette + vertex] = moved.frame;
}
