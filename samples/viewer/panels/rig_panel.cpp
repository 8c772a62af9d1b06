// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rig_editor.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

void draw_toolbar(Context& context) {
  Document& document = *context.document;
  if (button("Undo", document.can_undo())) document.undo();
  ImGui::SameLine();
  if (button("Redo", document.can_redo())) document.redo();
  ImGui::SameLine();
  if (button("Save", document.rig_path().empty() || document.modified())) context.save_wanted = true;
}

void draw_title(const Document& document) {
  const float em = ImGui::GetFontSize();
  if (document.modified()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x + 0.4f * em, at.y + 0.5f * ImGui::GetTextLineHeight()},
                                                0.25f * em, ImGui::GetColorU32(ImGuiCol_PlotHistogram));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em);
  }
  ImGui::TextUnformatted(document.title().c_str());
  if (ImGui::IsItemHovered()) {
    const std::string path = document.rig_path().string();
    ImGui::SetTooltip("%s%s", path.empty() ? "not saved yet" : path.c_str(), document.modified() ? ", modified" : "");
  }
}

// Draws the progress instead of the title, so that nothing below it moves.
void draw_progress(const Binder::Progress& progress) {
  std::string text = progress.what.empty() ? progress.title : progress.what;
  if (progress.waiting > 0) text += fmt::format(", {} more", progress.waiting);
  ImGui::ProgressBar(static_cast<float>(progress.fraction), {-1, ImGui::GetTextLineHeight()}, text.c_str());
}

}  // namespace

void draw_rig_panel(Context& context) {
  if (!context.document) return;
  draw_toolbar(context);
  const std::optional<Binder::Progress> progress = context.binder.progress();
  progress ? draw_progress(*progress) : draw_title(*context.document);
  draw_rig_editor(*context.document, context.rig_editor, context.view.panels.search);
}

}  // namespace pelt::viewer
