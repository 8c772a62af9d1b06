// SPDX-License-Identifier: MIT
// How the joints of a character turn in poses, and which part of the skin each may shape.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

#include <pelt/character.h>

#include "engine/authoring/learn/poses.h"

namespace pelt::learning {

struct Regions {
  // By joint; empty for one that does not turn in the poses. A region has the vertices that follow the joint, and those
  // that follow a joint that shares vertices with it; ascending, numbered as Poses::truth.
  std::vector<std::vector<std::uint32_t>> vertices;
  std::vector<Eigen::MatrixX3d>
      turns;  // by joint, then by pose: the rotation vector from rest, radians, in joint space
  std::vector<std::uint32_t> joint_of;           // by vertex: the joint that it follows most
  std::vector<std::vector<Influence>> weights;   // by vertex: the joints that it follows; none without weights
  std::vector<std::uint32_t> slice_of;           // by vertex: numbers the slices of all skins
  std::vector<std::uint32_t> twin;               // by vertex: the first at its position, of all skins
  std::vector<std::vector<std::uint32_t>> near;  // by joint: itself and the joints whose skin it shapes
};

Regions find_regions(const CharacterData& data, std::span<const Pose> poses);

// Replaces the values of all vertices at one position by what `combine` makes of them, so that seams stay closed.
template <class T, class Combine>
void combine_twins(std::span<const std::uint32_t> twin, std::vector<T>& values, const Combine& combine) {
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (twin[v] != v) values[twin[v]] = combine(values[twin[v]], values[v]);
  }
  for (std::size_t v = 0; v < values.size(); ++v) values[v] = values[twin[v]];
}

}  // namespace pelt::learning
