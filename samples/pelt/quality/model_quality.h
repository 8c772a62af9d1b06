// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt::samples {

enum class PoseSource {
  kAuto,     // clips; sample poses where the model has none
  kClips,    // of the model
  kSamples,  // sample_poses
};

struct ModelQualityCommand {
  std::string model;                   // a file or builtin:NAME
  std::vector<std::string> deformers;  // none: all but linear blend
  std::string rig;                     // file, measured after the deformers; empty: none
  PoseSource poses = PoseSource::kAuto;
  std::uint32_t frames = 6;  // ClipSampling
  std::uint32_t clips = 10;
  bool no_fallback = false;  // rigs are judged by, not left to, linear blend
  bool json = false;
};

// Moves a model with each deformer, on the CPU, and prints how it fares against linear blend in the same poses:
// docs/quality.md. A deformer that cannot be bound has a row that says why.
Result<void> run(const ModelQualityCommand& command);

}  // namespace pelt::samples
