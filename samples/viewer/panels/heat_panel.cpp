// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>

#include "samples/viewer/panels/color_bar.h"
#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

void draw_element(ViewState& view, const CharacterData& data) {
  row_label("element");
  ImGui::InputTextWithHint("##element", "joint or number; empty: the selected control vertex", &view.heat.element);
  row_label("");
  if (!ImGui::BeginCombo("##joints", "choose a joint", ImGuiComboFlags_HeightLarge)) return;
  for (const Joint& joint : data.skeleton.joints) {
    if (ImGui::Selectable(joint.name.c_str(), joint.name == view.heat.element)) view.heat.element = joint.name;
  }
  ImGui::EndCombo();
}

void draw_scale(Heat& heat, const HeatMap& map) {
  row_label("scale");
  if (ImGui::Checkbox("follows the values", &heat.automatic) && !heat.automatic) {
    heat.low = map.low;
    heat.high = map.high;
  }
  if (heat.automatic) return;
  const float speed = std::max(1e-3f * (heat.high - heat.low), 1e-9f);
  row_label("from");
  ImGui::DragFloat("##low", &heat.low, speed, 0, 0, "%.4g");
  row_label("to");
  ImGui::DragFloat("##high", &heat.high, speed, 0, 0, "%.4g");
  heat.high = std::max(heat.high, heat.low);
}

void draw_statistics(const HeatMap& map, const CharacterData& data) {
  float least = FLT_MAX;
  float most = -FLT_MAX;
  double sum = 0;
  std::size_t count = 0;
  for (const CharacterMesh& mesh : data.meshes) {
    for (std::uint32_t v = mesh.first_vertex; !mesh.control && v < mesh.first_vertex + mesh.vertex_count(); ++v) {
      if (v >= map.values.size()) return;  // the map belongs to the previous character
      least = std::min(least, map.values[v]);
      most = std::max(most, map.values[v]);
      sum += static_cast<double>(map.values[v]);
      ++count;
    }
  }
  if (count == 0) return;
  const auto text = [&](double value) { return fmt::format("{:.4g} {}", value, map.unit); };
  row_text("least", text(static_cast<double>(least)));
  row_text("mean", text(sum / static_cast<double>(count)));
  row_text("most", text(static_cast<double>(most)));
}

}  // namespace

void draw_heat_panel(Context& context) {
  ViewState& view = context.view;
  const Actor* subject = subject_or_note(context.stage);
  if (subject == nullptr) return;
  row_label("show");
  if (ImGui::BeginCombo("##kind", text_of(view.heat.kind).name, ImGuiComboFlags_HeightLarge)) {
    for (const HeatKindText& kind : heat_kinds()) {
      if (ImGui::Selectable(kind.name, kind.kind == view.heat.kind)) {
        view.heat.kind = kind.kind;
        view.heat.automatic = true;
        if (kind.kind == HeatKind::kElement && view.heat.element.empty() && view.selection.point.empty()) {
          const std::vector<Joint>& joints = subject->character->skeleton.joints;
          const bool selected = !view.selection.joint.empty();
          view.heat.element = selected ? view.selection.joint : joints.empty() ? "0" : joints.front().name;
        }
      }
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kind.what);
    }
    ImGui::EndCombo();
  }
  ImGui::TextWrapped("%s", text_of(view.heat.kind).what);
  if (view.heat.kind == HeatKind::kElement) draw_element(view, *subject->character);
  if (!context.heat) return;
  const HeatMap& map = *context.heat;
  ImGui::Separator();
  fitted_text(map.unit.empty() ? map.title : fmt::format("{}, {}", map.title, map.unit));
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = draw_color_bar(*ImGui::GetWindowDrawList(), map, ImGui::GetCursorScreenPos(),
                                      {width, 1.1f * ImGui::GetFontSize()}, 4, false);
  ImGui::Dummy({width, height});
  draw_scale(view.heat, map);
  draw_statistics(map, *subject->character);
  if (line_button("Select worst vertex", 1)) select_packed(view, *subject->character, map.worst);
}

}  // namespace pelt::viewer
