// SPDX-License-Identifier: MIT
// Weights for a skin that nobody painted, from its skeleton.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// Makes weights for meshes of a model (indices in Model::meshes, each once) from the shortest ways inside the skin to
// each bone (Dionne, de Lasa 2013, "Geodesic Voxel Binding for Production Character Meshes"), smoothed along the skin:
// at most 8 joints per vertex. A bone pulls little skin that is farther from a joint than its limb is thick. Parts may
// overlap, be open or be sheets; small loose parts follow in one piece. Each mesh's rows name the bound joints for
// which `may_move` is true (one per bound joint; empty: all). The result does not depend on the number of threads (0:
// all CPUs). Errors: kUnsupported if no joint is in the meshes.
Result<std::vector<SparseRows>> paint_weights(const Model& model, std::span<const std::uint32_t> meshes,
                                              std::vector<bool> may_move = {}, unsigned threads = 0);

// When bind makes weights.
enum class PaintMode {
  kAuto,    // for meshes without weights; in a file without any, also for meshes next to the skeleton
  kAlways,  // for all meshes but props: those that hang on a bone, or follow one joint with no two others in them
  kNever,
};

// Returns true if paint_model would try to make weights.
bool may_paint(const Model& model, PaintMode mode);

// Makes the weights of a model's meshes and of their levels. A mesh is next to the skeleton if it hangs on a node of
// its own that no clip moves (with kAlways, any may). Returns a note on what was painted, or why not; empty: there is nothing to paint, or the
// model was painted already. Errors: those of paint_weights, with kAlways.
Result<std::string> paint_model(Model& model, PaintMode mode, unsigned threads = 0);

}  // namespace pelt
