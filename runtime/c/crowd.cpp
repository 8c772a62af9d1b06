// SPDX-License-Identifier: MIT
#include <algorithm>
#include <glm/gtc/type_ptr.hpp>
#include <span>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/shaders/jobs.h>

#include "engine/character/core/formatted.h"
#include "runtime/c/handles.h"
#include "runtime/c/support.h"

using namespace pelt::c;
using pelt::Detail;
using pelt::formatted;
using pelt::runtime::Crowd;
using pelt::runtime::VertexFormat;

namespace {

static_assert(static_cast<int>(Detail::kFull) == PELT_DETAIL_FULL &&
              static_cast<int>(Detail::kLinearBlend) == PELT_DETAIL_LINEAR_BLEND);
static_assert(sizeof(pelt_list_entry) == sizeof(pelt::shared::ListEntry) &&
              PELT_ENTRY_TELEPORT == pelt::shared::kEntryTeleport && PELT_ENTRY_HOLD == pelt::shared::kEntryHold &&
              PELT_ENTRY_LINEAR_BLEND == pelt::shared::kEntryLinearBlend &&
              PELT_ENTRY_FRESH == pelt::shared::kEntryFresh && PELT_ENTRY_REPEAT == pelt::shared::kEntryRepeat &&
              PELT_ENTRY_NEW_LEVEL == pelt::shared::kEntryNewLevel &&
              PELT_ENTRY_OTHER_LEVEL == pelt::shared::kEntryOtherLevel);

const pelt::runtime::Device& device_of(const pelt_crowd& crowd) { return *crowd.characters->device->device; }

const pelt::CharacterData& data_of(const pelt_crowd& crowd, std::uint32_t instance) {
  return **crowd.crowd.character(crowd.crowd.character_of(instance));
}

// Returns the crowd; throws if it has no such instance.
template <class AnyCrowd>
AnyCrowd& need_instance(AnyCrowd* crowd, std::uint32_t instance) {
  AnyCrowd& handle = need(crowd, "crowd");
  need_index("instance", instance, handle.crowd.instance_count());
  if (!handle.crowd.has_instance(instance))
    refuse(formatted("instance {} is released, or was never acquired", instance));
  return handle;
}

// Returns the character's data; throws if the crowd does not have it.
const pelt::CharacterData& need_character(const pelt_crowd& crowd, std::uint32_t character) {
  need_index("character", character, crowd.crowd.character_count());
  const std::optional<pelt::Character> bound = crowd.crowd.character(character);
  if (!bound) refuse(formatted("the crowd does not have character {}", character));
  return **bound;  // the crowd holds it, too
}

template <class Joint>
void pose(pelt_crowd* crowd, std::uint32_t instance, const float* joints, std::uint32_t joint_count) {
  pelt_crowd& handle = need_instance(crowd, instance);
  if (!handle.own_joints) refuse("the crowd reads its joint matrices from a buffer of the caller's");
  need(joints, "joints");
  need_count("joint matrices", joint_count, data_of(handle, instance).skeleton.joints.size());
  const std::span given(reinterpret_cast<const Joint*>(joints), joint_count);
  need_usable("joint", given);
  handle.crowd.pose(instance, given);
}

pelt_crowd& need_own_inputs(pelt_crowd* crowd, std::uint32_t instance) {
  pelt_crowd& handle = need_instance(crowd, instance);
  if (!handle.own_inputs) refuse("the crowd reads its inputs from a buffer of the caller's");
  return handle;
}

pelt_crowd& need_own_list(pelt_crowd* crowd, std::uint32_t instance) {
  pelt_crowd& handle = need_instance(crowd, instance);
  if (!handle.own_list) refuse("a buffer of the caller's says which instances are moved");
  return handle;
}

void need_written(const float* wanted, const pelt::runtime::OutputPlace& place, const char* name) {
  if (wanted != nullptr && place.format == VertexFormat::kNone) refuse(formatted("the crowd writes no {}", name));
}

// Copies vectors as floats, one after the other; does nothing if `to` is null.
template <class Vector>
void copy_vectors(const std::vector<Vector>& from, float* to) {
  if (to == nullptr) return;
  for (const Vector& one : from) to = std::copy_n(glm::value_ptr(one), Vector::length(), to);
}

// `record` is called with the pelt::runtime::Crowd.
template <class Handle, class Record>
pelt_result recorded(const char* function, Handle* crowd, VkCommandBuffer commands, const Record& record) {
  return guarded(function, [&] {
    Handle& handle = need(crowd, "crowd");
    need(commands, "commands");
    record(handle.crowd);
  });
}

}  // namespace

