// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <string>

#include <pelt/builtin.h>

#include "tests/support/driven.h"

namespace pelt::viewer {

inline constexpr std::array kDeformers{"linear_blend", "dual_quaternion", "surface_ffd", "curve_skeleton", "mos"};

// Returns the built-in biped, bound once by each deformer.
inline const Bound& biped(const std::string& deformer) {
  static std::map<std::string, Bound> bound;
  const auto known = bound.find(deformer);
  if (known != bound.end()) return known->second;
  return bound.emplace(deformer, test::bound_with(make_biped(), deformer)).first->second;
}

}  // namespace pelt::viewer
