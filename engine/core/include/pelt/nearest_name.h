// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace pelt {

// Returns the name in `known` that is nearest to `name`: the fewest insertions, deletions and substitutions of bytes
// lead to it; the first of several. Empty if `known` is empty.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace pelt
