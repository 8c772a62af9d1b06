// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <pelt/verdict.h>

#include "engine/judge/judge.h"

namespace pelt {

// The worst places of a judgement, named by the roles of their joints and by how these turn. `left`: of each vertex of
// the judge's skins (Judge::left_to_linear_blend); empty: nothing is.
Verdict make_verdict(const Judge& judge, const Faults& faults, std::span<const float> left);

}  // namespace pelt
