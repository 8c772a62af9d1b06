// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/curve_settings.h>

#include "engine/rig/fields.h"

namespace pelt {

// By the names that rigs give them.
inline constexpr Choice<CurveBinding> kCurveBindings[] = {
    {"auto", CurveBinding::kAuto}, {"distance", CurveBinding::kDistance}, {"weights", CurveBinding::kWeights}};

inline constexpr IntegerRange kCurvesPerVertex{.most = 3};  // curves, or chains of MOS

}  // namespace pelt
