// SPDX-License-Identifier: MIT
// Lines and dots over a character: skeleton, curves, control points, frames, influences, normals.
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/rig/rig.h"
#include "samples/renderer/renderer.h"
#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

// A point that can be selected and moved: a control point of MOS, an anchor of a curve, a vertex of a driver.
struct Handle {
  std::string name;           // unique: what Selection::point holds
  glm::vec3 position{0.0f};   // world space, posed
  glm::mat3 axes{1.0f};       // of its frame, world space, posed
  glm::mat3 from_bind{1.0f};  // world space from model space at bind, of what the rig's offset there moves with
  std::string pointer;        // JSON pointer of what to change in the rig to move it; empty: it cannot be moved
};

struct Overlay {
  std::vector<samples::OverlayLine> lines;
  std::vector<samples::OverlayDot> dots;
  std::vector<Handle> handles;
};

// Of the axes x, y and z, linear.
inline constexpr glm::vec3 kAxisColors[3] = {{0.85f, 0.06f, 0.06f}, {0.10f, 0.55f, 0.06f}, {0.06f, 0.22f, 0.95f}};
inline constexpr glm::vec3 kSelectedColor{1.0f, 0.38f, 0.02f};

// What `state.shown` and the selection ask for, of the first instance of the actor, in the scene's space. Of frames and
// normals there are at most some thousands, evenly left out. `rig`: of the actor, for Handle::pointer.
Overlay make_overlay(Stage& stage, const Actor& actor, const Rig& rig, const ViewState& state);

}  // namespace pelt::viewer
