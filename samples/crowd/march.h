// SPDX-License-Identifier: MIT
// Where each of a crowd walks, and who of them is seen.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include "samples/renderer/framing.h"

namespace pelt::samples {

struct Walker {
  std::uint32_t character = 0;
  glm::vec2 place{0.0f};  // x and z at second 0, metres
  float turn = 0;         // radians about y
  float pace = 1;         // of the clip and of the way it goes
  float phase = 0;        // of the clip, [0, 1)
};

// A grid of so many, nearly in rank and file, that walks towards +z; characters mixed, as many of each as can be. Those
// of a character follow each other, as instances of a crowd do. `height`: of the tallest, metres. The same arguments
// give the same crowd.
std::vector<Walker> line_up(std::uint32_t count, std::uint32_t characters, float height);

// Model space -> world, `seconds` after the start.
glm::mat4 world_of(const Walker& walker, float height, float seconds);

// A cone of four planes round what a camera sees.
class SeenBy {
 public:
  SeenBy(const Camera& camera, float aspect);

  // Whether any of a ball may be seen.
  bool sees(glm::vec3 center, float radius) const;
  // How much of the picture's height a length takes at a point.
  float share_of_picture(glm::vec3 at, float length) const;

 private:
  glm::vec3 eye_;
  glm::mat3 view_;      // camera's axes <- world, looking along +z
  glm::vec2 tangents_;  // of half the angles of view
};

}  // namespace pelt::samples
