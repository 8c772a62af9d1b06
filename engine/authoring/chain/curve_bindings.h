// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/curve_settings.h>
#include <pelt/tools/fields.h>

namespace pelt {

// The names of the bindings in rigs.
inline constexpr Choice<CurveBinding> kCurveBindings[] = {
    {"auto", CurveBinding::kAuto}, {"distance", CurveBinding::kDistance}, {"weights", CurveBinding::kWeights}};

inline constexpr IntegerRange kCurvesPerVertex{.most = 3};  // curves; chains in MOS

}  // namespace pelt
