// SPDX-License-Identifier: MIT
// The contents of GpuCharacters, which crowds read.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include <pelt/runtime/bind_data.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/upload.h>

#include "runtime/plan/free_ranges.h"

namespace pelt::runtime {

struct GpuCharacters::State {
  DeviceInternals* device = nullptr;
  UploadOptions options;  // capacity: of the first buffer

  struct BindBuffer {
    Buffer buffer;
    FreeRanges free;  // bytes of it
  };
  std::deque<BindBuffer> buffers;  // by PlacedCharacter::bind_buffer; none is destroyed

  struct Entry : PlacedCharacter {
    BufferRange block;
    Buffer staging;            // until the upload has finished
    VkDeviceSize copied = 0;   // bytes whose copy is recorded
    bool acquired = false;     // by the compute queue family, from the one that copied
    std::uint32_t crowds = 0;  // that have it
  };
  std::deque<std::optional<Entry>> entries;  // by number; none: removed. Addresses never change
  bool has(std::uint32_t number) const { return number < entries.size() && entries[number].has_value(); }
  // Counts one more crowd that has the character, and one less. Precondition of use(): the mutex is locked.
  std::optional<Character> use(std::uint32_t number);  // none: no such character
  void give_back(std::uint32_t number);
  std::mutex mutex;  // guards buffers and entries
};

// Returns "'name'" or "3 characters", for messages.
std::string label_of(const GpuCharacters::State& characters);

}  // namespace pelt::runtime
