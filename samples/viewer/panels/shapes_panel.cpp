// SPDX-License-Identifier: MIT
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>
#include <string>

#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

bool is_shape(const Control& control) {
  return control.kind == ControlKind::kMorphTarget || control.kind == ControlKind::kExpression;
}

// Draws the slider of a morph target or an expression; it shows the clip's weight until the user sets another.
void draw_weight(ViewState& view, const Control& control, float of_clip) {
  const auto set = std::ranges::find(view.morphs, control.name, &MorphWeight::control);
  float weight = set == view.morphs.end() ? of_clip : set->weight;
  const float side = ImGui::GetFrameHeight();
  ImGui::PushID(control.name.c_str());
  row_label(std::string(control.target_name()).c_str());
  ImGui::SetNextItemWidth(-side - ImGui::GetStyle().ItemSpacing.x);
  const bool moved = ImGui::SliderFloat("##weight", &weight, std::min(weight, 0.0f), std::max(weight, 1.0f), "%.2f");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", control.name.c_str());
  ImGui::SameLine();
  const bool reset = button("x", set != view.morphs.end(), side);
  ImGui::PopID();
  if (reset) {
    view.morphs.erase(set);
  } else if (moved && set == view.morphs.end()) {
    view.morphs.push_back({control.name, weight});
  } else if (moved) {
    set->weight = weight;
  }
}

}  // namespace

void draw_shapes_panel(Context& context) {
  static std::string search;  // there is only one window
  ViewState& view = context.view;
  const Actor* subject = subject_or_note(context.stage);
  if (subject == nullptr) return;
  ImGui::SetNextItemWidth(-FLT_MIN);
  ImGui::InputTextWithHint("##search", "search shapes", &search);
  const float below = 1.3f * ImGui::GetFrameHeightWithSpacing();
  if (ImGui::BeginChild("weights", {0, std::max(ImGui::GetContentRegionAvail().y - below, below)}, true)) {
    std::string above;
    const auto draw = [&](ControlKind kind) {
      for (const Control& control : subject->character->controls) {
        if (control.kind != kind || !contains(control.name, search)) continue;
        const std::string group = kind == ControlKind::kExpression ? "expressions" : control.mesh;
        if (group != above) fitted_text(group);
        above = group;
        draw_weight(view, control, subject->pose.inputs[control.input]);
      }
    };
    draw(ControlKind::kExpression);
    draw(ControlKind::kMorphTarget);
    if (above.empty()) ImGui::TextDisabled("no shape with this in its name");
  }
  ImGui::EndChild();
  if (line_button("Reset all", 1, !view.morphs.empty())) view.morphs.clear();
}

bool has_shapes(const Context& context) {
  const Actor* subject = context.stage.subject();
  return subject != nullptr && std::ranges::any_of(subject->character->controls, is_shape);
}

}  // namespace pelt::viewer
