// SPDX-License-Identifier: MIT
// Control points (US 2013/0088497, figures 3 and 7; docs/mathematics.md section 3).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>

namespace pelt::mos {

// The turn of a point near its joint: between the two ends of a bone of a chain (shaders/chain/chain.h). `near` is the
// end towards the top of the chain, `far` the other end.
struct PointTurn {
  std::uint32_t chain = 0;
  std::uint32_t far = 0;  // index of the anchor; not the top
  float swing = 0;        // turn of the frame: 0 near's, 1/2 bisects, 1 far's
  float twist = 0;        // Theta: 0 near's, 1 far's, linear between
  glm::vec3 axis{0.0f};   // axis of the twist: unit, model space at bind, away from the top
  bool angles = false;    // true: the twist is an angle next to the frame, not in it (chains with tables)
  // With `angles`: `roll` times the twist theta of anchor `roller`, which is not the top, is added to Theta.
  float roll = 0;
  std::uint32_t roller = 0;
};

// A control point. It moves rigidly with its joint. Model space at bind, metres.
struct ControlPoint {
  std::string name;  // may be empty unless `placed`
  std::uint32_t joint = 0;
  glm::dvec3 position{0.0};
  std::optional<PointTurn> turn;  // none: its frame is the joint's
  // How far the point slides outward as its joint bends (shaders/mos/mos.h), metres; not 0 only if it turns with an
  // inner anchor.
  float outward = 0;
  float around = 0;     // part to which it turns about the joint as well
  glm::dvec3 off{0.0};  // from the joint at bind, metres
  // Indices in MosParameters::chains and MosChain::points if the rig lists the point. None if it is placed along a
  // chain or is a vertex of a cage.
  std::optional<glm::uvec2> listed;
  glm::dmat3 rotation{1.0};  // of its own axes at bind, against those of `frames`
  bool placed = false;       // true if it is placed along a chain by parameters
};

}  // namespace pelt::mos
