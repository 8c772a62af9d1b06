// SPDX-License-Identifier: MIT
#include "tests/support/swinging.h"

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/bind.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube_surface.h"

namespace pelt::test {

Character swinging_tube(SecondaryAction action) {
  HierarchicalBsplineParameters surface = tube_surface();
  add_overlays(surface);
  action.vertices = {{64, 79}};
  surface.levels[0].secondary = {action};
  action.rigidity /= 10;
  action.vertices = {{8 * 16 + 3, 8 * 16 + 3}};
  surface.levels[1].secondary = {action};
  return must(bind(make_tube(), rig_of(surface))).character;
}

std::vector<glm::mat4> shifted_joints(glm::vec3 by) {
  std::vector<glm::mat4> joints = bind_matrices(make_tube());
  for (glm::mat4& joint : joints) joint[3] += glm::vec4(by, 0);
  return joints;
}

std::vector<glm::mat4> dancing_joints(double seconds) {
  const auto wave = [&](double rate, double phase) { return static_cast<float>(std::sin(rate * seconds + phase)); };
  std::vector<glm::mat4> joints = shifted_joints({0, 0.3f * wave(5, 0.3), 0.5f * wave(7, 0)});
  joints[1] = joints[1] * glm::rotate(glm::mat4(1), 0.6f * wave(9, 1), glm::normalize(glm::vec3(0.2f, 1, 0.5f)));
  return joints;
}

}  // namespace pelt::test
