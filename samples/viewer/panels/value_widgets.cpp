// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/value_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;

constexpr double kWidest = 1e4;       // a wider range gets no slider
constexpr float kMin = 1e-6f;         // least value of a number > 0 when dragged
constexpr float kLogarithmic = 100;   // from this ratio a slider is logarithmic
constexpr std::size_t kMaxNames = 4;  // numbers beside each other

float least_of(const Schema& schema) {
  const float least = static_cast<float>(std::max(schema.minimum, -1e30));
  return schema.above_minimum ? least + std::max(kMin, std::abs(least) * kMin) : least;
}

float most_of(const Schema& schema) { return static_cast<float>(std::min(schema.maximum, 1e30)); }

bool is_ranged(const Schema& schema) { return schema.minimum > -kWidest && schema.maximum < kWidest; }

}  // namespace

std::string readable(const std::string& key) {
  std::string text = key;
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

bool draw_text(const char* id, const char* hint, std::string& text) {
  input_text(id, hint, text);
  return ImGui::IsItemDeactivatedAfterEdit();
}

bool draw_number(const Schema& schema, Json& value) {
  if (schema.kind == Schema::Kind::kInteger) {
    auto number =
        value.is_number() ? static_cast<std::uint32_t>(std::clamp(value.get<double>(), 0.0, 4294967295.0)) : 0;
    const auto least = static_cast<std::uint32_t>(schema.minimum);
    const auto most = static_cast<std::uint32_t>(std::min(schema.maximum, 4294967295.0));
    const float speed = std::max(0.1f, 0.005f * static_cast<float>(number));
    const bool changed = is_ranged(schema) ? ImGui::SliderScalar("##value", ImGuiDataType_U32, &number, &least, &most,
                                                                 "%u", ImGuiSliderFlags_AlwaysClamp)
                                           : ImGui::DragScalar("##value", ImGuiDataType_U32, &number, speed, &least,
                                                               &most, "%u", ImGuiSliderFlags_AlwaysClamp);
    if (changed) value = number;
    return changed;
  }
  auto number = value.is_number() ? value.get<float>() : 0.0f;
  const float least = least_of(schema);
  const float most = most_of(schema);
  ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp;
  bool changed = false;
  if (is_ranged(schema)) {
    if (least > 0 && most > kLogarithmic * least) flags |= ImGuiSliderFlags_Logarithmic;
    changed = ImGui::SliderFloat("##value", &number, least, most, "%.4g", flags);
  } else {
    const float speed = std::max(0.005f * std::abs(number), 0.0005f);
    changed = ImGui::DragFloat("##value", &number, speed, least, most, "%.4g", flags);
  }
  if (changed) value = number;
  return changed;
}

bool draw_numbers(const Schema& schema, Json& value) {
  const Schema& item = schema.item(0);
  const auto count = static_cast<int>(std::min(schema.min_items, kMaxNames));
  if (item.kind == Schema::Kind::kInteger) {
    std::array<std::uint32_t, kMaxNames> numbers{};
    for (int i = 0; i < count; ++i) numbers[i] = value[i].get<std::uint32_t>();
    const auto least = static_cast<std::uint32_t>(item.minimum);
    const std::uint32_t most = 4294967295u;
    if (!ImGui::DragScalarN("##value", ImGuiDataType_U32, numbers.data(), count, 0.1f, &least, &most, "%u",
                            ImGuiSliderFlags_AlwaysClamp)) {
      return false;
    }
    for (int i = 0; i < count; ++i) value[i] = numbers[i];
    return true;
  }
  std::array<float, kMaxNames> numbers{};
  float largest = 0;
  for (int i = 0; i < count; ++i) {
    numbers[i] = value[i].get<float>();
    largest = std::max(largest, std::abs(numbers[i]));
  }
  const float least = least_of(item);
  const float most = most_of(item);
  if (!ImGui::DragScalarN("##value", ImGuiDataType_Float, numbers.data(), count, std::max(0.002f * largest, 0.0005f),
                          &least, &most, "%.4g", ImGuiSliderFlags_AlwaysClamp)) {
    return false;
  }
  for (int i = 0; i < count; ++i) value[i] = numbers[i];
  return true;
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
  if (input_text("##filter", "search, or type a name", filter, ImGuiInputTextFlags_EnterReturnsTrue)) choose(filter);
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
