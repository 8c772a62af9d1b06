// SPDX-License-Identifier: MIT
// The contents of GpuCharacters, which crowds read.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <pelt/runtime/bind_data.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/upload.h>

#include "runtime/plan/free_ranges.h"

namespace pelt::runtime {

// Shaders bind the whole buffer as an array of the elements that they read. Each character has one block, in which
// every stream begins at a multiple of its element size: indices count elements from the buffer's start.
struct GpuCharacters::State {
  DeviceInternals* device = nullptr;
  UploadOptions options;
  Buffer buffer;
  FreeRanges free;  // bytes of it

  struct Entry : PlacedCharacter {
    BufferRange block;
    Buffer staging;           // until the upload has finished
    VkDeviceSize copied = 0;  // bytes whose copy is recorded
    bool acquired = false;    // by the compute queue family, from the one that copied
  };
  std::deque<std::optional<Entry>> entries;  // by number; none: removed. Addresses never change
  std::uint64_t uploads = 0;                 // number of uploads so far
  bool has(std::uint32_t number) const { return number < entries.size() && entries[number].has_value(); }
  mutable std::mutex mutex;  // guards entries and blocks
};

// Returns "'name'" or "3 characters", for messages.
std::string label_of(const GpuCharacters::State& characters);

}  // namespace pelt::runtime
