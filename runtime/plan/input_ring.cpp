// SPDX-License-Identifier: MIT
#include "runtime/plan/input_ring.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace pelt::runtime {

void InputRing::place(std::uint32_t instance, std::size_t first, std::size_t size) {
  assert(first + size <= values_.size());
  ranges_[instance] = {
      .first = first, .size = size, .copy = kNoCopy, .stale = static_cast<std::uint32_t>(copies_.size())};
}

void InputRing::release(std::uint32_t instance) { ranges_[instance] = {}; }

void InputRing::set(std::uint32_t copy, std::uint32_t instance, std::size_t first, std::span<const float> values) {
  Range& range = ranges_[instance];
  assert(first + values.size() <= range.size);
  std::copy(values.begin(), values.end(), values_.begin() + std::ptrdiff_t(range.first + first));
  if (range.misses(copy)) {
    write(copy, instance);
  } else if (!values.empty()) {
    std::memcpy(of(copy, instance) + first * sizeof(float), values.data(), values.size_bytes());
  }
  was_written(copy, range);
}

std::span<float> InputRing::values(std::uint32_t instance) {
  return std::span(values_).subspan(ranges_[instance].first, ranges_[instance].size);
}

void InputRing::publish(std::uint32_t copy, std::uint32_t instance) {
  write(copy, instance);
  was_written(copy, ranges_[instance]);
}

void InputRing::finish(std::uint32_t copy) {
  for (std::uint32_t instance = 0; instance < ranges_.size(); ++instance) {
    Range& range = ranges_[instance];
    if (!range.misses(copy)) continue;
    write(copy, instance);
    range.copy = copy;
    --range.stale;
  }
}

std::byte* InputRing::of(std::uint32_t copy, std::uint32_t instance) {
  return copies_[copy] + ranges_[instance].first * sizeof(float);
}

void InputRing::write(std::uint32_t copy, std::uint32_t instance) {
  const Range& range = ranges_[instance];
  if (range.size > 0) std::memcpy(of(copy, instance), &values_[range.first], range.size * sizeof(float));
}

}  // namespace pelt::runtime
