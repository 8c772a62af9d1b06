// SPDX-License-Identifier: MIT
// Makes the poses for checks of deformers: frames of a character's clips, or joints turned from the
// rest pose (sample_poses.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/check_pose.h>
#include <pelt/clip_twists.h>
#include <pelt/evaluate.h>

namespace pelt {

// Chooses the frames of clips: those that `pelt deform --fps` writes at (frames - 1) / duration frames per second, at
// least one per second.
struct ClipSampling {
  std::uint32_t frames = 6;  // of a clip of up to frames - 1 seconds, both ends included
  std::uint32_t clips = 10;  // number of clips, from the first
  // Most poses of all clips. More are thinned evenly.
  std::size_t poses = std::numeric_limits<std::size_t>::max();
};
inline constexpr float kShortestCheckedClip = 0.05f;  // seconds; clips up to this length are left out

std::vector<CheckPose> clip_poses(const CharacterData& character, const ClipSampling& sampling = {});

// Poses evaluators of a character. Prepares a clip for the first pose that needs it.
class PosePlayer {
 public:
  // The character must outlive the player.
  explicit PosePlayer(const CharacterData& character);

  // Sets joints and inputs; streamed drivers stay in their rest pose. Precondition: the clip and joint are the
  // character's.
  void pose(const CheckPose& pose, Evaluator& evaluator);

  // Does the same without an evaluator. joints() and inputs() are those of the last pose: one matrix for each joint,
  // model space.
  void pose(const CheckPose& pose);
  std::span<const glm::mat4> joints() const { return joints_; }
  std::span<const float> inputs() const { return inputs_; }

 private:
  const CharacterData& character_;
  std::map<std::uint32_t, ClipTwists> twists_;  // by clip
  std::vector<glm::mat4> rest_;                 // for each joint
  std::vector<Transform> local_;
  std::vector<glm::mat4> joints_;
  std::vector<glm::dmat4> turned_;
  std::vector<float> inputs_;
};

}  // namespace pelt
