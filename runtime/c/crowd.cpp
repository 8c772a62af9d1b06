// SPDX-License-Identifier: MIT
#include <algorithm>
#include <glm/gtc/type_ptr.hpp>
#include <span>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/shaders/jobs.h>

#include "engine/character/base/formatted.h"
#include "runtime/c/handles.h"
#include "runtime/c/support.h"
#include "runtime/misuse.h"

using namespace pelt::c;
using pelt::formatted;
using pelt::runtime::Crowd;
using pelt::runtime::VertexFormat;

namespace {

static_assert(sizeof(pelt_list_entry) == sizeof(pelt::shared::ListEntry) &&
              PELT_ENTRY_TELEPORT == pelt::shared::kEntryTeleport && PELT_ENTRY_STAY == pelt::shared::kEntryStay &&
              PELT_ENTRY_LINEAR_BLEND == pelt::shared::kEntryLinearBlend &&
              PELT_ENTRY_RESTART == pelt::shared::kEntryRestart);

// Runs the body of a pelt.h function with a pelt::runtime::Crowd, and turns misuse into errors.
template <class Handle, class Body>
pelt_result on_crowd(const char* function, Handle* crowd, const Body& body) {
  return guarded(function, [&] {
    const pelt::runtime::MisuseOfThread misuse([](const char* sentence) { refuse(sentence); });
    body(need(crowd, "crowd").crowd);
  });
}

// The same for a function that records.
template <class Handle, class Record>
pelt_result recorded(const char* function, Handle* crowd, VkCommandBuffer commands, const Record& record) {
  return on_crowd(function, crowd, [&](auto& runtime_crowd) {
    need(commands, "commands");
    record(runtime_crowd);
  });
}

// Records by `all`, or with a list by `some`.
template <class All, class Some>
pelt_result recorded(const char* function, pelt_crowd* crowd, VkCommandBuffer commands, const pelt_list_entry* entries,
                     std::uint32_t count, const All& all, const Some& some) {
  return recorded(function, crowd, commands, [&](Crowd& runtime_crowd) {
    if (entries == nullptr && count != 0) refuse("entries is null");
    if (entries == nullptr) return all(runtime_crowd);
    some(runtime_crowd, std::span(reinterpret_cast<const pelt::shared::ListEntry*>(entries), count));
  });
}

// Precondition: `crowd` is not null.
const pelt::runtime::Device& device_of(const pelt_crowd* crowd) { return *crowd->characters->device->device; }

template <class Joint>
pelt_result posed(const char* function, pelt_crowd* crowd, std::uint32_t instance, const float* joints,
                  std::uint32_t joint_count) {
  return on_crowd(function, crowd, [&](Crowd& runtime_crowd) {
    need(joints, "joints");
    runtime_crowd.pose(instance, std::span(reinterpret_cast<const Joint*>(joints), joint_count));
  });
}

pelt_output_location from_location(const pelt::runtime::OutputLocation& location) {
  return {location.buffer, location.offset, static_cast<pelt_vertex_format>(location.format) + 1, location.stride};
}

void write_outputs(const pelt::runtime::OutputLocations& places, pelt_crowd_outputs* outputs) {
  write_struct(pelt_crowd_outputs{.positions = from_location(places.positions),
                                  .normals = from_location(places.normals),
                                  .tangents = from_location(places.tangents),
                                  .previous_positions = from_location(places.previous_positions),
                                  .bounds = from_location(places.bounds)},
               outputs, "outputs");
}

void need_written(const float* wanted, const pelt::runtime::OutputLocation& location, const char* name) {
  if (wanted != nullptr && location.format == VertexFormat::kNone) refuse(formatted("the crowd writes no {}", name));
}

// Copies vectors to consecutive floats; does nothing if `to` is null.
template <class Vector>
void copy_vectors(const std::vector<Vector>& from, float* to) {
  if (to == nullptr) return;
  for (const Vector& one : from) to = std::copy_n(glm::value_ptr(one), Vector::length(), to);
}

}  // namespace

