// SPDX-License-Identifier: MIT
// Meshes without weights, and with weights of one joint.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <pelt/mesh.h>

namespace pelt {

// The importer's note on a mesh of a skin that has no weights at all. It does not hold once these are made.
inline std::string unweighted_note(const Mesh& mesh) {
  return fmt::format("mesh '{}': {} vertices have no weights and follow their nearest joint", mesh.name,
                     mesh.positions.size());
}

// Returns the only bound joint that moves a mesh; none if several do.
inline std::optional<std::uint32_t> only_bound(const Mesh& mesh) {
  if (mesh.weights.influences.empty()) return std::nullopt;
  const std::uint32_t first = mesh.weights.influences.front().index;
  const auto is_first = [&](const Influence& influence) { return influence.index == first; };
  return std::ranges::all_of(mesh.weights.influences, is_first) ? std::optional(first) : std::nullopt;
}

}  // namespace pelt
