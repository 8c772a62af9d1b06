// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>

#include <pelt/evaluate.h>
#include <pelt/tools/inspect.h>

#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

void draw_mesh_choice(ViewState& view, const CharacterData& data) {
  row_label("mesh");
  if (!ImGui::BeginCombo("##mesh", view.selection.mesh.empty() ? "none" : view.selection.mesh.c_str())) return;
  for (const CharacterMesh& mesh : data.meshes) {
    if (!ImGui::Selectable(mesh.name.c_str(), mesh.name == view.selection.mesh)) continue;
    view.selection.mesh = mesh.name;
    view.selection.vertex = std::min(view.selection.vertex, std::max(mesh.vertex_count(), 1u) - 1);
  }
  ImGui::EndCombo();
}

// Shows the decisions of bind at the vertex.
void draw_remarks(const Actor& actor, const std::string& mesh, std::uint32_t vertex) {
  const auto report = std::ranges::find(actor.report.meshes, mesh, &MeshReport::mesh);
  if (report == actor.report.meshes.end()) return;
  if (vertex < report->distances.size()) {
    const float distance = report->distances[vertex];
    row_text("distance", distance < 0 ? "no driver moves it" : fmt::format("{:.4g} m to its driver", distance));
  }
  if (vertex >= report->remarks.size()) return;
  const VertexRemarks remarks = report->remarks[vertex];
  if ((remarks & kFar) != 0) ImGui::TextWrapped("Far from the driver: its nearest elements have nearly equal weights.");
  if ((remarks & kBetweenSheets) != 0) ImGui::TextWrapped("Equally near to another sheet of the driver.");
  if ((remarks & kBeyondHops) != 0) ImGui::TextWrapped("No element is within the allowed hops.");
}

void draw_row(Context& context, const Actor& actor, const CharacterMesh& mesh, std::uint32_t packed) {
  const CharacterData& data = *actor.character;
  const std::vector<VertexInfluence> row = influences_of(mesh, packed);
  const Evaluator& evaluator = context.stage.evaluated(actor);
  ImGui::Spacing();
  ImGui::Text("Moved by %zu %s", row.size(), row.size() == 1 ? "element" : "elements");
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit;
  const float height = std::max(ImGui::GetContentRegionAvail().y, 8 * ImGui::GetFrameHeight());
  if (!ImGui::BeginTable("row", 2, kFlags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("element, local point", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("weight", ImGuiTableColumnFlags_WidthFixed, 3.8f * ImGui::GetFontSize());
  ImGui::TableHeadersRow();
  for (std::size_t k = 0; k < row.size(); ++k) {
    const VertexInfluence& influence = row[k];
    const PosedEntry element = posed_entry(actor.character, evaluator, actor.pose.joints, influence.entry);
    ImGui::PushID(static_cast<int>(k));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 start = ImGui::GetCursorPos();
    const float lines = 2 * ImGui::GetTextLineHeight();
    const std::string name = entry_label(data, influence.entry);
    // A joint shows everything that it moves, other palette entries only themselves.
    const std::string key = element.kind == EntryKind::kJoint
                                ? data.skeleton.joints[entry_sources(data, influence.entry).front().index].name
                                : fmt::to_string(influence.entry);
    const bool shown = context.view.heat.kind == HeatKind::kElement && context.view.heat.element == key;
    if (ImGui::Selectable("##show", shown, ImGuiSelectableFlags_SpanAllColumns, {0, lines})) {
      context.view.heat = {.kind = HeatKind::kElement, .element = key};
    }
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s\npalette entry %u: click to show its weights", name.c_str(), influence.entry);
    ImGui::SetCursorPos(start);
    fitted_text(name);
    ImGui::SetCursorPos({start.x, start.y + ImGui::GetTextLineHeight()});
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    fitted_text(vector_text(transform_point(element.from_rest, influence.local)));
    ImGui::PopStyleColor();
    ImGui::TableNextColumn();
    ImGui::Text("%.4f", static_cast<double>(influence.weight));
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace

void draw_vertex_panel(Context& context) {
  ViewState& view = context.view;
  const Actor* subject = subject_or_note(context.stage);
  if (subject == nullptr) return;
  const CharacterData& data = *subject->character;
  draw_mesh_choice(view, data);
  const CharacterMesh* mesh = find_mesh(data, view.selection.mesh);
  if (mesh == nullptr || mesh->vertex_count() == 0) {
    ImGui::TextWrapped("Click on the skin or choose a mesh to see what moves a vertex.");
    return;
  }
  row_label("vertex");
  auto number = static_cast<int>(view.selection.vertex);
  if (ImGui::InputInt("##vertex", &number)) {
    view.selection.vertex =
        static_cast<std::uint32_t>(std::clamp(number, 0, static_cast<int>(mesh->vertex_count()) - 1));
  }
  const std::optional<std::uint32_t> packed = packed_vertex(*mesh, view.selection.vertex);
  if (!packed) {
    ImGui::TextWrapped("This mesh has %u vertices, numbered from 0.", mesh->vertex_count());
    return;
  }
  const Evaluator& evaluator = context.stage.evaluated(*subject);
  const std::uint32_t at = mesh->first_vertex + *packed;
  row_text("at rest", vector_text(mesh->binding.points[*packed]));
  row_text("posed", vector_text(evaluator.positions()[at]));
  row_text("normal", vector_text(evaluator.normals()[at]));
  row_text("deformer", mesh->deformer);
  if (context.heat && at < context.heat->values.size()) {
    const HeatMap& heat = *context.heat;
    row_text("heat map", fmt::format("{:.4g} {}", heat.values[at], heat.unit));
  }
  draw_remarks(*subject, mesh->name, view.selection.vertex);
  draw_row(context, *subject, *mesh, *packed);
}

}  // namespace pelt::viewer
