// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include <pelt/tools/inspect.h>

#include "samples/viewer/app/app_state.h"
#include "samples/viewer/camera_control.h"

namespace pelt::viewer {

constexpr float kFarFov = 0.03f;  // radians, of the camera that sees a row

// Returns parts of the view as text, to compare scenes. Names in files need not be UTF-8.
std::string App::State::fingerprint(std::initializer_list<const char*> parts) const {
  const nlohmann::json all = view_json(view);
  nlohmann::json json;
  for (const char* part : parts) json.push_back(all.at(part));
  return fmt::format("{} {}", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), shown_count);
}

std::string App::State::fingerprint_of_scene() const {
  return fmt::format("{} {} {} {}",
                     fingerprint({"camera", "playback", "turns", "morphs", "shown", "compare", "heat", "selection",
                                  "surfaces", "instances"}),
                     rect.width, rect.height, hot ? static_cast<int>(*hot) : -1);
}

// Poses the characters if anything that moves them has changed.
bool App::State::pose() {
  const std::string wanted = fingerprint({"playback", "turns", "morphs", "compare", "instances"});
  if (wanted == posed) {
    stage->arrange(view);
    return true;
  }
  const Clock::time_point begin = Clock::now();
  const Result<void> done = stage->pose(view);
  timings.cpu_pose = seconds_since(begin);
  heated.clear();
  posed = done ? wanted : "";
  if (done) return true;
  error(done.error().message);
  // Undo the settings that cannot be shown.
  const CharacterData& character = *stage->subject()->character;
  std::erase_if(view.turns, [&](const JointTurn& turn) { return !character.skeleton.find(turn.joint); });
  if (find_clip(character.clips, view.playback.clip) == nullptr) view.playback.clip.clear();
  view.instances = stage->subject()->crowd.instance_count();
  return false;
}

void App::State::make_heat(const Actor& subject) {
  Heat wanted = view.heat;
  if (wanted.kind == HeatKind::kElement && wanted.element.empty()) {
    const Handle* handle = overlay.find(view.selection.point);
    if (handle != nullptr) wanted.element = handle->element;
  }
  const std::string wanted_heat =
      fingerprint({"playback", "turns", "morphs", "compare", "instances", "heat"}) + wanted.element;
  if (wanted_heat == heated) return;
  heated = wanted_heat;
  heat.reset();
  heat_shares.clear();
  if (view.compare.mode == CompareMode::kDifference) wanted.kind = HeatKind::kDifference;
  if (wanted.kind == HeatKind::kNone) return;
  if (wanted.kind == HeatKind::kDifference && stage->reference() == nullptr) {
    if (view.compare.mode != CompareMode::kNone) return;  // not bound yet
    note("to see a difference, choose a deformer to compare with in the tab View");
    view.heat.kind = HeatKind::kNone;
    return;
  }
  Result<HeatMap> made = make_heat_map(*device, *stage, subject, wanted);
  if (made) {
    heat = std::move(*made);
    heat_shares = heat->shares();
    return;
  }
  error(made.error().message);
  view.heat.kind = HeatKind::kNone;
  if (view.compare.mode == CompareMode::kDifference) view.compare.mode = CompareMode::kNone;
}

// Adds the rings of the selected joint, or the arrows of the selected handle.
void App::State::add_gizmo(const Actor& subject) {
  const samples::Camera camera = camera_of(view.camera);
  const glm::vec2 size(rect.width, rect.height);
  if (grab != Grab::kGizmo) {
    gizmo.reset();
    const Handle* handle = overlay.find(view.selection.point);
    const auto at = view.surfaces.points ? selected_vertex() : std::nullopt;
    if (handle != nullptr && handle->kind != HandleKind::kFixed) {
      gizmo = translate_gizmo(*handle, camera, size);
    } else if (at) {
      gizmo = translate_gizmo({.position = posed_position(*at)}, camera, size);
    } else if (!view.selection.joint.empty() && view.shown.skeleton) {
      gizmo = rotate_gizmo(subject, view.selection.joint, camera, size);
    }
  }
  if (gizmo) draw_gizmo(*gizmo, hot, overlay);
}

// Returns the selected vertex of the skin among those of the instance; none: no vertex is selected.
std::optional<std::uint32_t> App::State::selected_vertex() {
  const CharacterMesh* mesh = find_mesh(*stage->subject()->character, view.selection.mesh);
  const std::optional<std::uint32_t> packed =
      mesh == nullptr ? std::nullopt : packed_vertex(*mesh, view.selection.vertex);
  return packed ? std::optional(mesh->first_vertex + *packed) : std::nullopt;
}