pelt_result pelt_crowd_acquire(pelt_crowd* crowd, uint32_t character, uint32_t outputs, uint32_t* instance) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) {
    need(instance, "instance");
    *instance = value_of(runtime_crowd.acquire(character, outputs != 0));
  });
}

pelt_result pelt_crowd_release(pelt_crowd* crowd, uint32_t instance) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) { runtime_crowd.release(instance); });
}

pelt_result pelt_crowd_give_outputs(pelt_crowd* crowd, uint32_t instance) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) { runtime_crowd.give_outputs(instance); });
}

pelt_result pelt_crowd_take_outputs(pelt_crowd* crowd, uint32_t instance) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) { value_of(runtime_crowd.take_outputs(instance)); });
}

pelt_result pelt_crowd_add(pelt_crowd* crowd, uint32_t character) {
  return on_crowd(__func__, crowd,
                  [&](Crowd& runtime_crowd) { value_of(runtime_crowd.add(device_of(crowd), character)); });
}

pelt_result pelt_crowd_prepare(const pelt_crowd* crowd, const pelt_character* const* characters,
                               uint32_t character_count) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    value_of(runtime_crowd.prepare(device_of(crowd), characters_of(characters, character_count)));
  });
}

pelt_result pelt_crowd_remove(pelt_crowd* crowd, uint32_t character) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) { value_of(runtime_crowd.remove(character)); });
}

pelt_result pelt_crowd_replace(pelt_crowd* crowd, uint32_t character, uint32_t with) {
  return on_crowd(__func__, crowd,
                  [&](Crowd& runtime_crowd) { value_of(runtime_crowd.replace(device_of(crowd), character, with)); });
}

pelt_result pelt_crowd_pose(pelt_crowd* crowd, uint32_t instance, const float* joints, uint32_t joint_count) {
  return posed<glm::mat4>(__func__, crowd, instance, joints, joint_count);
}

pelt_result pelt_crowd_pose_rows(pelt_crowd* crowd, uint32_t instance, const float* joints, uint32_t joint_count) {
  return posed<pelt::shared::Affine>(__func__, crowd, instance, joints, joint_count);
}

pelt_result pelt_crowd_inputs(pelt_crowd* crowd, uint32_t instance, const float* values, uint32_t input_count) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) {
    if (input_count != 0) need(values, "values");
    runtime_crowd.inputs(instance, {values, input_count});
  });
}

pelt_result pelt_crowd_stream(pelt_crowd* crowd, uint32_t instance, uint32_t stream, const float* positions,
                              uint32_t vertex_count) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) {
    need(positions, "positions");
    runtime_crowd.stream(instance, stream, {reinterpret_cast<const glm::vec3*>(positions), vertex_count});
  });
}

pelt_result pelt_crowd_control(pelt_crowd* crowd, uint32_t instance, uint32_t control, float value) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) { runtime_crowd.control(instance, control, value); });
}

pelt_result pelt_crowd_teleport(pelt_crowd* crowd, uint32_t instance) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) { runtime_crowd.teleport(instance); });
}

pelt_result pelt_crowd_advance(pelt_crowd* crowd, float seconds) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) { runtime_crowd.advance(seconds); });
}

pelt_result pelt_crowd_get_clock(const pelt_crowd* crowd, float* clock) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) { need(clock, "clock") = runtime_crowd.clock(); });
}

pelt_result pelt_crowd_record(pelt_crowd* crowd, VkCommandBuffer commands, const pelt_list_entry* entries,
                              uint32_t count) {
  return recorded(
      __func__, crowd, commands, entries, count, [&](Crowd& runtime_crowd) { runtime_crowd.record(commands); },
      [&](Crowd& runtime_crowd, auto list) { runtime_crowd.record(commands, list); });
}

pelt_result pelt_crowd_record_pose(pelt_crowd* crowd, VkCommandBuffer commands, const pelt_list_entry* entries,
                                   uint32_t count) {
  return recorded(
      __func__, crowd, commands, entries, count, [&](Crowd& runtime_crowd) { runtime_crowd.record_pose(commands); },
      [&](Crowd& runtime_crowd, auto list) { runtime_crowd.record_pose(commands, list); });
}

