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

// A box in model space at bind, metres. The value is 1 inside and falls to 0 over `falloff` outside.
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

// The value is 1 at the surface of a mesh of the model or of a muscle, and falls to 0 over `falloff` metres.
struct Near {
  std::string mesh;
  float falloff = 0;
  friend bool operator==(const Near&, const Near&) = default;
};

// A value in [0, 1] for each vertex of a mesh: the product of the parts that are set; 1 without any.
struct Region {
  std::vector<std::string> joints;  // their summed weights
  float joint_falloff = 0;  // metres over which it falls off, outside vertices with at least half of these weights
  std::string group;        // of the rig
  std::string attribute;    // vertex attribute of the model, clamped: "_MASK", "COLOR_0.r"
  std::optional<Box> box;
  std::optional<Sphere> sphere;
  std::optional<Near> near;
  friend bool operator==(const Region&, const Region&) = default;
};

// A range of indices; both ends are included.
struct IndexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool contains(std::uint32_t index) const { return first <= index && index <= last; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

// Vertices or triangles with a name. The region counts if it is not empty or nothing is listed; listed vertices are
// added to it. A triangle is in the group if it is listed or all its corners have at least one half.
struct Group {
  std::string name;
  std::string mesh = "*";  // mesh that the indices refer to; *: any
  std::vector<IndexRange> vertices;
  std::vector<float> values;  // for the listed vertices, in order; none: 1 each
  std::vector<IndexRange> triangles;
  Region region;  // must not name a group
  friend bool operator==(const Group&, const Group&) = default;
};

// The extent of a layer: a constant in [0, 1] times a region.
struct Mask {
  float value = 1.0f;
  Region region;
  friend bool operator==(const Mask&, const Mask&) = default;
};

// Describe the members (pelt/tools/fields.h).
void describe(Fields& fields, Region& region);
void describe(Fields& fields, Group& group);
void describe(Fields& fields, Mask& mask);

}  // namespace pelt
