// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/curve_editor.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <pelt/curve_keys.h>

namespace pelt::viewer {
namespace {

constexpr float kHeight = 7;     // em
constexpr float kGrab = 0.7f;    // em: greatest distance of the mouse from a key
constexpr float kEdge = 0.4f;    // em: margin at the right, for the last key
constexpr float kApart = 1e-3f;  // least distance between keys / the plot's width

// Maps keys to pixels and back.
struct Mapping {
  ImVec2 corner, size;  // the plot's
  float at_low, at_high, low, high;

  ImVec2 pixel(CurveKey key) const {
    return {corner.x + size.x * (key.at - at_low) / (at_high - at_low),
            corner.y + size.y * (1 - (key.value - low) / (high - low))};
  }
  CurveKey key(ImVec2 pixel) const {
    return {std::lerp(at_low, at_high, (pixel.x - corner.x) / size.x),
            std::lerp(high, low, (pixel.y - corner.y) / size.y)};
  }
};

bool is_pinned(const CurvePlot& plot, CurveKey key) {
  return std::find(plot.pinned.begin(), plot.pinned.end(), key) != plot.pinned.end();
}

// Returns the wanted place of key k, held between its neighbours.
CurveKey placed(const std::vector<CurveKey>& keys, std::size_t k, CurveKey wanted, const CurvePlot& plot) {
  const float apart = kApart * (plot.at_high - plot.at_low);
  const float from = k > 0 ? keys[k - 1].at + apart : plot.at_low;
  const float to = k + 1 < keys.size() ? keys[k + 1].at - apart : plot.at_high;
  const float least = plot.rising && k > 0 ? keys[k - 1].value : plot.least;
  const float most = plot.rising && k + 1 < keys.size() ? keys[k + 1].value : plot.most;
  return {std::clamp(wanted.at, from, std::max(from, to)), std::clamp(wanted.value, least, std::max(least, most))};
}

std::optional<std::size_t> key_under(const std::vector<CurveKey>& keys, const Mapping& mapping, ImVec2 mouse) {
  std::optional<std::size_t> nearest;
  float least = kGrab * ImGui::GetFontSize();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const ImVec2 at = mapping.pixel(keys[k]);
    const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
    if (distance >= least) continue;
    least = distance;
    nearest = k;
  }
  return nearest;
}

void draw_plot(const std::vector<CurveKey>& keys, const Mapping& mapping, const CurvePlot& plot,
               std::optional<std::size_t> lit) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end(mapping.corner.x + mapping.size.x, mapping.corner.y + mapping.size.y);
  list.AddRectFilled(mapping.corner, end, ImGui::GetColorU32(ImGuiCol_FrameBg), ImGui::GetStyle().FrameRounding);
  const ImU32 grid = ImGui::GetColorU32(ImGuiCol_Border);
  for (int i = 1; i < 4; ++i) {
    const float x = mapping.corner.x + mapping.size.x * static_cast<float>(i) / 4;
    const float y = mapping.corner.y + mapping.size.y * static_cast<float>(i) / 4;
    list.AddLine({x, mapping.corner.y}, {x, end.y}, grid);
    list.AddLine({mapping.corner.x, y}, {end.x, y}, grid);
  }
  list.PushClipRect(mapping.corner, end, true);
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_PlotLines);
  if (keys.empty()) {
    // No keys: a straight ramp between the pinned ends.
    if (plot.pinned.size() == 2) list.AddLine(mapping.pixel(plot.pinned[0]), mapping.pixel(plot.pinned[1]), ink, 1);
  } else {
    constexpr int kPieces = 96;
    for (int i = 0; i <= kPieces; ++i) {
      const float at = std::lerp(mapping.at_low, mapping.at_high, static_cast<float>(i) / kPieces);
      list.PathLineTo(mapping.pixel({at, curve_at(keys, at, plot.smooth)}));
    }
    list.PathStroke(ink, 0, 2);
  }
  list.PopClipRect();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const ImVec2 at = mapping.pixel(keys[k]);
    const float radius = (lit == k ? 0.4f : 0.3f) * ImGui::GetFontSize();
    const ImGuiCol color = is_pinned(plot, keys[k]) ? ImGuiCol_TextDisabled
                           : lit == k               ? ImGuiCol_PlotLinesHovered
                                                    : ImGuiCol_Text;
    list.AddCircleFilled(at, radius, ImGui::GetColorU32(color));
  }
}

}  // namespace

