// SPDX-License-Identifier: MIT
// Skins made of blocks, with joints in them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pelt/paint.h>

#include "engine/authoring/model/builtin/model_builder.h"
#include "tests/support/must.h"

namespace pelt::test::paint {

inline constexpr float kEdge = 0.05f;  // of a block, metres

using Cell = std::tuple<int, int, int>;
using Between = std::function<bool(const Cell&, const Cell&)>;

// Makes the surface of blocks. Between two blocks there is a double wall if `cut` tells so, else none. `owners`:
// receives the block of each vertex.
inline Mesh blocks(
    const std::set<Cell>& cells, const Between& cut = [](const Cell&, const Cell&) { return false; },
    std::vector<Cell>* owners = nullptr) {
  Mesh mesh{.name = "skin"};
  for (const Cell& cell : cells) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const int side : {0, 1}) {
        const auto [x, y, z] = cell;
        glm::ivec3 next(x, y, z);
        next[axis] += 2 * side - 1;
        const Cell beside(next.x, next.y, next.z);
        if (cells.contains(beside) && !cut(cell, beside)) continue;
        const auto first = static_cast<std::uint32_t>(mesh.positions.size());
        for (const auto& [u, v] : {std::pair(0, 0), {1, 0}, {1, 1}, {0, 1}}) {
          glm::vec3 corner(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
          corner[axis] += static_cast<float>(side);
          corner[(axis + 1) % 3] += static_cast<float>(u);
          corner[(axis + 2) % 3] += static_cast<float>(v);
          mesh.positions.push_back(kEdge * corner);
          if (owners != nullptr) owners->push_back(cell);
        }
        const std::uint32_t b = side == 1 ? 1 : 3;
        mesh.triangles.emplace_back(first, first + b, first + 2);
        mesh.triangles.emplace_back(first, first + 2, first + 4 - b);
      }
    }
  }
  return mesh;
}

inline std::set<Cell> box(const glm::ivec3& low, const glm::ivec3& high, std::set<Cell> cells = {}) {
  for (int x = low.x; x < high.x; ++x) {
    for (int y = low.y; y < high.y; ++y) {
      for (int z = low.z; z < high.z; ++z) cells.emplace(x, y, z);
    }
  }
  return cells;
}

struct Place {
  std::string name;
  std::int32_t parent;
  glm::vec3 position;  // in blocks
};

inline Model model_of(std::vector<Mesh> meshes, const std::vector<Place>& places) {
  Model model{.name = "test"};
  model.meshes = std::move(meshes);
  for (const Place& place : places) {
    glm::vec3 from(0.0f);
    if (place.parent >= 0) from = places[static_cast<std::size_t>(place.parent)].position;
    add_joint(model, place.name, place.parent, {.translation = kEdge * (place.position - from)});
  }
  bind_all_joints(model);
  return model;
}

// Paints all meshes; rows must sum to 1 over at most 8 joints.
inline Model painted(Model model, unsigned threads = 0) {
  std::vector<std::uint32_t> all(model.meshes.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<SparseRows> rows = must(paint_weights(model, all, {}, threads));
  for (std::size_t m = 0; m < all.size(); ++m) {
    EXPECT_EQ(rows[m].row_count(), model.meshes[m].positions.size());
    EXPECT_TRUE(validate(rows[m], model.bound_joints.size(), "weights"));
    EXPECT_LE(statistics(rows[m]).max_influences, 8u);
    model.meshes[m].weights = std::move(rows[m]);
  }
  return model;
}

// Paints a skin over these joints.
inline Mesh painted(Mesh skin, const std::vector<Place>& places) {
  return painted(model_of({std::move(skin)}, places)).meshes[0];
}

inline float weight_of(const Mesh& mesh, std::size_t vertex, std::uint32_t joint) {
  for (const Influence& influence : mesh.weights.row(vertex)) {
    if (influence.index == joint) return influence.weight;
  }
  return 0;
}

// Calls check(vertex, position in blocks) for each vertex.
template <class Check>
void for_vertices(const Mesh& mesh, const Check& check) {
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) check(v, mesh.positions[v] / kEdge);
}

}  // namespace pelt::test::paint
