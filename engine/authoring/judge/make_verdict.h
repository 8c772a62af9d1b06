// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <pelt/tools/judge.h>
#include <pelt/verdict.h>

namespace pelt {

// Makes the verdict with the worst places of a judgement, named by the roles of their joints and by how these turn.
// `left`: for each vertex of the judge's skins, the share that linear blend took over (Judge::left_to_linear_blend);
// empty: none.
Verdict make_verdict(const Judge& judge, const Faults& faults, std::span<const float> left);

}  // namespace pelt
