// SPDX-License-Identifier: MIT
// Measures how well shapes were learnt, and describes it.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/authoring/learn/fit.h"

namespace pelt::learning {

// Distances of vertices from their cached positions, metres.
struct Errors {
  double squared = 0;  // sum
  double most = 0;
  std::size_t count = 0;
  std::size_t pose = 0;  // of the largest
  void add(double distance, std::size_t in_pose);
  void add(const Errors& other);
  double rms() const;
};

// Errors of all poses, by the joint that the vertices follow most.
struct ErrorMap {
  std::vector<Errors> of_joint;
  std::vector<float> of_vertex;  // the largest
  ErrorMap(const Regions& regions, std::size_t joints)
      : of_joint(joints), of_vertex(regions.joint_of.size(), 0.0f), joint_of_(&regions.joint_of) {}
  void add(std::span<const glm::vec3> positions, std::span<const glm::vec3> truth, std::size_t pose);
  Errors all() const;

 private:
  const std::vector<std::uint32_t>* joint_of_;
};

// Two poses in which all joints are turned alike, and vertices of a region differ: their motion depends on more than
// turns of joints.
struct Contradiction {
  std::uint32_t joint = 0;
  std::size_t poses[2] = {};
  double distance = 0;  // the largest of a vertex at rest, metres
};

// Returns the worst contradiction above the bound of each region, the worst first.
std::vector<Contradiction> find_contradictions(const Problem& problem);

// Returns the words per row of the targets that bind makes: importers make tangents for texture coordinates.
std::uint32_t row_words(const CharacterData& data);

// Returns the words that the blend reads for all skins, but for the shapes.
double blend_words(const CharacterData& data);

}  // namespace pelt::learning
