// SPDX-License-Identifier: MIT
// The pose kernel of dual quaternion (shaders/dual_quaternion/pose.h) as the engine's list of kernels takes it. Its
// records are linear blend's, and linear blend's validation serves.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::dual_quaternion {

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context);

}  // namespace pelt::dual_quaternion
