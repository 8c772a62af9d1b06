// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <glm/gtc/quaternion.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pelt/pose.h>
#include <pelt/tools/inspect.h>
#include <pelt/typed_name.h>

#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

constexpr std::size_t kMaxJumps = 200;  // buttons in one list

void draw_jumps(ViewState& view, const MeshReport& report) {
  const std::vector<std::uint32_t>& vertices = report.repaired_vertices;
  row_text("repaired", fmt::format("{} vertices", vertices.size()));
  const std::size_t shown = std::min(vertices.size(), kMaxJumps);
  for (std::size_t k = 0; k < shown; ++k) {
    ImGui::PushID(static_cast<int>(k));
    const std::string text = fmt::to_string(vertices[k]);
    if (ImGui::SmallButton(text.c_str())) select_source(view, report.mesh, vertices[k]);
    ImGui::PopID();
    if (k + 1 < shown) same_line_if_fits(fmt::to_string(vertices[k + 1]));
  }
  if (shown < vertices.size()) ImGui::TextDisabled("and %zu more", vertices.size() - shown);
}

void draw_mesh(ViewState& view, const CharacterData& data, const MeshReport& report) {
  row_text("deformer", typed_name(report.deformer));
  row_text("vertices", fmt::format("{}", report.vertices));
  row_text("influences", fmt::format("{:.2f} mean, {} most", report.mean_influences, report.max_influences));
  row_text("per vertex", fmt::format("{:.1f} bytes", report.bytes_per_vertex));
  if (report.dropped_elements > 0) row_text("cut", fmt::format("{} elements", report.dropped_elements));
  if (report.cut_error) row_text("cut error", fmt::format("{:.3g} m at most", *report.cut_error));
  if (!report.distances.empty()) {
    row_text("distance", fmt::format("{:.4g} m at most", report.worst_distance));
    const CharacterMesh* mesh = find_mesh(data, report.mesh);
    const std::string text = fmt::format("Go to vertex {}", report.worst_vertex);
    row_label("");
    ImGui::BeginDisabled(mesh == nullptr);
    if (ImGui::SmallButton(text.c_str())) select_source(view, report.mesh, report.worst_vertex);
    ImGui::EndDisabled();
  }
  if (!report.repaired_vertices.empty()) draw_jumps(view, report);
}

// Poses the characters as the check at bind did for this defect, and selects its vertex.
void show_place(Context& context, const CharacterData& data, const DefectLocation& place, std::size_t number) {
  ViewState& view = context.view;
  const CheckPose& pose = place.pose;
  view.panels.place = static_cast<std::uint32_t>(number);
  view.playback.playing = false;
  view.playback.clip = pose.clip ? data.clips[*pose.clip].name : "";
  view.playback.time = pose.seconds;
  view.turns.clear();
  std::vector<glm::mat4> rest(data.skeleton.joints.size());
  rest_matrices(data.skeleton, rest);
  for (const TurnFromRest& turn : pose.turns) {
    const glm::vec3 axis = glm::normalize(glm::inverse(glm::mat3(rest[turn.joint])) * glm::vec3(turn.axis));
    const auto angle = static_cast<float>(glm::radians(turn.degrees));
    view.turns.push_back({data.skeleton.joints[turn.joint].name, glm::angleAxis(angle, axis)});
  }
  view.selection = {.joint = "", .mesh = place.mesh, .vertex = place.vertex, .point = ""};
  context.frame_wanted = true;
}

void draw_check(Context& context, const CharacterData& data, const CheckReport& report) {
  if (!ImGui::CollapsingHeader("Against linear blend", ImGuiTreeNodeFlags_DefaultOpen)) return;
  ImGui::TextWrapped("checked in %s", poses_in_words(report).c_str());
  row_text("falls back", report.fallback > 0 ? share_in_words(report.fallback) + " of the skin" : "nothing");
  std::vector<DefectLocation> places = report.defects;
  places.insert(places.end(), report.shapes.begin(), report.shapes.end());
  const char* heading = "";
  for (std::size_t i = 0; i < places.size(); ++i) {
    const DefectLocation& place = places[i];
    const char* const of_place = i >= report.defects.size() ? "Creases to look at; bind changes nothing"
                                 : place.defect.score >= 1  ? "Defects"
                                                            : "The largest values within the limits";
    if (std::exchange(heading, of_place) != of_place) ImGui::TextDisabled("%s", of_place);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::RadioButton("##place", context.view.panels.place == i + 1)) show_place(context, data, place, i + 1);
    ImGui::PopID();
    ImGui::SameLine();
    ImGui::TextWrapped("%s", in_words(place).c_str());
  }
}

void draw_notes(std::span<const std::string> notes) {
  for (const std::string& note : notes) {
    ImGui::Bullet();
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(note.c_str());
    ImGui::PopTextWrapPos();
  }
}

}  // namespace

void draw_report_panel(Context& context) {
  const Actor* subject = subject_or_note(context.stage);
  if (subject == nullptr) return;
  const BindReport& report = subject->report;
  row_text("bound in", fmt::format("{:.2f} s", subject->bind_seconds));
  row_text("palette", fmt::format("{} entries", subject->character->palette_size));
  row_text("stages", fmt::format("{}", subject->character->stage_count));
  if (report.check) draw_check(context, *subject->character, *report.check);
  if (report.meshes.empty()) ImGui::TextWrapped("This character comes from a file without a report.");
  for (std::size_t m = 0; m < report.meshes.size(); ++m) {
    const MeshReport& mesh = report.meshes[m];
    ImGui::PushID(static_cast<int>(m));
    const CharacterMesh* known = find_mesh(*subject->character, mesh.mesh);
    const bool driver = known != nullptr && known->control;
    const std::string title = mesh.mesh + (driver ? " (driver)###mesh" : "###mesh");
    if (ImGui::CollapsingHeader(title.c_str(), driver ? ImGuiTreeNodeFlags_None : ImGuiTreeNodeFlags_DefaultOpen)) {
      draw_mesh(context.view, *subject->character, mesh);
    }
    ImGui::PopID();
  }
  const std::shared_ptr<const Model> model = context.document ? context.document->model() : nullptr;
  const std::span<const std::string> of_import =
      model ? std::span(model->report.notes) : std::span<const std::string>();
  if (report.notes.empty() && of_import.empty()) return;
  if (!ImGui::CollapsingHeader("Notes", ImGuiTreeNodeFlags_DefaultOpen)) return;
  draw_notes(report.notes);
  draw_notes(of_import);
}

}  // namespace pelt::viewer
