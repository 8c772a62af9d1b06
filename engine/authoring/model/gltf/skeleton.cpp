// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/skeleton.h"

#include <fmt/format.h>

#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <string>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/model/affine.h"
#include "engine/authoring/model/unique_names.h"

namespace pelt {
namespace {

Result<void> set_rest(const GltfDocument& document, const tinygltf::Node& node, const std::string& place,
                      Joint& joint) {
  if (!node.matrix.empty()) {
    glm::dmat4 matrix;
    for (int c = 0; c < 16; ++c) matrix[c / 4][c % 4] = node.matrix[static_cast<std::size_t>(c)];
    for (int c = 0; c < 4; ++c) {
      if (std::abs(matrix[c][3] - (c == 3 ? 1.0 : 0.0)) > 1e-6) {
        return fail_at(document, place + "/matrix", "its last row is not 0 0 0 1");
      }
      matrix[c][3] = c == 3 ? 1.0 : 0.0;
    }
    if (const auto transform = decompose(matrix)) {
      joint.rest = *transform;
    } else {
      joint.matrix = glm::mat4(matrix);
    }
    return {};
  }
  const auto load = [](const std::vector<double>& from, auto& to) {
    for (std::size_t c = 0; c < from.size(); ++c) {
      to[static_cast<glm::length_t>(c)] = static_cast<float>(from[c]);
    }
  };
  load(node.translation, joint.rest.translation);
  load(node.scale, joint.rest.scale);
  if (!node.rotation.empty()) {
    const std::vector<double>& r = node.rotation;
    const glm::dquat rotation(r[3], r[0], r[1], r[2]);
    if (!(glm::length(rotation) > 1e-6)) return fail_at(document, place + "/rotation", "has no length");
    joint.rest.rotation = glm::quat(glm::normalize(rotation));
  }
  return {};
}

}  // namespace

Result<GltfSkeleton> read_joints(const GltfDocument& document, const NodeTree& tree, Skeleton& skeleton) {
  GltfSkeleton result;
  const std::vector<tinygltf::Node>& nodes = document.gltf.nodes;
  result.joint_of_node.resize(nodes.size());
  UniqueNames names;
  for (const int index : tree.order) {
    const auto i = static_cast<std::size_t>(index);
    const tinygltf::Node& node = nodes[i];
    result.joint_of_node[i] = static_cast<std::uint32_t>(skeleton.joints.size());
    Joint joint;
    joint.name = names.claim(node.name.empty() ? fmt::format("node_{}", i) : node.name);
    const int parent = tree.parents[i];
    if (parent >= 0) joint.parent = static_cast<std::int32_t>(result.joint_of_node[static_cast<std::size_t>(parent)]);
    PELT_TRY(set_rest(document, node, fmt::format("/nodes/{}", i), joint));
    const glm::dmat4 local = joint.matrix ? glm::dmat4(*joint.matrix) : to_matrix(joint.rest);
    result.local_rests.push_back(local);
    result.rests.push_back(joint.parent < 0 ? local : result.rests[static_cast<std::size_t>(joint.parent)] * local);
    if (!fits_float(result.rests.back())) {
      return fail_at(document, fmt::format("/nodes/{}", i), "its transform in the model does not fit single precision");
    }
    skeleton.joints.push_back(std::move(joint));
  }
  return result;
}

}  // namespace pelt
