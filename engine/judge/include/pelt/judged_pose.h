// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>

namespace pelt {

// A joint turned about where it stands at rest, and all below it with it.
struct TurnFromRest {
  std::uint32_t joint = 0;
  glm::dvec3 axis{0.0, 1.0, 0.0};  // unit, model space at rest
  double degrees = 0;
};

// A pose by what makes it: characters bound from one model by different rigs take the same.
struct JudgedPose {
  std::string name;                   // for people: "walk #3", "left_forearm bent 90"
  std::optional<std::uint32_t> clip;  // in CharacterData::clips
  std::uint32_t frame = 0;            // of the clip, from 0
  float seconds = 0;                  // into the clip
  std::optional<TurnFromRest> turn;   // from rest; without clip and turn the character stands at rest
};

}  // namespace pelt
