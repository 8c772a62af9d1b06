// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>
#include <mutex>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/debug.h>
#include <pelt/runtime/owned.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "runtime/device_internals.h"

namespace pelt::runtime {
namespace {

// Timeout of a submission, nanoseconds. Drivers reset a GPU that hangs for some seconds; a software device may need a
// minute for a large submission.
constexpr std::uint64_t kLongestWait = 600'000'000'000;

// Destroys the device's command buffer and pool if their recording is interrupted.
struct Recording {
  DeviceInternals& device;
  bool is_complete = false;
  ~Recording() {
    if (is_complete) return;
    device.functions.vkDestroyCommandPool(device.handle, device.pool, nullptr);
    device.forget_pool();
  }
};

// Returns the device's command buffer for submit_and_wait, made by the first call. Precondition: queue_mutex is locked.
Result<VkCommandBuffer> command_buffer(const Device& device) {
  DeviceInternals& internals = device.internals();
  if (internals.commands != VK_NULL_HANDLE) return internals.commands;
  const DeviceFunctions& functions = device.functions();
  const VkCommandPoolCreateInfo pool_info{
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT | VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
      .queueFamilyIndex = device.queue_family()};
  if (internals.pool == VK_NULL_HANDLE) {
    const VkResult result = functions.vkCreateCommandPool(device.handle(), &pool_info, nullptr, &internals.pool);
    if (result != VK_SUCCESS) return vulkan_failure("create a command pool", result);
    set_name(device, VK_OBJECT_TYPE_COMMAND_POOL, internals.pool, "pool of submissions");
  }
  const VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = internals.pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
  const VkResult result = functions.vkAllocateCommandBuffers(device.handle(), &allocate_info, &internals.commands);
  if (result != VK_SUCCESS) return vulkan_failure("allocate a command buffer", result);
  return internals.commands;
}

}  // namespace

Result<void> submit_and_wait(const Device& device, const std::string& name,
                             const std::function<void(VkCommandBuffer commands)>& record) {
  if (device.queue() == VK_NULL_HANDLE) {
    return invalid("cannot submit {}: the device was adopted without a queue", name);
  }
  const DeviceFunctions& functions = device.functions();
  const std::unique_lock lock = device.lock_queue();
  const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  PELT_ASSIGN(auto owned_fence,
              make_object<VkFence>(device, functions.vkCreateFence, functions.vkDestroyFence, fence_info, "a fence"));
  const VkFence fence = owned_fence.get();
  set_name(device, VK_OBJECT_TYPE_FENCE, fence, name);
  PELT_ASSIGN(const auto commands, command_buffer(device));
  set_name(device, VK_OBJECT_TYPE_COMMAND_BUFFER, commands, name);

  const VkCommandBufferBeginInfo begin_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  Recording recording{device.internals()};
  VkResult result = functions.vkBeginCommandBuffer(commands, &begin_info);
  if (result != VK_SUCCESS) return vulkan_failure("begin a command buffer", result);
  {
    const CommandLabel label(functions, commands, name.c_str());
    record(commands);
  }
  result = functions.vkEndCommandBuffer(commands);
  if (result != VK_SUCCESS) return vulkan_failure("record " + name, result);
  recording.is_complete = true;

  const VkSubmitInfo submit_info{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  result = functions.vkQueueSubmit(device.queue(), 1, &submit_info, fence);
  if (result != VK_SUCCESS) return vulkan_failure("submit " + name, result);
  result = functions.vkWaitForFences(device.handle(), 1, &fence, VK_TRUE, kLongestWait);
  if (result == VK_TIMEOUT) {  // the device may still use them
    static_cast<void>(owned_fence.release());
    device.internals().forget_pool();
    return fail(ErrorCode::kDeviceFailed, formatted("cannot wait for {}: the device has not finished after {} seconds",
                                                    name, kLongestWait / 1'000'000'000));
  }
  if (result == VK_SUCCESS) return {};
  device.internals().commands = VK_NULL_HANDLE;  // it counts as pending; the pool frees it
  return vulkan_failure("wait for " + name, result);
}

Result<void> write_buffer(const Device& device, VkBuffer buffer, VkDeviceSize offset,
                          std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  PELT_ASSIGN(auto staging, Buffer::create(device, {.size = bytes.size(),
                                                    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                                    .memory = MemoryUse::kStaging,
                                                    .name = "staging for an upload"}));
  std::memcpy(staging.mapped(), bytes.data(), bytes.size());
  staging.flush(0, bytes.size());
  return submit_and_wait(device, "upload", [&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, offset, bytes.size()};
    device.functions().vkCmdCopyBuffer(commands, staging.handle(), buffer, 1, &copy);
    memory_barrier(device.functions(), commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT);
  });
}

Result<std::vector<std::byte>> read_buffer(const Device& device, VkBuffer buffer, VkDeviceSize offset,
                                           VkDeviceSize size) {
  std::vector<std::byte> bytes(size);
  if (size == 0) return bytes;
  PELT_ASSIGN(auto staging, Buffer::create(device, {.size = size,
                                                    .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                    .memory = MemoryUse::kReadback,
                                                    .name = "staging for reading back"}));
  PELT_TRY(submit_and_wait(device, "read back", [&](VkCommandBuffer commands) {
    memory_barrier(device.functions(), commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
    const VkBufferCopy copy{offset, 0, size};
    device.functions().vkCmdCopyBuffer(commands, buffer, staging.handle(), 1, &copy);
    memory_barrier(device.functions(), commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
  }));
  staging.invalidate(0, size);
  std::memcpy(bytes.data(), staging.mapped(), size);
  return bytes;
}

}  // namespace pelt::runtime
