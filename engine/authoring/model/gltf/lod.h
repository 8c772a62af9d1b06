// SPDX-License-Identifier: MIT
// MSFT_lod: nodes that stand in for others where those are small on screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pelt/result.h>

#include "engine/authoring/model/gltf/document.h"

namespace pelt {

// A node that is a level of detail of another node.
struct GltfLevel {
  std::size_t of = 0;
  std::size_t node = 0;
  std::uint32_t level = 1;
};

// Returns the levels of all nodes; the ids are checked by the schema. Errors name the place: a node named twice, more
// than 63 levels.
Result<std::vector<GltfLevel>> read_gltf_levels(const GltfDocument& document);

}  // namespace pelt
