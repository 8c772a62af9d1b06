// SPDX-License-Identifier: MIT
// What the mouse does with the camera.
#pragma once

#include <glm/glm.hpp>
#include <span>

#include "samples/renderer/framing.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

samples::Camera camera_of(const OrbitCamera& orbit);

// `pixels`: by how many the mouse moved, y down; `height`: of the picture.
void orbit_by(OrbitCamera& orbit, glm::vec2 pixels, float height);
// The point that is looked at stays under the mouse.
void pan_by(OrbitCamera& orbit, glm::vec2 pixels, float height);
// `notches` of the wheel, forwards is nearer.
void zoom_by(OrbitCamera& orbit, float notches);

// Looks at the box from the same side, so that all of it is seen. Precondition: it is not empty.
void frame_on(OrbitCamera& orbit, std::span<const samples::Bounds> boxes, float aspect);

}  // namespace pelt::viewer
