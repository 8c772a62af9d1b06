// SPDX-License-Identifier: MIT
// The linear-blend fit finds weights over joints with which plain linear blend moves a skin nearly as its deformers do
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
  // Numbers of sample poses that the fit follows. Clip poses are spread evenly over the clips, each counted as equally
  // long. Random poses turn joints at random, so that the fit does not depend only on what the clips show. Their sum is
  // 1 to 1024.
  unsigned clip_poses = 32;
  unsigned random_poses = 32;
  float cone = 0.8f;       // largest random turn of a joint, radians; 0 to pi
  std::uint64_t seed = 1;  // seed of the random poses
  unsigned threads = 0;    // 0: all cores; the result does not depend on it
};

struct LinearFitted {
  Character character;
  std::vector<LinearFitError> errors;  // one for each skin, in the order of the meshes
};

// Returns the character with a fit for every skin (CharacterMesh::fit), which replaces an earlier one. For each vertex
// p it finds the weights
//     min sum over poses s of | v'_s - sum over j of w_j M_js p |^2,   w >= 0, sum w = 1, few w > 0,
// where v'_s is the position to which the deformers move the vertex, and M_js = J_js B_j^-1 as in the pose kernel
// linear_blend. The joints are chosen among those that the vertex has weights on and those that follow it best alone.
// After James & Twigg 2005, "Skinning Mesh Animations"; reduced to few weights as in Landreneau & Schaefer 2010,
// "Poisson-Based Weight Reduction of Animated Mesh Models", without their Poisson step: the smallest weight goes first,
// and the others are solved anew each time.
//
// Streamed drivers stay in their rest pose, so that the fit does not follow them; morph targets follow the clips. Takes
// 12 bytes of memory for each vertex and pose. Errors: kInvalidArgument for options out of range and a character
// without joints; kUnsupported if the palette would have more than 2^32 - 2 entries or the fit 65536 joints, and if a
// deformer moves a vertex to a position that is not finite (the error names the vertex and its mesh).
Result<LinearFitted> fit_linear_blend(const Character& character, const LinearFitOptions& options = {});

}  // namespace pelt
