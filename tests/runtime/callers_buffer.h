// SPDX-License-Identifier: MIT
// Buffers of a caller's, which crowds read and write.
#pragma once

#include <cstring>
#include <span>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>

#include "tests/support/gpu.h"
#include "tests/support/must.h"

namespace pelt::runtime {

inline Buffer callers_buffer(VkDeviceSize size, const Device& device = *test::gpu_device()) {
  return test::must(
      Buffer::create(device, {.size = size,
                              .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                              .memory = MemoryUse::kStream,
                              .name = "a caller's"}));
}

// Returns the part of a buffer from an offset on.
inline BufferLocation rest_of(const Buffer& buffer, VkDeviceSize offset = 0) {
  return {buffer.handle(), offset, buffer.size() - offset};
}

// Writes values; `offset` in bytes.
template <class Values>
void fill(const Buffer& buffer, const Values& values, VkDeviceSize offset = 0) {
  const auto bytes = std::as_bytes(std::span(values));
  std::memcpy(buffer.mapped() + offset, bytes.data(), bytes.size());
  buffer.flush(offset, bytes.size());
}

template <class Values>
Buffer filled_buffer(const Values& values) {
  Buffer buffer = callers_buffer(std::as_bytes(std::span(values)).size());
  fill(buffer, values);
  return buffer;
}

}  // namespace pelt::runtime
