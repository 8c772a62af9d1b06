// SPDX-License-Identifier: MIT
// The linkage rules: from a tree of clusters to paths through it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/authoring/chain/joint_clusters.h"

namespace pelt::chain {

// Indices of clusters, in order; each is the parent or a child of the next. A single one: a curve to its tip.
using Path = std::vector<std::uint32_t>;

// Finds the paths of the curves by the rules in chains.h. `split` marks the ends of paths. Appends to `notes`.
std::vector<Path> find_paths(const Model& model, const JointClusters& tree, const std::vector<bool>& split,
                             std::vector<std::string>& notes);

}  // namespace pelt::chain
