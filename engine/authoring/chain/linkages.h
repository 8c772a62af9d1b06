// SPDX-License-Identifier: MIT
// The linkage rules: from a tree of places to paths through it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/authoring/chain/places.h"

namespace pelt::chain {

// Places in order; each is the parent or a child of the next. One place alone: a curve from it to its tip.
using Path = std::vector<std::uint32_t>;

// Finds the paths of the curves by the rules in chains.h. `split` is true for places at which paths end. Appends to
// `notes`.
std::vector<Path> find_paths(const Model& model, const Places& places, const std::vector<bool>& split,
                             std::vector<std::string>& notes);

}  // namespace pelt::chain
