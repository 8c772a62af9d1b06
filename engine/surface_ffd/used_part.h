// SPDX-License-Identifier: MIT
// The part of a driver that moves something: of a body under a shirt what lies beneath the shirt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/rig.h>

namespace pelt::surface_ffd {

struct DriverPart {
  Mesh mesh;                             // without UVs, morph targets and attributes
  std::vector<std::uint32_t> vertices;   // of the whole driver, ascending
  std::vector<std::uint32_t> triangles;  // the same
};

// A surface FFD and a skin that it moves, where the mask is above 0; empty: everywhere.
struct DriverUse {
  const SurfaceFfdParameters* parameters;
  const Mesh* skin;
  std::span<const float> mask = {};
};

// What the rows of the skins are made of, with the triangles round it, whose frames and spacing count: binding to it
// gives nearly the rows that binding to the whole driver gives (what is far is weighed by the mean spacing of all).
// None: it is most of the driver, or what a use reads cannot be told beforehand, as groups, hops, all elements, or
// offsets of its vertices. Does not depend on the number of threads (0: all cores).
std::optional<DriverPart> used_part(const Mesh& driver, std::span<const DriverUse> uses, unsigned threads = 0);

}  // namespace pelt::surface_ffd
