// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/action_pull.h"

#include <cmath>

#include "shaders/hierarchical_bspline/action_pose.h"

namespace pelt::hierarchical_bspline {

ActionPull action_pull(double stiffness, double damping) {
  const double h = double{shared::kActionStep};
  const double half = damping / 2;
  const double discriminant = half * half - stiffness;
  double kept = std::exp(-damping * h);
  double pull_h = 0;
  if (discriminant >= 0) {
    const double fast = half + std::sqrt(discriminant);
    const double slow = fast > 0 ? stiffness / fast : 0;  // half - sqrt(...), without cancellation
    pull_h = std::expm1(-fast * h) * std::expm1(-slow * h);
  } else if (const double turn = std::sqrt(-discriminant) * h; turn <= 1) {
    const double radius = std::exp(-half * h);
    const double sine = std::sin(turn / 2);
    pull_h = (1 - radius) * (1 - radius) + 4 * radius * sine * sine;
  } else {
    kept = 1 / (1 + h * damping + h * h * stiffness);
    pull_h = h * h * stiffness * kept;
  }
  return {static_cast<float>(kept), static_cast<float>(pull_h / h)};
}

}  // namespace pelt::hierarchical_bspline
