// SPDX-License-Identifier: MIT
// Lines and dots over a character: skeleton, curves, control points, frames, influences, normals.
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include <pelt/rig.h>

#include "samples/renderer/renderer.h"
#include "samples/viewer/handle.h"
#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

struct Overlay {
  std::vector<samples::OverlayLine> lines;
  std::vector<samples::OverlayDot> dots;
  std::vector<Handle> handles;
};

// Of the axes x, y and z, linear.
inline constexpr glm::vec3 kAxisColors[3] = {{0.85f, 0.06f, 0.06f}, {0.10f, 0.55f, 0.06f}, {0.06f, 0.22f, 0.95f}};
inline constexpr glm::vec3 kSelectedColor{1.0f, 0.38f, 0.02f};

// What `state.shown` and the selection ask for, of the first instance of the actor, in the scene's space. Of frames and
// normals there are at most some thousands, evenly left out. `rig`: the document's, in which handles have
// their places; it may be newer than the actor.
Overlay make_overlay(Stage& stage, const Actor& actor, const Rig& rig, const ViewState& state);

}  // namespace pelt::viewer
