// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <pelt/curve_keys.h>
#include <pelt/model.h>
#include <pelt/result.h>

#include "shaders/swing_twist.h"

namespace pelt::key_weights {

// The words that joint_angle (shaders/swing_twist.h) reads.
using AngleWords = std::array<std::uint32_t, shared::kJointAngleWords>;

// Returns the words of an angle. Errors begin with `what`: an unknown joint or one without parent, an axis without
// direction.
Result<AngleWords> angle_words(const KeyAngle& angle, const Model& model, const std::string& what);

}  // namespace pelt::key_weights
