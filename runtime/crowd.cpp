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

#include "runtime/barriers.h"
#include "runtime/crowd_joints.h"
#include "runtime/crowd_state.h"
#include "runtime/device_internals.h"
#include "runtime/mistake.h"

namespace pelt::runtime {

bool Crowd::State::expect_instance(std::uint32_t instance, const char* call) const {
  if (has(instance)) return true;
  report_mistake("Crowd::%s: the %s has no instance %u", call, label.c_str(), instance);
  return false;
}

bool Crowd::State::expect_whole(const char* call) const {
  if (is_posed) report_mistake("Crowd::%s: the frame of the %s waits for its second part", call, label.c_str());
  return !is_posed;
}

bool Crowd::State::expect_listed(std::uint32_t instance, const char* call) const {
  if (!own_list)
    report_mistake("Crowd::%s: a buffer of the caller's lists the instances of the %s", call, label.c_str());
  return own_list && expect_instance(instance, call);
}

bool Crowd::State::expect_own_list(std::uint32_t instance, const char* call) const {
  return expect_listed(instance, call) && expect_whole(call);
}

bool Crowd::State::expect_own_inputs(std::uint32_t instance, const char* call) const {
  if (!own_inputs) report_mistake("Crowd::%s: a buffer of the caller's has the inputs of the %s", call, label.c_str());
  return own_inputs && expect_whole(call) && expect_instance(instance, call);
}

bool Crowd::State::expect_character(std::uint32_t number, const char* call) const {
  if (has_character(number)) return true;
  report_mistake("Crowd::%s: the %s has no character %u", call, label.c_str(), number);
  return false;
}

namespace {

// Reports an array of the wrong size.
bool expect_size(const char* call, const char* what, std::size_t given, std::size_t wanted) {
  if (given == wanted) return true;
  report_mistake("Crowd::%s: %zu %s are given, and there are %zu", call, given, what, wanted);
  return false;
}

}  // namespace

std::optional<shared::ListEntry> Crowd::State::next_entry(std::uint32_t instance) {
  InstanceState& state = instance_states[instance];
  const bool turn = state.period != 0 && (frame + instance) % state.period == 0;
  const bool changes_level = state.level.to != shared::entry_other_level(state.last_state);
  const bool moved = state.visible && has_outputs(instance) && (turn || !state.moved_before || changes_level);
  const bool new_level = changes_level && shared::entry_level(state.last_state) != state.level.to;
  state.appeared = moved && (state.teleport || new_level);
  if (!moved) {
    if (state.behind == 0) return std::nullopt;
    --state.behind;
    return shared::ListEntry{instance,
                             state.last_state | (output_slots() == 1 ? shared::kEntryHold : shared::kEntryRepeat)};
  }
  std::uint32_t flags = state.teleport ? shared::kEntryTeleport : 0;
  const std::uint32_t last_level = shared::entry_other_level(state.last_state);
  state.detail.step();
  state.level.step();
  const std::uint32_t share =
      state.detail.is_over()
          ? 0
          : static_cast<std::uint32_t>(std::uint64_t{255} * state.detail.faded / state.detail.steps());
  const std::uint32_t details = shared::entry_state(0, static_cast<std::uint32_t>(state.detail.from),
                                                    static_cast<std::uint32_t>(state.detail.to), share);
  state.last_state = details | shared::entry_levels(state.level.from, state.level.to);
  std::uint32_t levels = state.last_state & ~details;
  if (new_level) flags |= shared::kEntryNewLevel;
  if (new_level && state.level.is_over()) {
    flags |= shared::kEntryOtherLevel;
    levels = shared::entry_levels(last_level, state.level.to);
  }
  state.teleport = false;
  state.moved_before = true;
  state.behind = frames_behind();
  const auto entry = [&] { return details | levels | flags; };
  if (sizes_of(instance).clock_input) {
    const bool has_fit = plan.table.characters[character_of(instance)].has_fit != 0;
    const bool deformed = !has_fit || shared::entry_uses(entry(), false);
    if (deformed && state.action.pose(clock)) flags |= shared::kEntryFresh;
  }
  return shared::ListEntry{instance, entry()};
}

// Writes what changed since the slot's last frame: places of instances, the plan, and where the device plans, its
// table.
void Crowd::State::write_work() {
  if (lists_changed) {
    place_lists(instances_of, plan);
    ++lists_placed;
    lists_changed = false;
  }
  HeldWork& held = held_work[slot];
  const BufferRange range = work_slots[slot];
  std::byte* const own = work.mapped() + range.offset;
  const bool changed = held.plan != plans_made || held.first_changed < held.end_changed || !own_drawn;
  if (held.first_changed < held.end_changed) {
    std::memcpy(own + held.first_changed * sizeof(shared::InstancePlace), &places[held.first_changed],
                (held.end_changed - held.first_changed) * sizeof(shared::InstancePlace));
  }
  if (held.plan != plans_made && !plan.jobs.empty()) {
    std::memcpy(own + plan.first_job * 2 * sizeof(std::uint32_t), plan.jobs.data(),
                plan.jobs.size() * sizeof(std::uint32_t));
  }
  if (has_table() && (held.plan != plans_made || held.lists != lists_placed)) {
    std::byte* to = table.mapped() + table_slots[slot].offset;
    const auto write = [&](const auto& values) {
      const auto bytes = std::as_bytes(std::span(values));
      if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
      to += bytes.size();
    };
    write(plan.table.characters);
    write(plan.table.levels);
    write(plan.table.lists);
    write(plan.table.jobs);
    write(plan.table.steps);
    table.flush(table_slots[slot].offset, table_slots[slot].size);
  }
  held = {.plan = plans_made, .lists = lists_placed};
  if (own_list) plan_frame();
  const VkDeviceSize fixed = changed ? 0 : plan.first_start * 2 * sizeof(std::uint32_t);
  if (changed || own_list) work.flush(range.offset + fixed, range.size - fixed);
}

void Crowd::State::plan_frame() {
  host_plan.begin(work.mapped() + work_slots[slot].offset);
  for (std::uint32_t i = 0; i < instance_states.size(); ++i) {
    if (!instance_states[i].taken) continue;
    const auto entry = next_entry(i);
    if (entry) host_plan.add(character_of(i), *entry);
    if (!own_drawn) write_drawn_state(i, entry);
  }
  host_plan.finish();
}

// Says how an instance is drawn if it is: as it was posed in this frame, or before.
void Crowd::State::write_drawn_state(std::uint32_t instance, const std::optional<shared::ListEntry>& entry) {
  const InstanceState& state = instance_states[instance];
  const std::uint32_t drawn = !state.visible || !state.moved_before ? shared::kNoPlace
                              : entry                               ? entry->state
                                                                    : shared::kEntryRepeat | state.last_state;
  std::byte* const place = work.mapped() + work_slots[slot].offset + instance * sizeof(shared::InstancePlace);
  std::memcpy(place + offsetof(shared::InstancePlace, drawn_state), &drawn, sizeof(drawn));
}

void Crowd::State::write_clock() {
  const float value = clock.value();
  for (std::uint32_t i = 0; i < instance_states.size(); ++i) {
    if (!instance_states[i].taken) continue;
    const std::optional<std::uint32_t> input = sizes_of(i).clock_input;
    if (input && inputs.values(i)[*input] != value) inputs.set(slot, i, *input, std::span(&value, 1));
  }
}

void Crowd::State::dispatch_step(VkCommandBuffer commands, std::size_t step) const {
  const std::uint32_t output = slot_of_frame(frame);
  const Dispatch& dispatch = dispatches[step * output_slots() + output];
  const bool indirect = is_indirect(step);
  if (!indirect && host_plan.workgroups(step) == 0) return;
  const CommandLabel step_label(device->functions, commands, plan.steps[step].name.c_str());
  const VkDescriptorSet set = sets[static_cast<std::size_t>(dispatch.set)][output * slots + slot];
  if (!indirect) {
    dispatch.kernel->dispatch(commands, set, dispatch.constants, host_plan.workgroups(step));
  } else {
    dispatch.kernel->dispatch_indirect(commands, set, dispatch.constants, arguments.handle(),
                                       step * sizeof(VkDispatchIndirectCommand));
  }
}

Crowd::Crowd(std::unique_ptr<State> state) : state_(std::move(state)) {}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

bool Crowd::State::expect_own_joints(std::uint32_t instance, const char* call) const {
  if (!own_joints)
    report_mistake("Crowd::%s: a buffer of the caller's has the joint matrices of the %s", call, label.c_str());
  return own_joints && expect_whole(call) && expect_instance(instance, call);
}

template <class Joint>
void Crowd::State::pose(std::uint32_t instance, std::span<const Joint> given) {
  if (!expect_own_joints(instance, "pose")) return;
  const Skeleton& skeleton = data_of(instance).skeleton;
  if (!expect_size("pose", "joint matrices", given.size(), skeleton.joints.size())) return;
  const std::span<float> kept = joints.values(instance);
  if (skeleton.helpers.empty()) {
    write_joints(given, joint_format, kept);
  } else {
    const std::span<glm::mat4> turned = scratch_matrices(given.size());
    write_joints(given, JointFormat::kMatrix4, {&turned[0][0][0], turned.size() * joint_floats(JointFormat::kMatrix4)});
    turn_helpers(skeleton, turned);
    write_joints<glm::mat4>(turned, joint_format, kept);
  }
  joints.publish(slot, instance);
}

void Crowd::pose(std::uint32_t instance, std::span<const glm::mat4> joints) { state_->pose(instance, joints); }
void Crowd::pose(std::uint32_t instance, std::span<const shared::Affine> joints) { state_->pose(instance, joints); }
void Crowd::pose(std::uint32_t instance, std::span<const shared::JointTransform> joints) {
  state_->pose(instance, joints);
}

std::span<float> Crowd::map_joints(std::uint32_t instance) {
  if (!state_->expect_own_joints(instance, "map_joints")) return {};
  return state_->joints.map(state_->slot, instance);
}

void Crowd::inputs(std::uint32_t instance, std::span<const float> values) {
  if (!state_->expect_own_inputs(instance, "inputs")) return;
  if (!expect_size("inputs", "values", values.size(), state_->data_of(instance).input_count)) return;
  state_->inputs.set(state_->slot, instance, 0, values);
}

void Crowd::stream(std::uint32_t instance, std::uint32_t stream, std::span<const glm::vec3> positions) {
  if (!state_->expect_own_inputs(instance, "stream")) return;
  const CharacterData& data = state_->data_of(instance);
  if (stream >= data.streams.size()) {
    report_mistake("Crowd::stream: '%s' has no stream %u", data.name.c_str(), stream);
    return;
  }
  const std::uint32_t vertices = data.meshes[data.streams[stream].mesh].vertex_count();
  if (!expect_size("stream", "positions", positions.size(), vertices)) return;
  state_->inputs.set(state_->slot, instance, data.streams[stream].first_input, as_floats(positions));
}

void Crowd::control(std::uint32_t instance, std::uint32_t control, float value) {
  if (!state_->expect_own_inputs(instance, "control")) return;
  const CharacterData& data = state_->data_of(instance);
  if (control >= data.controls.size()) {
    report_mistake("Crowd::control: '%s' has no control %u", data.name.c_str(), control);
    return;
  }
  state_->inputs.set(state_->slot, instance, data.controls[control].input, std::span(&value, 1));
}

void Crowd::show(std::uint32_t instance, bool visible) {
  if (!state_->expect_own_list(instance, "show")) return;
  if (visible && !state_->has_outputs(instance)) {
    report_mistake("Crowd::show: instance %u of the %s has no outputs", instance, state_->label.c_str());
    return;
  }
  InstanceState& state = state_->instance_states[instance];
  if (visible && !state.visible) {
    state.moved_before = false;
    state.teleport = true;
    state.action.restart();
  }
  state.visible = visible;
}

bool Crowd::is_shown(std::uint32_t instance) const {
  return state_->expect_listed(instance, "is_shown") && state_->instance_states[instance].visible;
}

void Crowd::update_every(std::uint32_t instance, std::uint32_t frames) {
  if (state_->expect_own_list(instance, "update_every")) state_->instance_states[instance].period = frames;
}

void Crowd::teleport(std::uint32_t instance) {
  if (!state_->expect_own_list(instance, "teleport")) return;
  state_->instance_states[instance].teleport = true;
  state_->instance_states[instance].action.restart();
}

void Crowd::advance(float seconds) { state_->clock.advance(seconds); }

float Crowd::clock() const { return state_->clock.value(); }

void Crowd::detail(std::uint32_t instance, Detail detail, std::uint32_t fade_frames) {
  if (state_->expect_own_list(instance, "detail")) state_->instance_states[instance].detail.start(detail, fade_frames);
}

void Crowd::level(std::uint32_t instance, std::uint32_t level, std::uint32_t fade_frames) {
  if (!state_->expect_own_list(instance, "level")) return;
  // The coarsest level that a skin has, of those that are not above it.
  std::uint32_t shown = 0;
  for (const SkinLevel& one : state_->data_of(instance).levels) {
    if (one.level <= level) shown = std::max(shown, one.level);
  }
  state_->instance_states[instance].level.start(shown, fade_frames);
}

ShownLevels Crowd::shown_levels(std::uint32_t instance) const {
  if (!state_->expect_listed(instance, "shown_levels")) return {};
  const Fade<std::uint32_t>& level = state_->instance_states[instance].level;
  if (level.is_over()) return {.from = level.to, .to = level.to};
  return {
      .from = level.from, .to = level.to, .share = static_cast<float>(level.faded) / static_cast<float>(level.steps())};
}

void Crowd::State::write_inputs() {
  if (own_joints) joints.finish(slot);
  if (own_inputs) {
    if (has_action) write_clock();
    inputs.finish(slot);
  }
  write_work();
}

std::vector<StepGroup> Crowd::State::make_groups(RecordedParts parts) const {
  std::vector<StepGroup> made;
  const auto add = [&](std::size_t first, std::size_t end) {
    for (std::size_t s = first; s < end; ++s) {
      if (plan.steps[s].barrier_before || made.empty() || made.back().plan) made.push_back({.first = s});
      made.back().end = s + 1;
    }
  };
  if (parts != RecordedParts::kBlend) {
    if (!own_list) made.push_back({.plan = CrowdPart::kPose});
    add(0, plan.first_drawing);
  }
  if (parts != RecordedParts::kPose) {
    if (!own_drawn) made.push_back({.plan = CrowdPart::kBlend});
    add(plan.first_drawing, plan.steps.size());
  }
  return made;
}

void Crowd::State::record_plan(VkCommandBuffer commands, CrowdPart part) const {
  const bool drawn = part == CrowdPart::kBlend;
  const CommandLabel plan_label(device->functions, commands, drawn ? "plan of drawn skins" : "plan");
  shared::PlanConstants constants = plan_constants;
  if (drawn) {
    constants.first_step = static_cast<std::uint32_t>(plan.first_drawing);
    constants.drawn_frame = static_cast<std::uint32_t>(frame + 1);
  }
  const SetKind set = drawn ? SetKind::kDrawnPlan : SetKind::kPlan;
  plan_kernel->dispatch(commands, sets[static_cast<std::size_t>(set)][slot], std::as_bytes(std::span(&constants, 1)),
                        1);
}

void Crowd::State::record_group(VkCommandBuffer commands, const StepGroup& group, GpuTimer* timer) const {
  const CommandLabel crowd_label(device->functions, commands, label.c_str());
  if (group.plan) {
    record_plan(commands, *group.plan);
    if (timer != nullptr) timer->stamp(commands);
  }
  for (std::size_t step = group.first; step < group.end; ++step) {
    dispatch_step(commands, step);
    if (timer != nullptr) timer->stamp(commands);
  }
}

void Crowd::State::end_frame() {
  is_posed = false;
  ++frame;
  slot = (slot + 1) % slots;
}

void Crowd::record(VkCommandBuffer commands, GpuTimer* timer) {
  Crowd* const self = this;
  record_groups(commands, std::span(&self, 1), timer, RecordedParts::kBoth);
}

void Crowd::record_pose(VkCommandBuffer commands, GpuTimer* timer) {
  Crowd* const self = this;
  record_groups(commands, std::span(&self, 1), timer, RecordedParts::kPose);
}

void Crowd::record_blend(VkCommandBuffer commands, GpuTimer* timer) {
  Crowd* const self = this;
  record_groups(commands, std::span(&self, 1), timer, RecordedParts::kBlend);
}

bool Crowd::is_posed() const { return state_->is_posed; }

void Crowd::record_together(VkCommandBuffer commands, std::span<Crowd* const> crowds) {
  record_groups(commands, crowds, nullptr, RecordedParts::kBoth);
}

void Crowd::record_groups(VkCommandBuffer commands, std::span<Crowd* const> crowds, GpuTimer* timer,
                          RecordedParts parts) {
  constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  constexpr VkAccessFlags2 kBoth = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | kWrite;
  if (crowds.empty()) return;
  for (const Crowd* crowd : crowds) {
    const State& state = *crowd->state_;
    if (state.device != crowds.front()->state_->device || std::count(crowds.begin(), crowds.end(), crowd) != 1) {
      report_mistake("Crowd::record_together: the %s is named twice, or is of another device", state.label.c_str());
      return;
    }
    if (state.is_posed == (parts == RecordedParts::kBlend)) continue;
    report_mistake("Crowd: the frame of the %s is recorded %s", state.label.c_str(),
                   state.is_posed ? "anew before its second part" : "from its second part on");
    return;
  }
  const DeviceFunctions& functions = crowds.front()->state_->device->functions;
  std::size_t group_count = 0;
  // The frames before have read the plans and the palettes that these ones overwrite.
  VkPipelineStageFlags2 before = kCompute;
  VkAccessFlags2 written = kWrite;
  for (const Crowd* crowd : crowds) {
    State& state = *crowd->state_;
    group_count = std::max(group_count, state.groups_of(parts).size());
    if (state.has_table()) before |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
    if (parts == RecordedParts::kBlend) continue;
    state.write_inputs();
    if (state.frame > 0 || (!state.has_action && state.own_drawn)) continue;
    // A mass whose state is 0 has not begun, and an instance of frame 0 was not drawn.
    for (const Buffer* buffer : {&state.palette, &state.drawn_frames}) {
      if (buffer->handle() != VK_NULL_HANDLE)
        functions.vkCmdFillBuffer(commands, buffer->handle(), 0, VK_WHOLE_SIZE, 0);
    }
    before |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    written |= VK_ACCESS_2_TRANSFER_WRITE_BIT;
  }
  // `planned`: the group before has a plan of the device's, whose dispatches this one reads.
  bool planned = false;
  for (std::size_t group = 0; group < group_count; ++group) {
    memory_barrier(functions, commands, group == 0 ? before : kCompute, group == 0 ? written : kWrite,
                   planned ? kCompute | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : kCompute,
                   planned ? kBoth | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT : kBoth);
    planned = false;
    for (const Crowd* crowd : crowds) {
      const std::vector<StepGroup>& groups = crowd->state_->groups_of(parts);
      if (group >= groups.size()) continue;
      crowd->state_->record_group(commands, groups[group], timer);
      planned = planned || groups[group].plan;
    }
  }
  for (const Crowd* crowd : crowds) {
    if (parts == RecordedParts::kPose) {
      crowd->state_->is_posed = true;
    } else {
      crowd->state_->end_frame();
    }
  }
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
  buffer_barriers(functions, commands, std::span(barriers).first(ranges.size()));
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

std::uint32_t Crowd::barrier_count() const {
  return static_cast<std::uint32_t>(state_->groups_of(RecordedParts::kBoth).size());
}

std::uint32_t Crowd::instance_count() const { return state_->capacity.instances; }
std::uint32_t Crowd::first_instance(std::uint32_t character) const {
  if (character < state_->first_instances.size()) return state_->first_instances[character];
  report_mistake("Crowd::first_instance: the %s was made without a character %u", state_->label.c_str(), character);
  return 0;
}
std::uint32_t Crowd::character_of(std::uint32_t instance) const {
  return state_->expect_instance(instance, "character_of") ? state_->character_of(instance) : 0;
}

std::vector<BufferUse> Crowd::uses(CrowdPart part) const {
  constexpr VkPipelineStageFlags2 kStage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  const State& own = *state_;
  std::vector<BufferUse> made;
  const auto add = [&](const char* name, const VkDescriptorBufferInfo& range, VkAccessFlags2 access) {
    if (range.buffer == VK_NULL_HANDLE || range.buffer == own.nothing.handle()) return;
    made.push_back({name, range.buffer, range.offset, range.range, kStage, access});
  };
  const BoundOutputs& written = own.bound_outputs[own.slot_of_frame(own.frame)];
  if (part == CrowdPart::kPose) {
    add("joint matrices", own.given_joints, kRead);
    add("inputs", own.given_inputs, kRead);
    add("visible instances", own.given_list, kRead);
    add("bounds", written.bounds.range, kWrite);
    if (own.wanted_outputs.control_meshes) {
      add("positions", written.positions.range, kWrite);
      add("normals", written.normals.range, kWrite);
      add("tangents", written.tangents.range, kWrite);
    }
    return made;
  }
  const bool recomputed = own.wanted_outputs.normal_mode == NormalMode::kRecomputed;
  const bool copies = written.previous_positions.range.buffer != own.nothing.handle();
  add("drawn instances", own.given_drawn, kRead);
  add("positions", written.positions.range, recomputed || copies ? kRead | kWrite : kWrite);
  add("normals", written.normals.range, recomputed ? kRead | kWrite : kWrite);
  add("tangents", written.tangents.range, recomputed ? kRead | kWrite : kWrite);
  add("previous positions", written.previous_positions.range, kWrite);
  return made;
}

const OutputPlaces& Crowd::outputs(std::uint32_t slot) const {
  if (slot < state_->outputs.size()) return state_->outputs[slot];
  report_mistake("Crowd::outputs: the %s has no output slot %u", state_->label.c_str(), slot);
  return state_->outputs[0];
}
std::uint32_t Crowd::output_slots() const { return state_->output_slots(); }
std::uint32_t Crowd::output_slot() const { return state_->last_slot(); }

std::uint32_t Crowd::previous_slot(std::uint32_t instance) const {
  const std::uint32_t slots = state_->output_slots();
  const bool appeared = state_->own_list && state_->has(instance) && state_->instance_states[instance].appeared;
  return appeared ? output_slot() : (output_slot() + slots - 1) % slots;
}

CrowdBytes Crowd::bytes() const {
  return {.outputs = state_->vertices.size(),
          .palettes = state_->palette.size(),
          .inputs = state_->joints.buffer().size() + state_->inputs.buffer().size(),
          .plans = state_->work.size() + state_->arguments.size() + state_->table.size() + state_->drawn_frames.size() +
                   state_->nothing.size()};
}

VkDeviceAddress Crowd::device_address(const OutputPlace& place) const {
  if (state_->device->functions.vkGetBufferDeviceAddress == nullptr) return 0;
  const VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = place.buffer};
  return state_->device->functions.vkGetBufferDeviceAddress(state_->device->handle, &info) + place.offset;
}

std::uint32_t Crowd::first_vertex(std::uint32_t instance) const {
  if (!state_->expect_instance(instance, "first_vertex")) return 0;
  if (state_->has_outputs(instance)) return state_->places[instance].first_vertex;
  report_mistake("Crowd::first_vertex: instance %u of the %s has no outputs", instance, state_->label.c_str());
  return 0;
}
std::uint32_t Crowd::vertex_count(std::uint32_t instance) const {
  return state_->expect_instance(instance, "vertex_count") ? state_->sizes_of(instance).vertices : 0;
}
std::optional<std::uint32_t> Crowd::mesh_vertex(std::uint32_t character, std::uint32_t mesh) const {
  if (!state_->expect_character(character, "mesh_vertex")) return std::nullopt;
  if (mesh < (**state_->characters[character]).meshes.size())
    return state_->plan.characters[character]->meshes[mesh].vertex;
  report_mistake("Crowd::mesh_vertex: character %u of the %s has no mesh %u", character, state_->label.c_str(), mesh);
  return std::nullopt;
}
std::uint32_t Crowd::level_vertex(std::uint32_t character, std::uint32_t level) const {
  if (!state_->expect_character(character, "level_vertex")) return 0;
  const CharacterData& data = **state_->characters[character];
  if (level < data.levels.size()) return *state_->plan.characters[character]->meshes[data.meshes.size() + level].vertex;
  report_mistake("Crowd::level_vertex: character %u of the %s has no level %u", character, state_->label.c_str(),
                 level);
  return 0;
}
std::uint32_t Crowd::first_joint(std::uint32_t instance) const {
  return state_->expect_instance(instance, "first_joint") ? state_->places[instance].first_joint : 0;
}
std::uint32_t Crowd::first_input(std::uint32_t instance) const {
  return state_->expect_instance(instance, "first_input") ? state_->places[instance].first_input : 0;
}

VkBuffer Crowd::palette_buffer() const { return state_->palette.handle(); }
std::uint64_t Crowd::first_palette_entry(std::uint32_t instance) const {
  return state_->expect_instance(instance, "first_palette_entry") ? state_->places[instance].first_palette : 0;
}

}  // namespace pelt::runtime
