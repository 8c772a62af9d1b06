// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/pose.h>
#include <pelt/tools/clip_poses.h>

namespace pelt {

std::vector<CheckPose> clip_poses(const CharacterData& character, const ClipSampling& sampling) {
  constexpr double kMaxFrames = 1e6;
  struct Frames {
    std::uint32_t clip;
    double fps;
    std::size_t end;  // of its poses among those of all clips
  };
  std::vector<Frames> clips;
  std::size_t all = 0;
  for (std::uint32_t c = 0; c < character.clips.size() && clips.size() < sampling.clips; ++c) {
    const Clip& clip = character.clips[c];
    if (!(clip.duration > kShortestCheckedClip)) continue;
    const double fps = std::max(1.0, (sampling.frames - 1.0) / clip.duration);
    all += static_cast<std::size_t>(std::min(std::floor(clip.duration * fps + 1e-4), kMaxFrames)) + 1;
    clips.push_back({c, fps, all});
  }
  // Dropped poses get no names, which a file can make long.
  std::vector<CheckPose> poses;
  const std::size_t kept = std::min(all, sampling.poses);
  auto frames = clips.begin();
  std::size_t first = 0;  // of the clip's poses
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t pose = i * all / kept;
    while (pose >= frames->end) first = (frames++)->end;
    const auto frame = static_cast<std::uint32_t>(pose - first);
    const auto seconds = static_cast<float>(frame / frames->fps);
    const std::string& name = character.clips[frames->clip].name;
    const bool blank = name.find_first_not_of(' ') == std::string::npos;
    poses.push_back(
        {.name = fmt::format("{} at {:.2f} s", blank ? fmt::format("clip {}", frames->clip) : name, seconds),
         .clip = frames->clip,
         .frame = frame,
         .seconds = seconds});
  }
  return poses;
}

PosePlayer::PosePlayer(const CharacterData& character)
    : character_(character),
      rest_(character.skeleton.joints.size()),
      local_(rest_.size()),
      joints_(rest_.size()),
      turned_(rest_.size()),
      inputs_(character.input_count) {
  rest_matrices(character.skeleton, rest_);
}

void PosePlayer::pose(const CheckPose& pose, Evaluator& evaluator) {
  this->pose(pose);
  evaluator.pose(joints_);
  evaluator.inputs(inputs_);
}

void PosePlayer::pose(const CheckPose& pose) {
  rest_inputs(character_, inputs_);
  joints_ = rest_;
  if (pose.clip) {
    const Clip& clip = character_.clips[*pose.clip];
    rest_pose(character_.skeleton, local_);
    sample_clip(clip, pose.seconds, local_);
    model_matrices(character_.skeleton, local_, joints_);
    twists_.try_emplace(*pose.clip, character_, clip).first->second.sample(pose.seconds, inputs_);
    sample_morph_targets(character_, clip, pose.seconds, inputs_);
  }
  if (pose.turns.empty()) return;
  // Local rotations do not suffice: a node with a matrix has none, and it shears below a stretched parent.
  std::ranges::fill(turned_, glm::dmat4(1.0));
  for (const TurnFromRest& turn : pose.turns) {
    const glm::dvec3 pivot(rest_[turn.joint][3]);
    const glm::dmat4 about = glm::rotate(glm::dmat4(1.0), glm::radians(turn.degrees), turn.axis);
    turned_[turn.joint] = glm::translate(about, -pivot);
    turned_[turn.joint][3] += glm::dvec4(pivot, 0.0);
  }
  for (std::size_t j = 0; j < rest_.size(); ++j) {
    if (const auto parent = character_.skeleton.parent_of(j)) turned_[j] = turned_[*parent] * turned_[j];
    joints_[j] = glm::mat4(turned_[j] * glm::dmat4(rest_[j]));
  }
}

}  // namespace pelt
