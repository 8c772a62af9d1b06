// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/topology.h"

#include "engine/character/core/hash.h"

namespace pelt {

glm::uvec2 topology_hash(const Mesh& mesh) {
  const std::uint64_t hash =
      XXH3_64bits_withSeed(mesh.triangles.data(), mesh.triangles.size() * sizeof(glm::uvec3), mesh.positions.size());
  return {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32u)};
}

}  // namespace pelt
