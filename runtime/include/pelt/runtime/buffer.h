// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <string>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/memory.h>
#include <pelt/runtime/owned.h>

namespace pelt::runtime {

// A part of a buffer; bytes.
struct BufferRange {
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
};

// Appends a range to a buffer that ends at `end`, and advances `end` past it. The range is never empty, so that it can
// be bound.
BufferRange append_range(VkDeviceSize& end, VkDeviceSize size, VkDeviceSize alignment);

struct BufferOptions {
  VkDeviceSize size = 0;  // bytes, > 0
  VkBufferUsageFlags usage = 0;
  MemoryUse memory = MemoryUse::kDeviceLocal;
  std::string name;  // for debuggers and errors
};

// A buffer and its memory. Move-only; the Device must outlive it.
class Buffer {
 public:
  static Result<Buffer> create(const Device& device, const BufferOptions& options);
  Buffer() = default;
  VkBuffer handle() const { return handle_.get(); }
  VkDeviceSize size() const { return size_; }

  // Return the descriptor of the whole buffer, or of a part.
  VkDescriptorBufferInfo whole() const { return {handle(), 0, size_}; }
  VkDescriptorBufferInfo part(BufferRange range) const { return {handle(), range.offset, range.size}; }

  // The host's view of the whole buffer. Null for MemoryUse::kDeviceLocal, even if the device could map it, so that
  // code that would fail on a discrete GPU fails everywhere.
  std::byte* mapped() const { return mapped_; }

  // Makes host writes visible to commands submitted later. Always required; cheap if the memory is coherent.
  void flush(VkDeviceSize offset, VkDeviceSize size) const;
  // Makes writes of finished commands visible to the host.
  void invalidate(VkDeviceSize offset, VkDeviceSize size) const;

 private:
  VkMappedMemoryRange memory_range(VkDeviceSize offset, VkDeviceSize size) const;

  DeviceInternals* device_ = nullptr;
  VkDeviceSize size_ = 0;
  Allocation allocation_;
  Owned<VkBuffer> handle_;  // destroyed before its memory
  std::byte* mapped_ = nullptr;
  std::vector<std::byte> shadow_;  // the host's view of its memory if DeviceOptions::pretend_discrete
};

}  // namespace pelt::runtime