pelt_result pelt_crowd_acquire(pelt_crowd* crowd, uint32_t character, uint32_t outputs, uint32_t* instance) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need(crowd, "crowd");
    need(instance, "instance");
    *instance = value_of(handle.crowd.acquire(character, outputs != 0));
  });
}

pelt_result pelt_crowd_release(pelt_crowd* crowd, uint32_t instance) {
  return guarded(__func__, [&] { need_instance(crowd, instance).crowd.release(instance); });
}

pelt_result pelt_crowd_give_outputs(pelt_crowd* crowd, uint32_t instance) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need_instance(crowd, instance);
    if (handle.own_list && handle.crowd.is_shown(instance)) refuse(formatted("instance {} is shown", instance));
    handle.crowd.give_outputs(instance);
  });
}

pelt_result pelt_crowd_take_outputs(pelt_crowd* crowd, uint32_t instance) {
  return guarded(__func__, [&] { value_of(need_instance(crowd, instance).crowd.take_outputs(instance)); });
}

pelt_result pelt_crowd_add(pelt_crowd* crowd, uint32_t character) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need(crowd, "crowd");
    value_of(handle.crowd.add(device_of(handle), character));
  });
}

pelt_result pelt_crowd_prepare(const pelt_crowd* crowd, const pelt_character* const* characters,
                               uint32_t character_count) {
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need(crowd, "crowd");
    std::vector<pelt::Character> all;
    for (std::uint32_t c = 0; c < character_count; ++c)
      all.push_back(need((&need(characters, "characters"))[c], "a character").character);
    value_of(handle.crowd.prepare(device_of(handle), all));
  });
}

pelt_result pelt_crowd_remove(pelt_crowd* crowd, uint32_t character) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need(crowd, "crowd");
    need_character(handle, character);
    const std::uint32_t count = handle.crowd.instances_of(character);
    if (count > 0) refuse(formatted("the crowd has {} instances of character {}", count, character));
    handle.crowd.remove(character);
  });
}

pelt_result pelt_crowd_pose(pelt_crowd* crowd, uint32_t instance, const float* joints, uint32_t joint_count) {
  return guarded(__func__, [&] { pose<glm::mat4>(crowd, instance, joints, joint_count); });
}

pelt_result pelt_crowd_pose_rows(pelt_crowd* crowd, uint32_t instance, const float* joints, uint32_t joint_count) {
  return guarded(__func__, [&] { pose<pelt::shared::Affine>(crowd, instance, joints, joint_count); });
}

pelt_result pelt_crowd_inputs(pelt_crowd* crowd, uint32_t instance, const float* values, uint32_t input_count) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need_own_inputs(crowd, instance);
    need_count("inputs", input_count, data_of(handle, instance).input_count);
    if (input_count != 0) need(values, "values");
    const std::span given(values, input_count);
    need_usable("input", given);
    handle.crowd.inputs(instance, given);
  });
}

pelt_result pelt_crowd_stream(pelt_crowd* crowd, uint32_t instance, uint32_t stream, const float* positions,
                              uint32_t vertex_count) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need_own_inputs(crowd, instance);
    const pelt::CharacterData& data = data_of(handle, instance);
    need_index("stream", stream, data.streams.size());
    need(positions, "positions");
    need_count("vertices", vertex_count, data.meshes[data.streams[stream].mesh].vertex_count());
    const std::span given(reinterpret_cast<const glm::vec3*>(positions), vertex_count);
    need_usable("position", given);
    handle.crowd.stream(instance, stream, given);
  });
}

