// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/skin_query.h>

namespace pelt {

// Smaller leaves move fewer vertices and cost more boxes.
constexpr std::size_t kLeafTriangles = 16;
constexpr std::size_t kLeafVertices = 3 * kLeafTriangles;

struct SkinIndex::Data {
  // A part of a mesh's triangles. Children follow each other, and so do their records.
  struct Node {
    std::uint32_t mesh;
    std::uint32_t first_child;
    std::uint32_t child_count;  // 0: a leaf
    std::uint32_t first;        // of a leaf's triangles in `triangles`
    std::uint32_t last;
    std::uint32_t first_vertex;  // of a leaf in `vertices`
    std::uint32_t vertex_count;
    std::uint32_t first_record;  // of its box, in `moved`; of dual quaternions in `turned`
    std::uint32_t record_count;  // 0: it has no box
    std::uint32_t dual;          // in `duals`
    bool by_movers;              // `moved` names movers
    float negative;              // the largest sum of the magnitudes of a vertex's negative shares
    std::uint32_t first_morph;   // of the targets that move its vertices, in `morphs`
    std::uint32_t morph_count;
  };
  // Successive palette entries that move nearby parts of a skin, or one.
  struct Mover {
    std::uint32_t first_entry;
    std::uint32_t entry_count;
    glm::vec3 middle;  // of the box of what the entries move, metres
  };
  // The box of the points of a node that a palette entry moves, or a mover.
  struct Moved {
    glm::vec3 middle;       // metres
    std::uint32_t number;   // of the palette entry, or in `movers`
    glm::vec3 reach;        // half of its sides
    float from_middle = 0;  // the farthest of its points from the mover's middle
  };
  // The vertices of a node that dual quaternions move.
  struct Dual {
    glm::vec3 middle;  // of the box of their rest positions, metres
    glm::vec3 reach;
    float change;           // the largest sum of the magnitudes of the changes of a vertex's weights from the means
    std::uint32_t entries;  // the most that move one of them
  };
  struct Turned {
    std::uint32_t entry;
    float weight;  // mean
    float change;  // the largest change from it
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
  std::vector<Mover> movers{};         // of meshes with many entries
  std::vector<Moved> moved{};          // node after node
  std::vector<Turned> turned{};        // node after node
  std::vector<Dual> duals{};
  std::vector<Morph> morphs{};  // node after node
};

}  // namespace pelt
