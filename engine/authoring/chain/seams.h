// SPDX-License-Identifier: MIT
// Finds targets whose borders meet, so that they are bound as one skin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/authoring/deformer/builder.h"

namespace pelt::chain {

// Finds the targets that meet, and welds their vertices there. Vertex indices count through all targets, laid end to
// end.
class Seams {
 public:
  // Welds border vertices of two skins that are at most `rounding` metres apart and have the same weights.
  Seams(const DeformerInput& input, float rounding);

  // Returns the groups of targets that meet, each in ascending order.
  std::vector<std::vector<std::size_t>> groups() const;

  // Returns, for every vertex of the targets of a group laid end to end, the vertex that it is welded to.
  std::vector<std::uint32_t> welded(std::span<const std::size_t> group) const;

 private:
  // Appends the vertices of target `t`, welded within their mesh, and returns those on its border.
  std::vector<std::uint32_t> append_target(const DeformerInput& input, std::size_t t);
  // Welds vertices of different targets.
  void weld_borders(const DeformerInput& input, std::vector<std::uint32_t> border, float rounding);

  std::vector<std::uint32_t> group_;   // group of each target
  std::vector<std::uint32_t> first_;   // index of each target's first vertex; one more at the end
  std::vector<std::uint32_t> target_;  // target of each vertex
  std::vector<std::uint32_t> welded_;
};

}  // namespace pelt::chain
