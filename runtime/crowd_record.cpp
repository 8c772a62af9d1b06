// SPDX-License-Identifier: MIT
// Records the frames of a crowd: dispatches, barriers, and ownership transfers between queues.
#include <array>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/debug.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/transfer.h>

#include "runtime/barriers.h"
#include "runtime/crowd_state.h"
#include "runtime/device_internals.h"
#include "runtime/misuse.h"

namespace pelt::runtime {
namespace {

// Stage and access of the last writes to outputs.
constexpr VkPipelineStageFlags2 kWritingStage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags2 kWritingAccess = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;

// Records `barrier` for each of the ranges.
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

void Crowd::State::record(VkCommandBuffer commands, GpuTimer* timer, RecordedParts parts) {
  constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  constexpr VkAccessFlags2 kBoth = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | kWrite;
  if (parts == RecordedParts::kBlend && !is_posed)
    return report_misuse("record_blend", "the first part of the frame of the {} is not recorded", label);
  if (parts != RecordedParts::kBlend && !expect_whole("record")) return;
  // Earlier frames read the plans and palettes that this one overwrites.
  VkPipelineStageFlags2 before = kCompute;
  VkAccessFlags2 written = kWrite;
  if (has_table()) before |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  if (parts != RecordedParts::kBlend) write_inputs();
  if (parts != RecordedParts::kBlend && frame == 0 && (has_action || !own_drawn)) {
    // Zero means that a mass has not started, and that an instance was never drawn.
    for (const Buffer* buffer : {&palette, &drawn_frames}) {
      if (buffer->handle() != VK_NULL_HANDLE)
        device->functions.vkCmdFillBuffer(commands, buffer->handle(), 0, VK_WHOLE_SIZE, 0);
    }
    before |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    written |= VK_ACCESS_2_TRANSFER_WRITE_BIT;
  }
  // `planned`: the group before planned on the device; this group reads its dispatch arguments.
  bool planned = false;
  for (const StepGroup& group : groups_of(parts)) {
    memory_barrier(device->functions, commands, before, written,
                   planned ? kCompute | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : kCompute,
                   planned ? kBoth | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT : kBoth);
    record_group(commands, group, timer);
    planned = group.plan.has_value();
    before = kCompute;
    written = kWrite;
  }
  is_posed = parts == RecordedParts::kPose;
  if (is_posed) return;
  ++frame;
  slot = (slot + 1) % slots;
}

void Crowd::record(VkCommandBuffer commands, GpuTimer* timer) { state_->record(commands, timer, RecordedParts::kBoth); }

void Crowd::record_pose(VkCommandBuffer commands, GpuTimer* timer) {
  state_->record(commands, timer, RecordedParts::kPose);
}

void Crowd::record_blend(VkCommandBuffer commands, GpuTimer* timer) {
  state_->record(commands, timer, RecordedParts::kBlend);
}

bool Crowd::is_posed() const { return state_->is_posed; }

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

// Reads need no availability operation, so the source access stays 0.
void Crowd::record_release_back(VkCommandBuffer commands, std::uint32_t compute_family, std::uint32_t reading_family,
                                VkPipelineStageFlags2 reading_stages) const {
  // Releases the slot that no later frame reads: the last, or the one before if the last frame reads its positions.
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

std::vector<BufferUse> Crowd::uses(CrowdPart part) const {
  constexpr VkPipelineStageFlags2 kStage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  const State& state = *state_;
  std::vector<BufferUse> made;
  const auto add = [&](const char* name, const VkDescriptorBufferInfo& range, VkAccessFlags2 access) {
    if (range.buffer == VK_NULL_HANDLE || range.buffer == state.nothing.handle()) return;
    made.push_back({name, range.buffer, range.offset, range.range, kStage, access});
  };
  const BoundOutputs& written = state.bound_outputs[state.slot_of_frame(state.frame)];
  if (part == CrowdPart::kPose) {
    add("joint matrices", state.external_joints, kRead);
    add("inputs", state.external_inputs, kRead);
    add("visible instances", state.external_list, kRead);
    add("bounds", written.bounds.range, kWrite);
    if (state.wanted_outputs.control_meshes) {
      add("positions", written.positions.range, kWrite);
      add("normals", written.normals.range, kWrite);
      add("tangents", written.tangents.range, kWrite);
    }
    return made;
  }
  const bool recomputed = state.wanted_outputs.normal_mode == NormalMode::kRecomputed;
  const bool copies = written.previous_positions.range.buffer != state.nothing.handle();
  add("drawn instances", state.external_drawn, kRead);
  add("positions", written.positions.range, recomputed || copies ? kRead | kWrite : kWrite);
  add("normals", written.normals.range, recomputed ? kRead | kWrite : kWrite);
  add("tangents", written.tangents.range, recomputed ? kRead | kWrite : kWrite);
  add("previous positions", written.previous_positions.range, kWrite);
  return made;
}

}  // namespace pelt::runtime
