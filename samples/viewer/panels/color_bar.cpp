// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/color_bar.h"

#include <fmt/format.h>

#include <cmath>

#include "samples/renderer/shaders/color_ramp.h"

namespace pelt::viewer {

float draw_color_bar(ImDrawList& list, const HeatMap& heat, ImVec2 at, ImVec2 size, int ticks, bool with_unit) {
  constexpr int kSteps = 64;
  const auto color = [&](int step) {
    const glm::vec3 c = shared::color_ramp(heat.first + static_cast<float>(step) / static_cast<float>(kSteps));
    return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, 1.0f});
  };
  for (int k = 0; k < kSteps; ++k) {
    const float from = at.x + size.x * static_cast<float>(k) / kSteps;
    const float to = at.x + size.x * static_cast<float>(k + 1) / kSteps;
    list.AddRectFilledMultiColor({from, at.y}, {to, at.y + size.y}, color(k), color(k + 1), color(k + 1), color(k));
  }
  const float tick = 0.25f * ImGui::GetFontSize();
  for (int k = 0; k <= ticks; ++k) {
    const float share = static_cast<float>(k) / static_cast<float>(ticks);
    std::string text = fmt::format("{:.3g}", std::lerp(heat.low, heat.high, share));
    if (k == ticks && with_unit && !heat.unit.empty()) text += " " + heat.unit;
    const float x = at.x + (size.x - 1) * share;
    list.AddLine({x, at.y + size.y}, {x, at.y + size.y + tick}, ImGui::GetColorU32(ImGuiCol_TextDisabled));
    list.AddText({x - ImGui::CalcTextSize(text.c_str()).x * share, at.y + size.y + tick},
                 ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
  }
  return size.y + tick + ImGui::GetTextLineHeight();
}

}  // namespace pelt::viewer