pelt_result pelt_crowd_control(pelt_crowd* crowd, uint32_t instance, uint32_t control, float value) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need_own_inputs(crowd, instance);
    need_index("control", control, data_of(handle, instance).controls.size());
    need_usable<float>("value", {&value, 1});
    handle.crowd.control(instance, control, value);
  });
}

pelt_result pelt_crowd_show(pelt_crowd* crowd, uint32_t instance, uint32_t visible) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need_own_list(crowd, instance);
    if (visible != 0 && !handle.crowd.has_outputs(instance)) refuse(formatted("instance {} has no outputs", instance));
    handle.crowd.show(instance, visible != 0);
  });
}

pelt_result pelt_crowd_update_every(pelt_crowd* crowd, uint32_t instance, uint32_t frames) {
  return guarded(__func__, [&] { need_own_list(crowd, instance).crowd.update_every(instance, frames); });
}

pelt_result pelt_crowd_teleport(pelt_crowd* crowd, uint32_t instance) {
  return guarded(__func__, [&] { need_own_list(crowd, instance).crowd.teleport(instance); });
}

pelt_result pelt_crowd_advance(pelt_crowd* crowd, float seconds) {
  return guarded(__func__, [&] { need(crowd, "crowd").crowd.advance(seconds); });
}

pelt_result pelt_crowd_get_clock(const pelt_crowd* crowd, float* clock) {
  return guarded(__func__, [&] { need(clock, "clock") = need(crowd, "crowd").crowd.clock(); });
}

pelt_result pelt_crowd_detail(pelt_crowd* crowd, uint32_t instance, uint32_t detail) {
  return guarded(__func__, [&] {
    pelt_crowd& handle = need_own_list(crowd, instance);
    if (detail > PELT_DETAIL_LINEAR_BLEND) refuse(formatted("detail {} is none", detail));
    handle.crowd.detail(instance, static_cast<Detail>(detail));
  });
}

pelt_result pelt_crowd_level(pelt_crowd* crowd, uint32_t instance, uint32_t level, uint32_t fade_frames) {
  return guarded(__func__, [&] { need_own_list(crowd, instance).crowd.level(instance, level, fade_frames); });
}

pelt_result pelt_crowd_get_shown_levels(const pelt_crowd* crowd, uint32_t instance, uint32_t* from, uint32_t* to,
                                        float* share) {
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need_instance(crowd, instance);
    if (!handle.own_list) refuse("a buffer of the caller's says which instances are moved");
    const pelt::runtime::ShownLevels shown = handle.crowd.shown_levels(instance);
    need(from, "from");
    need(to, "to");
    need(share, "share") = shown.share;
    *from = shown.from;
    *to = shown.to;
  });
}

pelt_result pelt_crowd_record(pelt_crowd* crowd, VkCommandBuffer commands) {
  return recorded(__func__, crowd, commands, [&](auto& runtime_crowd) {
    if (runtime_crowd.is_posed()) refuse("the second part of the frame is not recorded");
    runtime_crowd.record(commands);
  });
}

pelt_result pelt_crowd_record_pose(pelt_crowd* crowd, VkCommandBuffer commands) {
  return recorded(__func__, crowd, commands, [&](auto& runtime_crowd) {
    if (runtime_crowd.is_posed()) refuse("the second part of the frame is not recorded");
    runtime_crowd.record_pose(commands);
  });
}

pelt_result pelt_crowd_record_blend(pelt_crowd* crowd, VkCommandBuffer commands) {
  return recorded(__func__, crowd, commands, [&](auto& runtime_crowd) {
    if (!runtime_crowd.is_posed()) refuse("the first part of the frame is not recorded");
    runtime_crowd.record_blend(commands);
  });
}

pelt_result pelt_crowd_get_uses(const pelt_crowd* crowd, uint32_t part, pelt_buffer_use* uses, uint32_t* count) {
  return guarded(__func__, [&] {
    const Crowd& runtime_crowd = need(crowd, "crowd").crowd;
    need_index("part", part, 2);
    need(uses, "uses");
    const std::vector<pelt::runtime::BufferUse> all = runtime_crowd.uses(static_cast<pelt::runtime::CrowdPart>(part));
    if (all.size() > PELT_MAX_BUFFER_USES) refuse("there are more than PELT_MAX_BUFFER_USES", PELT_ERROR_INTERNAL);
    need(count, "count") = static_cast<std::uint32_t>(all.size());
    for (std::size_t u = 0; u < all.size(); ++u)
      uses[u] = {all[u].name, all[u].buffer, all[u].offset, all[u].size, all[u].stages, all[u].access};
  });
}

