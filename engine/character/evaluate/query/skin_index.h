// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/skin_query.h>

#include "shaders/bounds/bounds.h"

namespace pelt {

struct SkinIndex::Data {
  // A part of a mesh's triangles. Nodes precede their children; the first child is the next node.
  struct Node {
    std::uint32_t mesh;
    std::uint32_t second;  // the second child; 0: a leaf
    std::uint32_t first;   // of its triangles in `triangles`
    std::uint32_t last;
  };

  Character character;
  std::vector<std::uint32_t> triangles{};  // indices in their meshes, leaf after leaf
  std::vector<Node> nodes{};
  std::vector<std::uint32_t> roots{};           // one per skin with triangles
  std::vector<shared::BoundsRecord> records{};  // one per node; without entries, the node has no box
  std::vector<std::uint32_t> words{};           // their entries
};

}  // namespace pelt
