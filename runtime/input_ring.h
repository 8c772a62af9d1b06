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

#include <pelt/result.h>

#include "runtime/buffer.h"

namespace pelt::runtime {

class InputRing {
 public:
  InputRing() = default;

  // `rest`: what instances start with, one after the other; instance i has floats [firsts[i], firsts[i + 1]) of it.
  static Result<InputRing> create(const Device& device, std::uint32_t slots, std::vector<float> rest,
                                  std::vector<std::size_t> firsts, const std::string& name);

  // Floats [first, first + values.size()) of an instance, for the frame that uses `slot`. Of different instances it may
  // be called on several threads at once.
  void set(std::uint32_t slot, std::uint32_t instance, std::size_t first, std::span<const float> values);

  // Brings what was not set again into the slot, and all of it to the device's eyes. Once a frame: frames begin with
  // slot 0 and take the slots in turn. An instance that was not set for as many frames as there are slots is in all of
  // them, and is not written again.
  void finish(std::uint32_t slot);

  const Buffer& buffer() const { return buffer_; }
  BufferRange range(std::uint32_t slot) const { return slots_[slot]; }

 private:
  // Where the latest values of an instance are.
  struct Held {
    std::uint32_t slot = 0;   // that they were last written to
    std::uint32_t stale = 0;  // how many slots have older ones: those that are next in turn
    bool misses(std::uint32_t other) const { return stale > 0 && slot != other; }
  };

  void write(std::uint32_t slot, std::uint32_t instance);
  std::size_t size_of(std::uint32_t instance) const { return firsts_[instance + 1] - firsts_[instance]; }
  std::byte* of(std::uint32_t slot, std::uint32_t instance);

  Buffer buffer_;
  std::vector<BufferRange> slots_;
  std::vector<std::size_t> firsts_;  // one more than instances
  std::vector<float> values_;        // the latest of each instance: mapped memory is slow to read
  std::vector<Held> held_;           // of each instance
};

}  // namespace pelt::runtime
