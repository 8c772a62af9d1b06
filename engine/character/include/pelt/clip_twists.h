// SPDX-License-Identifier: MIT
// What the controls of a character are while a clip plays. Twists (ControlKind::kTwist): joint matrices do not know 270
// degrees from -90, the way from key to key does. Morph targets (ControlKind::kMorphTarget): as the clip keys them.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/character.h>

namespace pelt {

// Made once for a clip, when it is loaded; sampled every frame beside sample_clip.
class ClipTwists {
 public:
  // Plays the clip: poses the skeleton twice a key, and more often where a joint twists by more than 45 degrees in
  // between. The twists are those of the joints' neighbours on their curves (shaders/chain/chain.h), within half a turn
  // at the clip's first key and without jumps from there. Precondition: the channels are of the character's joints, as
  // those of CharacterData::clips are.
  ClipTwists(const CharacterData& character, const Clip& clip);

  // Overwrites the inputs of all twist controls, at `time` seconds, clamped to the first and last key. Radians; where
  // the clip stays clear of half a turn throughout, 0, which tells as much. Allocates nothing.
  // Shape: inputs.size() == CharacterData::input_count.
  void sample(float time, std::span<float> inputs) const;

 private:
  std::vector<std::uint32_t> still_;   // inputs of controls that the clip never turns far
  std::vector<std::uint32_t> inputs_;  // of the others
  std::vector<float> times_;           // seconds, ascending
  std::vector<float> angles_;          // at times_[t] of inputs_[i]: [t * inputs_.size() + i]
};

// Overwrites the inputs of the morph targets that the clip keys, at `time` seconds, clamped to the first and last key;
// leaves all others. Allocates nothing. Shape: inputs.size() == CharacterData::input_count.
void sample_morph_targets(const CharacterData& character, const Clip& clip, float time, std::span<float> inputs);

// About what the twist control that is read from `input` turns its joint: the direction of the bone that leaves it,
// unit, in the joint's space. None where no curve takes its twist from there.
std::optional<glm::vec3> twist_axis(const CharacterData& character, std::uint32_t input);

}  // namespace pelt
