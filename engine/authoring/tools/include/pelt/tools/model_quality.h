// SPDX-License-Identifier: MIT
// Measures deformers on a character, against linear blend in the same poses (docs/quality.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <pelt/bind.h>
#include <pelt/check_pose.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/tools/check_figures.h>

namespace pelt {

enum class PoseSource {
  kAuto,     // clips, or sample poses if the model has none
  kClips,    // clips of the model
  kSamples,  // sample_poses
};

struct ModelQualityOptions {
  std::vector<std::string> deformers;  // empty: all but linear blend
  std::string rig;                     // file, measured after the deformers; empty: none
  std::optional<Rig> given_rig;        // instead of the file
  PoseSource poses = PoseSource::kAuto;
  std::uint32_t frames = 6;  // ClipSampling::frames
  std::uint32_t clips = 10;
  bool no_fallback = false;                // rigs are compared with linear blend, but no skin falls back to it
  NamedFiles files = NamedFiles::kFolder;  // files that the model and the rig may name
  std::function<void(double fraction, const std::string& what)> progress;  // on the calling thread; may be empty
  std::function<bool()> stop;                                              // BindOptions::stop; may be empty
};

// A location in words, and its worst pose.
struct WorstOfSkin {
  std::string mesh;
  std::string joint;
  CheckPose pose;
};

// The figures of one deformer, or of the rig.
struct ModelQualityRow {
  std::string deformer;
  std::string error;  // why there are no figures; empty: there are figures
  Figures figures;
  std::optional<double> restored;
  PieceShares pieces;   // of the skin's area
  double fallback = 0;  // fraction of the skin's area that falls back to linear blend
  WorstOfSkin stretch;
  std::optional<WorstOfSkin> flip;
};

struct ModelQuality {
  std::string model;                    // as the user named it
  std::vector<std::string> clip_names;  // of the model
  std::size_t vertices = 0;
  std::size_t frames = 0;
  bool from_clips = false;
  std::size_t clips = 0;  // number of clips in the frames
  std::vector<ModelQualityRow> rows;
};

// Moves a model (a file or builtin:NAME) with each deformer, on the CPU, and compares it with linear blend in the same
// poses. If a deformer cannot be bound, its row explains why.
Result<ModelQuality> measure_model_quality(const std::string& model, const ModelQualityOptions& options);

// Returns the output of `pelt quality --model --json`, without a newline at its end.
std::string format_model_quality(const ModelQuality& quality);

}  // namespace pelt
