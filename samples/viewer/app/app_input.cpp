// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include <pelt/rig.h>
#include <pelt/tools/inspect.h>
#include <pelt/try.h>

#include "samples/viewer/app/app_state.h"
#include "samples/viewer/camera_control.h"

namespace pelt::viewer {
namespace {

constexpr float kClickSlop = 4;      // most pixels that the mouse moves during a click
constexpr float kHandleRadius = 10;  // pixels

}  // namespace

void App::State::frame_selection(bool everything) {
  if (stage->subject() == nullptr || rect.height == 0) return;
  const float aspect = static_cast<float>(rect.width) / static_cast<float>(rect.height);
  const Actor& subject = *stage->subject();
  std::vector<samples::Bounds> boxes;
  if (!everything) {
    std::optional<glm::vec3> at;
    if (const Handle* handle = overlay.find(view.selection.point)) at = handle->position;
    if (const auto vertex = at ? std::nullopt : selected_vertex()) at = posed_position(*vertex);
    if (!at && !view.selection.joint.empty()) {
      if (const auto joint = subject.character->skeleton.find(view.selection.joint)) {
        at = glm::vec3(subject.worlds.front() * subject.pose.joints[*joint][3]);
      }
    }
    if (at) {
      const glm::vec3 half(0.08f * glm::length(subject.bounds.size()));
      boxes.push_back({*at - half, *at + half});
    }
  }
  if (boxes.empty()) boxes = stage->boxes(view);
  if (boxes.empty() || boxes.front().empty()) return;
  frame_on(view.camera, boxes, aspect);
  framing = Framing{everything, view.camera.target, view.camera.distance};
}

// Selects a point; with Ctrl adds it to the selection, or removes it.
void App::State::click_point(const std::string& name) {
  std::string& point = view.selection.point;
  std::vector<std::string>& further = view.selection.further;
  if (!ImGui::GetIO().KeyCtrl) {
    point = name;
    further.clear();
  } else if (point == name) {
    point = further.empty() ? "" : further.back();
    if (!further.empty()) further.pop_back();
  } else if (std::erase(further, name) == 0) {
    if (!point.empty()) further.push_back(point);
    point = name;
  }
}

void App::State::click(glm::vec2 at) {
  Actor* subject = stage->subject();
  if (subject == nullptr) return;
  const samples::Camera camera = camera_of(view.camera);
  const glm::vec2 size(rect.width, rect.height);
  Selection& selection = view.selection;
  const Handle* handle = pick_handle(overlay, camera, size, at, kHandleRadius);
  if (handle != nullptr && !view.surfaces.points) {
    click_point(handle->name);
    return;
  }
  selection.point.clear();
  selection.further.clear();
  const std::string joint = view.shown.skeleton ? pick_joint(*subject, camera, size, at, kHandleRadius) : "";
  if (!joint.empty()) {
    selection.joint = joint;
    view.panels.tab = "Joints";
    return;
  }
  const std::optional<VertexHit> hit = pick_vertex(*stage, *subject, ray_through(camera, size, at));
  selection.mesh = hit ? hit->mesh : "";
  selection.vertex = hit ? hit->vertex : 0;
  if (hit && !view.surfaces.points) view.panels.tab = "Vertex";
  if (!hit) selection.joint.clear();
}

void App::State::begin_grab(glm::vec2 mouse) {
  const ImGuiIO& io = ImGui::GetIO();
  grabbed_at = mouse;
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    const bool pans = ImGui::IsMouseClicked(ImGuiMouseButton_Middle) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
    if (pans) grab = Grab::kPan;
    return;
  }
  const float split = view.compare.split * static_cast<float>(rect.width);
  if (view.compare.mode == CompareMode::kSplit && std::abs(mouse.x - split) < 6) {
    grab = Grab::kSplit;
  } else if (gizmo && hot && stage->subject() != nullptr) {
    grab = Grab::kGizmo;
    drag = {*gizmo, *hot, mouse};
    turn_before = turn_of(view, view.selection.joint);
    rig_before = document->rig_json();
    handles_before = brushed_handles();
  } else {
    grab = io.KeyShift ? Grab::kPan : Grab::kUndecided;
  }
}

