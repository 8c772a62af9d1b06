// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <pelt/pose.h>
#include <pelt/runtime/crowd.h>

#include "runtime/crowd_joints.h"
#include "runtime/crowd_state.h"
#include "runtime/device_internals.h"
#include "runtime/misuse.h"

namespace pelt::runtime {

bool Crowd::State::expect_instance(std::uint32_t instance, const char* call) const {
  if (has(instance)) return true;
  report_misuse(call, "the {} has no instance {}", label, instance);
  return false;
}

bool Crowd::State::expect_whole(const char* call) const {
  if (is_posed) report_misuse(call, "the second part of the frame of the {} is not recorded", label);
  return !is_posed;
}

bool Crowd::State::expect_own(bool own, const char* what, std::uint32_t instance, const char* call) const {
  if (own) return expect_instance(instance, call);
  report_misuse(call, "a buffer of the caller's supplies the {} of the {}", what, label);
  return false;
}

bool Crowd::State::expect_own_inputs(std::uint32_t instance, const char* call) const {
  return expect_own(own_inputs, "inputs", instance, call) && expect_whole(call);
}

bool Crowd::State::expect_outputs(std::uint32_t instance, const char* call) const {
  if (!expect_instance(instance, call)) return false;
  if (has_outputs(instance)) return true;
  report_misuse(call, "instance {} of the {} has no outputs", instance, label);
  return false;
}

bool Crowd::State::expect_character(std::uint32_t number, const char* call) const {
  if (has_character(number)) return true;
  report_misuse(call, "the {} has no character {}", label, number);
  return false;
}

namespace {

// Reports an index beyond the character's parts.
bool expect_part(const char* call, const CharacterData& data, const char* what, std::uint32_t number,
                 std::size_t count) {
  if (number < count) return true;
  report_misuse(call, "'{}' has no {} {}: it has {}", data.name, what, number, count);
  return false;
}

// Reports an array of the wrong size.
bool expect_size(const char* call, const char* what, std::size_t given, std::size_t wanted) {
  if (given == wanted) return true;
  report_misuse(call, "got {} {}, expected {}", given, what, wanted);
  return false;
}

// Reports the first unusable value.
template <class Value>
bool expect_usable(const char* call, const char* what, std::uint32_t instance, std::span<const Value> values) {
  const std::size_t bad = first_unusable(values);
  if (bad == values.size()) return true;
  report_misuse(call, "{} {} of instance {} is not finite, or beyond {:g}", what, bad, instance, kMaxCoordinate);
  return false;
}

}  // namespace

// Writes the header of the table and the changes since the slot's last frame: locations of instances, the plan, and, if
// the device plans, its table.
void Crowd::State::write_work(std::optional<std::span<const shared::ListEntry>> list) {
  if (lists_changed) {
    place_lists(instances_of, plan);
    ++lists_placed;
    lists_changed = false;
  }
  HeldWork& held = held_work[slot];
  const auto place_of = [&](std::uint32_t pair) { return work_slots[slot].offset + pair * 2 * sizeof(std::uint32_t); };
  const auto write = [&](std::uint32_t pair, const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    if (bytes.empty()) return;
    std::memcpy(work.mapped() + place_of(pair), bytes.data(), bytes.size());
    work.flush(place_of(pair), bytes.size());
  };
  write(0, std::array{shared::TableHeader{.frame = static_cast<std::uint32_t>(frame),
                                          .slot = slot_of_frame(frame),
                                          .previous_slot = slot_of_frame(frame + output_slots() - 1),
                                          .instance_count = capacity.instances}});
  write(shared::location_pair(held.first_changed),
        std::span(locations).subspan(held.first_changed, held.end_changed - held.first_changed));
  if (held.plan != plans_made) write(plan.first_job, plan.jobs);
  if (has_table() && (held.plan != plans_made || held.lists != lists_placed)) {
    std::byte* const first = table.mapped() + table_slots[slot].offset;
    std::byte* to = first;
    const auto append = [&](const auto& values) {
      const auto bytes = std::as_bytes(std::span(values));
      if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
      to += bytes.size();
    };
    append(plan.table.characters);
    append(plan.table.levels);
    append(plan.table.lists);
    append(plan.table.jobs);
    append(plan.table.steps);
    table.flush(table_slots[slot].offset, static_cast<VkDeviceSize>(to - first));
  }
  held = {.plan = plans_made, .lists = lists_placed};
  if (!own_list) return;
  plan_frame(list);
  work.flush(place_of(shared::location_pair(0)), locations.size() * sizeof(shared::InstanceLocation));
  work.flush(place_of(plan.first_start),
             place_of(plan.first_list) - place_of(plan.first_start) + list_words() * sizeof(std::uint32_t));
}

std::uint32_t Crowd::State::state_of(std::uint32_t instance) const {
  const shared::InstanceMemory& remembered = instance_states[instance].memory;
  if (remembered.shown == frame_number()) return remembered.state;
  // If the second part has a list of its own, it may show an instance in its last pose.
  if (own_drawn || remembered.shown == 0) return shared::kNoIndex;
  return shared::kEntryStay | (remembered.state & shared::kEntryLinearBlend);
}

// Entries that the caller must not list are ignored, as on the device.
void Crowd::State::plan_entry(shared::ListEntry entry) {
  if (!has(entry.instance) || !has_outputs(entry.instance)) return;
  InstanceState& state = instance_states[entry.instance];
  if (state.memory.shown == frame_number()) return;
  const bool stays = (entry.state & shared::kEntryStay) != 0 && state.memory.shown != 0;
  if (state.teleport && !stays) {
    entry.state |= shared::kEntryTeleport;
    state.teleport = false;
  }
  const CrowdCharacter& character = sizes_of(entry.instance);
  if (!character.painted_entry) entry.state &= ~shared::kEntryLinearBlend;
  shared::PlannedEntry planned = shared::plan_entry(state.memory, entry.state, frame_number(), slots_of_first_part(),
                                                    own_drawn && copies_previous());
  if (character.clock_input && shared::state_is_deformed(planned.state) && state.action.pose(clock))
    planned.state |= shared::kEntryRestart;
  state.memory = planned.memory;
  if (planned.works) host_plan.add(character_of(entry.instance), {entry.instance, planned.state});
}

// Without a list, all instances are moved.
void Crowd::State::plan_frame(std::optional<std::span<const shared::ListEntry>> list) {
  std::byte* const to = work.mapped() + work_slots[slot].offset;
  host_plan.begin(to);
  if (list) {
    for (const shared::ListEntry& entry : *list) plan_entry(entry);
  } else {
    for (std::uint32_t i = 0; i < instance_states.size(); ++i) plan_entry({i, 0});
  }
  host_plan.finish();
  for (std::uint32_t i = 0; i < instance_states.size(); ++i) {
    const std::uint32_t state = state_of(i);
    std::memcpy(to + sizeof(shared::TableHeader) + i * sizeof(shared::InstanceLocation) +
                    offsetof(shared::InstanceLocation, state),
                &state, sizeof(state));
  }
}

void Crowd::State::write_clock() {
  const float value = clock.value();
  for (std::uint32_t i = 0; i < instance_states.size(); ++i) {
    if (!instance_states[i].taken) continue;
    const std::optional<std::uint32_t> input = sizes_of(i).clock_input;
    if (input && inputs.values(i)[*input] != value) inputs.set(slot, i, *input, std::span(&value, 1));
  }
}

Crowd::Crowd(std::unique_ptr<State> state) : state_(std::move(state)) {}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

template <class Joint>
void Crowd::State::pose(std::uint32_t instance, std::span<const Joint> given) {
  if (!expect_own(own_joints, "joint matrices", instance, "pose") || !expect_whole("pose")) return;
  const Skeleton& skeleton = data_of(instance).skeleton;
  if (!expect_size("pose", "joint matrices", given.size(), skeleton.joints.size())) return;
  if (!expect_usable("pose", "joint", instance, given)) return;
  const std::span<float> kept = joints.values(instance);
  if (skeleton.helpers.empty()) {
    write_joints(given, kept);
  } else {
    const std::span<glm::mat4> turned = scratch_matrices(given.size());
    std::transform(given.begin(), given.end(), turned.begin(), [](const Joint& joint) { return matrix_of(joint); });
    turn_helpers(skeleton, turned);
    write_joints(turned, kept);
  }
  joints.publish(slot, instance);
}

void Crowd::pose(std::uint32_t instance, std::span<const glm::mat4> joints) { state_->pose(instance, joints); }
void Crowd::pose(std::uint32_t instance, std::span<const shared::Affine> joints) { state_->pose(instance, joints); }

void Crowd::inputs(std::uint32_t instance, std::span<const float> values) {
  if (!state_->expect_own_inputs(instance, "inputs")) return;
  if (!expect_size("inputs", "values", values.size(), state_->data_of(instance).input_count)) return;
  if (!expect_usable("inputs", "input", instance, values)) return;
  state_->inputs.set(state_->slot, instance, 0, values);
}

void Crowd::stream(std::uint32_t instance, std::uint32_t stream, std::span<const glm::vec3> positions) {
  if (!state_->expect_own_inputs(instance, "stream")) return;
  const CharacterData& data = state_->data_of(instance);
  if (!expect_part("stream", data, "stream", stream, data.streams.size())) return;
  const std::uint32_t vertices = data.meshes[data.streams[stream].mesh].vertex_count();
  if (!expect_size("stream", "positions", positions.size(), vertices)) return;
  if (!expect_usable("stream", "position", instance, positions)) return;
  state_->inputs.set(state_->slot, instance, data.streams[stream].first_input, as_floats(positions));
}

void Crowd::control(std::uint32_t instance, std::uint32_t control, float value) {
  if (!state_->expect_own_inputs(instance, "control")) return;
  const CharacterData& data = state_->data_of(instance);
  if (!expect_part("control", data, "control", control, data.controls.size())) return;
  if (!expect_usable("control", "value", instance, std::span<const float>(&value, 1))) return;
  state_->inputs.set(state_->slot, instance, data.controls[control].input, std::span(&value, 1));
}

void Crowd::teleport(std::uint32_t instance) {
  if (!state_->expect_own(state_->own_list, "list", instance, "teleport") || !state_->expect_whole("teleport")) return;
  state_->instance_states[instance].teleport = true;
}

void Crowd::advance(float seconds) { state_->clock.advance(seconds); }

float Crowd::clock() const { return state_->clock.value(); }

void Crowd::State::write_inputs(std::optional<std::span<const shared::ListEntry>> list) {
  if (own_joints) joints.finish(slot);
  if (own_inputs) {
    if (has_action) write_clock();
    inputs.finish(slot);
  }
  write_work(list);
}

std::span<const std::string> Crowd::passes() const { return state_->names; }

std::uint32_t Crowd::barrier_count() const {
  const std::vector<FrameCommand>& commands = state_->commands[static_cast<std::size_t>(FramePart::kWhole)];
  return static_cast<std::uint32_t>(std::count_if(commands.begin(), commands.end(), [](const FrameCommand& command) {
    return command.kind == FrameCommand::Kind::kBarrier;
  }));
}

std::uint32_t Crowd::instance_count() const { return state_->capacity.instances; }
std::uint32_t Crowd::first_instance(std::uint32_t character) const {
  if (character < state_->first_instances.size()) return state_->first_instances[character];
  report_misuse("first_instance", "the {} was made without character {}", state_->label, character);
  return 0;
}
std::uint32_t Crowd::character_of(std::uint32_t instance) const {
  return state_->expect_instance(instance, "character_of") ? state_->character_of(instance) : 0;
}

std::uint64_t Crowd::frames() const { return state_->frame; }
const OutputLocations& Crowd::outputs(std::uint64_t frame) const {
  return state_->outputs[state_->slot_of_frame(frame)];
}
std::uint32_t Crowd::output_slots() const { return state_->output_slots(); }
VkDescriptorBufferInfo Crowd::table(std::uint64_t frame) const {
  return state_->work.part(state_->work_slots[frame % state_->slots]);
}

std::uint64_t Crowd::previous_frame(std::uint32_t instance, std::uint32_t mesh_vertex,
                                    std::optional<std::uint32_t> state) const {
  if (!state_->expect_instance(instance, "previous_frame")) return 0;
  const shared::InstanceMemory& remembered = state_->instance_states[instance].memory;
  if (!state && state_->own_list && state_->own_drawn && remembered.shown == state_->frame) state = remembered.state;
  bool appeared = state_->frame < 2;
  const CrowdCharacter& character = state_->sizes_of(instance);
  for (const ShownMesh& mesh : character.meshes) {
    const shared::PlanLevels levels = character.levels[mesh.levels];
    appeared = appeared || (state && *state != shared::kNoIndex && mesh.vertex == mesh_vertex &&
                            shared::entry_appears(*state, levels.first, levels.last));
  }
  return state_->last_frame() - (appeared ? 0 : 1);
}

CrowdBytes Crowd::bytes() const {
  return {.outputs = state_->vertices.size(),
          .palettes = state_->palette.size(),
          .inputs = state_->joints.buffer().size() + state_->inputs.buffer().size(),
          .plans = state_->work.size() + state_->arguments.size() + state_->table.size() + state_->memory.size() +
                   state_->nothing.size()};
}

VkDeviceAddress Crowd::device_address(const OutputLocation& location) const {
  if (state_->device->functions.vkGetBufferDeviceAddress == nullptr) return 0;
  const auto is_here = [&](const OutputLocation* output) {
    return output->format != VertexFormat::kNone && output->buffer == location.buffer &&
           output->offset == location.offset;
  };
  const auto is_in = [&](const OutputLocations& slot) {
    const auto places = {&slot.positions, &slot.normals, &slot.tangents, &slot.previous_positions, &slot.bounds};
    return std::any_of(places.begin(), places.end(), is_here);
  };
  if (std::none_of(state_->outputs.begin(), state_->outputs.end(), is_in)) {
    report_misuse("device_address", "the location is not one of the outputs of the {}", state_->label);
    return 0;
  }
  if (location.buffer == state_->vertices.handle() &&
      (state_->wanted_outputs.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) == 0) {
    report_misuse("device_address", "the {} was made without VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT in its usage",
                  state_->label);
    return 0;
  }
  const VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                       .buffer = location.buffer};
  return state_->device->functions.vkGetBufferDeviceAddress(state_->device->handle, &info) + location.offset;
}

