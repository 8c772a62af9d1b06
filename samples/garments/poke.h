// SPDX-License-Identifier: MIT
// Measures how far a body pokes through the garment that it wears.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::samples {

struct ClipPoke {
  std::string clip;
  double deepest = 0;     // greatest distance of a point of the body outside of the garment, metres
  float seconds = 0;      // the time of that
  glm::vec3 place{0.0f};  // the point of the body, model space at bind, metres
};

struct Poke {
  double size = 0;         // diagonal of the body's bounds at bind, metres
  std::size_t points = 0;  // number of points of the body that the garment covers
  std::vector<ClipPoke> clips;
};

// Poses both characters by the same clips, at `frames` times evenly from start to end. The points are those vertices
// and triangle centres of the body that the garment covers at bind: within 2.5% of the size beneath it, with the
// garment the first surface along the normal and no border among the 128 nearest triangles. A point pokes through if it
// is outside of these triangles and the garment's winding number round it has fallen by half or more since bind.
// Errors: a character without skin, or without a clip of that name; the garment covers nothing.
Result<Poke> measure_poke(const Character& garment, const Character& body, std::span<const std::string> clips,
                          std::uint32_t frames);

}  // namespace pelt::samples
