// SPDX-License-Identifier: MIT
// How far a body pokes through what it wears.
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
  double deepest = 0;     // metres by which a point of the body is outside of the garment at most,
  float seconds = 0;      // when,
  glm::vec3 place{0.0f};  // and where: model space at bind, metres
};

struct Poke {
  double size = 0;         // diagonal of the body's bounds at bind, metres
  std::size_t points = 0;  // of the body, that the garment covers
  std::vector<ClipPoke> clips;
};

// Poses both characters by the same clips, at `frames` times evenly from start to end. The points are the body's
// vertices and the middles of its triangles over which, at bind, the garment lies next, within 2.5% of the size, with
// no border among the 128 triangles that are nearest. A point pokes through where it is outside of these and the
// garment as a whole no longer surrounds it as it did: its winding number there has lost half or more. Errors: a
// character without skin, or without a clip of that name; nothing is covered.
Result<Poke> measure_poke(const Character& garment, const Character& body, std::span<const std::string> clips,
                          std::uint32_t frames);

}  // namespace pelt::samples
