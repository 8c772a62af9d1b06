// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>

#include <pelt/mesh.h>

namespace pelt {

// The importer's note on a mesh of a skin that has no weights at all. It does not hold once these are made.
inline std::string unweighted_note(const Mesh& mesh) {
  return fmt::format("mesh '{}': {} vertices have no weights and follow their nearest joint", mesh.name,
                     mesh.positions.size());
}

}  // namespace pelt
