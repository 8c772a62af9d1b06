// SPDX-License-Identifier: MIT
// The poses that deformers are judged in: frames of a character's clips, or one joint turned at a time
// (sample_poses.h).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/clip_twists.h>
#include <pelt/evaluate.h>
#include <pelt/judged_pose.h>

namespace pelt {

// Which frames of which clips: as many as `pelt deform --fps` writes at (frames - 1) / seconds a second, but at no less
// than one a second.
struct ClipSampling {
  std::uint32_t frames = 6;  // of a clip of up to frames - 1 seconds, both ends among them
  std::uint32_t clips = 10;  // the first so many
};
inline constexpr float kShortestJudgedClip = 0.05f;  // seconds: clips up to here are left out

std::vector<JudgedPose> clip_poses(const CharacterData& character, const ClipSampling& sampling = {});

// Poses evaluators of a character. Makes what a clip needs when it first comes.
class PosePlayer {
 public:
  // The character outlives the player.
  explicit PosePlayer(const CharacterData& character);

  // Joints and inputs; streamed drivers stand at rest. Precondition: the clip and joint are the character's.
  void pose(const JudgedPose& pose, Evaluator& evaluator);

  // The same without an evaluator; joints() and inputs() are those of the last pose, one matrix a joint, model space.
  void pose(const JudgedPose& pose);
  std::span<const glm::mat4> joints() const { return joints_; }
  std::span<const float> inputs() const { return inputs_; }

 private:
  const CharacterData& character_;
  std::map<std::uint32_t, ClipTwists> twists_;  // of clips
  std::vector<glm::mat4> rest_;                 // of the joints
  std::vector<Transform> local_;
  std::vector<glm::mat4> joints_;
  std::vector<std::uint8_t> turned_;
  std::vector<float> inputs_;
};

}  // namespace pelt