pelt_result pelt_crowd_record_blend(pelt_crowd* crowd, VkCommandBuffer commands) {
  return recorded(__func__, crowd, commands, [&](Crowd& runtime_crowd) { runtime_crowd.record_blend(commands); });
}

pelt_result pelt_crowd_get_uses(const pelt_crowd* crowd, uint32_t part, pelt_buffer_use* uses, uint32_t* count) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    need_index("part", part, 2);
    need(uses, "uses");
    const std::vector<pelt::runtime::BufferUse> all = runtime_crowd.uses(static_cast<pelt::runtime::CrowdPart>(part));
    if (all.size() > PELT_MAX_BUFFER_USES)
      refuse("more than PELT_MAX_BUFFER_USES buffers are used", PELT_ERROR_INTERNAL);
    need(count, "count") = static_cast<std::uint32_t>(all.size());
    for (std::size_t u = 0; u < all.size(); ++u)
      uses[u] = {all[u].name, all[u].buffer, all[u].offset, all[u].size, all[u].stages, all[u].access};
  });
}

pelt_result pelt_crowd_record_transfer(const pelt_crowd* crowd, VkCommandBuffer commands,
                                       const pelt_transfer* transfer) {
  return recorded(__func__, crowd, commands, [&](const Crowd& runtime_crowd) {
    const pelt_transfer given = read_struct(transfer, "transfer");
    need_index("step", given.step, PELT_TRANSFER_RELEASE_BACK + 1);
    runtime_crowd.record_transfer(commands, {.step = static_cast<pelt::runtime::QueueTransfer::Step>(given.step),
                                             .frame = given.frame,
                                             .compute_family = given.compute_family,
                                             .reading_family = given.reading_family,
                                             .reading_stages = given.reading_stages,
                                             .reading_access = given.reading_access});
  });
}

pelt_result pelt_crowd_get_info(const pelt_crowd* crowd, pelt_crowd_info* info) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt::runtime::CrowdBytes bytes = runtime_crowd.bytes();
    write_struct(pelt_crowd_info{.character_count = runtime_crowd.character_count(),
                                 .instance_count = runtime_crowd.instance_count(),
                                 .dispatch_count = static_cast<uint32_t>(runtime_crowd.passes().size()),
                                 .barrier_count = runtime_crowd.barrier_count(),
                                 .output_slots = runtime_crowd.output_slots(),
                                 .output_bytes = bytes.outputs,
                                 .palette_bytes = bytes.palettes,
                                 .input_bytes = bytes.inputs,
                                 .plan_bytes = bytes.plans},
                 info, "info");
  });
}

pelt_result pelt_crowd_get_instance(const pelt_crowd* crowd, uint32_t instance, pelt_instance_info* info) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const bool outputs = runtime_crowd.has_outputs(instance);
    write_struct(pelt_instance_info{.character = runtime_crowd.character_of(instance),
                                    .first_vertex = outputs ? runtime_crowd.first_vertex(instance) : 0,
                                    .vertex_count = runtime_crowd.vertex_count(instance),
                                    .first_joint = runtime_crowd.first_joint(instance),
                                    .first_input = runtime_crowd.first_input(instance),
                                    .has_outputs = outputs ? 1u : 0u},
                 info, "info");
  });
}

pelt_result pelt_crowd_get_frames(const pelt_crowd* crowd, uint64_t* frames) {
  return on_crowd(__func__, crowd,
                  [&](const Crowd& runtime_crowd) { need(frames, "frames") = runtime_crowd.frames(); });
}

pelt_result pelt_crowd_get_outputs(const pelt_crowd* crowd, uint64_t frame, pelt_crowd_outputs* outputs) {
  return on_crowd(__func__, crowd,
                  [&](const Crowd& runtime_crowd) { write_outputs(runtime_crowd.outputs(frame), outputs); });
}