float curve_at(const std::vector<CurveKey>& keys, float at, bool smooth) {
  if (at <= keys.front().at) return keys.front().value;
  if (at >= keys.back().at) return keys.back().value;
  const auto after =
      std::upper_bound(keys.begin(), keys.end(), at, [](float value, const CurveKey& key) { return value < key.at; });
  const auto k = static_cast<std::size_t>(after - keys.begin()) - 1;
  const double width = double{keys[k + 1].at} - keys[k].at;
  const double u = (double{at} - keys[k].at) / width;
  const double v = 1 - u;
  if (!smooth) return static_cast<float>(v * keys[k].value + u * keys[k + 1].value);
  return static_cast<float>(v * v * (1 + 2 * u) * keys[k].value + u * u * (1 + 2 * v) * keys[k + 1].value +
                            width * u * v * (v * monotone_slope(keys, k) - u * monotone_slope(keys, k + 1)));
}

bool draw_curve_editor(const char* id, std::vector<CurveKey>& keys, const CurvePlot& plot) {
  ImGui::PushID(id);
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID dragged_id = ImGui::GetID("dragged");
  const ImGuiID low_id = ImGui::GetID("low");
  const ImGuiID high_id = ImGui::GetID("high");
  const float em = ImGui::GetFontSize();
  Mapping mapping{ImGui::GetCursorScreenPos(),
                  {std::max(ImGui::GetContentRegionAvail().x - kEdge * em, 4 * em), kHeight * em},
                  plot.at_low,
                  plot.at_high,
                  plot.least,
                  plot.most};
  ImGui::InvisibleButton("plot", mapping.size, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);

  // A range without limits fits the keys, but stays while a key is dragged.
  constexpr float kOpen = 1e6f;
  if (plot.least < -kOpen || plot.most > kOpen) {
    const auto [low, high] = std::minmax_element(
        keys.begin(), keys.end(), [](const CurveKey& a, const CurveKey& b) { return a.value < b.value; });
    const float from = keys.empty() ? 0.0f : std::min(low->value, 0.0f);
    const float to = keys.empty() ? 1.0f : std::max(high->value, from + 1e-3f);
    if (!ImGui::IsItemActive() || ImGui::IsItemActivated()) {
      kept.SetFloat(low_id, from < 0 ? from - 0.15f * (to - from) : from);
      kept.SetFloat(high_id, to + 0.25f * (to - from));
    }
    mapping.low = kept.GetFloat(low_id);
    mapping.high = kept.GetFloat(high_id, 1.0f);
  }

  bool changed = false;
  const ImVec2 mouse = ImGui::GetMousePos();
  const bool hovered = ImGui::IsItemHovered();
  std::optional<std::size_t> under = hovered ? key_under(keys, mapping, mouse) : std::nullopt;
  if (ImGui::IsItemActivated()) kept.SetInt(dragged_id, under ? static_cast<int>(*under) : -1);
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && !under) {
    if (keys.empty()) keys = plot.pinned;
    const CurveKey wanted = mapping.key(mouse);
    const auto place = std::upper_bound(keys.begin(), keys.end(), wanted.at,
                                        [](float at, const CurveKey& key) { return at < key.at; });
    const auto k = static_cast<std::size_t>(place - keys.begin());
    keys.insert(place, wanted);
    keys[k] = placed(keys, k, wanted, plot);
    kept.SetInt(dragged_id, static_cast<int>(k));
    changed = true;
  } else if (under && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    if (!is_pinned(plot, keys[*under])) {
      keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(*under));
      if (keys.size() == plot.pinned.size() && plot.pinned.size() == 2) keys.clear();  // a straight ramp needs no keys
      changed = true;
    }
    kept.SetInt(dragged_id, -1);
    under.reset();
  } else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0)) {
    const int dragged = kept.GetInt(dragged_id, -1);
    if (dragged >= 0 && static_cast<std::size_t>(dragged) < keys.size()) {
      CurveKey& key = keys[static_cast<std::size_t>(dragged)];
      if (!is_pinned(plot, key)) {
        const CurveKey before = key;
        key = placed(keys, static_cast<std::size_t>(dragged), mapping.key(mouse), plot);
        changed = !(key == before);
      }
      under = static_cast<std::size_t>(dragged);
    }
  }
  draw_plot(keys, mapping, plot, under);
  if (under && *under < keys.size()) {
    ImGui::SetTooltip("%.4g, %.4g", static_cast<double>(keys[*under].at), static_cast<double>(keys[*under].value));
  } else if (hovered) {
    ImGui::SetTooltip("Double click: a new key. Right click on a key: remove it.");
  }
  ImGui::PopID();
  return changed;
}

}  // namespace pelt::viewer
