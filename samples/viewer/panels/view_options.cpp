// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <string>

#include <pelt/rig.h>

#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

constexpr std::array kModes{"nothing", "side by side", "split by a line", "difference"};

void draw_shown(Shown& shown) {
  if (!ImGui::BeginTable("shown", 2, ImGuiTableFlags_SizingStretchSame)) return;
  for (const ShownPart& one : kShownParts) {
    ImGui::TableNextColumn();
    ImGui::Checkbox(one.label, &(shown.*one.part));
  }
  ImGui::EndTable();
}

void draw_compare(Compare& compare) {
  row_label("with");
  auto mode = static_cast<int>(compare.mode);
  if (ImGui::Combo("##mode", &mode, kModes.data(), static_cast<int>(kModes.size()))) {
    compare.mode = static_cast<CompareMode>(mode);
  }
  if (compare.mode == CompareMode::kNone) return;
  std::vector<std::string>& chosen = compare.deformers;
  for (const std::string_view name : deformer_names()) {
    const std::string deformer(name);
    const auto known = std::ranges::find(chosen, deformer);
    bool wanted = known != chosen.end();
    if (!ImGui::Checkbox(deformer.c_str(), &wanted)) continue;
    if (!wanted) {
      chosen.erase(known);
    } else if (compare.mode == CompareMode::kSideBySide) {
      chosen.push_back(deformer);
    } else {
      chosen.insert(chosen.begin(), deformer);  // the first one is shown
    }
  }
  if (compare.mode == CompareMode::kSplit) {
    row_label("line at");
    ImGui::SliderFloat("##split", &compare.split, 0.0f, 1.0f, "%.2f");
  }
  if (compare.mode != CompareMode::kSideBySide && chosen.size() > 1) {
    ImGui::TextWrapped("Compared with %s.", chosen.front().c_str());
  }
}

}  // namespace

void draw_view_options(Context& context) {
  ViewState& view = context.view;
  draw_shown(view.shown);
  ImGui::Separator();
  ImGui::TextUnformatted("Compare");
  draw_compare(view.compare);
  ImGui::Separator();
  row_label("instances");
  auto instances = static_cast<int>(view.instances);
  if (ImGui::SliderInt("##instances", &instances, 1, static_cast<int>(kMaxInstances), "%d",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp)) {
    view.instances = static_cast<std::uint32_t>(std::clamp(instances, 1, static_cast<int>(kMaxInstances)));
  }
  if (!context.document) return;
  std::uint32_t coarsest = 0;
  for (const MeshLevel& level : context.document->model()->levels) coarsest = std::max(coarsest, level.level);
  if (coarsest == 0) return;
  row_label("level of detail");
  auto level = static_cast<int>(view.level);
  if (ImGui::SliderInt("##level", &level, 0, static_cast<int>(coarsest), "%d", ImGuiSliderFlags_AlwaysClamp)) {
    view.level = static_cast<std::uint32_t>(level);
  }
}

}  // namespace pelt::viewer
