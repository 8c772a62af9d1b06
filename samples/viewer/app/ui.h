// SPDX-License-Identifier: MIT
// Dear ImGui as the viewer uses it: one context, a dark theme, the font of labels.
#pragma once

#include <glm/glm.hpp>

namespace pelt::viewer {

// Makes the context and destroys it; one at a time. Sizes are in pixels, `scale` times those of a plain screen. Writes
// no files. Without a window its input is set by hand: key numbers are GLFW's either way.
class Ui {
 public:
  explicit Ui(float scale);
  ~Ui();
  Ui(const Ui&) = delete;
  Ui& operator=(const Ui&) = delete;
};

// Of the window where there is no picture; sRGB.
glm::vec4 background_color();

}  // namespace pelt::viewer
