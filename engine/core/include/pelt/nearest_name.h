// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace pelt {

// The one of `known` that takes the fewest insertions, deletions and substitutions of bytes to reach from `name`; the
// first of several. Empty where `known` is.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace pelt
