// SPDX-License-Identifier: MIT
// Dear ImGui for the viewer: one context, a dark theme, the font of labels.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>

namespace pelt::viewer {

// Makes the context and destroys it; only one may exist at a time. `scale`: size relative to a standard screen. Writes
// no files. `font`: a TrueType or OpenType file, or collection, for letters of Chinese, Japanese and Korean; empty:
// they show as question marks. Without a window the caller sets its input; key numbers are always GLFW's.
class Ui {
 public:
  explicit Ui(float scale, std::span<const std::byte> font = {});
  ~Ui();
  Ui(const Ui&) = delete;
  Ui& operator=(const Ui&) = delete;
};

// Returns the window's colour outside the picture, sRGB.
glm::vec4 background_color();

}  // namespace pelt::viewer
