// SPDX-License-Identifier: MIT
// Stores the outputs of a workgroup: those of a block of vertices of one instance, and those of drivers.

// Consecutive positions without gaps, three words each (kFormatFloatTight), are stored word by word: neighbouring
// invocations store neighbouring words, so that each store fills its cache lines.
shared float staged_positions[3u * kBlendWorkgroupSize];

struct OutputBlock {
  uint first_element;  // first vertex of the block in the outputs
  uint count;          // vertices in the block; 0 if it has no outputs
  bool held;           // the instance is not moved: previous positions become the positions
  bool teleported;     // previous positions equal this frame's
};

OutputBlock output_block(BlendJob job, ListEntry entry, InstanceLocation place, uint block) {
  OutputBlock outputs;
  uint first_vertex = block * kBlendWorkgroupSize;
  outputs.first_element = place.first_vertex + job.output_first + first_vertex;
  outputs.count = min(job.vertex_count - first_vertex, kBlendWorkgroupSize);
  if (!has(kHasOutputs) || job.output_first == kNoIndex) outputs.count = 0u;
  outputs.held = (entry.state & kEntryHold) != 0u;
  outputs.teleported = entry_appears(entry.state, job.first_level, job.last_level) && !outputs.held;
  return outputs;
}

// Stores one vertex's position and previous position.
void store_position(OutputBlock outputs, vec3 position) {
  uint element = outputs.first_element + gl_LocalInvocationIndex;
  uint at = constants.positions.first + element * constants.positions.stride;
  uint before = constants.previous.first + element * constants.previous.stride;
  for (uint i = 0u; i < 3u; ++i) {
    if (kPreviousFormat != kFormatNone) previous[before + i] = outputs.teleported ? position[i] : positions[at + i];
    if (kPositionsFormat != kFormatNone && !outputs.held) positions[at + i] = position[i];
  }
}

// Stores the staged positions and previous positions of the block.
void store_staged_positions(OutputBlock outputs) {
  uint at = constants.positions.first + 3u * outputs.first_element;
  uint before = constants.previous.first + 3u * outputs.first_element;
  for (uint i = 0u; i < 3u; ++i) {
    uint word = i * kBlendWorkgroupSize + gl_LocalInvocationIndex;
    if (word >= 3u * outputs.count) return;
    float position = staged_positions[word];
    if (kPreviousFormat != kFormatNone)
      previous[before + word] = outputs.teleported ? position : positions[at + word];
    if (!outputs.held) positions[at + word] = position;
  }
}

// Reads the strongest influence only if the frame maps a direction to nothing.
void store_blended_directions(uint element, Moved moved, uvec2 rest) {
  if (kNormalsFormat == kFormatNone && kTangentsFormat == kFormatNone) return;
  MappedDirections mapped;
  if (defers_derivative()) mapped = map_by_basis(moved, rest);
  else mapped = map_by_axes(affine_axes(moved.frame), rest);
  float squared = dot(mapped.normal, mapped.normal);
  bool has_normal = exceeds(squared, mapped.min_normal);
  vec3 normal = mapped.normal * moved.mirror;
  vec3 tangent = mapped.tangent - normal * (dot(normal, mapped.tangent) * (1.0f / squared));
  bool has_tangent = !writes_tangents() || exceeds(dot(tangent, tangent), mapped.min_tangent);
  if (!(has_normal && has_tangent)) {
    mat3 turn = strongest_turn(moved);
    normal = has_normal ? normalize(normal) : turn * unpack_normal(rest.x) * moved.mirror;
    tangent = mapped.tangent - normal * dot(normal, mapped.tangent);
    if (!exceeds(dot(tangent, tangent), mapped.min_tangent))
      tangent = turned_tangent(turn, normalize(rest_tangent(rest)), normal);
  }
  if (kNormalsFormat == kFormatFloat) normal = normalize(normal);
  if (kTangentsFormat == kFormatFloat) tangent = normalize(tangent);
  store_directions(element, normal, vec4(tangent, uintBitsToFloat(floatBitsToUint(moved.mirror) ^ rest.y << 31u)));
}

// Stores the outputs of this invocation's vertex, but only stages tight positions.
void store_vertex(OutputBlock outputs, Moved moved, uvec2 rest) {
  if (outputs.count == 0u) return;
  if (kPositionsFormat == kFormatFloatTight) {
    for (uint i = 0u; i < 3u; ++i) staged_positions[3u * gl_LocalInvocationIndex + i] = moved.position[i];
  } else {
    store_position(outputs, moved.position);
  }
  store_blended_directions(outputs.first_element + gl_LocalInvocationIndex, moved, rest);
}

// Stores what later stages read of this invocation's vertex.
void store_driver(BlendJob job, uint vertex, InstanceLocation place, Moved moved) {
  if (!has(kHasDrivers)) return;
  if (job.driver_first != kNoIndex) {
    uint at = job.driver_first + 3u * (place.first_driver + vertex);
    for (uint i = 0u; i < 3u; ++i) drivers[at + i] = moved.position[i];
  }
  if (job.frame_first != kNoIndex) frames[place.first_palette + job.frame_first + vertex] = moved.frame;
}

// Stores the staged outputs after all invocations of the workgroup have moved their vertices.
void store_block(OutputBlock outputs) {
  if (kPositionsFormat == kFormatFloatTight) {
    barrier();
    store_staged_positions(outputs);
  } else if (outputs.held && gl_LocalInvocationIndex < outputs.count) {
    store_position(outputs, vec3(0.0f));
  }
}
