// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/named_files.h>
#include <pelt/result.h>

namespace pelt::samples {

struct QualityCommand {
  std::vector<std::string> deformers;      // empty: all deformers
  std::string rig;                         // file, measured after the deformers; empty: none
  NamedFiles files = NamedFiles::kFolder;  // those that the rig may name
  std::vector<double> radii{1, 0.5, 1.5};  // of the limbs
  float blend_length = 2;                  // length over which the weights change from bone to bone, in radii
  std::string folder;                      // for the limbs' meshes; empty: do not keep them
  bool json = false;
};

// Bends and twists limbs of length 8 (make_limb) with each deformer, on the CPU, and prints how well it keeps their
// shape: docs/quality.md.
Result<void> run(const QualityCommand& command);

}  // namespace pelt::samples
