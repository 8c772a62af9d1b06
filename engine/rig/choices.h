// SPDX-License-Identifier: MIT
// Choices that several deformers have, by the names that rigs give them.
#pragma once

#include <pelt/sparse_rows.h>

#include "engine/rig/fields.h"

namespace pelt {

inline constexpr Choice<Cut> kCuts[] = {{"continuous", Cut::kContinuous}, {"hard", Cut::kHard}};

}  // namespace pelt
