// SPDX-License-Identifier: MIT
// Computes a character's controls while a clip plays. Twists (ControlKind::kTwist): a matrix cannot distinguish 270
// degrees from -90; following the clip from key to key can. Morph targets (ControlKind::kMorphTarget): the clip keys
// them.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/character.h>

namespace pelt {

// The twists of a clip: computed once when the clip is loaded, and sampled each frame along with sample_clip.
class ClipTwists {
 public:
  // Plays the clip: poses the skeleton twice per key, and more often if a joint twists by more than 45 degrees in
  // between. Twists are measured as in shaders/chain/chain.h, are within half a turn at the clip's first key, and do
  // not jump after it. If a clip has very many keys of very many channels, only some keys are played. Precondition: the
  // channels refer to the character's joints, as in CharacterData::clips.
  ClipTwists(const CharacterData& character, const Clip& clip);

  // Overwrites the inputs of all twist controls with their values at `time` seconds, clamped to the first and last key,
  // in radians. A control whose twist stays clear of half a turn in the whole clip gets 0, which has the same effect.
  // Does not allocate. Shape: inputs.size() == CharacterData::input_count.
  void sample(float time, std::span<float> inputs) const;

 private:
  std::vector<std::uint32_t> still_;   // inputs of controls that stay clear of half a turn
  std::vector<std::uint32_t> inputs_;  // inputs of the other controls
  std::vector<float> times_;           // seconds, ascending
  std::vector<float> angles_;          // the twist of inputs_[i] at times_[t], radians: [t * inputs_.size() + i]
};

// Overwrites the inputs of the morph targets that the clip keys with their values at `time` seconds, clamped to the
// first and last key. Leaves all others. Does not allocate. Shape: inputs.size() == CharacterData::input_count.
void sample_morph_targets(const CharacterData& character, const Clip& clip, float time, std::span<float> inputs);

// Returns the axis about which the twist control of `input` turns its joint: the unit direction of the bone that leaves
// the joint, in joint space. None: no curve takes its twist from the input.
std::optional<glm::vec3> twist_axis(const CharacterData& character, std::uint32_t input);

}  // namespace pelt
