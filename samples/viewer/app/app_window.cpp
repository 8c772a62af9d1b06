// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "samples/viewer/app/app_state.h"
#include "samples/viewer/camera_control.h"
#include "samples/viewer/panels/color_bar.h"
#include "samples/viewer/panels/panels.h"

namespace pelt::viewer {
namespace {

// A window over the picture, as large as its contents.
constexpr ImGuiWindowFlags kOver = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize |
                                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoFocusOnAppearing;

// Draws a panel at an edge of the window.
template <class Draw>
void docked(const char* name, glm::vec2 at, glm::vec2 size, const Draw& draw) {
  ImGui::SetNextWindowPos({at.x, at.y});
  ImGui::SetNextWindowSize({size.x, size.y});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar |
                                      ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin(name, nullptr, kFlags)) draw();
  ImGui::End();
}

}  // namespace

void App::State::draw_menu() {
  if (!ImGui::BeginMainMenuBar()) return;
  if (ImGui::BeginMenu("File")) {
    if (ImGui::MenuItem("Open...", "Ctrl+O")) dialog.open(FileDialog::Purpose::kOpen, "");
    if (ImGui::MenuItem("Save", "Ctrl+S", false, document.has_value())) save_somewhere();
    if (ImGui::MenuItem("Save as...", nullptr, false, document.has_value())) {
      dialog.open(FileDialog::Purpose::kSave,
                  document->rig_path().empty() ? document->title() + ".json" : document->rig_path().string());
    }
    ImGui::Separator();
    for (const char* name : {"biped", "limb", "tail"}) {
      if (ImGui::MenuItem(fmt::format("Built-in {}", name).c_str())) chosen = fmt::format("builtin:{}", name);
    }
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Edit")) {
    if (ImGui::MenuItem("Undo", "Ctrl+Z", false, document && document->can_undo())) document->undo();
    if (ImGui::MenuItem("Redo", "Ctrl+Y", false, document && document->can_redo())) document->redo();
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("View")) {
    ImGui::MenuItem("Rig", nullptr, &view.panels.left);
    ImGui::MenuItem("Inspector", nullptr, &view.panels.right);
    ImGui::MenuItem("Timeline", nullptr, &view.panels.timeline);
    ImGui::MenuItem("Measurements", "M", &view.panels.measure);
    ImGui::Separator();
    if (ImGui::MenuItem("Frame selection", "F")) frame_selection(false);
    if (ImGui::MenuItem("Frame all", "A")) frame_selection(true);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Help")) {
    ImGui::MenuItem("Mouse and keys", "H", &view.panels.help);
    ImGui::EndMenu();
  }
  if (document) {
    const std::string title = document->title() + (document->modified() ? " *" : "");
    const float width = ImGui::CalcTextSize(title.c_str()).x;
    ImGui::SameLine(std::max(ImGui::GetCursorPosX(), 0.5f * (ImGui::GetWindowWidth() - width)));
    ImGui::TextUnformatted(title.c_str());
  }
  ImGui::EndMainMenuBar();
}

