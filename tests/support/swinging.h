// SPDX-License-Identifier: MIT
// A tube whose surface swings by secondary action, and how it is moved.
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include <pelt/character.h>
#include <pelt/hierarchical_bspline.h>

namespace pelt::test {

// Returns the tube of tests/support/tube.h by tube_surface() with overlays. Control vertices 64 to 79 of the base,
// which follow joint1, swing by `action`; of level 1, some that are offset from the base, by its tenth rigidity. Their
// control meshes are "surface swinging" and "surface level 1 swinging".
Character swinging_tube(SecondaryAction action = {.rigidity = 2000, .damping = 2, .damping_into = 8, .vertices = {}});

// Returns the bind matrices of that tube, moved by `by`.
std::vector<glm::mat4> shifted_joints(glm::vec3 by);

// Returns its joint matrices `seconds` after the start of a dance: the tube sways, and joint1 turns.
std::vector<glm::mat4> dancing_joints(double seconds);

}  // namespace pelt::test
