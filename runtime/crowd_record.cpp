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

namespace pelt::runtime {
namespace {

// Stage and access of the last writes to outputs.
constexpr VkPipelineStageFlags2 kWritingStage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags2 kWritingAccess = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;

}  // namespace

// Records `barrier` for each range of the outputs of a frame, and for the table of a frame.
void Crowd::Vulkan::transfer(VkCommandBuffer to, std::optional<std::uint64_t> outputs_of,
                             std::optional<std::uint64_t> of_table, VkBufferMemoryBarrier2 barrier) const {
  static_assert(kMaxOutputs + 1 <= kMaxBufferBarriers);
  std::array<VkBufferMemoryBarrier2, kMaxOutputs + 1> barriers{};
  std::size_t count = 0;
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2;
  const auto add = [&](const VkDescriptorBufferInfo& range) {
    barrier.buffer = range.buffer;
    barrier.offset = range.offset;
    barrier.size = range.range;
    barriers[count++] = barrier;
  };
  if (outputs_of) {
    for (const VkDescriptorBufferInfo& range : output_ranges[slot_of_frame(*outputs_of)]) add(range);
  }
  if (of_table) add(table_of(*of_table));
  buffer_barriers(device->functions, to, std::span(barriers).first(count));
}

VkDescriptorBufferInfo Crowd::Vulkan::range_of(FrameBuffer buffer, std::size_t output_slot,
                                               std::uint32_t frame_copy) const {
  if (buffer >= FrameBuffer::kPositions)
    return bound_outputs[output_slot]
        .ranges[static_cast<std::size_t>(buffer) - static_cast<std::size_t>(FrameBuffer::kPositions)];
  if (const auto found = copies.find(buffer); found != copies.end())
    return found->second.buffer.part(found->second.ranges[frame_copy]);
  return ranges.at(buffer);
}

void Crowd::Vulkan::record_barrier(VkCommandBuffer to, const FrameCommand& barrier) const {
  constexpr VkAccessFlags2 kBoth = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | kWritingAccess;
  // Earlier frames read the plans and palettes that this one overwrites.
  memory_barrier(device->functions, to,
                 kWritingStage | (barrier.after_indirect ? VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : 0) |
                     (barrier.after_zero ? VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT : 0),
                 kWritingAccess | (barrier.after_zero ? VK_ACCESS_2_TRANSFER_WRITE_BIT : 0),
                 kWritingStage | (barrier.before_indirect ? VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : 0),
                 kBoth | (barrier.before_indirect ? VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT : 0));
}

void Crowd::Vulkan::record_dispatch(VkCommandBuffer to, const CrowdFrame& frame, const FrameCommand& command) const {
  if (!command.indirect && command.workgroups == 0) return;
  const FrameDispatch& dispatch = frame.dispatches[command.dispatch];
  const CommandLabel step_label(device->functions, to, dispatch.name.c_str());
  const PreparedDispatch& made = prepared[frame.output_slot * frame.dispatches.size() + command.dispatch];
  const VkDescriptorSet set = made.sets->at(frame.output_slot * frames_in_flight + frame.frame_copy);
  if (command.indirect) {
    made.pipeline->dispatch_indirect(to, set, dispatch.constants, arguments.handle(),
                                     command.dispatch * sizeof(VkDispatchIndirectCommand));
  } else {
    made.pipeline->dispatch(to, set, dispatch.constants, command.workgroups);
  }
}

void Crowd::record(VkCommandBuffer commands, const RecordOptions& options) {
  const CrowdFrame* frame = next_frame(options.part, options.list);
  if (frame == nullptr) return;
  for (const HostWrite& write : frame->writes) {
    const Vulkan::Copies& copies = vulkan_->copies.at(write.buffer);
    copies.buffer.flush(copies.ranges[frame->frame_copy].offset + write.offset, write.size);
  }
  const DeviceFunctions& functions = vulkan_->device->functions;
  const CommandLabel crowd_label(functions, commands, vulkan_->label.c_str());
  for (const FrameCommand& command : frame->commands) {
    switch (command.kind) {
      case FrameCommand::Kind::kZero: {
        const VkDescriptorBufferInfo range = vulkan_->range_of(command.zeroed, 0, 0);
        functions.vkCmdFillBuffer(commands, range.buffer, range.offset, range.range, 0);
        break;
      }
      case FrameCommand::Kind::kBarrier:
        vulkan_->record_barrier(commands, command);
        break;
      case FrameCommand::Kind::kDispatch:
        vulkan_->record_dispatch(commands, *frame, command);
        if (options.timer != nullptr) options.timer->stamp(commands);
        break;
    }
  }
  end_frame(options.part);
}

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
      outputs_of = ago(vulkan_->outputs.size());
      table_of = ago(vulkan_->frames_in_flight);
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
      if (vulkan_->reads_previous) outputs_of = ago(1);
      // Reads need no availability operation, so the source access stays 0.
      barrier.srcStageMask = wanted.reading_stages;
      barrier.dstStageMask = one_family ? kWritingStage : VK_PIPELINE_STAGE_2_NONE;
      break;
  }
  vulkan_->transfer(commands, outputs_of, table_of, barrier);
}

