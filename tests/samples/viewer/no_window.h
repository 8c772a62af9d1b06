// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

namespace pelt::viewer {

// Dear ImGui without a window.
class NoWindow {
 public:
  explicit NoWindow(ImVec2 size, float scale = 1) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = size;
    io.DeltaTime = 1.0f / 60;
    ImFontConfig font;
    font.SizePixels = 13 * scale;
    io.Fonts->AddFontDefault(&font);
    io.Fonts->Build();
    ImGui::GetStyle().ScaleAllSizes(scale);
  }
  ~NoWindow() { ImGui::DestroyContext(); }
  NoWindow(const NoWindow&) = delete;
  NoWindow& operator=(const NoWindow&) = delete;

  // Draws a frame with a panel of this size.
  template <class Draw>
  void frame(ImVec2 size, const Draw& draw) {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("panel", nullptr,
                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                     ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_HorizontalScrollbar);
    draw();
    ImGui::End();
    ImGui::Render();
  }

  // Draws the frames of a click.
  template <class Frame>
  void click(ImVec2 at, const Frame& frame) {
    ImGui::GetIO().MousePos = at;
    for (const bool down : {false, true, false, false}) {
      ImGui::GetIO().MouseDown[0] = down;
      frame();
    }
  }
};

}  // namespace pelt::viewer