pelt_result pelt_crowd_get_previous_frame(const pelt_crowd* crowd, uint32_t instance, uint32_t mesh_vertex,
                                          uint64_t* frame) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    need(frame, "frame") = runtime_crowd.previous_frame(instance, mesh_vertex);
  });
}

pelt_result pelt_crowd_get_table(const pelt_crowd* crowd, uint64_t frame, pelt_buffer_location* table) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt::runtime::BufferLocation location = runtime_crowd.table(frame);
    need(table, "table") = {location.buffer, location.offset};
  });
}

pelt_result pelt_crowd_get_device_address(const pelt_crowd* crowd, const pelt_output_location* location,
                                          VkDeviceAddress* address) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt_output_location& wanted = need(location, "location");
    VkDeviceAddress& made = need(address, "address");
    const VkDeviceAddress found = runtime_crowd.device_address({.buffer = wanted.buffer, .offset = wanted.offset});
    if (found == 0) refuse("the device has no buffer device addresses", PELT_ERROR_UNSUPPORTED);
    made = found;
  });
}

pelt_result pelt_crowd_get_first_instance(const pelt_crowd* crowd, uint32_t character, uint32_t* instance) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    need(instance, "instance") = runtime_crowd.first_instance(character);
  });
}

pelt_result pelt_crowd_get_mesh_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t mesh, uint32_t* vertex) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const std::optional<std::uint32_t> first = runtime_crowd.mesh_vertex(character, mesh);
    if (!first) refuse(formatted("the crowd does not write mesh {}", mesh), PELT_ERROR_NOT_FOUND);
    need(vertex, "vertex") = *first;
  });
}

pelt_result pelt_crowd_get_level_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t level, uint32_t* vertex) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    need(vertex, "vertex") = runtime_crowd.level_vertex(character, level);
  });
}

pelt_result pelt_crowd_get_rooms(const pelt_crowd* crowd, pelt_crowd_rooms* rooms) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt::runtime::CrowdRooms all = runtime_crowd.rooms();
    const auto room = [](const pelt::runtime::CrowdRoom& one) {
      return pelt_room{one.capacity, one.free, one.largest_free};
    };
    write_struct(pelt_crowd_rooms{.instances = room(all.instances),
                                  .vertices = room(all.vertices),
                                  .palette_entries = room(all.palette_entries),
                                  .driver_vertices = room(all.driver_vertices),
                                  .joints = room(all.joints),
                                  .inputs = room(all.inputs)},
                 rooms, "rooms");
  });
}

pelt_result pelt_crowd_read_vertices(const pelt_crowd* crowd, uint32_t instance, const pelt_vertices* vertices) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt_vertices wanted = read_struct(vertices, "vertices");
    need_count("vertices", wanted.vertex_count, runtime_crowd.vertex_count(instance));
    const pelt::runtime::OutputLocations& places = runtime_crowd.outputs();
    need_written(wanted.positions, places.positions, "positions");
    need_written(wanted.normals, places.normals, "normals");
    need_written(wanted.tangents, places.tangents, "tangents");
    need_written(wanted.previous_positions, places.previous_positions, "previous positions");
    const auto read = value_of(pelt::runtime::read_vertices(device_of(crowd), runtime_crowd, instance));
    copy_vectors(read.positions, wanted.positions);
    copy_vectors(read.normals, wanted.normals);
    copy_vectors(read.tangents, wanted.tangents);
    copy_vectors(read.previous_positions, wanted.previous_positions);
  });
}

pelt_result pelt_crowd_read_bounds(const pelt_crowd* crowd, uint32_t instance, float least[3], float greatest[3]) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    need(least, "least");
    need(greatest, "greatest");
    if (runtime_crowd.outputs().bounds.format == VertexFormat::kNone) refuse("the crowd writes no bounds");
    const auto box = value_of(pelt::runtime::read_bounds(device_of(crowd), runtime_crowd, instance));
    std::copy_n(glm::value_ptr(box.least), 3, least);
    std::copy_n(glm::value_ptr(box.greatest), 3, greatest);
  });
}
