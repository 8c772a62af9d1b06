// SPDX-License-Identifier: MIT
// Where the lights of a scene stand, and how each sample of a picture moves camera and lights.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/renderer/renderer.h"
#include "samples/renderer/shaders/scene.h"

namespace pelt::samples {

struct Lighting {
  shared::Frame frame;
  std::vector<shared::Sample> samples;
  bool ground = false;  // wanted, and seen from above
};

// The lights follow the camera's side of the character: key from the upper left, rim from behind on the right.
// Precondition: every item has bounds.
Lighting make_lighting(const Scene& scene, const RendererOptions& options);

}  // namespace pelt::samples
