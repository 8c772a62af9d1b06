// SPDX-License-Identifier: MIT
// Moves the camera by the mouse.
#pragma once

#include <glm/glm.hpp>
#include <span>

#include "samples/renderer/framing.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

samples::Camera camera_of(const OrbitCamera& orbit);

// Orbits by a movement of the mouse, y down; `height` is the picture's, in pixels.
void orbit_by(OrbitCamera& orbit, glm::vec2 pixels, float height);
// Pans: the target point stays under the mouse.
void pan_by(OrbitCamera& orbit, glm::vec2 pixels, float height);
// Zooms by `notches` of the wheel; forwards moves nearer.
void zoom_by(OrbitCamera& orbit, float notches);

// Frames the boxes from the same direction, so that all of them are visible. Precondition: none is empty.
void frame_on(OrbitCamera& orbit, std::span<const samples::Bounds> boxes, float aspect);

}  // namespace pelt::viewer
