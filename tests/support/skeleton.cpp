// SPDX-License-Identifier: MIT
#include "tests/support/skeleton.h"

namespace pelt::test {

Model skeleton_of(const std::vector<Node>& nodes) {
  Model model;
  for (const Node& node : nodes) {
    Joint joint;
    joint.name = node.name;
    joint.parent = node.parent;
    joint.rest.translation = node.position;
    if (node.parent >= 0) joint.rest.translation -= nodes[static_cast<std::size_t>(node.parent)].position;
    model.skeleton.joints.push_back(joint);
  }
  return model;
}

}  // namespace pelt::test
