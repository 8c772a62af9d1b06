// SPDX-License-Identifier: MIT
// What is known of a committed character: a strong pose, and where it moves the skins.
#pragma once

#include <glm/glm.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>

namespace pelt::test {

struct StrongPose {
  float seconds = 0;  // from the rest pose to this one, in which secondary action goes on
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
};

// Points by what they are: "positions" and "normals" of all skins, one mesh after the other, in the model's order;
// "linear fit" and "level 1", positions likewise; "clip NAME", columns of the joint matrices at a time of the clip.
using PosedResults = std::map<std::string, std::vector<glm::vec3>>;

// Returns a pose that turns every joint far from its parent and moves every input, in numbers that text keeps.
StrongPose strong_pose(const Character& character);

// Returns all results that the character can give.
PosedResults posed_results(const Character& character, const StrongPose& pose);

// Write a pose and results as JSON, and read them; parse throws what nlohmann/json does if it is none.
std::string format_posed(const StrongPose& pose, const PosedResults& results);
void parse_posed(std::string_view json, StrongPose& pose, PosedResults& results);

}  // namespace pelt::test
