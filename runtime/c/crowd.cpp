// SPDX-License-Identifier: MIT
#include <algorithm>
#include <glm/gtc/type_ptr.hpp>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>

#include "engine/character/base/formatted.h"
#include "runtime/c/handles.h"
#include "runtime/c/support.h"
#include "runtime/crowd_outputs.h"
#include "runtime/plan/misuse.h"

using namespace pelt::c;
using pelt::formatted;
using pelt::runtime::Crowd;
using pelt::runtime::FramePart;
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

FramePart to_part(std::uint32_t part) {
  constexpr FramePart kParts[] = {FramePart::kWhole, FramePart::kPose, FramePart::kBlend};
  need_known("part", part, PELT_PART_BLEND);
  return kParts[part];
}

pelt::runtime::RecordOptions to_options(const pelt_record& given) {
  pelt::runtime::RecordOptions options{.part = to_part(given.part)};
  if (given.has_list == 0) {
    if (given.entries != nullptr || given.count != 0) refuse("record has entries, but record.has_list is 0");
    return options;
  }
  if (given.count != 0) need(given.entries, "record.entries");
  options.list = std::span(reinterpret_cast<const pelt::shared::ListEntry*>(given.entries), given.count);
  return options;
}

pelt::runtime::CrowdInstance need_instance(const Crowd& crowd, std::uint32_t instance) {
  const std::optional<pelt::runtime::CrowdInstance> found = crowd.instance(instance);
  if (!found) refuse(formatted("the crowd has no instance {}", instance));
  return *found;
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

void need_written(const void* wanted, const pelt::runtime::OutputLocation& location, const char* name) {
  if (wanted != nullptr && location.format == VertexFormat::kNone) refuse(formatted("the crowd writes no {}", name));
}

// Copies vectors to consecutive numbers; does nothing if `to` is null.
template <class Vector>
void copy_vectors(const std::vector<Vector>& from, typename Vector::value_type* to) {
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

pelt_result pelt_crowd_set_outputs(pelt_crowd* crowd, uint32_t instance, uint32_t outputs) {
  return on_crowd(__func__, crowd,
                  [&](Crowd& runtime_crowd) { value_of(runtime_crowd.set_outputs(instance, outputs != 0)); });
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

pelt_result pelt_crowd_inputs(pelt_crowd* crowd, uint32_t instance, uint32_t first, const float* values,
                              uint32_t count) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) {
    if (count != 0) need(values, "values");
    runtime_crowd.inputs(instance, {values, count}, first);
  });
}

pelt_result pelt_crowd_advance(pelt_crowd* crowd, float seconds) {
  return on_crowd(__func__, crowd, [&](Crowd& runtime_crowd) { runtime_crowd.advance(seconds); });
}

pelt_result pelt_crowd_record(pelt_crowd* crowd, VkCommandBuffer commands, const pelt_record* record) {
  return recorded(__func__, crowd, commands, [&](Crowd& runtime_crowd) {
    runtime_crowd.record(commands, to_options(read_options(record, "record")));
  });
}

static_assert(std::size(pelt::runtime::kCallersBuffers) + pelt::runtime::kMaxOutputs <= PELT_MAX_BUFFER_USES);

pelt_result pelt_crowd_get_uses(const pelt_crowd* crowd, uint32_t part, pelt_buffer_use* uses, uint32_t* count) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    need(uses, "uses");
    const std::vector<pelt::runtime::BufferUse> all = runtime_crowd.uses(to_part(part));
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
    const pelt::runtime::CrowdPasses passes = runtime_crowd.passes();
    write_struct(pelt_crowd_info{.character_count = runtime_crowd.member_count(),
                                 .instance_count = runtime_crowd.instance_count(),
                                 .dispatch_count = static_cast<uint32_t>(passes.names.size()),
                                 .barrier_count = passes.barriers,
                                 .clock = runtime_crowd.clock(),
                                 .frames = runtime_crowd.frames(),
                                 .output_bytes = bytes.outputs,
                                 .palette_bytes = bytes.palettes,
                                 .input_bytes = bytes.inputs,
                                 .plan_bytes = bytes.plans},
                 info, "info");
  });
}

