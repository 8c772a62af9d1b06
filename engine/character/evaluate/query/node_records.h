// SPDX-License-Identifier: MIT
// Finds from which records the boxes of the nodes of a SkinIndex are computed.
#pragma once

#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/character/evaluate/query/skin_index.h"

namespace pelt {

struct PointBox {
  glm::vec3 least{INFINITY};
  glm::vec3 greatest{-INFINITY};

  void add(glm::vec3 point) { add({point, point}); }
  void add(const PointBox& box) {
    least = glm::min(least, box.least);
    greatest = glm::max(greatest, box.greatest);
  }
  glm::vec3 middle() const { return 0.5f * (least + greatest); }
  // Half of the sides, measured from the rounded middle.
  glm::vec3 reach() const { return glm::max(greatest - middle(), middle() - least); }
  float diagonal() const { return glm::distance(least, greatest); }
  float area() const {
    const glm::vec3 sides = greatest - least;
    return sides.x * sides.y + sides.y * sides.z + sides.z * sides.x;
  }
};

// The records of a mesh. Reused for all of its nodes.
class NodeRecords {
 public:
  // Appends the movers of a mesh to the index.
  NodeRecords(const CharacterMesh& mesh, SkinIndex::Data& index);

  // Counts the records of a node with these vertices; 0: there are too many.
  std::size_t count(std::span<const std::uint32_t> vertices);

  // Appends the records of a node to the index.
  void append(std::span<const std::uint32_t> vertices, SkinIndex::Data::Node& node);

 private:
  struct Record {
    std::uint32_t number = 0;  // of a palette entry of the mesh, or a mover
    PointBox points;
    float sum = 0;     // of the weights
    float change = 0;  // as in Turned
    float weight = 0;  // of the current vertex
  };

  // Calls visit(index, local point, weight) for each influence that moves vertex v.
  template <class Visit>
  void for_each_entry(std::uint32_t v, const Visit& visit) const;
  bool collect(std::span<const std::uint32_t> vertices);
  bool collect(std::span<const std::uint32_t> vertices, std::size_t most, bool by_movers);
  void add_changes(std::span<const std::uint32_t> vertices, SkinIndex::Data::Dual& dual);
  void forget();

  const CharacterMesh& mesh_;
  SkinIndex::Data& index_;
  bool is_dual_;
  std::vector<std::uint32_t> movers_;  // per palette index; empty: the mesh has none
  std::vector<std::uint32_t> places_;  // per palette index or mover: index in records_, or kNone
  std::vector<Record> records_;
  bool by_movers_ = false;  // records_ are of movers
};

}  // namespace pelt