// Returns the world-space position of a vertex of the first instance.
glm::vec3 App::State::posed_position(std::uint32_t vertex) {
  const Actor& subject = *stage->subject();
  return glm::vec3(subject.worlds.front() * glm::vec4(stage->evaluated(subject).positions()[vertex], 1.0f));
}

// Returns the selected handles, or the control vertices that a drag of the selected vertex moves, and those that the
// brush moves with them.
std::vector<BrushedHandle> App::State::brushed_handles() {
  const Actor* subject = stage->subject();
  if (subject == nullptr) return {};
  const auto at = view.surfaces.points && view.selection.point.empty() ? selected_vertex() : std::nullopt;
  if (at) return dragged_by(*subject->character, *at, overlay.handles);
  return brushed(overlay.selected(view.selection), overlay.handles, view.surfaces, subject->character.size());
}

void App::State::update_scene() {
  Actor* subject = stage->subject();
  if (subject == nullptr || rect.width == 0 || rect.height == 0) return hide_picture();
  const glm::uvec2 size(rect.width, rect.height);
  if (size == refused_size) return;
  const bool resized = !renderer || renderer_size != size;
  if (resized) {
    hide_picture();
    renderer.reset();
    Result<samples::Renderer> made =
        samples::Renderer::create(*device, {.width = size.x, .height = size.y, .samples = options.samples});
    if (!made) {
      error(made.error().message);
      refused_size = size;
      return;
    }
    renderer = std::move(*made);
    renderer_size = size;
    refused_size = {};
  }
  if (fingerprint_of_scene() == drawn) return;
  hide_picture();  // the previous scene may show characters that no longer exist
  if (!pose()) return;
  // When the row's length changes, show the whole row. From far away, all of it is seen from one angle.
  const std::size_t row = view.compare.mode == CompareMode::kSideBySide ? stage->actors().size() : 1;
  if ((row > 1) != (drawn_row > 1)) view.camera.vertical_fov = row > 1 ? kFarFov : OrbitCamera{}.vertical_fov;
  if (!view.camera.framed || row != drawn_row) {
    frame_selection(true);
  } else if (resized && framing && framing->target == view.camera.target && framing->distance == view.camera.distance) {
    frame_selection(framing->everything);
  }
  drawn_row = row;
  overlay = make_overlay(*stage, *subject, document->rig(), view);
  make_heat(*subject);
  add_gizmo(*subject);

  samples::Scene scene;
  scene.camera = camera_of(view.camera);
  scene.split = view.compare.split;
  scene.ground = view.shown.ground;
  scene.ground_height = subject->bounds.low.y;
  for (const Actor* other : stage->companions())
    scene.ground_height = std::min(scene.ground_height, other->bounds.low.y);
  scene.lines = overlay.lines;
  scene.dots = overlay.dots;
  captions.clear();
  const std::span<Actor* const> actors = stage->actors();
  for (Actor* const actor : actors) {
    samples::DrawItem item;
    item.crowd = &actor->crowd;
    item.restart = actor->restart;
    item.character = &actor->character;
    item.bounds = actor->bounds;
    item.world = actor->worlds.front();
    item.others = std::span(actor->worlds).subspan(1);
    item.textures = view.shown.textures ? textures.get() : nullptr;
    item.skin = view.shown.skin;
    item.wire = view.shown.wire;
    item.control_meshes = view.shown.drivers;
    if (actor == subject) item.weights = heat_shares;
    if (view.compare.mode == CompareMode::kSplit && actors.size() > 1) {
      if (actor != subject && actor != actors.front()) continue;  // the split has only two sides
      item.side = actor == subject ? samples::SplitSide::kRight : samples::SplitSide::kLeft;
    }
    scene.items.push_back(item);
    item.control_meshes = false;
    item.textures = nullptr;
    item.weights = {};
    for (Actor* const companion : stage->companions()) {
      item.crowd = &companion->crowd;
      item.restart = companion->restart;
      item.character = &companion->character;
      item.bounds = companion->bounds;
      if (actor->worlds.size() != companion->crowd.instance_count()) item.others = {};
      scene.items.push_back(item);
    }
    captions.push_back(actor->caption);
  }
  const Result<void> set = renderer->set_scene(scene);
  if (!set) {
    error(set.error().message);
    drawn = fingerprint_of_scene();  // do not try again until something changes
    return;
  }
  drawable = true;
  drawn = fingerprint_of_scene();
}

}  // namespace pelt::viewer
