// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/fit_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <random>

#include <pelt/clip_twists.h>
#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/pose.h>
#include <pelt/tools/parallel.h>

namespace pelt {
namespace {

SamplePose at_rest(const CharacterData& data) {
  SamplePose pose{std::vector<glm::mat4>(data.skeleton.joints.size()), std::vector<float>(data.input_count)};
  rest_matrices(data.skeleton, pose.joints);
  rest_inputs(data, pose.inputs);
  return pose;
}

// Adds `count` poses of the clips: sample i lies at (i + 1/2) / count of all clips end to end, each counted as equally
// long.
void add_clip_poses(const CharacterData& data, unsigned count, std::vector<SamplePose>& poses) {
  std::vector<const Clip*> clips;
  for (const Clip& clip : data.clips) {
    if (!clip.channels.empty() || !clip.morph_channels.empty()) clips.push_back(&clip);
  }
  if (clips.empty()) return;
  std::vector<Transform> local(data.skeleton.joints.size());
  std::optional<ClipTwists> twists;
  const Clip* twists_of = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    const double place = (i + 0.5) / count * static_cast<double>(clips.size());
    const auto c = std::min(static_cast<std::size_t>(place), clips.size() - 1);
    const Clip& clip = *clips[c];
    const float time = clip.duration * static_cast<float>(place - static_cast<double>(c));
    SamplePose& pose = poses.emplace_back(at_rest(data));
    rest_pose(data.skeleton, local);
    sample_clip(clip, time, local);
    model_matrices(data.skeleton, local, pose.joints);
    if (data.controls.empty()) continue;
    if (twists_of != &clip) twists.emplace(data, clip);
    twists_of = &clip;
    twists->sample(time, pose.inputs);
    sample_morph_targets(data, clip, time, pose.inputs);
  }
}

// Adds poses in which each joint is turned from its rest pose with a probability of one half, about a random axis:
// poses have bends of single joints and of neighbours at once.
void add_random_poses(const CharacterData& data, const LinearFitOptions& options, std::vector<SamplePose>& poses) {
  std::mt19937_64 engine(options.seed);
  // std::uniform_real_distribution differs between libraries.
  const auto random = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  std::vector<Transform> local(data.skeleton.joints.size());
  for (unsigned i = 0; i < options.random_poses; ++i) {
    rest_pose(data.skeleton, local);
    for (Transform& transform : local) {
      const double z = 2 * random() - 1;
      const double around = glm::two_pi<double>() * random();
      const double angle = options.cone * random();
      const bool turned = random() < 0.5;
      const double r = std::sqrt(1 - z * z);
      const glm::dvec3 axis(r * std::cos(around), r * std::sin(around), z);
      // A joint with a matrix has no rotation of its own, and stays.
      if (turned) transform.rotation *= glm::quat(glm::angleAxis(angle, axis));
    }
    SamplePose& pose = poses.emplace_back(at_rest(data));
    model_matrices(data.skeleton, local, pose.joints);
  }
}

// Returns the error that names the mesh and source vertex of a character's vertex.
Error not_finite(const CharacterData& data, std::size_t vertex) {
  const auto mesh = std::find_if(data.meshes.begin(), data.meshes.end(), [&](const CharacterMesh& candidate) {
    return vertex < std::size_t{candidate.first_vertex} + candidate.vertex_count();
  });
  return {ErrorCode::kUnsupported,
          fmt::format("mesh '{}': vertex {} is moved to what is not finite, at a sample pose of the linear-blend fit",
                      mesh->name, mesh->source_vertex[vertex - mesh->first_vertex])};
}

}  // namespace

std::vector<SamplePose> fit_poses(const CharacterData& data, const LinearFitOptions& options) {
  std::vector<SamplePose> poses;
  add_clip_poses(data, options.clip_poses, poses);
  add_random_poses(data, options, poses);
  if (poses.empty()) poses.push_back(at_rest(data));
  return poses;
}

std::vector<shared::JointRecord> fit_joints(const CharacterData& data) {
  std::vector<shared::JointRecord> joints;
  std::vector<bool> is_bound(data.skeleton.joints.size(), false);
  for (const BoundJoint& bound : data.bound_joints) {
    joints.push_back({bound.joint, affine_from_mat4(bound.inverse_bind)});
    is_bound[bound.joint] = true;
  }
  std::vector<glm::mat4> rest(data.skeleton.joints.size());
  rest_matrices(data.skeleton, rest);
  for (std::uint32_t j = 0; j < rest.size(); ++j) {
    if (is_bound[j]) continue;
    const Affine inverse = affine_from_mat4(glm::mat4(glm::inverse(glm::dmat4(rest[j]))));
    if (is_finite(inverse)) joints.push_back({j, inverse});
  }
  return joints;
}

Result<FitSamples> take_samples(const Character& character, std::span<const SamplePose> poses,
                                std::span<const shared::JointRecord> joints, unsigned threads) {
  FitSamples samples;
  samples.joint_count = joints.size();
  Evaluator evaluator(
      character,
      {.jobs = thread_jobs(threads), .normals = false, .tangents = false, .morphs = false, .same_everywhere = true});
  for (const SamplePose& pose : poses) {
    evaluator.pose(pose.joints);
    evaluator.inputs(pose.inputs);
    evaluator.evaluate();
    const std::span<const glm::vec3> positions = evaluator.positions();
    for (std::size_t v = 0; v < positions.size(); ++v) {
      if (!is_finite(positions[v])) return tl::unexpected(not_finite(*character, v));
    }
    samples.positions.emplace_back(positions.begin(), positions.end());
    const shared::PoseWork work{nullptr, pose.joints.data(), nullptr, nullptr, nullptr};
    std::vector<Affine>& motions = samples.motions.emplace_back();
    for (const shared::JointRecord& joint : joints) motions.push_back(shared::pose_joint(joint, work));
  }
  return samples;
}

}  // namespace pelt
