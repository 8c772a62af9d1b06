// SPDX-License-Identifier: MIT
// Selections of vertices: boxes, regions, groups, masks.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pelt {

class Fields;

// Model space at bind, metres. The value is 1 inside and falls to 0 over `falloff` outside.
struct Box {
  glm::vec3 min{0.0f};
  glm::vec3 max{0.0f};
  float falloff = 0;
  friend bool operator==(const Box&, const Box&) = default;
};
struct Sphere {
  glm::vec3 center{0.0f};
  float radius = 0;
  float falloff = 0;
  friend bool operator==(const Sphere&, const Sphere&) = default;
};

// 1 at the surface of a mesh of the model, or of a muscle; 0 from `falloff` metres away from it.
struct Near {
  std::string mesh;
  float falloff = 0;
  friend bool operator==(const Near&, const Near&) = default;
};

// A value in [0, 1] for each vertex of a mesh: the product of what is given; nothing given: 1.
struct Region {
  std::vector<std::string> joints;  // their summed weights
  float joint_falloff = 0;  // metres over which that reaches beyond where they move at least half; 0: it does not
  std::string group;        // of the rig
  std::string attribute;    // vertex attribute of the model, clamped: "_MASK", "COLOR_0.r"
  std::optional<Box> box;
  std::optional<Sphere> sphere;
  std::optional<Near> near;
  friend bool operator==(const Region&, const Region&) = default;
};

// First and last, both included.
struct IndexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

// Vertices or triangles under a name. A region counts where it says something or nothing is listed; listed vertices add
// to it. A triangle is in the group where it is listed or all its corners have at least half.
struct Group {
  std::string name;
  std::string mesh = "*";  // that the numbers speak of; *: any
  std::vector<IndexRange> vertices;
  std::vector<float> values;  // of the listed vertices, in order; none: 1 each
  std::vector<IndexRange> triangles;
  Region region;  // which names no group
  friend bool operator==(const Group&, const Group&) = default;
};

// Where a layer acts: a constant, in [0, 1], times a region.
struct Mask {
  float value = 1.0f;
  Region region;
  friend bool operator==(const Mask&, const Mask&) = default;
};

// What each says of itself (engine/rig/fields.h).
void describe(Fields& fields, Region& region);
void describe(Fields& fields, Group& group);
void describe(Fields& fields, Mask& mask);

}  // namespace pelt
