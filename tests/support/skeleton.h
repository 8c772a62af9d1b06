// SPDX-License-Identifier: MIT
// Skeletons without meshes: all joints count, and there are no tips.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <vector>

#include <pelt/model.h>

namespace pelt::test {

struct Node {
  std::string name;
  std::int32_t parent;
  glm::vec3 position;  // model space
};

Model skeleton_of(const std::vector<Node>& nodes);

}  // namespace pelt::test
