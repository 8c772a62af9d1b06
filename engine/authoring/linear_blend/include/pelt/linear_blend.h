// SPDX-License-Identifier: MIT
// Parameters of linear blend, by the weights of the model.
#pragma once

#include <string_view>

#include <pelt/twist.h>

namespace pelt {

class Fields;

struct LinearBlendParameters {
  static constexpr std::string_view kName = "linear_blend";

  bool exact_normals = false;  // whether normals follow the gradient of the weights; else only the frames
  Twist twist = Twist::kNone;
  friend bool operator==(const LinearBlendParameters&, const LinearBlendParameters&) = default;
};

void describe(Fields& fields, LinearBlendParameters& parameters);

}  // namespace pelt
