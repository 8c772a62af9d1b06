// SPDX-License-Identifier: MIT
// The host's input for every instance, with one copy per frame in flight. The device reads it from the memory
// that the host writes: a matrix is read once or twice per frame, so a copy to faster memory, with a barrier, would
// cost more than it saves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt::runtime {

class InputRing {
 public:
  InputRing() = default;

  // `floats`: of all instances together; `instances`: all instance numbers are below it.
  InputRing(std::uint32_t copies, std::size_t floats, std::size_t instances)
      : copies_(copies), values_(floats), ranges_(instances) {}
  void use_memory(std::uint32_t copy, std::byte* memory) { copies_[copy] = memory; }

  // Assigns a part of the floats to an instance. The caller sets its values() next; finish() writes them to each copy.
  void place(std::uint32_t instance, std::size_t first, std::size_t size);
  // Releases that part: the instance is no longer written.
  void release(std::uint32_t instance);

  // Sets floats [first, first + values.size()) of an instance, for the frame that uses `copy`. May be called
  // concurrently for different instances.
  void set(std::uint32_t copy, std::uint32_t instance, std::size_t first, std::span<const float> values);

  // The latest values of an instance, which the caller may change; publish() then writes all of them to the copy.
  std::span<float> values(std::uint32_t instance);
  void publish(std::uint32_t copy, std::uint32_t instance);

  // Copies older values that the copy lacks into it. Call it once per frame: frames use the copies in turn, beginning
  // with copy 0. Values that were not set again reach every copy after one round, and are then no longer written.
  void finish(std::uint32_t copy);

  std::size_t bytes() const { return values_.size() * sizeof(float); }  // of each copy

 private:
  static constexpr std::uint32_t kNoCopy = UINT32_MAX;
  // The location of an instance's values, and the copies that have the latest.
  struct Range {
    std::size_t first = 0;
    std::size_t size = 0;
    std::uint32_t copy = 0;   // the copy they were last written to
    std::uint32_t stale = 0;  // number of copies with older values: the next ones in turn
    bool misses(std::uint32_t other) const { return stale > 0 && copy != other; }
  };

  void write(std::uint32_t copy, std::uint32_t instance);
  void was_written(std::uint32_t copy, Range& range) const {
    range.copy = copy;
    range.stale = static_cast<std::uint32_t>(copies_.size() - 1);
  }
  std::byte* of(std::uint32_t copy, std::uint32_t instance);

  std::vector<std::byte*> copies_;
  std::vector<float> values_;  // the latest values of each instance: mapped memory is slow to read
  std::vector<Range> ranges_;  // one for each instance
};

}  // namespace pelt::runtime
