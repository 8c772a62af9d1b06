// SPDX-License-Identifier: MIT
// The part of a driver that moves other meshes: for a body under a shirt, the part beneath the shirt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

struct DriverPart {
  Mesh mesh;                             // without UVs, morph targets and attributes
  std::vector<std::uint32_t> vertices;   // of the whole driver, ascending
  std::vector<std::uint32_t> triangles;  // of the whole driver, ascending
};

// A skin that a driver moves at vertices with a mask above 0; an empty mask: everywhere.
struct DriverUse {
  std::size_t elements;  // largest number of closest driver triangles that the skin reads per vertex
  const Mesh* skin;
  std::span<const float> mask = {};
};

// Returns the triangles that the skins read, and those around them, which affect frames and spacing: binding to this
// part gives nearly the same rows as binding to the whole driver (the mean spacing of all triangles decides how far
// weights reach). None: the part would be most of the driver, or too small. The result does not depend on the number of
// threads (0: all CPUs).
std::optional<DriverPart> used_part(const Mesh& driver, std::span<const DriverUse> uses, unsigned threads = 0);

}  // namespace pelt
