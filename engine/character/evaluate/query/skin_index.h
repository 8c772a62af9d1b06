// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/skin_query.h>

#include "shaders/bounds/bounds.h"

namespace pelt {

struct SkinIndex::Data {
  // A part of a mesh's triangles. Two children follow each other, so that testing both takes few cache lines.
  struct Node {
    std::uint32_t mesh;
    std::uint32_t children;  // the first of two; 0: a leaf
    std::uint32_t first;     // of its triangles in `triangles`
    std::uint32_t last;
  };

  struct Triangle {
    std::uint32_t number;  // in its mesh
    glm::uvec3 corners;    // of the mesh
  };

  Character character;
  std::vector<Triangle> triangles{};  // leaf after leaf, so that a leaf takes few cache lines
  std::vector<Node> nodes{};
  std::vector<std::uint32_t> roots{};           // one per skin with triangles
  std::vector<shared::BoundsRecord> records{};  // one per node; without entries, the node has no box
  std::vector<std::uint32_t> words{};           // their entries
};

}  // namespace pelt
