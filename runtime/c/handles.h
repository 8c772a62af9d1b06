// SPDX-License-Identifier: MIT
// The structs behind the handles of pelt.h. An object shares ownership of the objects it is made from.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/clip_twists.h>
#include <pelt/pelt.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/upload.h>

#include "engine/character/core/formatted.h"
#include "runtime/c/support.h"
#include "runtime/crowd_joints.h"

struct pelt_character {
  // The clip's twists, computed when the clip is first sampled for inputs.
  struct Twists {
    std::once_flag once;
    std::unique_ptr<const pelt::ClipTwists> played;
  };

  explicit pelt_character(pelt::Character of) : character(std::move(of)), twists(character->clips.size()) {}

  const pelt::Character character;
  mutable std::vector<Twists> twists;  // one for each clip
  mutable std::atomic<std::uint32_t> owners{1};
};

namespace pelt::c {

struct DeviceState {
  pelt_memory_callbacks memory{};  // the caller's callbacks, which the device's own callbacks call
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  std::optional<runtime::Device> device;
};

struct GpuCharactersState {
  std::shared_ptr<const DeviceState> device;
  runtime::GpuCharacters characters;
};

// Throws if joints, points or inputs are not what a crowd takes.
template <class Value>
void need_usable(const char* what, std::span<const Value> values) {
  const std::size_t bad = runtime::first_unusable(values);
  if (bad < values.size()) refuse(formatted("{} {} is not finite, or beyond {:g}", what, bad, kMaxCoordinate));
}

}  // namespace pelt::c

struct pelt_device {
  std::shared_ptr<const pelt::c::DeviceState> state;
};

struct pelt_gpu_characters {
  std::shared_ptr<pelt::c::GpuCharactersState> state;
};

struct pelt_crowd {
  std::shared_ptr<const pelt::c::GpuCharactersState> characters;
  pelt::runtime::Crowd crowd;
  bool own_joints = true;
  bool own_inputs = true;
  bool own_list = true;
  std::uint32_t made_with = 0;   // number of characters
  VkBufferUsageFlags usage = 0;  // usage asked for the crowd's own vertex buffer
  std::vector<VkBuffer> given;   // buffers of the caller's that the crowd writes to
};
