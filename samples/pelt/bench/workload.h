// SPDX-License-Identifier: MIT
// The workload: a bent tube of any number of vertices, bound like a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/deformer_parameters.h>
#include <pelt/model.h>
#include <pelt/result.h>

#include "samples/pelt/table.h"

namespace pelt::samples {

// Makes a tube of 2 m along a chain of 32 joints, with normals and tangents. Each vertex follows its `influences`
// nearest joints (1 to 32). `vertices` is rounded up to whole rings of 64. The `morph_targets` cover a third of the
// length, like a face on a character: each moves a fifth of that and changes normals there.
Model make_tube(std::uint32_t vertices, std::uint32_t influences, std::uint32_t morph_targets = 0);

struct Method {
  std::string name;              // shown in the table
  std::uint32_t influences = 4;  // of the tube
  DeformerParameters deformer;
  std::uint32_t morph_targets = 0;  // of the tube
};

// Returns linear blend at 1, 4 and 8 influences, at 4 with the 52 morph targets of a face, dual quaternion at 4,
// surface FFD at K = 8, 16, by default and with targets, curve skeleton and MOS by default.
std::vector<Method> methods();

// Linear blend at 4 influences, as in games: the reference for all other methods.
inline constexpr const char* kYardstick = "linear blend, 4";

// Returns the index of kYardstick among methods that have it.
std::size_t yardstick_of(std::span<const Method> methods);

Result<Character> make_workload(const Method& method, std::uint32_t vertices);

// Returns joint matrices that bend the chain.
std::vector<glm::mat4> bent(const Skeleton& skeleton);

// Returns inputs that activate eight evenly spaced morph targets, if there are any.
std::vector<float> eight_active(const CharacterData& character);

// Bytes that one frame of a character takes: reads bind data and palettes, writes vertices and driver frames.
struct Traffic {
  double in = 0;
  double out = 0;
};
// Returns the traffic of a character. `vertex_bytes`: the bytes that one vertex writes.
Traffic traffic_of(const CharacterData& character, double vertex_bytes);

std::uint32_t skin_vertices(const CharacterData& character);

// Begins the row of a measurement: the character, and the bytes that a frame of `instances` takes.
Json describe(const Method& method, const CharacterData& character, const Traffic& traffic, std::uint32_t instances);

}  // namespace pelt::samples
