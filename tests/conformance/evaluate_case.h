// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tests/conformance/back_end.h"
#include "tests/conformance/case_file.h"

namespace pelt::conformance {

// Largest allowed difference of a position, relative to the diagonal of the skin's bounding box, and of a normal, in
// degrees. Float arithmetic must reach them.
constexpr double kPositionTolerance = 1e-4;
constexpr double kNormalTolerance = 2.0;

struct Deviation {
  double position = 0;       // relative to the diagonal
  double normal = 0;         // degrees
  bool finite = true;        // false if any value, of skipped vertices too, is not finite
  std::size_t pose = 0;      // pose of the largest `position` deviation, in Case::poses
  std::uint32_t vertex = 0;  // vertex of that deviation

  bool passes() const { return finite && position <= kPositionTolerance && normal <= kNormalTolerance; }
};

// Binds a model made from the case, moves it through the poses of the variant's answers, and returns the largest
// deviations. Errors: those of bind and of the back end. Precondition: the variant is supported.
Result<Deviation> evaluate(const Case& test_case, const Variant& variant, BackEnd& back_end);

}  // namespace pelt::conformance