pelt_result pelt_crowd_record_release(const pelt_crowd* crowd, VkCommandBuffer commands, uint32_t compute_family,
                                      uint32_t reading_family) {
  return recorded(__func__, crowd, commands,
                  [&](auto& runtime_crowd) { runtime_crowd.record_release(commands, compute_family, reading_family); });
}

pelt_result pelt_crowd_record_acquire(const pelt_crowd* crowd, VkCommandBuffer commands, uint32_t compute_family,
                                      uint32_t reading_family, VkPipelineStageFlags2 reading_stages,
                                      VkAccessFlags2 reading_access) {
  return recorded(__func__, crowd, commands, [&](auto& runtime_crowd) {
    runtime_crowd.record_acquire(commands, compute_family, reading_family, reading_stages, reading_access);
  });
}

pelt_result pelt_crowd_record_release_back(const pelt_crowd* crowd, VkCommandBuffer commands, uint32_t compute_family,
                                           uint32_t reading_family, VkPipelineStageFlags2 reading_stages) {
  return recorded(__func__, crowd, commands, [&](auto& runtime_crowd) {
    runtime_crowd.record_release_back(commands, compute_family, reading_family, reading_stages);
  });
}

pelt_result pelt_crowd_record_acquire_back(const pelt_crowd* crowd, VkCommandBuffer commands, uint32_t compute_family,
                                           uint32_t reading_family) {
  return recorded(__func__, crowd, commands, [&](auto& runtime_crowd) {
    runtime_crowd.record_acquire_back(commands, compute_family, reading_family);
  });
}

pelt_result pelt_crowd_get_info(const pelt_crowd* crowd, pelt_crowd_info* info) {
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need(crowd, "crowd");
    const pelt::runtime::CrowdBytes bytes = handle.crowd.bytes();
    write_struct(pelt_crowd_info{.character_count = handle.crowd.character_count(),
                                 .instance_count = handle.crowd.instance_count(),
                                 .dispatch_count = static_cast<uint32_t>(handle.crowd.passes().size()),
                                 .barrier_count = handle.crowd.barrier_count(),
                                 .output_slots = handle.crowd.output_slots(),
                                 .output_bytes = bytes.outputs,
                                 .palette_bytes = bytes.palettes,
                                 .input_bytes = bytes.inputs,
                                 .plan_bytes = bytes.plans},
                 info, "info");
  });
}

