// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include <pelt/pose.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/debug.h>
#include <pelt/runtime/transfer.h>

#include "runtime/crowd_state.h"
#include "runtime/device_internals.h"

namespace pelt::runtime {

std::optional<shared::ListEntry> Crowd::State::next_entry(std::uint32_t instance, std::uint32_t number) {
  InstanceState& state = instance_states[instance];
  const bool turn = state.period != 0 && (frame + instance) % state.period == 0;
  const bool moved = state.visible && (turn || !state.moved_before);
  state.appeared = moved && state.teleport;
  if (!moved) {
    if (state.behind == 0) return std::nullopt;
    --state.behind;
    return shared::ListEntry{number,
                             output_slots() == 1 ? shared::kEntryHold : shared::kEntryRepeat | state.last_state};
  }
  std::uint32_t share = 0;
  if (state.from != state.to) {
    if (state.faded == state.fade_frames) {
      state.from = state.to;
    } else {
      ++state.faded;
      share = static_cast<std::uint32_t>(std::uint64_t{255} * state.faded / state.fade_steps());
    }
  }
  std::uint32_t flags = state.teleport ? shared::kEntryTeleport : 0;
  state.teleport = false;
  state.moved_before = true;
  state.behind = frames_behind();
  state.last_state =
      shared::entry_state(0, static_cast<std::uint32_t>(state.from), static_cast<std::uint32_t>(state.to), share);
  const auto entry = [&] { return state.last_state | flags; };
  const std::uint32_t character = character_of[instance];
  if (clock_inputs[character]) {
    const bool deformed = characters[character]->fit_pass() == nullptr || shared::entry_uses(entry(), false);
    if (deformed && state.action.pose(clock)) flags |= shared::kEntryFresh;
  }
  return shared::ListEntry{number, entry()};
}

void Crowd::State::plan_frame() {
  const BufferRange range = work_slots[slot];
  host_plan.begin(work.mapped() + range.offset);
  for (std::size_t c = 0; c < plan.characters.size(); ++c) {
    const CrowdCharacter& character = plan.characters[c];
    for (std::uint32_t i = 0; i < character.instances; ++i) {
      if (const auto entry = next_entry(character.first_instance + i, i)) host_plan.add(c, *entry);
    }
  }
  host_plan.finish();
  const VkDeviceSize jobs = std::as_bytes(std::span(plan.jobs)).size();
  work.flush(range.offset + jobs, range.size - jobs);
}

void Crowd::State::write_clock() {
  const float value = clock.value();
  for (std::size_t c = 0; c < plan.characters.size(); ++c) {
    if (!clock_inputs[c]) continue;
    const std::uint32_t first = plan.characters[c].first_instance;
    for (std::uint32_t i = first; i < first + plan.characters[c].instances; ++i) {
      if (inputs.values(i)[*clock_inputs[c]] != value) inputs.set(slot, i, *clock_inputs[c], std::span(&value, 1));
    }
  }
}

void Crowd::State::dispatch_step(VkCommandBuffer commands, std::size_t step) const {
  const Dispatch& dispatch = dispatches[step * output_slots() + slot_of_frame(frame)];
  if (own_list && host_plan.workgroups(step) == 0) return;
  const CommandLabel step_label(device->functions, commands, plan.steps[step].name.c_str());
  if (own_list) {
    dispatch.kernel->dispatch(commands, dispatch.sets[slot], dispatch.constants, host_plan.workgroups(step));
  } else {
    dispatch.kernel->dispatch_indirect(commands, dispatch.sets[slot], dispatch.constants, arguments.handle(),
                                       step * sizeof(VkDispatchIndirectCommand));
  }
}

Crowd::Crowd(std::unique_ptr<State> state) : state_(std::move(state)) {}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

void Crowd::pose(std::uint32_t instance, std::span<const glm::mat4> joints) {
  assert(instance < instance_count() && state_->own_joints);
  assert(joints.size() == state_->data_of(instance).skeleton.joints.size());
  const Skeleton& skeleton = state_->data_of(instance).skeleton;
  if (skeleton.helpers.empty()) {
    state_->joints.set(state_->slot, instance, 0, as_floats(joints));
    return;
  }
  const std::span<float> kept = state_->joints.values(instance);
  std::memcpy(kept.data(), joints.data(), joints.size_bytes());
  turn_helpers(skeleton, {reinterpret_cast<glm::mat4*>(kept.data()), joints.size()});
  state_->joints.publish(state_->slot, instance);
}

void Crowd::inputs(std::uint32_t instance, std::span<const float> values) {
  assert(instance < instance_count() && state_->own_inputs);
  assert(values.size() == state_->data_of(instance).input_count);
  state_->inputs.set(state_->slot, instance, 0, values);
}

void Crowd::stream(std::uint32_t instance, std::uint32_t stream, std::span<const glm::vec3> positions) {
  assert(instance < instance_count() && state_->own_inputs);
  const CharacterData& data = state_->data_of(instance);
  assert(positions.size() == data.meshes[data.streams[stream].mesh].vertex_count());
  state_->inputs.set(state_->slot, instance, data.streams[stream].first_input, as_floats(positions));
}

void Crowd::control(std::uint32_t instance, std::uint32_t control, float value) {
  assert(instance < instance_count() && state_->own_inputs);
  state_->inputs.set(state_->slot, instance, state_->data_of(instance).controls[control].input, std::span(&value, 1));
}

void Crowd::show(std::uint32_t instance, bool visible) {
  assert(instance < instance_count() && state_->own_list);
  InstanceState& state = state_->instance_states[instance];
  if (visible && !state.visible) {
    state.moved_before = false;
    state.teleport = true;
    state.action.restart();
  }
  state.visible = visible;
}

void Crowd::update_every(std::uint32_t instance, std::uint32_t frames) {
  assert(instance < instance_count() && state_->own_list);
  state_->instance_states[instance].period = frames;
}

void Crowd::teleport(std::uint32_t instance) {
  assert(instance < instance_count() && state_->own_list);
  state_->instance_states[instance].teleport = true;
  state_->instance_states[instance].action.restart();
}

void Crowd::advance(float seconds) { state_->clock.advance(seconds); }

float Crowd::clock() const { return state_->clock.value(); }

void Crowd::detail(std::uint32_t instance, Detail detail, std::uint32_t fade_frames) {
  assert(instance < instance_count() && state_->own_list);
  InstanceState& state = state_->instance_states[instance];
  if (state.to == detail) return;
  // Reversing a fade continues from its present share; a fade that has not begun counts as finished.
  std::uint32_t faded = 0;
  if (state.from == detail) {
    const std::uint64_t steps = std::uint64_t{fade_frames} + 1;
    faded = state.faded == 0
                ? fade_frames
                : static_cast<std::uint32_t>((state.fade_steps() - state.faded) * steps / state.fade_steps());
  }
  state.from = state.to;
  state.to = detail;
  state.fade_frames = fade_frames;
  state.faded = faded;
}

void Crowd::State::write_inputs() {
  if (own_joints) joints.finish(slot);
  if (own_inputs) {
    if (has_action) write_clock();
    inputs.finish(slot);
  }
  if (own_list) plan_frame();
}

void Crowd::State::record_group(VkCommandBuffer commands, std::size_t group, GpuTimer* timer) const {
  const CommandLabel crowd_label(device->functions, commands, label.c_str());
  if (!own_list && group == 0) {
    const CommandLabel plan_label(device->functions, commands, "plan");
    pipelines->plan.dispatch(commands, plan_sets[slot], std::as_bytes(std::span(&plan_constants, 1)), 1);
    if (timer != nullptr) timer->stamp(commands);
  }
  for (std::size_t step = groups[group].first; step < groups[group].end; ++step) {
    dispatch_step(commands, step);
    if (timer != nullptr) timer->stamp(commands);
  }
}

void Crowd::State::end_frame() {
  ++frame;
  slot = (slot + 1) % slots;
}

void Crowd::record(VkCommandBuffer commands, GpuTimer* timer) {
  Crowd* const self = this;
  record_groups(commands, std::span(&self, 1), timer);
}

void Crowd::record_together(VkCommandBuffer commands, std::span<Crowd* const> crowds) {
  record_groups(commands, crowds, nullptr);
}

void Crowd::record_groups(VkCommandBuffer commands, std::span<Crowd* const> crowds, GpuTimer* timer) {
  constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  constexpr VkAccessFlags2 kBoth = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | kWrite;
  if (crowds.empty()) return;
  const DeviceFunctions& functions = crowds.front()->state_->device->functions;
  std::size_t group_count = 0;
  bool device_plans = false;
  // The frames before have read the plans and the palettes that these ones overwrite.
  VkPipelineStageFlags2 before = kCompute;
  VkAccessFlags2 written = kWrite;
  for (const Crowd* crowd : crowds) {
    State& state = *crowd->state_;
    assert(state.device == crowds.front()->state_->device && std::count(crowds.begin(), crowds.end(), crowd) == 1);
    state.write_inputs();
    group_count = std::max(group_count, state.groups.size());
    device_plans = device_plans || !state.own_list;
    if (!state.fills_palette()) continue;
    functions.vkCmdFillBuffer(commands, state.palette.handle(), 0, VK_WHOLE_SIZE, 0);
    before |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    written |= VK_ACCESS_2_TRANSFER_WRITE_BIT;
  }
  // The device's plans are the first group: the second reads their dispatches.
  if (device_plans) before |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  for (std::size_t group = 0; group < group_count; ++group) {
    if (group == 0) {
      memory_barrier(functions, commands, before, written, kCompute, kBoth);
    } else if (group == 1 && device_plans) {
      memory_barrier(functions, commands, kCompute, kWrite, kCompute | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                     kBoth | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
    } else {
      memory_barrier(functions, commands, kCompute, kWrite, kCompute, kBoth);
    }
    for (const Crowd* crowd : crowds) {
      if (group < crowd->state_->groups.size()) crowd->state_->record_group(commands, group, timer);
    }
  }
  for (const Crowd* crowd : crowds) crowd->state_->end_frame();
}

namespace {

// Stage and access of the last writes to outputs.
constexpr VkPipelineStageFlags2 kWritingStage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags2 kWritingAccess = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;

// Records a barrier on each of the ranges, as they are in `barrier`.
void transfer_ownership(const DeviceFunctions& functions, VkCommandBuffer commands, std::span<const OutputRange> ranges,
                        VkBufferMemoryBarrier2 barrier) {
  std::array<VkBufferMemoryBarrier2, kMaxOutputs> barriers{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    barriers[i] = barrier;
    barriers[i].buffer = ranges[i].buffer;
    barriers[i].offset = ranges[i].range.offset;
    barriers[i].size = ranges[i].range.size;
  }
  const VkDependencyInfo info{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                              .bufferMemoryBarrierCount = static_cast<std::uint32_t>(ranges.size()),
                              .pBufferMemoryBarriers = barriers.data()};
  functions.vkCmdPipelineBarrier2(commands, &info);
}

}  // namespace

void Crowd::record_release(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family) const {
  if (compute_family == reading_family) return;
  transfer_ownership(state_->device->functions, commands, state_->output_ranges[output_slot()],
                     {.srcStageMask = kWritingStage,
                      .srcAccessMask = kWritingAccess,
                      .srcQueueFamilyIndex = compute_family,
                      .dstQueueFamilyIndex = reading_family});
}

void Crowd::record_acquire(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                           VkPipelineStageFlags2 reading_stages, VkAccessFlags2 reading_access) const {
  const bool one_family = compute_family == reading_family;
  transfer_ownership(state_->device->functions, commands, state_->output_ranges[output_slot()],
                     {.srcStageMask = one_family ? kWritingStage : VK_PIPELINE_STAGE_2_NONE,
                      .srcAccessMask = one_family ? kWritingAccess : VK_ACCESS_2_NONE,
                      .dstStageMask = reading_stages,
                      .dstAccessMask = reading_access,
                      .srcQueueFamilyIndex = compute_family,
                      .dstQueueFamilyIndex = reading_family});
}

// Reads need no availability operation: the source access stays 0.
void Crowd::record_release_back(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                                VkPipelineStageFlags2 reading_stages) const {
  // The frame whose slot no later frame reads: the last, or the one before, whose positions the last reads.
  const std::uint64_t ago = state_->reads_previous ? 2 : 1;
  if (state_->frame < ago) return;
  transfer_ownership(state_->device->functions, commands,
                     state_->output_ranges[state_->slot_of_frame(state_->frame - ago)],
                     {.srcStageMask = reading_stages,
                      .dstStageMask = compute_family == reading_family ? kWritingStage : VK_PIPELINE_STAGE_2_NONE,
                      .srcQueueFamilyIndex = reading_family,
                      .dstQueueFamilyIndex = compute_family});
}

void Crowd::record_acquire_back(VkCommandBuffer commands, std::uint32_t compute_family,
                                std::uint32_t reading_family) const {
  if (compute_family == reading_family || state_->frame < state_->output_slots()) return;
  transfer_ownership(state_->device->functions, commands, state_->output_ranges[state_->slot_of_frame(state_->frame)],
                     {.dstStageMask = kWritingStage,
                      .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | kWritingAccess,
                      .srcQueueFamilyIndex = reading_family,
                      .dstQueueFamilyIndex = compute_family});
}

std::span<const std::string> Crowd::passes() const { return state_->names; }

std::uint32_t Crowd::barrier_count() const { return static_cast<std::uint32_t>(state_->groups.size()); }

std::uint32_t Crowd::instance_count() const { return static_cast<std::uint32_t>(state_->plan.instances); }
std::uint32_t Crowd::first_instance(std::uint32_t character) const {
  return state_->plan.characters[character].first_instance;
}
std::uint32_t Crowd::character_of(std::uint32_t instance) const { return state_->character_of[instance]; }
const OutputPlaces& Crowd::outputs(std::uint32_t slot) const { return state_->outputs[slot]; }
std::uint32_t Crowd::output_slots() const { return state_->output_slots(); }
std::uint32_t Crowd::output_slot() const { return state_->last_slot(); }

std::uint32_t Crowd::previous_slot(std::uint32_t instance) const {
  const std::uint32_t slots = state_->output_slots();
  const bool appeared = state_->own_list && state_->instance_states[instance].appeared;
  return appeared ? output_slot() : (output_slot() + slots - 1) % slots;
}

CrowdBytes Crowd::bytes() const {
  return {.outputs = state_->vertices.size(),
          .palettes = state_->palette.size(),
          .inputs = state_->joints.buffer().size() + state_->inputs.buffer().size(),
          .plans = state_->work.size() + state_->arguments.size() + state_->table.size() + state_->nothing.size()};
}

VkDeviceAddress Crowd::device_address(const OutputPlace& place) const {
  const VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = place.buffer};
  return state_->device->functions.vkGetBufferDeviceAddress(state_->device->handle, &info) + place.offset;
}

std::uint32_t Crowd::first_vertex(std::uint32_t instance) const {
  const CrowdCharacter& character = state_->plan.characters[state_->character_of[instance]];
  return character.first_vertex + (instance - character.first_instance) * character.vertices;
}
std::uint32_t Crowd::vertex_count(std::uint32_t instance) const {
  return state_->plan.characters[state_->character_of[instance]].vertices;
}
std::optional<std::uint32_t> Crowd::mesh_vertex(std::uint32_t character, std::uint32_t mesh) const {
  return state_->plan.characters[character].mesh_vertex[mesh];
}

VkBuffer Crowd::palette_buffer() const { return state_->palette.handle(); }
std::uint64_t Crowd::first_palette_entry(std::uint32_t instance) const {
  const std::uint32_t number = state_->character_of[instance];
  const CrowdCharacter& character = state_->plan.characters[number];
  return character.first_palette +
         std::uint64_t{instance - character.first_instance} * (*state_->characters[number]).palette_size;
}

}  // namespace pelt::runtime
