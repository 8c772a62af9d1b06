// SPDX-License-Identifier: MIT
// Chooses where the frames of a curve are tabulated: few samples, dense where it bends.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/chain/curve.h"

namespace pelt::chain {

// Returns `count` rounded up to whole records of `slots` samples each, at most 512 samples.
std::size_t in_whole_records(std::size_t count, std::size_t slots);

// Returns the samples of each bone as fractions of it, ascending from 0 to 1: a multiple of shared::kCurveSlots, at
// most 512, or none if reach[bone] is 0. The table then moves no point within reach[bone] metres of the curve by more
// than `error` metres from where the curve would, in each of three poses: every joint of the chain bends by 135
// degrees, the same with a twist by 180, or twists by 360. With the moved point v and the first axis X of the frame,
// both as functions of lambda, the table is off between samples h apart by at most
//   h^2 |v'' - 2 X'| / 8,
// so samples stand at equal steps of the integral of the square root of that.
std::vector<std::vector<float>> place_samples(const Curve& curve, std::span<const float> reach, float error,
                                              std::span<const glm::dmat4> at_bind);

}  // namespace pelt::chain
