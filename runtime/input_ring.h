// SPDX-License-Identifier: MIT
// What the host gives every instance a frame, one slot for each frame in flight. The device reads it where the host
// writes it: a matrix is read once or twice a frame, so that a copy to faster memory would cost more than it saves, and
// a barrier besides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "runtime/buffer.h"

namespace pelt::runtime {

class InputRing {
 public:
  InputRing() = default;

  // `rest`: what instances start with, one after the other; instance i has floats [firsts[i], firsts[i + 1]) of it.
  static Result<InputRing> create(const Device& device, std::uint32_t slots, std::vector<float> rest,
                                  std::vector<std::size_t> firsts, const std::string& name);

  // Floats [first, first + values.size()) of an instance, for the frame that uses `slot`.
  void set(std::uint32_t slot, std::uint32_t instance, std::size_t first, std::span<const float> values);

  // Brings what was not set again into the slot, and all of it to the device's eyes.
  void finish(std::uint32_t slot);

  const Buffer& buffer() const { return buffer_; }
  BufferRange range(std::uint32_t slot) const { return slots_[slot]; }

 private:
  void write(std::uint32_t slot, std::uint32_t instance);
  std::size_t size_of(std::uint32_t instance) const { return firsts_[instance + 1] - firsts_[instance]; }
  std::byte* of(std::uint32_t slot, std::uint32_t instance);

  Buffer buffer_;
  std::vector<BufferRange> slots_;
  std::vector<std::size_t> firsts_;          // one more than instances
  std::vector<float> values_;                // the latest of each instance: mapped memory is slow to read
  std::vector<std::uint32_t> written_slot_;  // the slot that each was last written to
};

}  // namespace pelt::runtime
