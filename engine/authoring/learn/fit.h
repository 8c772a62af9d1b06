// SPDX-License-Identifier: MIT
// Explains a residual over poses by shapes that follow joint angles.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/key_pose.h>
#include <pelt/model.h>

#include "engine/authoring/learn/poses.h"
#include "engine/authoring/learn/regions.h"

namespace pelt::learning {

struct Problem {
  const Model& skeleton;  // nothing but its skeleton is used
  std::span<const Pose> poses;
  const Regions& regions;
  std::vector<glm::vec3> residual;  // by pose, then by vertex: offsets at rest, metres
  double within = 0;                // metres: nothing smaller is learnt
  std::uint64_t budget = 0;         // bytes; 0: any number
  std::uint32_t row_words = 0;      // of a morph target, per row
  unsigned threads = 0;

  std::size_t vertices() const { return regions.joint_of.size(); }
};

// Keys over angles, and their shapes.
struct LearntSet {
  std::uint32_t joint = 0;  // whose region it is
  KeyPoseSet keys;          // without offsets
  double ridge = 0;
  std::vector<std::uint32_t> vertices;  // ascending
  std::vector<glm::vec3> shapes;        // by key, then by vertex
};

// Learns from some poses, ascending. `progress` receives fractions from 0 to 1.
inline constexpr int kRounds = 16;  // of the search
std::vector<LearntSet> fit(const Problem& problem, std::span<const std::uint32_t> train,
                           const std::function<void(double)>& progress, int rounds = kRounds);

// Returns the bytes of a column of morph targets, and of all of the sets' columns.
std::uint64_t bytes_of_column(const Problem& problem);
std::uint64_t bytes_of(const Problem& problem, std::span<const LearntSet> sets);

// Adds up the offsets of all vertices in a pose. Shape: to.size() == problem.vertices().
void predict(const Problem& problem, std::span<const LearntSet> sets, std::size_t pose, std::span<glm::vec3> to);

}  // namespace pelt::learning
