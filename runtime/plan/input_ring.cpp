// SPDX-License-Identifier: MIT
#include "runtime/plan/input_ring.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace pelt::runtime {

void InputRing::place(std::uint32_t instance, std::size_t first, std::size_t size) {
  assert(first + size <= values_.size());
  held_[instance] = {.first = first, .size = size, .slot = kNoSlot, .stale = static_cast<std::uint32_t>(slots_.size())};
}

void InputRing::release(std::uint32_t instance) { held_[instance] = {}; }

void InputRing::set(std::uint32_t slot, std::uint32_t instance, std::size_t first, std::span<const float> values) {
  Held& held = held_[instance];
  assert(first + values.size() <= held.size);
  std::copy(values.begin(), values.end(), values_.begin() + std::ptrdiff_t(held.first + first));
  if (held.misses(slot)) {
    write(slot, instance);
  } else if (!values.empty()) {
    std::memcpy(of(slot, instance) + first * sizeof(float), values.data(), values.size_bytes());
  }
  was_written(slot, held);
}

std::span<float> InputRing::values(std::uint32_t instance) {
  return std::span(values_).subspan(held_[instance].first, held_[instance].size);
}

void InputRing::publish(std::uint32_t slot, std::uint32_t instance) {
  write(slot, instance);
  was_written(slot, held_[instance]);
}

void InputRing::finish(std::uint32_t slot) {
  for (std::uint32_t instance = 0; instance < held_.size(); ++instance) {
    Held& held = held_[instance];
    if (!held.misses(slot)) continue;
    write(slot, instance);
    held.slot = slot;
    --held.stale;
  }
}

std::byte* InputRing::of(std::uint32_t slot, std::uint32_t instance) {
  return slots_[slot] + held_[instance].first * sizeof(float);
}

void InputRing::write(std::uint32_t slot, std::uint32_t instance) {
  const Held& held = held_[instance];
  if (held.size > 0) std::memcpy(of(slot, instance), &values_[held.first], held.size * sizeof(float));
}

}  // namespace pelt::runtime