pelt_result pelt_crowd_get_instance(const pelt_crowd* crowd, uint32_t instance, pelt_instance_info* info) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt::runtime::CrowdInstance found = need_instance(runtime_crowd, instance);
    write_struct(pelt_instance_info{.character = found.character,
                                    .first_vertex = found.first_vertex,
                                    .vertex_count = found.vertex_count,
                                    .first_joint = found.first_joint,
                                    .first_input = found.first_input,
                                    .has_outputs = found.has_outputs ? 1u : 0u,
                                    .first_anchor = found.first_anchor},
                 info, "info");
  });
}

pelt_result pelt_crowd_get_outputs(const pelt_crowd* crowd, uint64_t frame, pelt_crowd_outputs* outputs) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt::runtime::OutputLocations& places = runtime_crowd.outputs(frame);
    const VkDescriptorBufferInfo table = runtime_crowd.table(frame);
    write_struct(pelt_crowd_outputs{.positions = from_location(places.positions),
                                    .normals = from_location(places.normals),
                                    .tangents = from_location(places.tangents),
                                    .previous_positions = from_location(places.previous_positions),
                                    .bounds = from_location(places.bounds),
                                    .table = {table.buffer, table.offset, table.range},
                                    .tension = from_location(places.tension),
                                    .anchors = from_location(places.anchors)},
                 outputs, "outputs");
  });
}

pelt_result pelt_crowd_get_previous_frame(const pelt_crowd* crowd, uint32_t instance, uint32_t mesh_vertex,
                                          uint64_t* frame) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    need(frame, "frame") = runtime_crowd.previous_frame(instance, mesh_vertex);
  });
}

pelt_result pelt_crowd_get_mesh_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t mesh, uint32_t level,
                                       uint32_t* vertex) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt::runtime::CrowdMember* member = runtime_crowd.member(character);
    if (member == nullptr) refuse(formatted("the crowd has no character {}", character));
    need_index("mesh", mesh, member->mesh_vertices.size());
    std::uint32_t first = member->mesh_vertices[mesh];
    const std::vector<pelt::SkinLevel>& levels = member->character->levels;  // finer ones come first
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (levels[l].of == mesh && levels[l].level <= level) first = member->level_vertices[l];
    }
    if (first == pelt::shared::kNoIndex)
      refuse(formatted("the crowd does not write mesh {}", mesh), PELT_ERROR_NOT_FOUND);
    need(vertex, "vertex") = first;
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
                                  .inputs = room(all.inputs),
                                  .anchors = room(all.anchors)},
                 rooms, "rooms");
  });
}

pelt_result pelt_crowd_read_vertices(const pelt_crowd* crowd, uint32_t instance, const pelt_vertices* vertices) {
  return on_crowd(__func__, crowd, [&](const Crowd& runtime_crowd) {
    const pelt_vertices wanted = read_struct(vertices, "vertices");
    need_count("vertices", wanted.vertex_count, need_instance(runtime_crowd, instance).vertex_count);
    const pelt::runtime::OutputLocations& places = runtime_crowd.outputs();
    need_written(wanted.positions, places.positions, "positions");
    need_written(wanted.normals, places.normals, "normals");
    need_written(wanted.tangents, places.tangents, "tangents");
    need_written(wanted.previous_positions, places.previous_positions, "previous positions");
    need_written(wanted.tension, places.tension, "tension");
    const auto read = value_of(pelt::runtime::read_vertices(device_of(crowd), runtime_crowd, instance));
    copy_vectors(read.positions, wanted.positions);
    copy_vectors(read.normals, wanted.normals);
    copy_vectors(read.tangents, wanted.tangents);
    copy_vectors(read.previous_positions, wanted.previous_positions);
    copy_vectors(read.tension, wanted.tension);
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
