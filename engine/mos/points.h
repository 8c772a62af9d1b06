// SPDX-License-Identifier: MIT
// Control points (US 2013/0088497, figures 3 and 7; docs/mathematics.md section 3).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>

namespace pelt::mos {

// How a point turns beside its joint: between the two ends of a bone of a chain (shaders/chain/chain.h), `near` the end
// towards the chain's top and `far` the one away from it.
struct PointTurn {
  std::uint32_t chain = 0;
  std::uint32_t far = 0;  // anchor; not the top
  float swing = 0;        // of the frame: 0 near's, 1/2 bisects, 1 far's
  float twist = 0;        // Theta: 0 near's, 1 far's, linear between
  glm::vec3 axis{0.0f};   // of the twist: unit, model space at bind, away from the top
  bool angles = false;    // the twist is not in the frame, but beside it, as an angle: chains with tables
  // With `angles`: Theta has so much more of the twist theta of another anchor, which is not the top.
  float roll = 0;
  std::uint32_t roller = 0;
};

// Moves rigidly with its joint. Model space at bind, metres.
struct ControlPoint {
  std::string name;  // may be empty where `placed` is not set
  std::uint32_t joint = 0;
  glm::dvec3 position{0.0};
  std::optional<PointTurn> turn;  // none: its frame is the joint's
  float outward = 0;              // metres (shaders/mos/mos.h); not 0 only where it turns with an inner anchor
  // Where the rig lists it: in MosParameters::chains and MosChain::points. None: it is placed along a chain, or a
  // cage's.
  std::optional<glm::uvec2> listed;
  bool placed = false;  // along a chain, by parameters
};

}  // namespace pelt::mos
