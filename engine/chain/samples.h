// SPDX-License-Identifier: MIT
// Where a curve's frames are tabulated: few samples, dense where it bends.
#pragma once

#include <span>
#include <vector>

#include "engine/chain/curve.h"

namespace pelt::chain {

// Fractions of each bone (none where reach[bone] is 0), ascending from 0 to 1, a multiple of shared::kCurveSlots of
// them, so that in a pose in which every joint of the chain bends by 135 degrees, twisting by 180 or not, or twists by
// 360, the table moves no point within `reach[bone]` of the curve by more than `error` metres from where the curve
// would: between samples h apart it is off by at most h^2 |v'' - 2 X'| / 8 (v: the moved point, X: the frame's first
// axis, by lambda), so samples are laid at equal steps of the integral of the square root of that.
std::vector<std::vector<float>> place_samples(const Curve& curve, std::span<const float> reach, float error,
                                              std::span<const glm::dmat4> at_bind);

}  // namespace pelt::chain
