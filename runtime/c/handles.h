// SPDX-License-Identifier: MIT
// The structs that the handles of pelt.h point to. An object shares ownership of the objects it is made from.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <pelt/character.h>
#include <pelt/clip_twists.h>
#include <pelt/pelt.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/upload.h>

#include "runtime/c/support.h"

namespace pelt::c {
struct SharedSkinIndex;
}

struct pelt_character {
  // A clip's twists, computed when the clip is first sampled for inputs.
  struct Twists {
    std::once_flag once;
    std::unique_ptr<const pelt::ClipTwists> played;
  };

  explicit pelt_character(pelt::Character of) : character(std::move(of)), twists(character->clips.size()) {}

  const pelt::Character character;
  mutable std::vector<Twists> twists;  // one for each clip
  mutable std::once_flag index_once;
  mutable std::shared_ptr<pelt::c::SharedSkinIndex> index;  // of its evaluators
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

std::vector<Character> characters_of(const pelt_character* const* characters, std::uint32_t count);

static_assert(static_cast<int>(Detail::kFull) == PELT_DETAIL_FULL &&
              static_cast<int>(Detail::kLinearBlend) == PELT_DETAIL_LINEAR_BLEND);
inline Detail to_detail(std::uint32_t detail) {
  need_known("detail", detail, PELT_DETAIL_LINEAR_BLEND);
  return static_cast<Detail>(detail);
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
};
