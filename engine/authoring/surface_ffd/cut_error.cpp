// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/cut_error.h"

#include <algorithm>
#include <glm/gtc/quaternion.hpp>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/pose.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "engine/authoring/driver/build_character.h"

namespace pelt::surface_ffd {
namespace {

constexpr std::size_t kMaxPoses = 24;

std::vector<std::vector<glm::mat4>> clip_poses(const Model& model) {
  std::vector<std::vector<glm::mat4>> poses;
  const std::size_t a_clip = std::max<std::size_t>(1, kMaxPoses / std::max<std::size_t>(1, model.clips.size()));
  std::vector<Transform> local(model.skeleton.joints.size());
  for (const Clip& clip : model.clips) {
    if (clip.channels.empty()) continue;
    for (std::size_t i = 0; i < a_clip && poses.size() < kMaxPoses; ++i) {
      rest_pose(model.skeleton, local);
      sample_clip(clip, clip.duration * (static_cast<float>(i) + 0.5f) / static_cast<float>(a_clip), local);
      model_matrices(model.skeleton, local, poses.emplace_back(local.size()));
    }
  }
  return poses;
}

std::vector<std::vector<glm::mat4>> joint_poses(const Model& model) {
  std::vector<std::uint32_t> joints;
  for (const BoundJoint& bound : model.bound_joints) joints.push_back(bound.joint);
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  const std::size_t step = std::max<std::size_t>(1, 2 * joints.size() / kMaxPoses);
  std::vector<std::vector<glm::mat4>> poses;
  std::vector<Transform> local(model.skeleton.joints.size());
  for (std::size_t i = 0; i < joints.size(); i += step) {
    for (const glm::vec3 axis : {glm::vec3(1, 0, 0), glm::vec3(0, 0, 1)}) {
      rest_pose(model.skeleton, local);
      // A joint with a matrix has no rotation of its own to change, and stays put.
      local[joints[i]].rotation *= glm::angleAxis(glm::radians(60.0f), axis);
      model_matrices(model.skeleton, local, poses.emplace_back(local.size()));
    }
  }
  return poses;
}

// Returns poses in which every joint is bent, neighbours about different axes, and each about every axis both ways.
std::vector<std::vector<glm::mat4>> bent_poses(const Model& model) {
  constexpr std::size_t kAxes = 6;
  constexpr float kBend = 60.0f;  // degrees
  std::vector<std::vector<glm::mat4>> poses;
  std::vector<Transform> local(model.skeleton.joints.size());
  for (std::size_t pose = 0; pose < kAxes; ++pose) {
    rest_pose(model.skeleton, local);
    for (std::size_t j = 0; j < local.size(); ++j) {
      glm::vec3 axis(0.0f);
      axis[static_cast<int>((pose + j) % 3)] = (pose + j) % kAxes < 3 ? 1.0f : -1.0f;
      local[j].rotation *= glm::angleAxis(glm::radians(kBend), axis);
    }
    model_matrices(model.skeleton, local, poses.emplace_back(local.size()));
  }
  return poses;
}

// Returns a mesh of one vertex, moved by the first palette entry: a character needs a skin.
Mesh one_point() {
  Mesh mesh;
  mesh.name = std::string(1, '\n');  // not a name that an importer makes
  mesh.positions = {glm::vec3(0.0f)};
  mesh.normals = {glm::vec3(0, 0, 1)};
  return mesh;
}

}  // namespace

Result<std::optional<CutProbe>> CutProbe::create(const Model& model, const CharacterBuilder& builder) {
  CharacterBuilder copy = builder;
  MeshBinding binding;
  if (model.skeleton.joints.empty()) return std::optional<CutProbe>();
  const Influence root{copy.root_entry(), 1.0f};
  binding.rows.append_row(std::span(&root, 1));
  PELT_TRY(copy.add_skin(one_point(), binding, "probe"));
  PELT_ASSIGN(const auto character, build_character(copy));
  if (!character->streams.empty()) return std::optional<CutProbe>();

  std::vector<std::vector<glm::mat4>> poses = clip_poses(model);
  if (poses.empty()) poses = joint_poses(model);
  if (poses.empty()) return std::optional<CutProbe>();
  CutProbe probe;
  probe.separate_ = poses.size();
  std::ranges::move(bent_poses(model), std::back_inserter(poses));
  Evaluator evaluator(character, {.jobs = thread_jobs(), .same_everywhere = true});
  for (const std::vector<glm::mat4>& pose : poses) {
    evaluator.pose(pose);
    evaluator.evaluate();
    probe.palettes_.emplace_back(evaluator.palette().begin(), evaluator.palette().end());
  }
  return std::optional(std::move(probe));
}

double CutProbe::largest_difference(const SparseRows& a, const SparseRows& b, std::span<const glm::vec3> points) const {
  double largest = 0;
  for (const std::vector<Affine>& palette : std::span(palettes_).first(separate_)) {
    const auto moved = [&](const SparseRows& rows, std::size_t i) {
      glm::dvec3 sum(0);
      for (const Influence& influence : rows.row(i)) {
        sum += double{influence.weight} * glm::dvec3(transform_point(palette[influence.index], points[i]));
      }
      return sum;
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
      largest = std::max(largest, glm::distance(moved(a, i), moved(b, i)));
    }
  }
  return largest;
}

}  // namespace pelt::surface_ffd
