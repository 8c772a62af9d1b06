// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cstddef>

namespace pelt::viewer {
namespace {

constexpr float kLabelWidth = 8.5f;   // in font sizes, at most
constexpr float kLabelShare = 0.42f;  // fraction of the panel

}  // namespace

const Actor* subject_or_note(Stage& stage) {
  const Actor* subject = stage.subject();
  if (subject == nullptr) ImGui::TextDisabled("nothing is bound yet");
  return subject;
}

void row_label(const char* label) {
  const float start = ImGui::GetCursorPosX();
  const float width = std::min(kLabelWidth * ImGui::GetFontSize(), kLabelShare * ImGui::GetContentRegionAvail().x);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label);
  ImGui::SameLine(start + width);
  ImGui::SetNextItemWidth(-FLT_MIN);
}

void fitted_text(const std::string& text, float margin) {
  const float room = ImGui::GetContentRegionAvail().x - margin;
  if (ImGui::CalcTextSize(text.c_str()).x <= room) {
    ImGui::TextUnformatted(text.c_str());
    return;
  }
  // Do not split the bytes of a character.
  std::size_t low = 0;
  for (std::size_t high = text.size(); low < high;) {
    const std::size_t middle = (low + high + 1) / 2;
    const bool fits = ImGui::CalcTextSize((text.substr(0, middle) + "...").c_str()).x <= room;
    (fits ? low : high) = fits ? middle : middle - 1;
  }
  while (low > 0 && (static_cast<unsigned char>(text[low]) & 0xC0u) == 0x80u) --low;
  ImGui::TextUnformatted((text.substr(0, low) + "...").c_str());
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
}

void row_text(const char* label, const std::string& text) {
  row_label(label);
  fitted_text(text);
}

bool button(const char* label, bool enabled, float width) {
  ImGui::BeginDisabled(!enabled);
  const bool pressed = ImGui::Button(label, {width, 0});
  ImGui::EndDisabled();
  return pressed;
}

bool line_button(const char* label, int count, bool enabled) {
  const float spacing = ImGui::GetStyle().ItemSpacing.x * static_cast<float>(count - 1);
  const float width = (ImGui::GetWindowContentRegionMax().x - ImGui::GetWindowContentRegionMin().x - spacing) /
                      static_cast<float>(count);
  return button(label, enabled, width);
}

void same_line_if_fits(const std::string& next) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width = ImGui::CalcTextSize(next.c_str()).x + 2 * style.FramePadding.x;
  const float end = ImGui::GetItemRectMax().x + style.ItemSpacing.x + width;
  if (end < ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x) ImGui::SameLine();
}

std::string vector_text(glm::vec3 v) { return fmt::format("{:.4f}  {:.4f}  {:.4f}", v.x, v.y, v.z); }

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.2f} GB", bytes / 1e9);
}

void select_source(ViewState& view, const std::string& mesh, std::uint32_t vertex) {
  view.selection.mesh = mesh;
  view.selection.vertex = vertex;
  view.panels.tab = "Vertex";
}

void select_packed(ViewState& view, const CharacterData& data, std::uint32_t vertex) {
  for (const CharacterMesh& mesh : data.meshes) {
    if (vertex < mesh.first_vertex || vertex - mesh.first_vertex >= mesh.vertex_count()) continue;
    select_source(view, mesh.name, mesh.source_vertex[vertex - mesh.first_vertex]);
  }
}

bool contains(std::string_view name, std::string_view part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

}  // namespace pelt::viewer
