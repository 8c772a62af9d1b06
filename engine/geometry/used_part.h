// SPDX-License-Identifier: MIT
// The part of a driver that moves something: of a body under a shirt what lies beneath the shirt.
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
  std::vector<std::uint32_t> triangles;  // the same
};

// A skin that a driver moves where the mask is above 0; empty: everywhere.
struct DriverUse {
  std::size_t elements;  // triangles of the driver closest to a vertex that it reads, at most
  const Mesh* skin;
  std::span<const float> mask = {};
};

// The triangles that the skins read, with those round them, whose frames and spacing count: binding to this part gives
// nearly the rows that binding to the whole driver gives (what is far is weighed by the mean spacing of all). None: it
// is most of the driver. Does not depend on the number of threads (0: all cores).
std::optional<DriverPart> used_part(const Mesh& driver, std::span<const DriverUse> uses, unsigned threads = 0);

}  // namespace pelt
