// SPDX-License-Identifier: MIT
#include "runtime/plan/planner.h"

#include <algorithm>
#include <utility>

#include <pelt/pose.h>

#include "engine/character/base/invalid.h"
#include "runtime/plan/joints.h"
#include "runtime/plan/misuse.h"

namespace pelt::runtime {

CrowdPlanner::State::State(Options given) : options(std::move(given)) {
  const CrowdCapacity& room = options.capacity;
  const std::uint32_t count = room.instances;
  memory.resize(options.frames_in_flight);
  written_work.assign(options.frames_in_flight, {.first_changed = 0, .end_changed = count});
  if (options.host_joints) joints = InputRing(options.frames_in_flight, room.joints * kJointFloats, count);
  if (options.host_inputs) inputs = InputRing(options.frames_in_flight, room.inputs, count);
  instance_states.resize(count);
  locations.assign(count, {.character = shared::kNoIndex, .first_vertex = shared::kNoIndex, .state = shared::kNoIndex});
  for (std::uint32_t i = count; i > 0; --i) free_numbers.push_back(i - 1);
  for (std::size_t r = 0; r < free.size(); ++r) free[r] = FreeRanges(room.*kSharedRooms[r].capacity, count);
}

CrowdPlanner::CrowdPlanner(Options options) : planner_(std::make_unique<State>(std::move(options))) {}
CrowdPlanner::~CrowdPlanner() = default;
CrowdPlanner::CrowdPlanner(CrowdPlanner&&) noexcept = default;
CrowdPlanner& CrowdPlanner::operator=(CrowdPlanner&&) noexcept = default;

Result<void> CrowdPlanner::need_whole(const char* action) const {
  if (!planner_->is_posed) return {};
  return invalid("the {} cannot {} between the two parts of a frame", planner_->options.label, action);
}

void CrowdPlanner::use_memory(std::span<const HostMemory> memory) {
  planner_->memory.assign(memory.begin(), memory.end());
  for (std::uint32_t s = 0; s < planner_->options.frames_in_flight; ++s) {
    if (planner_->options.host_joints) planner_->joints.use_memory(s, memory[s].joints);
    if (planner_->options.host_inputs) planner_->inputs.use_memory(s, memory[s].inputs);
  }
}

bool CrowdPlanner::State::expect_instance(std::uint32_t instance, const char* call) const {
  if (has(instance)) return true;
  report_misuse(call, "the {} has no instance {}", options.label, instance);
  return false;
}

bool CrowdPlanner::State::expect_whole(const char* call) const {
  if (is_posed) report_misuse(call, "the second part of the frame of the {} is not recorded", options.label);
  return !is_posed;
}

bool CrowdPlanner::State::expect_own(bool own, const char* what, std::uint32_t instance, const char* call) const {
  if (own) return expect_whole(call) && expect_instance(instance, call);
  report_misuse(call, "a buffer of the caller's supplies the {} of the {}", what, options.label);
  return false;
}

namespace {

// Reports an array of the wrong size.
bool expect_size(const char* call, const char* what, std::size_t given, std::size_t wanted) {
  if (given == wanted) return true;
  report_misuse(call, "got {} {}, expected {}", given, what, wanted);
  return false;
}

// Reports the first unusable value.
template <class Value>
bool expect_usable(const char* call, const char* what, std::uint32_t instance, std::span<const Value> values,
                   std::size_t first = 0) {
  const std::size_t bad = first_unusable(values);
  if (bad == values.size()) return true;
  report_misuse(call, "{} {} of instance {} is not finite, or beyond {:g}", what, first + bad, instance,
                kMaxCoordinate);
  return false;
}

}  // namespace

template <class Joint>
void CrowdPlanner::State::pose(std::uint32_t instance, std::span<const Joint> given) {
  if (!expect_own(options.host_joints, "joint matrices", instance, "pose")) return;
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
  joints.publish(copy, instance);
}

void CrowdPlanner::pose(std::uint32_t instance, std::span<const glm::mat4> joints) { planner_->pose(instance, joints); }
void CrowdPlanner::pose(std::uint32_t instance, std::span<const shared::Affine> joints) {
  planner_->pose(instance, joints);
}

void CrowdPlanner::inputs(std::uint32_t instance, std::span<const float> values, std::uint32_t first) {
  State& state = *planner_;
  if (!state.expect_own(state.options.host_inputs, "inputs", instance, "inputs")) return;
  const std::size_t count = state.data_of(instance).input_count;
  if (first > count || values.size() > count - first) {
    return report_misuse("inputs", "got {} values from input {} on, of {}", values.size(), first, count);
  }
  if (!expect_usable("inputs", "input", instance, values, first)) return;
  state.inputs.set(state.copy, instance, first, values);
}

void CrowdPlanner::advance(float seconds) { planner_->clock.advance(seconds); }
float CrowdPlanner::clock() const { return planner_->clock.value(); }

std::uint32_t CrowdPlanner::instance_count() const { return planner_->options.capacity.instances; }

std::optional<CrowdInstance> CrowdPlanner::instance(std::uint32_t instance) const {
  if (!planner_->has(instance)) return std::nullopt;
  const shared::InstanceLocation& place = planner_->locations[instance];
  const bool has_outputs = planner_->has_outputs(instance);
  return CrowdInstance{.character = place.character,
                       .has_outputs = has_outputs,
                       .first_vertex = has_outputs ? place.first_vertex : 0,
                       .vertex_count = planner_->sizes_of(instance).vertices,
                       .first_joint = place.first_joint,
                       .first_input = place.first_input,
                       .first_anchor = place.first_anchor,
                       .first_palette = place.first_palette};
}

std::uint32_t CrowdPlanner::member_count() const { return static_cast<std::uint32_t>(planner_->members.size()); }

const CrowdMember* CrowdPlanner::member(std::uint32_t character) const {
  return planner_->has_member(character) ? &*planner_->members[character] : nullptr;
}

CrowdPasses CrowdPlanner::passes() const {
  const std::vector<FrameCommand>& whole = planner_->commands[static_cast<std::size_t>(FramePart::kWhole)];
  const auto is_barrier = [](const FrameCommand& command) { return command.kind == FrameCommand::Kind::kBarrier; };
  return {planner_->names, static_cast<std::uint32_t>(std::count_if(whole.begin(), whole.end(), is_barrier))};
}

std::uint64_t CrowdPlanner::frames() const { return planner_->frame; }

}  // namespace pelt::runtime
