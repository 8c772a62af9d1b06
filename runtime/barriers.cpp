// SPDX-License-Identifier: MIT
#include "runtime/barriers.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include <pelt/runtime/transfer.h>

namespace pelt::runtime {
namespace {

// Flags that both interfaces share: those of Vulkan 1.0 and of extensions older than synchronization2.
constexpr VkPipelineStageFlags2 kPlainStages = 2 * VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR - 1;
constexpr VkAccessFlags2 kPlainAccess = 2 * VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT - 1;

// The replacement for flags without a counterpart.
struct Replaced {
  std::uint64_t flags;
  std::uint32_t plain;
};

constexpr Replaced kReplacedStages[] = {
    {VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT |
         VK_PIPELINE_STAGE_2_CLEAR_BIT,
     VK_PIPELINE_STAGE_TRANSFER_BIT},
    {VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
     VK_PIPELINE_STAGE_VERTEX_INPUT_BIT},
    {VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT}};

constexpr Replaced kReplacedAccess[] = {
    {VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT, VK_ACCESS_SHADER_READ_BIT},
    {VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_ACCESS_SHADER_WRITE_BIT}};

// Returns the plain flags, and the replacements of the others or `all`.
std::uint32_t replaced(std::uint64_t flags, std::uint64_t plain, std::span<const Replaced> replacements,
                       std::uint32_t all) {
  auto made = static_cast<std::uint32_t>(flags & plain);
  flags &= ~plain;
  for (const Replaced& replacement : replacements) {
    if ((flags & replacement.flags) != 0) made |= replacement.plain;
    flags &= ~replacement.flags;
  }
  return flags == 0 ? made : made | all;
}

// A Vulkan 1.0 barrier needs at least one stage on each side.
VkPipelineStageFlags stages_before(VkPipelineStageFlags2 stages) {
  return plain_stages(stages == VK_PIPELINE_STAGE_2_NONE ? VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT : stages);
}
VkPipelineStageFlags stages_behind(VkPipelineStageFlags2 stages) {
  return plain_stages(stages == VK_PIPELINE_STAGE_2_NONE ? VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT : stages);
}

}  // namespace

VkPipelineStageFlags plain_stages(VkPipelineStageFlags2 stages) {
  return replaced(stages, kPlainStages, kReplacedStages, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
}

VkAccessFlags plain_access(VkAccessFlags2 access) {
  return replaced(access, kPlainAccess, kReplacedAccess, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

void memory_barrier(const DeviceFunctions& functions, VkCommandBuffer commands, VkPipelineStageFlags2 from_stages,
                    VkAccessFlags2 from_access, VkPipelineStageFlags2 to_stages, VkAccessFlags2 to_access) {
  const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .srcAccessMask = plain_access(from_access),
                                .dstAccessMask = plain_access(to_access)};
  functions.vkCmdPipelineBarrier(commands, stages_before(from_stages), stages_behind(to_stages), 0, 1, &barrier, 0,
                                 nullptr, 0, nullptr);
}

void buffer_barriers(const DeviceFunctions& functions, VkCommandBuffer commands,
                     std::span<const VkBufferMemoryBarrier2> barriers) {
  std::array<VkBufferMemoryBarrier, kMaxBufferBarriers> plain;  // recording a frame must not allocate
  assert(barriers.size() <= plain.size());
  if (barriers.empty()) return;
  std::transform(barriers.begin(), barriers.end(), plain.begin(), [](const VkBufferMemoryBarrier2& barrier) {
    return VkBufferMemoryBarrier{.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                 .srcAccessMask = plain_access(barrier.srcAccessMask),
                                 .dstAccessMask = plain_access(barrier.dstAccessMask),
                                 .srcQueueFamilyIndex = barrier.srcQueueFamilyIndex,
                                 .dstQueueFamilyIndex = barrier.dstQueueFamilyIndex,
                                 .buffer = barrier.buffer,
                                 .offset = barrier.offset,
                                 .size = barrier.size};
  });
  functions.vkCmdPipelineBarrier(commands, stages_before(barriers[0].srcStageMask),
                                 stages_behind(barriers[0].dstStageMask), 0, 0, nullptr,
                                 static_cast<std::uint32_t>(barriers.size()), plain.data(), 0, nullptr);
}

}  // namespace pelt::runtime
