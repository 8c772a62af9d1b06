// SPDX-License-Identifier: MIT
// Records the frames of a crowd: dispatches, barriers, and ownership transfers between queues.
#include <array>
#include <utility>

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

}  // namespace

// Records `barrier` for each range of the outputs of a frame, and for the table of a frame.
void Crowd::State::transfer(VkCommandBuffer to, std::optional<std::uint64_t> outputs_of,
                            std::optional<std::uint64_t> table_of, VkBufferMemoryBarrier2 barrier) const {
  std::array<VkBufferMemoryBarrier2, kMaxOutputs + 1> barriers{};
  std::size_t count = 0;
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2;
  const auto add = [&](VkBuffer buffer, BufferRange range) {
    barrier.buffer = buffer;
    barrier.offset = range.offset;
    barrier.size = range.size;
    barriers[count++] = barrier;
  };
  if (outputs_of) {
    for (const OutputRange& range : output_ranges[slot_of_frame(*outputs_of)]) add(range.buffer, range.range);
  }
  if (table_of) add(work.handle(), table_range(*table_of));
  buffer_barriers(device->functions, to, std::span(barriers).first(count));
}

VkDescriptorBufferInfo Crowd::State::range_of(FrameBuffer buffer, std::size_t output_slot,
                                              std::uint32_t frame_slot) const {
  if (buffer >= FrameBuffer::kPositions)
    return bound_outputs[output_slot]
        .ranges[static_cast<std::size_t>(buffer) - static_cast<std::size_t>(FrameBuffer::kPositions)];
  if (buffer == FrameBuffer::kWork) return work.part(work_slots[frame_slot]);
  if (buffer == FrameBuffer::kTable) return table.part(table_slots[frame_slot]);
  if (buffer == FrameBuffer::kJoints && own_joints) return joints.buffer().part(joints.range(frame_slot));
  if (buffer == FrameBuffer::kInputs && own_inputs) return inputs.buffer().part(inputs.range(frame_slot));
  return ranges[static_cast<std::size_t>(buffer)];
}

void Crowd::State::record_barrier(VkCommandBuffer to, const FrameCommand& barrier) const {
  constexpr VkAccessFlags2 kBoth = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | kWritingAccess;
  // Earlier frames read the plans and palettes that this one overwrites.
  memory_barrier(device->functions, to,
                 kWritingStage | (barrier.after_indirect ? VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : 0) |
                     (barrier.after_zero ? VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT : 0),
                 kWritingAccess | (barrier.after_zero ? VK_ACCESS_2_TRANSFER_WRITE_BIT : 0),
                 kWritingStage | (barrier.before_indirect ? VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : 0),
                 kBoth | (barrier.before_indirect ? VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT : 0));
}

void Crowd::State::record_dispatch(VkCommandBuffer to, const FrameCommand& dispatch) const {
  const std::uint32_t output = slot_of_frame(frame);
  const std::size_t set = output * slots + slot;
  if (dispatch.plans) {
    const bool drawn = *dispatch.plans == KernelKind::kDrawnPlan;
    const CommandLabel plan_label(device->functions, to, drawn ? "plan of drawn skins" : "plan");
    shared::PlanConstants constants = plan_constants;
    constants.frame = frame_number();
    constants.slots = drawn ? output_slots() : slots_of_first_part();
    if (drawn || own_drawn) constants.flags |= copies_previous() ? shared::kPlanCopies : 0;
    if (!own_drawn) constants.flags |= drawn ? shared::kPlanSecondPart : shared::kPlanFirstPart;
    if (drawn) constants.first_step = static_cast<std::uint32_t>(plan.first_drawing);
    return plan_kernel->dispatch(to, sets.at({*dispatch.plans, 0}).at(set), std::as_bytes(std::span(&constants, 1)), 1);
  }
  const Dispatch& made = dispatches[dispatch.step * output_slots() + output];
  if (!dispatch.indirect && host_plan.workgroups(dispatch.step) == 0) return;
  const CommandLabel step_label(device->functions, to, plan.steps[dispatch.step].name.c_str());
  if (dispatch.indirect) {
    made.kernel->dispatch_indirect(to, made.sets->at(set), made.constants, arguments.handle(),
                                   dispatch.step * sizeof(VkDispatchIndirectCommand));
  } else {
    made.kernel->dispatch(to, made.sets->at(set), made.constants, host_plan.workgroups(dispatch.step));
  }
}

void Crowd::State::record(VkCommandBuffer to, std::optional<std::span<const shared::ListEntry>> list, GpuTimer* timer,
                          FramePart part) {
  if (part == FramePart::kBlend && !is_posed)
    return report_misuse("record_blend", "the first part of the frame of the {} is not recorded", label);
  if (part != FramePart::kBlend && !expect_whole("record")) return;
  if (list && !own_list) return report_misuse("record", "a buffer of the caller's has the list of the {}", label);
  if (part != FramePart::kBlend) write_inputs(list);
  const CommandLabel crowd_label(device->functions, to, label.c_str());
  for (const FrameCommand& command : (frame == 0 ? first_commands : commands)[static_cast<std::size_t>(part)]) {
    switch (command.kind) {
      case FrameCommand::Kind::kZero: {
        const VkDescriptorBufferInfo range = range_of(command.zeroed, 0, 0);
        device->functions.vkCmdFillBuffer(to, range.buffer, range.offset, range.range, 0);
        break;
      }
      case FrameCommand::Kind::kBarrier:
        record_barrier(to, command);
        break;
      case FrameCommand::Kind::kDispatch:
        record_dispatch(to, command);
        if (timer != nullptr) timer->stamp(to);
        break;
    }
  }
  is_posed = part == FramePart::kPose;
  if (is_posed) return;
  ++frame;
  slot = (slot + 1) % slots;
}

