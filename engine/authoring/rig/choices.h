// SPDX-License-Identifier: MIT
// Choices that several deformers share, with their names in rigs.
#pragma once

#include <pelt/sparse_rows.h>
#include <pelt/tools/fields.h>

namespace pelt {

inline constexpr Choice<Cut> kCuts[] = {{"continuous", Cut::kContinuous}, {"hard", Cut::kHard}};

}  // namespace pelt
