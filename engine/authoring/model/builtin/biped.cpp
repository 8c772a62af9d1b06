// SPDX-License-Identifier: MIT
#include <span>
#include <utility>
#include <vector>

#include <pelt/builtin.h>
#include <pelt/import.h>

#include "biped_glb.h"

namespace pelt {

Model make_biped() {
  Model model = *import_gltf(std::as_bytes(std::span(kBipedGlb)), "builtin:biped");
  model.report = {};  // its notes are about materials and the copyright
  // The importer also makes joints of the nodes of meshes, and numbers them depth first. Restore the joints of the
  // skin, in its order.
  const std::vector<Joint> nodes = std::exchange(model.skeleton.joints, {});
  std::vector<std::uint32_t> joint_of_node(nodes.size());
  for (BoundJoint& bound : model.bound_joints) {
    Joint joint = nodes[bound.joint];
    if (joint.parent >= 0) joint.parent = static_cast<std::int32_t>(joint_of_node[joint.parent]);
    const auto j = static_cast<std::uint32_t>(model.skeleton.joints.size());
    bound.joint = joint_of_node[bound.joint] = j;
    model.skeleton.joints.push_back(std::move(joint));
  }
  for (Clip& clip : model.clips) {
    for (Channel& channel : clip.channels) channel.joint = joint_of_node[channel.joint];
  }
  return model;
}

}  // namespace pelt
