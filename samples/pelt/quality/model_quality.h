// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt::samples {

enum class PoseSource {
  kAuto,     // clips, or sample poses if the model has none
  kClips,    // clips of the model
  kSamples,  // sample_poses
};

struct ModelQualityCommand {
  std::string model;                   // a file or builtin:NAME
  std::vector<std::string> deformers;  // empty: all but linear blend
  std::string rig;                     // file, measured after the deformers; empty: none
  PoseSource poses = PoseSource::kAuto;
  std::uint32_t frames = 6;  // ClipSampling::frames
  std::uint32_t clips = 10;
  bool no_fallback = false;  // rigs are compared with linear blend, but leave nothing to it
  bool json = false;
};

// Moves a model with each deformer, on the CPU, and compares it with linear blend in the same poses: docs/quality.md.
// If a deformer cannot be bound, its row says why.
Result<void> run(const ModelQualityCommand& command);

}  // namespace pelt::samples
