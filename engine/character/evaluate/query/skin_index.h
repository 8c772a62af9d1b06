// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/skin_query.h>

#include "shaders/bounds/bounds.h"

namespace pelt {

// Smaller leaves move fewer vertices and cost more boxes.
constexpr std::size_t kLeafTriangles = 32;
constexpr std::size_t kLeafVertices = 3 * kLeafTriangles;

struct SkinIndex::Data {
  // A part of a mesh's triangles. Two children follow each other, and their records do.
  struct Node {
    std::uint32_t mesh;
    std::uint32_t children;  // the first of two; 0: a leaf
    std::uint32_t first;     // of its triangles in `triangles`
    std::uint32_t last;
    std::uint32_t first_vertex;  // of a leaf in `vertices`
    std::uint32_t vertex_count;
    std::uint32_t record;           // of its box, in `words`; kNoIndex: it has too many entries
    std::uint32_t children_record;  // the first record of a child, or any word
    std::uint32_t first_morph;      // of the targets that move its vertices, in `morphs`
    std::uint32_t morph_count;
  };
  struct Morph {
    std::uint32_t place;  // shared::morph_weight_place
    float reach;          // the farthest that it moves a vertex of the node at weight 1, metres
  };
  struct Triangle {
    std::uint32_t number;     // in its mesh
    std::uint8_t corners[3];  // counted from the leaf's first vertex
  };

  Character character;
  std::vector<Triangle> triangles{};      // leaf after leaf
  std::vector<std::uint32_t> vertices{};  // in their meshes, leaf after leaf
  std::vector<Node> nodes{};
  std::vector<std::uint32_t> roots{};  // one per skin with triangles
  std::vector<Morph> morphs{};         // node after node
  std::vector<std::uint32_t> words{};  // of each record, shared::BoundsRecord, and its entries
};

}  // namespace pelt