void App::State::draw_panels() {
  const ImGuiIO& io = ImGui::GetIO();
  const float em = ImGui::GetFontSize();
  const float top = ImGui::GetFrameHeight();
  const glm::vec2 size(io.DisplaySize.x, io.DisplaySize.y);
  const bool loaded = document.has_value();
  // Each panel needs this width; a window too narrow for both shows the inspector.
  const float side = 23 * em;
  const bool narrow = size.x < 2.6f * side;
  const float timeline = view.panels.timeline && loaded ? 2 * ImGui::GetFrameHeight() + 2.2f * em : 0.0f;
  const float right = view.panels.right && loaded ? std::min(side, size.x) : 0.0f;
  const float left = view.panels.left && loaded && !(narrow && right > 0) ? side : 0.0f;
  const float middle = std::max(size.y - top - timeline, 0.0f);
  Context shared = context();
  if (left > 0) docked("Rig", {0, top}, {left, middle}, [&] { draw_rig_panel(shared); });
  if (shared.save_wanted) save_somewhere();
  if (right > 0) {
    docked("Inspector", {size.x - right, top}, {right, middle}, [&] {
      if (!ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_FittingPolicyScroll)) return;
      const std::pair<const char*, void (*)(Context&)> tabs[] = {
          {"View", draw_view_options},     {"Joints", draw_skeleton_panel}, {"Shapes", draw_shapes_panel},
          {"Surface", draw_surface_panel}, {"Vertex", draw_vertex_panel},   {"Heat", draw_heat_panel},
          {"Report", draw_report_panel}};
      // A requested tab opens in the next frame; until then a different open tab is not the user's choice.
      const bool asked = view.panels.tab != open_tab;
      if (asked) tab_settles = 2;
      bool there = !asked;
      for (const auto& [name, draw] : tabs) {
        if (draw == draw_shapes_panel && !has_shapes(shared)) continue;
        if (draw == draw_surface_panel && !has_surface(shared)) continue;
        const bool select = asked && view.panels.tab == name;
        there = there || select;
        if (!ImGui::BeginTabItem(name, nullptr, select ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None))
          continue;
        if (tab_settles == 0) view.panels.tab = name;
        ImGui::BeginChild("contents");
        draw(shared);
        ImGui::EndChild();
        ImGui::EndTabItem();
      }
      if (!there) error(fmt::format("the tab '{}' is hidden, since the character has nothing for it", view.panels.tab));
      tab_settles = std::max(tab_settles - 1, 0);
      open_tab = view.panels.tab;
      ImGui::EndTabBar();
    });
  }
  frame_wanted = frame_wanted || shared.frame_wanted;
  if (timeline > 0) docked("Timeline", {0, size.y - timeline}, {size.x, timeline}, [&] { draw_timeline(shared); });
  rect = {static_cast<std::int32_t>(left), static_cast<std::int32_t>(top),
          static_cast<std::uint32_t>(std::max(size.x - left - right, 0.0f)), static_cast<std::uint32_t>(middle)};
  if (!view.panels.measure || !loaded || stage->subject() == nullptr) return;
  ImGui::SetNextWindowPos({left + 0.7f * em, top + 0.7f * em});
  ImGui::SetNextWindowBgAlpha(0.95f);
  if (ImGui::Begin("Measurements", nullptr, kOver)) draw_measure_panel(shared);
  ImGui::End();
}

// Draws the progress while a file is opened: the rig's panel, which also shows it, may not exist yet.
void App::State::draw_progress() {
  if (!opening) return;
  const std::string title = opening_title();
  const Binder::Progress progress = binder.progress().value_or(Binder::Progress{});
  const bool begun = progress.title == title;
  const float em = ImGui::GetFontSize();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5f * size.x, 0.12f * size.y}, ImGuiCond_Always, {0.5f, 0});
  if (ImGui::Begin("Opening", nullptr, kOver)) {
    ImGui::TextUnformatted(title.c_str());
    ImGui::ProgressBar(begun ? static_cast<float>(progress.fraction) : 0.0f, {22 * em, 1.2f * em},
                       begun ? progress.what.c_str() : "");
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) cancel_opening();
  }
  ImGui::End();
}

void App::State::draw_messages() {
  const float em = ImGui::GetFontSize();
  std::vector<Message>& shown = messages.shown(now);
  if (shown.empty()) return;
  const float width = std::clamp(static_cast<float>(rect.width) - 2 * em, 10 * em, 50 * em);
  ImGui::SetNextWindowPos({static_cast<float>(rect.x) + 0.5f * static_cast<float>(rect.width),
                           static_cast<float>(rect.y) + static_cast<float>(rect.height) - em},
                          ImGuiCond_Always, {0.5f, 1.0f});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::max(0.5f * static_cast<float>(rect.height), 4 * em)});
  if (ImGui::Begin("Messages", nullptr, kOver)) {
    std::optional<std::size_t> closed;
    for (std::size_t m = 0; m < shown.size(); ++m) {
      ImGui::PushID(static_cast<int>(m));
      if (ImGui::SmallButton("x")) closed = m;
      ImGui::SameLine();
      ImGui::PushTextWrapPos(0);
      ImGui::PushStyleColor(
          ImGuiCol_Text, shown[m].error ? ImVec4(1.0f, 0.55f, 0.45f, 1.0f) : ImGui::GetStyleColorVec4(ImGuiCol_Text));
      ImGui::TextUnformatted(shown[m].text.c_str());
      ImGui::PopStyleColor();
      ImGui::PopTextWrapPos();
      ImGui::PopID();
    }
    if (closed) shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(*closed));
  }
  ImGui::End();
}

