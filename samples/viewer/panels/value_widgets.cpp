// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/value_widgets.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <type_traits>

#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;

constexpr double kWidest = 1e4;      // a wider range gets no slider
constexpr float kMin = 1e-6f;        // least value of a number > 0 when dragged
constexpr float kLogarithmic = 100;  // from this ratio a slider is logarithmic
constexpr double kMostInteger = 4294967295.0;

float least_of(const Schema& schema) {
  const float least = static_cast<float>(std::max(schema.minimum, -1e30));
  return schema.above_minimum ? least + std::max(kMin, std::abs(least) * kMin) : least;
}

float most_of(const Schema& schema) { return static_cast<float>(std::min(schema.maximum, 1e30)); }

// Draws a number: `speed` is its change per pixel if it has no slider.
template <class Number>
bool draw_scalar(const Schema& schema, Json& value, Number number, Number least, Number most, float speed) {
  constexpr bool kWhole = std::is_integral_v<Number>;
  const ImGuiDataType type = kWhole ? ImGuiDataType_U32 : ImGuiDataType_Float;
  const char* const format = kWhole ? "%u" : "%.4g";
  ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp;
  bool changed = false;
  if (schema.minimum > -kWidest && schema.maximum < kWidest) {
    if constexpr (!kWhole) {
      if (least > 0 && most > kLogarithmic * least) flags |= ImGuiSliderFlags_Logarithmic;
    }
    changed = ImGui::SliderScalar("##value", type, &number, &least, &most, format, flags);
  } else {
    changed = ImGui::DragScalar("##value", type, &number, speed, &least, &most, format, flags);
  }
  if (changed) value = number;
  return changed;
}

}  // namespace

std::string readable(const std::string& key) {
  std::string text = key;
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

bool draw_text(const char* id, const char* hint, std::string& text) {
  ImGui::InputTextWithHint(id, hint, &text);
  return ImGui::IsItemDeactivatedAfterEdit();
}

bool draw_number(const Schema& schema, Json& value) {
  const float at = value.is_number() ? value.get<float>() : 0.0f;
  if (schema.kind == Schema::Kind::kInteger) {
    const double number = value.is_number() ? value.get<double>() : 0.0;
    return draw_scalar(schema, value, static_cast<std::uint32_t>(std::clamp(number, 0.0, kMostInteger)),
                       static_cast<std::uint32_t>(schema.minimum),
                       static_cast<std::uint32_t>(std::min(schema.maximum, kMostInteger)), std::max(0.005f * at, 0.1f));
  }
  return draw_scalar(schema, value, at, least_of(schema), most_of(schema), std::max(0.005f * std::abs(at), 0.0005f));
}

bool draw_numbers(const Schema& schema, Json& value) {
  const std::size_t count = value.size();
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float all = ImGui::CalcItemWidth() - gap * static_cast<float>(count - 1);
  bool changed = false;
  ImGui::BeginGroup();
  for (std::size_t i = 0; i < count; ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (i > 0) ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(std::floor(all / static_cast<float>(count)));
    changed |= draw_number(schema.item(i), value[i]);
    ImGui::PopID();
  }
  ImGui::EndGroup();
  return changed;
}

bool draw_choice(const Schema& schema, Json& value) {
  const std::string now = value.is_string() ? value.get<std::string>() : "";
  bool changed = false;
  if (!ImGui::BeginCombo("##value", now.c_str())) return false;
  for (const std::string& choice : schema.choices) {
    if (ImGui::Selectable(choice.c_str(), choice == now) && choice != now) {
      value = choice;
      changed = true;
    }
  }
  ImGui::EndCombo();
  return changed;
}

bool draw_name(const char* id, const char* empty, std::string& name, std::string& filter,
               const std::function<std::vector<std::string>()>& list) {
  if (!ImGui::BeginCombo(id, name.empty() ? empty : name.c_str(), ImGuiComboFlags_HeightLarge)) return false;
  bool changed = false;
  const auto choose = [&](const std::string& chosen) {
    changed = chosen != name;
    name = chosen;
    ImGui::CloseCurrentPopup();
  };
  if (ImGui::IsWindowAppearing()) {
    filter.clear();
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##filter", "search, or type a name", &filter, ImGuiInputTextFlags_EnterReturnsTrue))
    choose(filter);
  for (const std::string& one : list()) {
    if (!contains(one, filter)) continue;
    const std::string row = fmt::format("{}##{}", one.empty() ? empty : one.c_str(), one);
    if (ImGui::Selectable(row.c_str(), one == name)) choose(one);
  }
  ImGui::EndCombo();
  return changed;
}

std::string ranges_text(const Json& ranges) {
  std::string text;
  for (const Json& range : ranges) {
    if (!text.empty()) text += ", ";
    text += range.is_array() ? fmt::format("{}-{}", range[0].get<std::uint32_t>(), range[1].get<std::uint32_t>())
                             : fmt::format("{}", range.get<std::uint32_t>());
  }
  return text;
}

Json ranges_of(const std::string& text) {
  Json ranges = Json::array();
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto skip = [&](char also) {
    while (at < end && (*at == ' ' || *at == also)) ++at;
  };
  const auto number = [&](std::uint32_t& value) {
    const auto [after, error] = std::from_chars(at, end, value);
    at = after;
    return error == std::errc();
  };
  for (skip(','); at < end; skip(',')) {
    std::uint32_t first = 0, last = 0;
    if (!number(first)) return Json::value_t::discarded;
    skip(' ');
    if (at == end || *at != '-') {
      ranges.push_back(first);
      continue;
    }
    ++at;
    skip(' ');
    if (!number(last) || last < first) return Json::value_t::discarded;
    ranges.push_back(Json::array({first, last}));
  }
  return ranges;
}

}  // namespace pelt::viewer
