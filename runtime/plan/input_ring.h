// SPDX-License-Identifier: MIT
// The host's input for every instance, with one copy (slot) per frame in flight. The device reads it from the memory
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
  InputRing(std::uint32_t slots, std::size_t floats, std::size_t instances)
      : slots_(slots), values_(floats), held_(instances) {}
  void use_memory(std::uint32_t slot, std::byte* memory) { slots_[slot] = memory; }

  // Assigns a part of the floats to an instance. The caller sets its values() next; finish() writes them to each slot.
  void place(std::uint32_t instance, std::size_t first, std::size_t size);
  // Releases that part: the instance is no longer written.
  void release(std::uint32_t instance);

  // Sets floats [first, first + values.size()) of an instance, for the frame that uses `slot`. May be called
  // concurrently for different instances.
  void set(std::uint32_t slot, std::uint32_t instance, std::size_t first, std::span<const float> values);

  // The latest values of an instance, which the caller may change; publish() then writes all of them to the slot.
  std::span<float> values(std::uint32_t instance);
  void publish(std::uint32_t slot, std::uint32_t instance);

  // Copies older values that the slot lacks into it. Call it once per frame: frames use the slots in turn, beginning
  // with slot 0. Values that were not set again reach every slot after one round, and are then no longer written.
  void finish(std::uint32_t slot);

  std::size_t bytes() const { return values_.size() * sizeof(float); }  // of each slot

 private:
  static constexpr std::uint32_t kNoSlot = UINT32_MAX;
  // The location of an instance's values, and the slots that have the latest.
  struct Held {
    std::size_t first = 0;
    std::size_t size = 0;
    std::uint32_t slot = 0;   // the slot they were last written to
    std::uint32_t stale = 0;  // number of slots with older values: the next ones in turn
    bool misses(std::uint32_t other) const { return stale > 0 && slot != other; }
  };

  void write(std::uint32_t slot, std::uint32_t instance);
  void was_written(std::uint32_t slot, Held& held) const {
    held.slot = slot;
    held.stale = static_cast<std::uint32_t>(slots_.size() - 1);
  }
  std::byte* of(std::uint32_t slot, std::uint32_t instance);

  std::vector<std::byte*> slots_;
  std::vector<float> values_;  // the latest values of each instance: mapped memory is slow to read
  std::vector<Held> held_;     // one for each instance
};

}  // namespace pelt::runtime
