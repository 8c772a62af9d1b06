// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "samples/pelt/gpu.h"
#include "samples/pelt/input.h"

namespace pelt::samples {

// First and last frame, both included.
inline constexpr std::int32_t kMaxFrame = 1'000'000;  // of --frames, and of a clip written whole

struct FrameRange {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

struct DeformCommand {
  std::string file;                  // .pelt or a model
  Binding binding;                   // if `file` is a model
  std::string clip;                  // empty: rest pose
  std::vector<std::string> caches;   // Animation::caches
  std::uint32_t level = 0;           // of detail (Character::at_level)
  std::optional<FrameRange> frames;  // none: the whole clip
  double fps = 24;
  std::optional<float> time;  // seconds, of the only frame; instead of `frames`
  bool on_gpu = true;
  GpuOptions gpu;
  std::string output;  // .pc2, .obj or .glb
};

// Writes the skins, without control meshes, in the model's vertex order, one mesh after the other.
Result<void> run(const DeformCommand& command);

}  // namespace pelt::samples
