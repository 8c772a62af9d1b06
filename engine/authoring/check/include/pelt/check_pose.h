// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pelt {

// A turn of a joint, and of all joints below it, about the joint's position in the rest pose.
struct TurnFromRest {
  std::uint32_t joint = 0;
  glm::dvec3 axis{0.0, 1.0, 0.0};  // unit, model space in the rest pose
  double degrees = 0;
  std::string name;  // for display: "left_forearm bent 90"
};

// A pose, described by its origin, so that characters bound from one model by different rigs can take the same pose.
struct CheckPose {
  std::string name;                   // for display: "walk at 0.42 s", "left_forearm bent 90"
  std::optional<std::uint32_t> clip;  // index in CharacterData::clips
  std::uint32_t frame = 0;            // of the clip, from 0
  float seconds = 0;                  // time in the clip
  std::vector<TurnFromRest> turns;    // of joints that differ; without clip and turns the pose is the rest pose
};

}  // namespace pelt
