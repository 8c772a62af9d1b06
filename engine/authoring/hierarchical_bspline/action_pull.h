// SPDX-License-Identifier: MIT
#pragma once

namespace pelt::hierarchical_bspline {

// Pull on a mass of secondary action in each kActionStep (shaders/hierarchical_bspline/action_pose.h).
struct ActionPull {
  float kept;  // 0 to 1
  float pull;  // 1/s, 0 to 1 / kActionStep
};

// Returns the pull with which displacements at multiples of the step h follow r'' = -stiffness r - damping r'. With the
// eigenvalues z1 and z2 of that motion over h, kept = z1 z2 and pull h = (1 - z1)(1 - z2). Masses that swing faster
// than a radian per step, which no frame could show, are damped more, by an implicit step. `stiffness`: 1/s^2,
// `damping`: 1/s, both at least 0.
ActionPull action_pull(double stiffness, double damping);

}  // namespace pelt::hierarchical_bspline
