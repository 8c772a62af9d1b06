// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

constexpr float kFrameRate = 30;       // frames per second, to count frames
constexpr float kTickDistance = 4.5f;  // least distance of ticks with a number, in font sizes

// Returns the seconds between ticks with a number: 1, 2 or 5 times a power of ten.
float tick_step(float duration, float width) {
  const float least = duration * kTickDistance * ImGui::GetFontSize() / std::max(width, 1.0f);
  const float power = std::pow(10.0f, std::floor(std::log10(std::max(least, 1e-4f))));
  for (const float step : {1.0f, 2.0f, 5.0f}) {
    if (step * power >= least) return step * power;
  }
  return 10 * power;
}

void draw_scrub_bar(Playback& playback, float duration) {
  const float em = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(ImGui::GetContentRegionAvail().x, em);
  const float height = std::max(ImGui::GetContentRegionAvail().y, 1.7f * em);
  ImGui::InvisibleButton("scrub", {width, height});
  if (ImGui::IsItemActive() && duration > 0) {
    playback.time = duration * std::clamp((ImGui::GetIO().MousePos.x - at.x) / width, 0.0f, 1.0f);
    playback.playing = false;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + height};
  list.AddRectFilled(at, end, ImGui::GetColorU32(ImGuiCol_FrameBg), 0.2f * em);
  if (duration <= 0) return;
  const float share = std::clamp(playback.time / duration, 0.0f, 1.0f);
  const float x = at.x + width * share;
  list.AddRectFilled(at, {x, end.y}, ImGui::GetColorU32(ImGuiCol_SliderGrab, 0.25f), 0.2f * em);
  const float step = tick_step(duration, width);
  const ImU32 color = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  const int last = static_cast<int>(std::floor(5 * duration / step + 1e-3f));
  for (int k = 0; k <= last; ++k) {
    const float seconds = 0.2f * step * static_cast<float>(k);
    const float tick = at.x + width * seconds / duration;
    const bool major = k % 5 == 0;
    list.AddLine({tick, end.y - (major ? 0.55f : 0.25f) * height}, {tick, end.y}, color);
    const std::string text = fmt::format("{:.4g}", seconds);
    if (!major || tick + 0.3f * em + ImGui::CalcTextSize(text.c_str()).x > end.x) continue;
    list.AddText({tick + 0.3f * em, at.y + 0.15f * em}, color, text.c_str());
  }
  list.AddLine({x, at.y}, {x, end.y}, ImGui::GetColorU32(ImGuiCol_SliderGrabActive), std::max(0.15f * em, 2.0f));
}

}  // namespace

void draw_timeline(Context& context) {
  Playback& playback = context.view.playback;
  const Actor* subject = context.stage.subject();
  const float em = ImGui::GetFontSize();
  const float duration = context.stage.duration(context.view);
  if (button(playback.playing ? "Pause" : "Play", duration > 0, 4 * em)) {
    playback.playing = !playback.playing;
    if (playback.playing && !playback.loop && playback.time >= duration) playback.time = 0;
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(10 * em);
  if (ImGui::BeginCombo("##clip", playback.clip.empty() ? "at rest" : playback.clip.c_str())) {
    const auto choose = [&](const std::string& clip, const char* name) {
      if (!ImGui::Selectable(name, playback.clip == clip)) return;
      playback.clip = clip;
      playback.time = 0;
      if (clip.empty()) playback.playing = false;
    };
    choose("", "at rest");
    if (subject != nullptr) {
      for (const Clip& clip : subject->character->clips) choose(clip.name, clip.name.c_str());
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  ImGui::Checkbox("loop", &playback.loop);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(7 * em);
  // A slider's knob would cover the number.
  ImGui::DragFloat("##speed", &playback.speed, 0.01f, 0.05f, 4.0f, "speed %.2f", ImGuiSliderFlags_AlwaysClamp);
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("Drag to the left or right. A right click plays at normal speed.");
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) playback.speed = 1;
  }
  if (duration > 0) {
    const std::string text = fmt::format("{:.3f} / {:.3f} s   frame {:.0f} / {:.0f}", playback.time, duration,
                                         std::floor(playback.time * kFrameRate), std::floor(duration * kFrameRate));
    const float end = ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SameLine(std::max(end, ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + em));
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text.c_str());
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Frames are counted at %.0f per second.", static_cast<double>(kFrameRate));
  }
  draw_scrub_bar(playback, duration);
}

}  // namespace pelt::viewer
