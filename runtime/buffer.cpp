// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cstring>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/debug.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "runtime/device_internals.h"

namespace pelt::runtime {

BufferRange append_range(VkDeviceSize& end, VkDeviceSize size, VkDeviceSize alignment) {
  constexpr VkDeviceSize kMin = 16;
  const BufferRange range{(end + alignment - 1) / alignment * alignment, std::max(size, kMin)};
  end = range.offset + range.size;
  return range;
}

Result<Buffer> Buffer::create(const Device& device, const BufferOptions& options) {
  assert(options.size > 0);
  const DeviceFunctions& functions = device.functions();
  DeviceInternals& internals = device.internals();
  if (options.size > internals.largest_buffer) {
    return fail(ErrorCode::kUnsupported, formatted("{}: {} bytes are more than the device's largest buffer, {}",
                                                   options.name, options.size, internals.largest_buffer));
  }
  if ((options.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0 &&
      functions.vkGetBufferDeviceAddress == nullptr) {
    return fail(
        ErrorCode::kUnsupported,
        formatted("{}: the device has no buffer device addresses: enable bufferDeviceAddress of Vulkan 1.2 or of "
                  "VK_KHR_buffer_device_address, and set buffer_device_address of the adopted device",
                  options.name));
  }
  Buffer buffer;
  buffer.device_ = &device.internals();
  buffer.size_ = options.size;
  const VkBufferCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = options.size, .usage = options.usage};
  PELT_ASSIGN(buffer.handle_,
              make_object<VkBuffer>(device, functions.vkCreateBuffer, functions.vkDestroyBuffer, info, options.name));
  set_name(device, VK_OBJECT_TYPE_BUFFER, buffer.handle(), options.name);

  VkMemoryRequirements requirements;
  functions.vkGetBufferMemoryRequirements(device.handle(), buffer.handle(), &requirements);
  PELT_ASSIGN(buffer.allocation_,
              internals.allocator->allocate(requirements, options.memory, options.name,
                                            (options.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0));
  const VkResult result = functions.vkBindBufferMemory(device.handle(), buffer.handle(), buffer.allocation_.memory(),
                                                       buffer.allocation_.offset());
  if (result != VK_SUCCESS) return vulkan_failure("bind memory to " + options.name, result);

  if (options.memory != MemoryUse::kDeviceLocal) {
    if (internals.pretend_discrete) buffer.shadow_.resize(options.size);
    buffer.mapped_ = internals.pretend_discrete ? buffer.shadow_.data() : buffer.allocation_.mapped();
  }
  return buffer;
}

VkMappedMemoryRange Buffer::memory_range(VkDeviceSize offset, VkDeviceSize size) const {
  // Allocations start and end at multiples of the atom, so rounding outwards stays inside.
  const VkDeviceSize atom = device_->limits.nonCoherentAtomSize;
  const VkDeviceSize first = (allocation_.offset() + offset) / atom * atom;
  const VkDeviceSize last = (allocation_.offset() + offset + size + atom - 1) / atom * atom;
  return {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
          .memory = allocation_.memory(),
          .offset = first,
          .size = last - first};
}

void Buffer::flush(VkDeviceSize offset, VkDeviceSize size) const {
  assert(mapped_ != nullptr && offset + size <= size_);
  if (!shadow_.empty()) std::memcpy(allocation_.mapped() + offset, shadow_.data() + offset, size);
  if (allocation_.coherent()) return;
  const VkMappedMemoryRange range = memory_range(offset, size);
  device_->functions.vkFlushMappedMemoryRanges(device_->handle, 1, &range);
}

void Buffer::invalidate(VkDeviceSize offset, VkDeviceSize size) const {
  assert(mapped_ != nullptr && offset + size <= size_);
  if (!allocation_.coherent()) {
    const VkMappedMemoryRange range = memory_range(offset, size);
    device_->functions.vkInvalidateMappedMemoryRanges(device_->handle, 1, &range);
  }
  if (!shadow_.empty()) std::memcpy(mapped_ + offset, allocation_.mapped() + offset, size);
}

}  // namespace pelt::runtime
