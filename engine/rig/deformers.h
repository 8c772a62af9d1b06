// SPDX-License-Identifier: MIT
// The list of deformers: the one place where the rig learns of a new one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/rig/rig.h"

namespace pelt {

struct DeformerEntry {
  std::string_view name;
  DeformerParameters defaults;
};

// One entry for each alternative of DeformerParameters.
std::span<const DeformerEntry> deformers();

// The one of `known` that takes the fewest insertions, deletions and substitutions of bytes to reach from `name`; the
// first of several. Empty where `known` is.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace pelt