std::vector<BufferUse> Crowd::uses(FramePart part) const {
  const std::vector<std::uint32_t> all = accesses(part);
  std::vector<BufferUse> made;
  const auto add = [&](FrameBuffer buffer, const char* name) {
    const std::uint32_t access = all[static_cast<std::size_t>(buffer)];
    const VkDescriptorBufferInfo range =
        vulkan_->range_of(buffer, vulkan_->slot_of_frame(frames()), vulkan_->copy_of_frame(frames()));
    if (access == kNoAccess || vulkan_->copies.count(buffer) > 0 || range.buffer == vulkan_->nothing.handle()) return;
    made.push_back({name, range.buffer, range.offset, range.range, kWritingStage,
                    ((access & kReads) != 0 ? VK_ACCESS_2_SHADER_STORAGE_READ_BIT : VK_ACCESS_2_NONE) |
                        ((access & kWrites) != 0 ? kWritingAccess : VK_ACCESS_2_NONE)});
  };
  for (const CallersBuffer& callers : kCallersBuffers) add(callers.buffer, callers.name);
  for (std::size_t o = 0; o < kMaxOutputs; ++o)
    add(static_cast<FrameBuffer>(static_cast<std::size_t>(FrameBuffer::kPositions) + o), kOutputAttributes[o].name);
  return made;
}

const OutputLocations& Crowd::outputs(std::uint64_t frame) const {
  return vulkan_->outputs[vulkan_->slot_of_frame(frame)];
}

VkDescriptorBufferInfo Crowd::table(std::uint64_t frame) const { return vulkan_->table_of(frame); }

std::uint64_t Crowd::previous_frame(std::uint32_t instance, std::uint32_t mesh_vertex,
                                    std::optional<std::uint32_t> state) const {
  const std::uint64_t last = frames() == 0 ? 0 : frames() - 1;
  return last - (mesh_appears(instance, mesh_vertex, state) || last == 0 ? 0 : 1);
}

CrowdBytes Crowd::bytes() const {
  const Vulkan& made = *vulkan_;
  const auto copies = [&](FrameBuffer buffer) {
    const auto found = made.copies.find(buffer);
    return found == made.copies.end() ? 0 : found->second.buffer.size();
  };
  return {.outputs = made.vertices.size(),
          .palettes = made.palette.size(),
          .inputs = copies(FrameBuffer::kJoints) + copies(FrameBuffer::kInputs),
          .plans = copies(FrameBuffer::kWork) + copies(FrameBuffer::kPlanTable) + made.arguments.size() +
                   made.memory.size() + made.nothing.size()};
}

}  // namespace pelt::runtime
