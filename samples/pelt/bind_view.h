// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::samples {

struct BindView {
  std::vector<float> values;  // one per vertex of the instance, in [0, 1] + first
  std::string least;          // the meaning of 0; `most`: of 1
  std::string most;
  float first = 0;  // of the colour ramp
};

// Returns a result of bind, to be drawn over the skin: "unbound" (1 at vertices that no driver moves), "distance"
// (metres at bind to the closest driver of the last stage), "influences" (palette entries per vertex), "levels" (the
// finest refinement level of a hierarchical B-spline that moves a vertex), "segments" (a colour for each joint or
// sub-segment, by the one that moves a vertex most, also through drivers) or "learnt" (the errors of a Certificate).
// Errors: another word; no driver to measure a distance from; a character that is not learnt.
Result<BindView> view_of_bind(const Character& character, const std::string& what);

// Returns the tension along the tangents (0) or bitangents (1) of the skins at these positions of all meshes.
BindView view_of_tension(const CharacterData& character, std::span<const glm::vec3> positions, int direction);

}  // namespace pelt::samples
