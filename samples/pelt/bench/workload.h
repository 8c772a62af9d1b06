// SPDX-License-Identifier: MIT
// What is moved: a bent tube of any number of vertices, bound by the engine as a character is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt::samples {

// A tube of 2 m along a chain of 32 joints, each vertex on its `influences` nearest joints (1 to 32), with normals and
// tangents. `vertices` is rounded up to whole rings of 64.
Model make_tube(std::uint32_t vertices, std::uint32_t influences);

struct Method {
  std::string name;              // as the table shows it
  std::uint32_t influences = 4;  // of the tube
  DeformerParameters deformer;
};

// Linear blend at 1, 4 and 8 influences, dual quaternion at 4, surface FFD at K = 8, 16 and as it is by default, curve
// skeleton as it is by default.
std::vector<Method> methods();

// Of methods(): linear blend at 4, as games have it, which the others are compared with.
inline constexpr std::size_t kYardstick = 1;

Result<Character> make_workload(const Method& method, std::uint32_t vertices);

// Joint matrices that bend the chain.
std::vector<glm::mat4> bent(const Skeleton& skeleton);

// Bytes that move `character` once: bind data and palettes read, vertices and driver frames written.
struct Traffic {
  double in = 0;
  double out = 0;
};
// `vertex_bytes`: what one vertex writes.
Traffic traffic_of(const CharacterData& character, double vertex_bytes);

// Vertices of meshes that are skin.
std::uint32_t skin_vertices(const CharacterData& character);

}  // namespace pelt::samples