void App::State::draw_help() {
  if (!view.panels.help) return;
  ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x * 0.5f, ImGui::GetIO().DisplaySize.y * 0.5f},
                          ImGuiCond_Appearing, {0.5f, 0.5f});
  if (ImGui::Begin(
          "Mouse and keys", &view.panels.help,
          ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    constexpr std::pair<const char*, const char*> kLines[] = {
        {"Left drag", "orbit"},
        {"Right, middle or Shift + left drag", "pan"},
        {"Wheel", "zoom"},
        {"Click", "select a vertex, or a visible joint or point"},
        {"Ctrl + click", "add a point to the selection, or remove it"},
        {"Drag a ring or an arrow", "turn the joint, move the point"},
        {"Space", "play and pause"},
        {"X", "show the next deformer in the same pose"},
        {"F, A", "frame the selection, everything"},
        {"W, S, C, P, N, D", "wireframe, skeleton, curves, control points, nets, drivers"},
        {"M, H", "measurements, this list"},
        {"Ctrl+Z, Ctrl+Y", "undo, redo (also Ctrl+Shift+Z)"},
        {"Ctrl+O, Ctrl+S, Ctrl+Q", "open, save the rig, close"},
    };
    if (ImGui::BeginTable("keys", 2)) {
      for (const auto& [key, what] : kLines) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(key);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(what);
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

// Draws names under the characters, or on each side of the split that has room.
void App::State::draw_captions() {
  const std::span<Actor* const> actors = stage->actors();
  if (actors.size() < 2 || !drawable) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const float em = ImGui::GetFontSize();
  const glm::vec2 corner(rect.x, rect.y);
  const auto write = [&](const std::string& text, glm::vec2 middle, float room) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    if (size.x > room) return;
    const glm::vec2 at = middle - 0.5f * glm::vec2(size.x, size.y);
    list.AddRectFilled({at.x - 0.5f * em, at.y - 0.25f * em}, {at.x + size.x + 0.5f * em, at.y + size.y + 0.25f * em},
                       IM_COL32(18, 20, 24, 190), 0.3f * em);
    list.AddText({at.x, at.y}, IM_COL32(235, 238, 242, 255), text.c_str());
  };
  if (view.compare.mode == CompareMode::kSplit) {
    const auto width = static_cast<float>(rect.width);
    const float split = view.compare.split * width;
    write(actors.front()->caption, corner + glm::vec2(0.5f * split, 1.5f * em), split);
    write(actors.back()->caption, corner + glm::vec2(0.5f * (split + width), 1.5f * em), width - split);
    return;
  }
  for (const Actor* actor : actors) {
    const glm::vec3 feet(actor->bounds.center().x, actor->bounds.low.y, actor->bounds.center().z);
    const glm::vec3 there(actor->worlds.front() * glm::vec4(feet, 1.0f));
    const std::optional<glm::vec2> at = pixel_of(camera_of(view.camera), {rect.width, rect.height}, there);
    if (!at) continue;
    const glm::vec2 low(0.0f, 2 * em);
    const glm::vec2 high(rect.width, static_cast<float>(rect.height) - 2 * em);
    write(actor->caption, corner + glm::clamp(*at + glm::vec2(0, 1.5f * em), low, high), high.x);
  }
}

// Draws the scale of the heat map over the picture.
void App::State::draw_legend() {
  if (!heat || !drawable) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const float em = ImGui::GetFontSize();
  const glm::vec2 size(14 * em, 0.8f * em);
  const glm::vec2 at(static_cast<float>(rect.x) + 1.2f * em,
                     static_cast<float>(rect.y) + static_cast<float>(rect.height) - 2.8f * em);
  list.AddRectFilled({at.x - 0.5f * em, at.y - 1.6f * em}, {at.x + size.x + 0.5f * em, at.y + size.y + 1.5f * em},
                     IM_COL32(18, 20, 24, 190), 0.3f * em);
  list.AddText({at.x, at.y - 1.35f * em}, ImGui::GetColorU32(ImGuiCol_Text), heat->title.c_str());
  draw_color_bar(list, *heat, {at.x, at.y}, {size.x, size.y}, 2, true);
}

}  // namespace pelt::viewer
