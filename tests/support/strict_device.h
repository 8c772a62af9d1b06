// SPDX-License-Identifier: MIT
// A device that is stricter than a software device: it hides that one's generous limits.
#pragma once

#include <pelt/runtime/device.h>

namespace pelt::test {

// The limits that strict_device() reports and enforces.
inline constexpr VkDeviceSize kStrictAlignment = 256;          // of storage buffers, of flushes and of memory
inline constexpr std::uint32_t kStrictRange = 4u << 20;        // maxStorageBufferRange, bytes
inline constexpr VkDeviceSize kStrictAllocation = 8u << 20;    // maxMemoryAllocationSize, bytes
inline constexpr VkDeviceSize kStrictBuffer = 16u << 20;       // maxBufferSize, bytes
inline constexpr VkDeviceSize kStrictDeviceHeap = 160u << 20;  // bytes
inline constexpr VkDeviceSize kStrictHostHeap = 7u << 20;      // bytes, less than an allocation may be

// Adopts a device through functions that mask it. The masked one has a heap that the host does not reach and one that
// the device does not own, both small. Its host memory is never coherent, which is stricter than Vulkan allows. The
// limits are those above. It fails the current test if a descriptor, a flush, a buffer or an allocation exceeds them,
// or if memory is mapped that the host cannot reach. `under` outlives it; there is one at a time.
Result<runtime::Device> strict_device(const runtime::Device& under);

}  // namespace pelt::test