// Turns the gizmo's joint, or moves its handle, to the mouse.
void App::State::drag_gizmo(glm::vec2 mouse) {
  const samples::Camera camera = camera_of(view.camera);
  const glm::vec2 size(rect.width, rect.height);
  if (drag.gizmo.kind == Gizmo::Kind::kRotate) {
    const glm::quat turn = drag_turn(drag, camera, size, mouse);
    set_turn(view, view.selection.joint, turned_joint(turn_before, drag.gizmo, turn));
    return;
  }
  const Result<void> moved = move_handles(handles_before, drag_offset(drag, camera, size, mouse));
  if (!moved) error(moved.error().message);
}

// Moves handles from their positions in `rig_before`; consecutive moves of the same handles are one step of undo.
Result<void> App::State::move_handles(const std::vector<BrushedHandle>& handles, glm::vec3 way) {
  nlohmann::json rig = rig_before;
  std::string names = "move";
  for (const auto& [handle, share] : handles) {
    PELT_ASSIGN(rig, moved_by(std::move(rig), handle, share * way));
    names += " " + handle.name;
  }
  return document->edit(rig, names);
}

void App::State::handle_mouse() {
  if (stage->subject() == nullptr) return cancel_grab();
  const ImGuiIO& io = ImGui::GetIO();
  const glm::vec2 mouse = glm::vec2(io.MousePos.x, io.MousePos.y) - glm::vec2(rect.x, rect.y);
  const glm::vec2 moved(io.MouseDelta.x, io.MouseDelta.y);
  const glm::vec2 size(rect.width, rect.height);
  const bool inside = !io.WantCaptureMouse && mouse.x >= 0 && mouse.y >= 0 && mouse.x < size.x && mouse.y < size.y;
  if (inside && io.MouseWheel != 0) zoom_by(view.camera, io.MouseWheel);
  if (grab == Grab::kNone) {
    hot.reset();
    if (gizmo && inside) hot = hit_gizmo(*gizmo, camera_of(view.camera), size, mouse, kHandleRadius);
    if (inside) begin_grab(mouse);
  }
  const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Middle) ||
                    ImGui::IsMouseDown(ImGuiMouseButton_Right);
  if (grab == Grab::kUndecided && glm::distance(mouse, grabbed_at) > kClickSlop) grab = Grab::kOrbit;
  if (grab == Grab::kOrbit) orbit_by(view.camera, moved, size.y);
  if (grab == Grab::kPan) pan_by(view.camera, moved, size.y);
  if (grab == Grab::kSplit) view.compare.split = std::clamp(mouse.x / std::max(size.x, 1.0f), 0.0f, 1.0f);
  if (grab == Grab::kGizmo) drag_gizmo(mouse);
  if (held) return;
  if (grab == Grab::kUndecided) click(mouse);
  if (grab == Grab::kGizmo && document) document->end_edit();
  grab = Grab::kNone;
}

// Shows the next deformer instead of the document's rig, and after the last one the rig.
void App::State::step_deformer() {
  Compare& compare = view.compare;
  const bool steps = compare.mode == CompareMode::kSplit && compare.split == 1 && compare.deformers.size() == 1;
  const std::vector<std::string_view> known = deformer_names();
  const auto shown = steps ? std::ranges::find(known, compare.deformers[0]) : known.end();
  const auto next = shown == known.end() ? known.begin() : std::next(shown);
  compare = {};
  if (next != known.end()) compare = {.mode = CompareMode::kSplit, .deformers = {std::string(*next)}, .split = 1};
}

void App::State::handle_keys() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput) return;
  // Key numbers are GLFW's: letters and the space have their ASCII codes.
  const auto letter = [](char key) { return ImGui::IsKeyPressed(static_cast<int>(key), false); };
  if (io.KeyCtrl) {
    if (letter('Z') && document) io.KeyShift ? document->redo() : document->undo();
    if (letter('Y') && document) document->redo();
    if (letter('S')) save_somewhere();
    if (letter('O')) dialog.open(FileDialog::Purpose::kOpen, "");
    return;
  }
  if (letter('F')) frame_selection(false);
  if (letter('A')) frame_selection(true);
  if (letter(' ')) view.playback.playing = !view.playback.playing;
  for (const ShownPart& one : kShownParts) {
    if (one.key != 0 && letter(one.key)) view.shown.*one.part = !(view.shown.*one.part);
  }
  if (letter('M')) view.panels.measure = !view.panels.measure;
  if (letter('X')) step_deformer();
  if (letter('H')) view.panels.help = !view.panels.help;
}

}  // namespace pelt::viewer
