// SPDX-License-Identifier: MIT
#include "runtime/input_ring.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include <pelt/try.h>

namespace pelt::runtime {

Result<InputRing> InputRing::create(const Device& device, std::uint32_t slots, std::vector<float> rest,
                                    std::vector<std::size_t> firsts, const std::string& name) {
  InputRing ring;
  ring.firsts_ = std::move(firsts);
  ring.values_ = std::move(rest);
  VkDeviceSize end = 0;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    ring.slots_.push_back(
        append_range(end, std::span(ring.values_).size_bytes(), device.limits().minStorageBufferOffsetAlignment));
  }
  PELT_ASSIGN(ring.buffer_, Buffer::create(device, {.size = end,
                                                    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                    .memory = MemoryUse::kStream,
                                                    .name = name}));
  ring.held_.assign(ring.firsts_.size() - 1, {.slot = 0, .stale = slots - 1});
  for (std::uint32_t i = 0; i < ring.held_.size(); ++i) ring.write(0, i);
  return ring;
}

void InputRing::set(std::uint32_t slot, std::uint32_t instance, std::size_t first, std::span<const float> values) {
  assert(first + values.size() <= size_of(instance));
  std::copy(values.begin(), values.end(), values_.begin() + std::ptrdiff_t(firsts_[instance] + first));
  Held& held = held_[instance];
  if (held.misses(slot)) {
    write(slot, instance);
  } else if (!values.empty()) {
    std::memcpy(of(slot, instance) + first * sizeof(float), values.data(), values.size_bytes());
  }
  held = written_to(slot);
}

std::span<float> InputRing::values(std::uint32_t instance) {
  return std::span(values_).subspan(firsts_[instance], size_of(instance));
}

void InputRing::publish(std::uint32_t slot, std::uint32_t instance) {
  write(slot, instance);
  held_[instance] = written_to(slot);
}

void InputRing::finish(std::uint32_t slot) {
  if (values_.empty()) return;
  for (std::uint32_t instance = 0; instance < held_.size(); ++instance) {
    Held& held = held_[instance];
    if (!held.misses(slot)) continue;
    write(slot, instance);
    held = {.slot = slot, .stale = held.stale - 1};
  }
  buffer_.flush(slots_[slot].offset, values_.size() * sizeof(float));
}

std::byte* InputRing::of(std::uint32_t slot, std::uint32_t instance) {
  return buffer_.mapped() + slots_[slot].offset + firsts_[instance] * sizeof(float);
}

void InputRing::write(std::uint32_t slot, std::uint32_t instance) {
  const std::size_t size = size_of(instance);
  if (size > 0) std::memcpy(of(slot, instance), &values_[firsts_[instance]], size * sizeof(float));
}

}  // namespace pelt::runtime
