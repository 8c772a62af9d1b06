// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace pelt::fuzz {

// Returns .pelt files of the small model that have, together, all that a character may have but every deformer's every
// configuration: each deformer, levels, streams, controls of each kind, clips and a helper joint.
std::vector<std::vector<std::byte>> seed_characters();

}  // namespace pelt::fuzz
