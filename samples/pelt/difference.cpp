// SPDX-License-Identifier: MIT
#include "samples/pelt/difference.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <pelt/evaluate.h>
#include <pelt/frame.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/linear_comparison.h>
#include <pelt/tools/sample_poses.h>
#include <pelt/try.h>

namespace pelt::samples {

Result<LargestDifference> largest_difference(const Character& character, const Character& linear_blend) {
  std::vector<CheckPose> poses = clip_poses(*linear_blend);
  std::ranges::move(sample_poses(linear_blend), std::back_inserter(poses));
  PELT_ASSIGN(const auto comparison, LinearComparison::create(linear_blend, std::move(poses)));
  PELT_ASSIGN(const auto figures, comparison.measure(character));
  if (!(figures.far > 1e-4)) return fail(ErrorCode::kInvalidArgument, "moves as by linear blend in every pose");

  const CheckPose pose = comparison.pose_at(figures.far_at.frame, figures.far_at.from);
  const SkinLocation place = comparison.location_of(figures.far_at.from);
  LargestDifference found{.pose = {}, .name = pose.name, .distance = figures.far};
  const auto posed = [&](const Character& moved) {
    Evaluator evaluator(moved, {.normals = false, .tangents = false, .morphs = false});
    PosePlayer player(*moved);
    player.pose(pose, evaluator);
    evaluator.evaluate();
    found.pose.joints.assign(player.joints().begin(), player.joints().end());
    found.pose.inputs.assign(player.inputs().begin(), player.inputs().end());
    const CharacterMesh& mesh = *std::ranges::find_if(
        moved->meshes, [&](const CharacterMesh& skin) { return !skin.control && skin.name == place.mesh; });
    return evaluator.positions()[mesh.first_vertex + packed_vertex(mesh, place.vertex).value_or(0)];
  };
  const glm::vec3 linear = posed(linear_blend);
  const glm::vec3 at = posed(character);
  const auto origin = [&](std::uint32_t joint) { return glm::vec3(found.pose.joints[joint][3]); };
  glm::vec3 middle(0);
  for (std::uint32_t joint = 0; joint < found.pose.joints.size(); ++joint) {
    middle += origin(joint) / static_cast<float>(found.pose.joints.size());
    if (glm::distance(origin(joint), at) < glm::distance(origin(found.joint), at)) found.joint = joint;
  }
  // Look across the difference and across the bone, rather from outside of the body than through it.
  const std::optional<std::uint32_t> parent = character->skeleton.parent_of(found.joint);
  const glm::vec3 bone = origin(found.joint) - (parent ? origin(*parent) : middle);
  float best = 0;
  for (int degrees = -180; degrees < 180; degrees += 15) {
    const float yaw = glm::radians(static_cast<float>(degrees));
    const glm::vec3 to_camera(std::sin(yaw), 0, std::cos(yaw));
    const auto seen = [&](const glm::vec3& v) { return glm::length(glm::cross(v, to_camera)); };
    const float outside = 1.5f + glm::dot(to_camera, normalize_or(at - middle, to_camera));
    const float score = seen(at - linear) * seen(bone) * outside;
    if (score > best) best = score, found.yaw = static_cast<float>(degrees);
  }
  return found;
}

}  // namespace pelt::samples
