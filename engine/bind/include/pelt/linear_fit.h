// SPDX-License-Identifier: MIT
// The linear-blend fit: weights over joints with which plain linear blend moves a skin nearly as its deformers do
// (docs/detail.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt {

struct LinearFitOptions {
  static constexpr unsigned kMaxInfluences = 8;
  unsigned influences = 4;  // joints that move a vertex, at most: 1 to kMaxInfluences
  // Poses that are fitted to: of the clips, spread over them in equal parts (no fewer than one a clip), and with joints
  // turned at random, so that the fit does not hang on what the clips happen to show. 1 to 1024 together.
  unsigned clip_poses = 32;
  unsigned random_poses = 32;
  float cone = 0.8f;       // radians that a joint is turned at random, at most; 0 to pi
  std::uint64_t seed = 1;  // of the random poses
  unsigned threads = 0;    // 0: all cores; the result does not depend on it
};

struct LinearFitted {
  Character character;
  std::vector<LinearFitError> errors;  // of each skin, in the order of the meshes
};

// The character with a fit of every skin (CharacterMesh::fit); one that it had is replaced. Of each vertex p the
// weights
//     min sum over poses s of | v'_s - sum over j of w_j M_js p |^2,   w >= 0, sum w = 1, few w > 0,
// v'_s: where its deformers move it, M_js = J_js B_j^-1 as the pose kernel linear_blend has it. The joints are chosen
// among those that a vertex weighs to, those next to them in the skeleton, and those that follow it best alone. After
// James & Twigg 2005, "Skinning Mesh Animations"; reduced to few weights as in Landreneau & Schaefer 2010,
// "Poisson-Based Weight Reduction of Animated Mesh Models", without their Poisson step: smallest first, each time with
// the rest solved for anew.
//
// Streamed drivers stand at rest in all poses, so that what they do is not in the fit; morph targets follow the clips.
// Takes 12 bytes of memory a vertex and pose. Errors: kInvalidArgument for options out of range and a character without
// joints; kUnsupported where the palette would have more than 2^32 - 2 entries or the fit 65536 joints, and where a
// deformer moves a vertex to what is not finite, which is named with its mesh.
Result<LinearFitted> fit_linear_blend(const Character& character, const LinearFitOptions& options = {});

}  // namespace pelt
