// SPDX-License-Identifier: MIT
// Converts crowd options, and makes crowds.
#include <utility>

#include <pelt/runtime/crowd.h>

#include "engine/character/base/formatted.h"
#include "runtime/c/handles.h"
#include "runtime/c/support.h"

using namespace pelt::c;
using pelt::formatted;
using pelt::runtime::Crowd;
using pelt::runtime::VertexFormat;

namespace {

static_assert(std::extent_v<decltype(pelt_crowd_options::slot_locations)> == pelt::runtime::kMaxOutputSlots - 1);

// C's formats are shifted by one: 0 is the default.
static_assert(static_cast<int>(VertexFormat::kNone) + 1 == PELT_FORMAT_NONE &&
              static_cast<int>(VertexFormat::kFloat) + 1 == PELT_FORMAT_FLOAT &&
              static_cast<int>(VertexFormat::kOctahedral16) + 1 == PELT_FORMAT_OCTAHEDRAL16 &&
              static_cast<int>(VertexFormat::kSnorm8) + 1 == PELT_FORMAT_SNORM8);

VertexFormat to_format(pelt_vertex_format format, VertexFormat otherwise, const char* name) {
  need_known(formatted("the format of {}", name), format, PELT_FORMAT_SNORM8);
  return format == PELT_FORMAT_DEFAULT ? otherwise : static_cast<VertexFormat>(format - 1);
}

pelt::runtime::BufferLocation to_location(pelt_buffer_location location) {
  return {location.buffer, location.offset, location.size};
}

pelt::runtime::VertexOutput to_output(const pelt_vertex_output& output, VertexFormat otherwise, const char* name) {
  return {to_format(output.format, otherwise, name), to_location(output.location), output.stride};
}

pelt::runtime::CrowdOptions to_options(const pelt_crowd_options& given) {
  pelt::runtime::CrowdOptions options;
  if ((given.instances == nullptr) != (given.character_count == 0)) {
    refuse(formatted("options.instances is {}, and options.character_count is {}",
                     given.instances == nullptr ? "null" : "given", given.character_count));
  }
  options.instances.assign(given.instances, given.instances + given.character_count);
  if (given.frames_in_flight != 0) options.frames_in_flight = given.frames_in_flight;
  options.outputs = {
      .positions = to_output(given.positions, VertexFormat::kFloat, "positions"),
      .normals = to_output(given.normals, VertexFormat::kOctahedral16, "normals"),
      .tangents = to_output(given.tangents, VertexFormat::kOctahedral16, "tangents"),
      .previous_positions = to_output(given.previous_positions, VertexFormat::kNone, "previous positions"),
      .bounds = given.bounds != 0,
      .bounds_location = to_location(given.bounds_location),
      .bounds_stride = given.bounds_stride,
      .tension = to_output(given.tension, VertexFormat::kNone, "tension"),
      .anchors = to_output(given.anchors, VertexFormat::kNone, "anchors"),
      .control_meshes = given.control_meshes != 0,
      .usage = given.usage};
  if (given.output_slots != 0) options.outputs.slots = given.output_slots;
  for (std::size_t s = 0; s < options.outputs.slot_locations.size(); ++s) {
    const pelt_slot_locations& slot = given.slot_locations[s];
    options.outputs.slot_locations[s] = {to_location(slot.positions),
                                         to_location(slot.normals),
                                         to_location(slot.tangents),
                                         to_location(slot.bounds),
                                         to_location(given.tension_slot_locations[s]),
                                         to_location(given.anchor_slot_locations[s])};
  }
  options.joints = to_location(given.joints);
  options.inputs = to_location(given.inputs);
  options.list = to_location(given.list);
  options.drawn = to_location(given.drawn);
  if (given.capacity == nullptr) return options;
  const pelt_crowd_capacity room = read_struct(given.capacity, "options.capacity");
  options.capacity = {.instances = room.instances,
                      .vertices = room.vertices,
                      .palette_entries = room.palette_entries,
                      .driver_vertices = room.driver_vertices,
                      .joints = room.joints,
                      .inputs = room.inputs,
                      .anchors = room.anchors,
                      .plan_words = room.plan_words,
                      .table_words = room.table_words};
  return options;
}

}  // namespace

pelt_result pelt_crowd_create(const pelt_device* device, const pelt_gpu_characters* characters,
                              const pelt_crowd_options* options, pelt_crowd** out) {
  return guarded(__func__, [&] {
    const std::shared_ptr<GpuCharactersState>& gpu = need(characters, "characters").state;
    const pelt::runtime::Device& owner = *need(device, "device").state->device;
    pelt_crowd*& made = need(out, "out");
    Crowd crowd = value_of(Crowd::create(owner, gpu->characters, to_options(read_options(options, "options"))));
    made = new pelt_crowd{gpu, std::move(crowd)};
  });
}

void pelt_crowd_destroy(pelt_crowd* crowd) { delete crowd; }

pelt_result pelt_add_capacity(const pelt_character* character, uint32_t instances, const pelt_crowd_options* options,
                              pelt_crowd_capacity* sum) {
  return guarded(__func__, [&] {
    const pelt::Character& bound = need(character, "character").character;
    pelt_crowd_capacity made = read_struct(sum, "sum");
    const pelt::runtime::CrowdCapacity more =
        capacity_of(bound, instances, to_options(read_options(options, "options")).outputs);
    made.instances += more.instances;
    made.vertices += more.vertices;
    made.palette_entries += more.palette_entries;
    made.driver_vertices += more.driver_vertices;
    made.joints += more.joints;
    made.inputs += more.inputs;
    made.anchors += more.anchors;
    made.plan_words += more.plan_words;
    made.table_words += more.table_words;
    write_struct(made, sum, "sum");
  });
}