void Crowd::record(VkCommandBuffer commands, GpuTimer* timer) {
  state_->record(commands, std::nullopt, timer, FramePart::kWhole);
}

void Crowd::record(VkCommandBuffer commands, std::span<const shared::ListEntry> list, GpuTimer* timer) {
  state_->record(commands, list, timer, FramePart::kWhole);
}

void Crowd::record_pose(VkCommandBuffer commands, GpuTimer* timer) {
  state_->record(commands, std::nullopt, timer, FramePart::kPose);
}

void Crowd::record_pose(VkCommandBuffer commands, std::span<const shared::ListEntry> list, GpuTimer* timer) {
  state_->record(commands, list, timer, FramePart::kPose);
}

void Crowd::record_blend(VkCommandBuffer commands, GpuTimer* timer) {
  state_->record(commands, std::nullopt, timer, FramePart::kBlend);
}

bool Crowd::is_posed() const { return state_->is_posed; }

void Crowd::record_transfer(VkCommandBuffer commands, const QueueTransfer& wanted) const {
  using Step = QueueTransfer::Step;
  const bool one_family = wanted.compute_family == wanted.reading_family;
  const auto ago = [&](std::uint64_t frames) {
    return wanted.frame < frames ? std::nullopt : std::optional(wanted.frame - frames);
  };
  const bool back = wanted.step == Step::kAcquireBack || wanted.step == Step::kReleaseBack;
  VkBufferMemoryBarrier2 barrier{.srcQueueFamilyIndex = back ? wanted.reading_family : wanted.compute_family,
                                 .dstQueueFamilyIndex = back ? wanted.compute_family : wanted.reading_family};
  std::optional<std::uint64_t> outputs_of = wanted.frame;
  std::optional<std::uint64_t> table_of = wanted.frame;
  switch (wanted.step) {
    case Step::kAcquireBack:
      if (one_family) return;
      outputs_of = ago(state_->output_slots());
      table_of = ago(state_->slots);
      barrier.dstStageMask = kWritingStage;
      barrier.dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | kWritingAccess;
      break;
    case Step::kRelease:
      if (one_family) return;
      barrier.srcStageMask = kWritingStage;
      barrier.srcAccessMask = kWritingAccess;
      break;
    case Step::kAcquire:
      barrier.srcStageMask = one_family ? kWritingStage : VK_PIPELINE_STAGE_2_NONE;
      barrier.srcAccessMask = one_family ? kWritingAccess : VK_ACCESS_2_NONE;
      barrier.dstStageMask = wanted.reading_stages;
      barrier.dstAccessMask = wanted.reading_access;
      break;
    case Step::kReleaseBack:
      // The next frame reads the positions of this one, if they are its previous positions.
      if (state_->reads_previous) outputs_of = ago(1);
      // Reads need no availability operation, so the source access stays 0.
      barrier.srcStageMask = wanted.reading_stages;
      barrier.dstStageMask = one_family ? kWritingStage : VK_PIPELINE_STAGE_2_NONE;
      break;
  }
  state_->transfer(commands, outputs_of, table_of, barrier);
}

std::vector<BufferUse> Crowd::uses(CrowdPart part) const {
  const State& state = *state_;
  const std::uint32_t output = state.slot_of_frame(state.frame);
  std::array<std::uint32_t, static_cast<std::size_t>(FrameBuffer::kCount)> accesses{};
  const auto add = [&](std::span<const Binding> bindings) {
    for (const Binding& binding : bindings) accesses[static_cast<std::size_t>(binding.buffer)] |= binding.access;
  };
  const FramePart wanted = part == CrowdPart::kPose ? FramePart::kPose : FramePart::kBlend;
  for (const FrameCommand& command : state.commands[static_cast<std::size_t>(wanted)]) {
    if (command.kind != FrameCommand::Kind::kDispatch) continue;
    if (command.plans) {
      add(bindings_of(*command.plans));
    } else {
      add(accesses_of(state.plan.steps[command.step], state.bound_outputs[output].streams));
    }
  }
  constexpr std::pair<FrameBuffer, const char*> kShared[] = {{FrameBuffer::kJoints, "joint matrices"},
                                                             {FrameBuffer::kInputs, "inputs"},
                                                             {FrameBuffer::kList, "list"},
                                                             {FrameBuffer::kDrawnList, "drawn list"},
                                                             {FrameBuffer::kPositions, "positions"},
                                                             {FrameBuffer::kNormals, "normals"},
                                                             {FrameBuffer::kTangents, "tangents"},
                                                             {FrameBuffer::kPreviousPositions, "previous positions"},
                                                             {FrameBuffer::kBounds, "bounds"}};
  std::vector<BufferUse> made;
  for (const auto& [buffer, name] : kShared) {
    const std::uint32_t access = accesses[static_cast<std::size_t>(buffer)];
    const bool own =
        (buffer == FrameBuffer::kJoints && state.own_joints) || (buffer == FrameBuffer::kInputs && state.own_inputs);
    const VkDescriptorBufferInfo range = state.range_of(buffer, output, state.slot);
    if (access == kNoAccess || own || range.buffer == state.nothing.handle()) continue;
    made.push_back({name, range.buffer, range.offset, range.range, kWritingStage,
                    ((access & kReads) != 0 ? VK_ACCESS_2_SHADER_STORAGE_READ_BIT : VK_ACCESS_2_NONE) |
                        ((access & kWrites) != 0 ? kWritingAccess : VK_ACCESS_2_NONE)});
  }
  return made;
}

}  // namespace pelt::runtime
