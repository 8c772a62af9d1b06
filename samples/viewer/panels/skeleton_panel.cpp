// SPDX-License-Identifier: MIT
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <string>
#include <vector>

#include "samples/viewer/gizmo.h"
#include "samples/viewer/panels/panels.h"
#include "samples/viewer/panels/rows.h"

namespace pelt::viewer {
namespace {

constexpr int kOpenDepth = 3;  // depth of joints that are open at first
constexpr float kSliderRows = 6.3f;

// State of the panel between frames; there is only one window.
struct PanelState {
  std::string search;
  std::string scrolled_to;  // joint
  // The sliders' angles for `turn`, stored because different angles give the same turn.
  std::string joint;
  glm::quat turn{1, 0, 0, 0};
  glm::vec3 degrees{0.0f};
};

// Draws one row of the tree. Returns true if its children are shown. `reveal`: the selected joint is below it, and was
// selected outside of the tree.
bool draw_joint(ViewState& view, PanelState& state, const std::string& name, bool leaf, int depth, bool reveal) {
  ImGuiTreeNodeFlags flags =
      ImGuiTreeNodeFlags_OpenOnArrow | ImGuiTreeNodeFlags_OpenOnDoubleClick | ImGuiTreeNodeFlags_SpanAvailWidth;
  const bool selected = view.selection.joint == name;
  if (selected) flags |= ImGuiTreeNodeFlags_Selected;
  if (leaf) flags |= ImGuiTreeNodeFlags_Leaf;
  if (depth < kOpenDepth) flags |= ImGuiTreeNodeFlags_DefaultOpen;
  const bool turned = std::ranges::find(view.turns, name, &JointTurn::joint) != view.turns.end();
  if (reveal) ImGui::SetNextItemOpen(true);
  const bool open = ImGui::TreeNodeEx(name.c_str(), flags, "%s%s", name.c_str(), turned ? " *" : "");
  if (ImGui::IsItemClicked() && !ImGui::IsItemToggledOpen()) {
    view.selection.joint = state.scrolled_to = name;
    view.shown.skeleton = true;
  }
  if (selected && state.scrolled_to != name) {
    ImGui::SetScrollHereY();
    state.scrolled_to = name;
  }
  return open;
}

void draw_tree(ViewState& view, PanelState& state, const Skeleton& skeleton) {
  const std::size_t count = skeleton.joints.size();
  std::vector<std::vector<std::size_t>> children(count + 1);  // children of each joint; last: the roots
  for (std::size_t j = 0; j < count; ++j) {
    const std::int32_t parent = skeleton.joints[j].parent;
    children[parent < 0 ? count : static_cast<std::size_t>(parent)].push_back(j);
  }
  std::vector<bool> reveal(count, false);
  if (const std::optional<std::uint32_t> joint = skeleton.find(view.selection.joint);
      joint && state.scrolled_to != view.selection.joint) {
    for (std::int32_t j = skeleton.joints[*joint].parent; j >= 0;
         j = skeleton.joints[static_cast<std::size_t>(j)].parent) {
      reveal[static_cast<std::size_t>(j)] = true;
    }
  }
  struct Level {
    std::size_t joint;
    std::size_t next;  // index of its next child
  };
  std::vector<Level> path{{count, 0}};
  while (!path.empty()) {
    Level& level = path.back();
    if (level.next == children[level.joint].size()) {
      if (level.joint != count) ImGui::TreePop();
      path.pop_back();
      continue;
    }
    const std::size_t child = children[level.joint][level.next++];
    const int depth = static_cast<int>(path.size()) - 1;
    if (draw_joint(view, state, skeleton.joints[child].name, children[child].empty(), depth, reveal[child])) {
      path.push_back({child, 0});
    }
  }
}

void draw_matches(ViewState& view, PanelState& state, const Skeleton& skeleton) {
  bool any = false;
  for (const Joint& joint : skeleton.joints) {
    if (!contains(joint.name, state.search)) continue;
    any = true;
    if (!ImGui::Selectable(joint.name.c_str(), view.selection.joint == joint.name)) continue;
    view.selection.joint = joint.name;
    view.shown.skeleton = true;
  }
  if (!any) ImGui::TextDisabled("no joint with this in its name");
}

void draw_turn(ViewState& view, PanelState& state) {
  const std::string& joint = view.selection.joint;
  const glm::quat turn = turn_of(view, joint);
  if (state.joint != joint || state.turn != turn) {
    state.joint = joint;
    state.turn = turn;
    state.degrees = glm::round(100.0f * glm::degrees(glm::eulerAngles(turn))) * 0.01f + 0.0f;  // no -0.0
  }
  bool changed = false;
  constexpr const char* kLabels[3] = {"turn x", "turn y", "turn z"};
  for (int k = 0; k < 3; ++k) {
    ImGui::PushID(k);
    row_label(kLabels[k]);
    changed |= ImGui::SliderFloat("##turn", &state.degrees[k], -360.0f, 360.0f, "%.1f deg");
    ImGui::PopID();
  }
  if (!changed) return;
  // glm's angles of a quaternion mean z * y * x.
  const glm::vec3 radians = glm::radians(state.degrees);
  state.turn = glm::angleAxis(radians.z, glm::vec3(0, 0, 1)) * glm::angleAxis(radians.y, glm::vec3(0, 1, 0)) *
               glm::angleAxis(radians.x, glm::vec3(1, 0, 0));
  if (state.degrees == glm::vec3(0.0f)) state.turn = glm::quat(1, 0, 0, 0);
  set_turn(view, joint, state.turn);
}

}  // namespace

void draw_skeleton_panel(Context& context) {
  static PanelState state;
  ViewState& view = context.view;
  const Actor* subject = subject_or_note(context.stage);
  if (subject == nullptr) return;
  const Skeleton& skeleton = subject->character->skeleton;
  if (skeleton.joints.empty()) {
    ImGui::TextDisabled("this model has no joints");
    return;
  }
  ImGui::SetNextItemWidth(-FLT_MIN);
  ImGui::InputTextWithHint("##search", "search joints", &state.search);
  const float below = kSliderRows * ImGui::GetFrameHeightWithSpacing();
  const float height = std::max(ImGui::GetContentRegionAvail().y - below, 6 * ImGui::GetFrameHeight());
  if (ImGui::BeginChild("joints", {0, height}, true)) {
    ImGui::PushStyleVar(ImGuiStyleVar_IndentSpacing, 0.8f * ImGui::GetFontSize());
    if (state.search.empty()) {
      draw_tree(view, state, skeleton);
    } else {
      draw_matches(view, state, skeleton);
    }
    ImGui::PopStyleVar();
  }
  ImGui::EndChild();

  const std::optional<std::uint32_t> joint = skeleton.find(view.selection.joint);
  row_text("joint", joint ? view.selection.joint : "none selected");
  if (joint) {
    row_text("position", vector_text(glm::vec3(subject->worlds.front() * subject->pose.joints[*joint][3])));
    draw_turn(view, state);
  }
  const glm::quat none(1, 0, 0, 0);
  const bool turned = joint && turn_of(view, view.selection.joint) != none;
  if (line_button("Reset joint", 2, turned)) set_turn(view, view.selection.joint, none);
  ImGui::SameLine();
  if (line_button("Reset all", 2, !view.turns.empty())) view.turns.clear();
}

}  // namespace pelt::viewer
