// SPDX-License-Identifier: MIT
// The walkers of a crowd: their places over time, and which of them the camera sees.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include "samples/renderer/framing.h"

namespace pelt::samples {

struct Walker {
  std::uint32_t character = 0;
  glm::vec2 place{0.0f};  // x and z at second 0, metres
  float turn = 0;         // radians about y
  float pace = 1;         // speed: of the clip and of the way
  float phase = 0;        // share of the clip's duration, [0, 1)
};

// Lines up `count` walkers, nearly in rank and file, that walk towards +z. Every character has about as many walkers,
// and the characters are mixed in the grid; the walkers of one character follow each other, as the instances of a crowd
// do. `height`: the tallest character's, metres. The same arguments give the same crowd.
std::vector<Walker> line_up(std::uint32_t count, std::uint32_t characters, float height);

// Returns the matrix model space -> world, `seconds` after the start.
glm::mat4 world_of(const Walker& walker, float height, float seconds);

// A camera's view.
class SeenBy {
 public:
  SeenBy(const Camera& camera, float aspect);

  // Returns the side planes of the view, in the world; positive inside, metres from the plane.
  std::array<glm::vec4, 4> planes() const;
  // Returns the height that a length takes at a point, as a share of the picture's height.
  float share_of_picture(glm::vec3 at, float length) const;

 private:
  glm::vec3 eye_;
  glm::mat3 view_;      // world -> the camera's axes, looking along +z
  glm::vec2 tangents_;  // of half the angles of view: horizontal, vertical
};

}  // namespace pelt::samples
