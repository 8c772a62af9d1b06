// SPDX-License-Identifier: MIT
#pragma once

namespace pelt::hierarchical_bspline {

// How a mass of secondary action is pulled every kActionStep (shaders/hierarchical_bspline/action_pose.h).
struct ActionPull {
  float kept;  // 0 to 1
  float pull;  // 1/s, 0 to 1 / kActionStep
};

// Returns the pull by which displacements at multiples of the step h follow those of r'' = -stiffness r - damping r':
// with eigenvalues z1 and z2 of its motion over h, kept = z1 z2 and pull h = (1 - z1)(1 - z2). One that swings faster
// than a radian a step is damped more, by an implicit step: no frame could show it. `stiffness`: 1/s^2, `damping`: 1/s,
// both at least 0.
ActionPull action_pull(double stiffness, double damping);

}  // namespace pelt::hierarchical_bspline
