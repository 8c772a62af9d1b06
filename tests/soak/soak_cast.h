// SPDX-License-Identifier: MIT
// The characters of the soak, and what the CPU says of them.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <pelt/evaluate.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>

namespace pelt::test {

// A small character of each kind that a crowd moves: every deformer, levels, morph targets, a stream, secondary action.
std::vector<Character> soak_cast();

// What an instance was state.
struct InstanceState {
  std::uint32_t cast = 0;  // index in soak_cast()
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
  Detail detail = Detail::kFull;
  std::uint32_t level = 0;
};

// Poses an instance as it is when it is new, and at random, inputs included.
void pose_at_rest(const Character& character, InstanceState& state);
void pose_at_random(std::mt19937& random, const Character& character, InstanceState& state);

// Returns what is wrong with an instance's vertices and box; empty: nothing. Vertices of the level that is shown are
// finite, within the box, and where the CPU has them if `exact`.
std::string fault_of(const Character& character, const InstanceState& state, const runtime::Crowd& crowd,
                     std::uint32_t number, const runtime::InstanceVertices& vertices, const runtime::Box& box,
                     bool exact);

}  // namespace pelt::test
