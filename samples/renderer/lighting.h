// SPDX-License-Identifier: MIT
// Places the lights of a scene, and moves camera and lights for each sample of a picture.
#pragma once

#include <vector>

#include "samples/renderer/renderer.h"
#include "samples/renderer/shaders/scene.h"

namespace pelt::samples {

struct Lighting {
  shared::Frame frame;
  std::vector<shared::Sample> samples;
  bool ground = false;  // true if the scene has a floor and the camera is above it
};

// Places the lights relative to the camera: key from the upper left, rim from the right, facing the camera.
// Precondition: every item has bounds.
Lighting make_lighting(const Scene& scene, const RendererOptions& options);

}  // namespace pelt::samples
