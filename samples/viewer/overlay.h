// SPDX-License-Identifier: MIT
// Draws lines and dots over a character: skeleton, curves, control points, control nets, frames, influences, normals.
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
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

  const Handle* find(std::string_view name) const;  // nullptr: no such handle
  // Returns the selected handles, the active one first.
  std::vector<Handle> selected(const Selection& selection) const;
};

// Colours of the axes x, y and z, linear.
inline constexpr glm::vec3 kAxisColors[3] = {{0.85f, 0.06f, 0.06f}, {0.10f, 0.55f, 0.06f}, {0.06f, 0.22f, 0.95f}};
inline constexpr glm::vec3 kSelectedColor{1.0f, 0.38f, 0.02f};

// Returns the colour of the control net of a level, linear; levels in a row differ.
glm::vec3 net_color(std::uint32_t level);

// Makes the overlay that `state.shown` and the selection request, for the actor's first instance, in the scene's space.
// Frames and normals are thinned evenly to a few thousand at most. `rig`: the document's, with the locations of
// handles; it may be newer than the actor.
Overlay make_overlay(Stage& stage, const Actor& actor, const Rig& rig, const ViewState& state);

}  // namespace pelt::viewer