pelt_result pelt_crowd_get_instance(const pelt_crowd* crowd, uint32_t instance, pelt_instance_info* info) {
  return guarded(__func__, [&] {
    const Crowd& runtime_crowd = need_instance(crowd, instance).crowd;
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

pelt_result pelt_crowd_get_output_slot(const pelt_crowd* crowd, uint32_t* slot) {
  return guarded(__func__, [&] { need(slot, "slot") = need(crowd, "crowd").crowd.output_slot(); });
}

pelt_result pelt_crowd_get_previous_slot(const pelt_crowd* crowd, uint32_t instance, uint32_t* slot) {
  return guarded(__func__, [&] { need(slot, "slot") = need_instance(crowd, instance).crowd.previous_slot(instance); });
}

pelt_result pelt_crowd_get_mesh_previous_slot(const pelt_crowd* crowd, uint32_t instance, uint32_t mesh_vertex,
                                              uint32_t* slot) {
  return guarded(__func__, [&] {
    need(slot, "slot") = need_instance(crowd, instance).crowd.previous_slot(instance, mesh_vertex);
  });
}

pelt_result pelt_crowd_get_device_address(const pelt_crowd* crowd, const pelt_output_place* place,
                                          VkDeviceAddress* address) {
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need(crowd, "crowd");
    const pelt_output_place& wanted = need(place, "place");
    const auto is_wanted = [&](const pelt::runtime::OutputPlace& output) {
      return output.format != VertexFormat::kNone && output.buffer == wanted.buffer && output.offset == wanted.offset;
    };
    bool found = false;
    for (std::uint32_t slot = 0; slot < handle.crowd.output_slots(); ++slot) {
      const pelt::runtime::OutputPlaces& written = handle.crowd.outputs(slot);
      found = found || is_wanted(written.positions) || is_wanted(written.normals) || is_wanted(written.tangents) ||
              is_wanted(written.previous_positions) || is_wanted(written.bounds);
    }
    if (!found) refuse("place is none of the crowd's outputs");
    const bool given = std::find(handle.given.begin(), handle.given.end(), wanted.buffer) != handle.given.end();
    if (!given && (handle.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) == 0) {
      refuse("the crowd was made without VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT in options.usage");
    }
    VkDeviceAddress& made = need(address, "address");
    made = handle.crowd.device_address({VertexFormat::kNone, wanted.buffer, wanted.offset, 0});
    if (made == 0) refuse("the device has no buffer device addresses", PELT_ERROR_UNSUPPORTED);
  });
}

pelt_result pelt_crowd_get_first_instance(const pelt_crowd* crowd, uint32_t character, uint32_t* instance) {
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need(crowd, "crowd");
    need_index("character", character, handle.made_with);
    need(instance, "instance") = handle.crowd.first_instance(character);
  });
}

pelt_result pelt_crowd_get_mesh_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t mesh, uint32_t* vertex) {
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need(crowd, "crowd");
    const pelt::CharacterData& data = need_character(handle, character);
    need_index("mesh", mesh, data.meshes.size());
    const std::optional<std::uint32_t> first = handle.crowd.mesh_vertex(character, mesh);
    if (!first) refuse(formatted("the crowd does not write mesh '{}'", data.meshes[mesh].name), PELT_ERROR_NOT_FOUND);
    need(vertex, "vertex") = *first;
  });
}

pelt_result pelt_crowd_get_level_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t level, uint32_t* vertex) {
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need(crowd, "crowd");
    need_index("level", level, need_character(handle, character).levels.size());
    need(vertex, "vertex") = handle.crowd.level_vertex(character, level);
  });
}

pelt_result pelt_crowd_get_rooms(const pelt_crowd* crowd, pelt_crowd_rooms* rooms) {
  return guarded(__func__, [&] {
    const pelt::runtime::CrowdRooms all = need(crowd, "crowd").crowd.rooms();
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
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need_instance(crowd, instance);
    const pelt_vertices wanted = read_struct(vertices, "vertices");
    need_count("vertices", wanted.vertex_count, handle.crowd.vertex_count(instance));
    const pelt::runtime::OutputPlaces& places = handle.crowd.outputs();
    need_written(wanted.positions, places.positions, "positions");
    need_written(wanted.normals, places.normals, "normals");
    need_written(wanted.tangents, places.tangents, "tangents");
    need_written(wanted.previous_positions, places.previous_positions, "previous positions");
    const auto read = value_of(pelt::runtime::read_vertices(device_of(handle), handle.crowd, instance));
    copy_vectors(read.positions, wanted.positions);
    copy_vectors(read.normals, wanted.normals);
    copy_vectors(read.tangents, wanted.tangents);
    copy_vectors(read.previous_positions, wanted.previous_positions);
  });
}

pelt_result pelt_crowd_read_bounds(const pelt_crowd* crowd, uint32_t instance, float least[3], float greatest[3]) {
  return guarded(__func__, [&] {
    const pelt_crowd& handle = need_instance(crowd, instance);
    need(least, "least");
    need(greatest, "greatest");
    if (handle.crowd.outputs().bounds.format == VertexFormat::kNone) refuse("the crowd writes no bounds");
    const auto box = value_of(pelt::runtime::read_bounds(device_of(handle), handle.crowd, instance));
    std::copy_n(glm::value_ptr(box.least), 3, least);
    std::copy_n(glm::value_ptr(box.greatest), 3, greatest);
  });
}