std::uint32_t Crowd::first_vertex(std::uint32_t instance) const {
  return state_->expect_outputs(instance, "first_vertex") ? state_->locations[instance].first_vertex : 0;
}
std::uint32_t Crowd::vertex_count(std::uint32_t instance) const {
  return state_->expect_instance(instance, "vertex_count") ? state_->sizes_of(instance).vertices : 0;
}
std::optional<std::uint32_t> Crowd::mesh_vertex(std::uint32_t character, std::uint32_t mesh) const {
  if (!state_->expect_character(character, "mesh_vertex")) return std::nullopt;
  const CharacterData& data = **state_->characters[character];
  if (!expect_part("mesh_vertex", data, "mesh", mesh, data.meshes.size())) return std::nullopt;
  return state_->plan.characters[character]->meshes[mesh].vertex;
}
std::uint32_t Crowd::level_vertex(std::uint32_t character, std::uint32_t level) const {
  if (!state_->expect_character(character, "level_vertex")) return 0;
  const CharacterData& data = **state_->characters[character];
  if (!expect_part("level_vertex", data, "level", level, data.levels.size())) return 0;
  return *state_->plan.characters[character]->meshes[data.meshes.size() + level].vertex;
}
std::uint32_t Crowd::first_joint(std::uint32_t instance) const {
  return state_->expect_instance(instance, "first_joint") ? state_->locations[instance].first_joint : 0;
}
std::uint32_t Crowd::first_input(std::uint32_t instance) const {
  return state_->expect_instance(instance, "first_input") ? state_->locations[instance].first_input : 0;
}

VkBuffer Crowd::palette_buffer() const { return state_->palette.handle(); }
std::uint64_t Crowd::first_palette_entry(std::uint32_t instance) const {
  return state_->expect_instance(instance, "first_palette_entry") ? state_->locations[instance].first_palette : 0;
}

}  // namespace pelt::runtime
