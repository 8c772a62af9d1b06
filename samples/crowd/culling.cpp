// SPDX-License-Identifier: MIT
#include "samples/crowd/culling.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "samples/crowd/shaders/cull.comp.h"

namespace pelt::samples {
namespace {

constexpr std::uint32_t kBuffers = 3;
constexpr std::uint32_t kGroup = 64;  // instances of a workgroup

// The push constants of cull.comp.
struct CullConstants {
  std::array<glm::vec4, 4> planes;
  std::uint32_t instances;
};
static_assert(sizeof(CullConstants) == 68);

}  // namespace

Result<CrowdCulling> CrowdCulling::create(const runtime::Device& device, std::uint32_t instances) {
  CrowdCulling made;
  made.instances_ = instances;
  PELT_ASSIGN(made.kernel_, runtime::ComputeKernel::create(device, {.spirv = crowd_spirv::cull_comp,
                                                                    .storage_buffers = kBuffers,
                                                                    .push_constant_bytes = sizeof(CullConstants),
                                                                    .name = "culling"}));
  PELT_ASSIGN(made.sets_, runtime::DescriptorPool::create(device, 1, kBuffers, "culling"));
  PELT_ASSIGN(made.worlds_, runtime::Buffer::create(device, {.size = instances * sizeof(glm::mat4),
                                                             .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                             .memory = runtime::MemoryUse::kStream,
                                                             .name = "places of walkers"}));
  PELT_ASSIGN(made.drawn_, runtime::Buffer::create(
                               device, {.size = (std::size_t{1} + instances) * sizeof(std::uint32_t),
                                        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                                 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                        .name = "walkers in view"}));
  return made;
}

Result<void> CrowdCulling::read(const runtime::Crowd& crowd) {
  const runtime::OutputPlace& boxes = crowd.outputs().bounds;
  const VkDescriptorBufferInfo bindings[kBuffers] = {
      {boxes.buffer, boxes.offset, VkDeviceSize{instances_} * boxes.stride}, worlds_.whole(), drawn_.whole()};
  PELT_ASSIGN(set_, sets_.make_set(kernel_, bindings));
  return {};
}

void CrowdCulling::place(std::uint32_t instance, const glm::mat4& world) {
  std::memcpy(worlds_.mapped() + instance * sizeof(world), &world, sizeof(world));
}

void CrowdCulling::record(const runtime::Device& device, VkCommandBuffer commands,
                          const std::array<glm::vec4, 4>& planes) const {
  const runtime::DeviceFunctions& functions = device.functions();
  worlds_.flush(0, worlds_.size());
  functions.vkCmdFillBuffer(commands, drawn_.handle(), 0, sizeof(std::uint32_t), 0);
  runtime::memory_barrier(
      functions, commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
      VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  const CullConstants constants{planes, instances_};
  kernel_.dispatch(commands, set_, std::as_bytes(std::span(&constants, 1)), (instances_ + kGroup - 1) / kGroup);
}

Result<std::vector<std::uint32_t>> CrowdCulling::seen(const runtime::Device& device) const {
  PELT_ASSIGN(const auto bytes, runtime::read_buffer(device, drawn_.handle(), 0, drawn_.size()));
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return std::vector(words.begin() + 1, words.begin() + 1 + std::min(words[0], instances_));
}

}  // namespace pelt::samples
