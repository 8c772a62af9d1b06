// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "engine/character/character.h"
#include "engine/core/result.h"
#include "runtime/device.h"

namespace pelt::runtime {

// The bind data of a character on a device: shared by every crowd that shows it. Move-only.
class GpuCharacter {
 public:
  ~GpuCharacter();
  GpuCharacter(GpuCharacter&&) noexcept;
  GpuCharacter& operator=(GpuCharacter&&) noexcept;

  const Character& character() const;
  VkDeviceSize bytes() const;  // device memory held

  struct State;
  const State& state() const { return *state_; }
  explicit GpuCharacter(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

// Copies the packed streams to device memory, as they are. Submits a transfer on the device's queue and waits for it:
// for load time, not for frames. Errors: a stream larger than the device's storage buffer range, out of memory.
Result<GpuCharacter> upload(const Device& device, const Character& character);

}  // namespace pelt::runtime
