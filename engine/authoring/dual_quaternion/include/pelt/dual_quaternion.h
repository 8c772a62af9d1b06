// SPDX-License-Identifier: MIT
// Parameters of dual quaternion skinning (Kavan et al. 2008) by the weights of the model.
#pragma once

#include <string_view>

namespace pelt {

class Fields;

struct DualQuaternionParameters {
  static constexpr std::string_view kName = "dual_quaternion";

  bool exact_normals = false;  // true: normals follow the gradient of the weights; false: only the frames
  friend bool operator==(const DualQuaternionParameters&, const DualQuaternionParameters&) = default;
};

void describe(Fields& fields, DualQuaternionParameters& parameters);

}  // namespace pelt
