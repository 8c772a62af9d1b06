// SPDX-License-Identifier: MIT
// Makes levels of detail of skins, for characters whose file has none (docs/detail.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt {

struct LevelOptions {
  // Triangles that the levels keep, as shares of those of the finest level, of all skins together: descending, each
  // above 0 and below 1, 1 to kMaxLevel of them. A skin whose triangles show more keeps more than its share.
  std::vector<float> shares = {0.5f, 0.25f, 0.125f};
  // Distance from the surface beyond which nothing is left out, as a share of the character's size: above 0.
  float most_error = 0.05f;
  // There is no level with fewer triangles, nor one with more than nine tenths of those of the level before.
  std::uint32_t least_triangles = 100;
  unsigned threads = 0;  // 0: all cores; the result does not depend on it

  // Returns options for `count` levels, each with half the triangles of the level before.
  static LevelOptions halves(std::uint32_t count);
};

struct LevelsMade {
  Character character;
  std::vector<LevelReport> levels;  // by level, then in the order of the meshes
  std::vector<std::string> notes;   // one sentence each
};

// Returns the character with levels of detail for each skin that has none (SkinLevel::made). A level's triangles lie on
// vertices of the level before, so on some of the skin's own, whose rows it copies: they are where the skin has them,
// in every pose, with its normals, tangents, texture coordinates, morph targets and fit; gradients of weights and
// positions of morph targets are rounded anew. Seams between vertices at one position stay closed, of one mesh or of
// two, and parts keep their borders and materials. What may be left out is judged at rest, in poses of the clips, in
// random ones and with morph targets at work, so that joints keep the rings that they bend by
// (engine/authoring/geometry/coarsen.h).
//
// Errors: kInvalidArgument for options out of range.
Result<LevelsMade> make_levels(const Character& character, const LevelOptions& options = {});

}  // namespace pelt
