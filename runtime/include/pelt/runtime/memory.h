// SPDX-License-Identifier: MIT
// Pieces of device memory, from the blocks of a Device or from the caller's callbacks.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <string>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

// The purpose of memory, which decides its type: the device's best, or the next best if that is full.
enum class MemoryUse {
  kDeviceLocal,  // read and written by the device only
  kStream,       // written by the host each frame, read by the device: device-local if the host can write it
  kStaging,      // written by the host once, then copied
  kReadback,     // written by the device, read by the host
};

class MemoryAllocator;

// A piece of a block, which frees itself. Move-only.
class Allocation {
 public:
  Allocation() = default;
  ~Allocation();
  Allocation(Allocation&& other) noexcept { *this = std::move(other); }
  Allocation& operator=(Allocation&& other) noexcept;

  VkDeviceMemory memory() const { return piece_.memory; }
  VkDeviceSize offset() const { return piece_.offset; }
  VkDeviceSize size() const { return size_; }
  std::byte* mapped() const { return static_cast<std::byte*>(piece_.mapped); }  // null if the host cannot access it
  bool coherent() const { return piece_.coherent; }

 private:
  friend class MemoryAllocator;
  MemoryAllocator* allocator_ = nullptr;
  MemoryPiece piece_;
  VkDeviceSize size_ = 0;
};

// Allocates memory for an image or a buffer of the caller's. Errors: kOutOfMemory if none is left; the message
// contains `name`. Thread-safe. The Device must outlive the piece.
Result<Allocation> allocate(const Device& device, const VkMemoryRequirements& requirements, MemoryUse use,
                            const std::string& name);

}  // namespace pelt::runtime
