// SPDX-License-Identifier: MIT
#include "samples/viewer/app.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <utility>

#include "engine/rig/rig.h"
#include "samples/renderer/shaders/color_ramp.h"
#include "samples/renderer/textures.h"
#include "samples/viewer/camera_control.h"
#include "samples/viewer/context.h"
#include "samples/viewer/file_dialog.h"
#include "samples/viewer/gizmo.h"
#include "samples/viewer/mask_paint.h"
#include "samples/viewer/panels/panels.h"
#include "samples/viewer/pick.h"

namespace pelt::viewer {
namespace {

constexpr const char* kSubject = "rig";
constexpr float kClickSlop = 4;      // pixels that a click may move
constexpr float kHandleRadius = 10;  // pixels

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string caption_of(const Actor& actor) {
  std::string text = actor.key;
  if (text == kSubject) {
    for (const CharacterMesh& mesh : actor.character->meshes) {
      if (!mesh.control && mesh.deformer != "linear_blend")
        text = mesh.deformer.substr(0, mesh.deformer.find(" over "));
    }
    if (text == kSubject) text = "linear_blend";
  }
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// World space, of the first instance; none where there is no such vertex.
std::optional<glm::vec3> posed_position(Stage& stage, const Actor& actor, const Selection& selection) {
  for (const CharacterMesh& mesh : actor.character->meshes) {
    if (mesh.name != selection.mesh) continue;
    const auto found = std::find(mesh.source_vertex.begin(), mesh.source_vertex.end(), selection.vertex);
    if (found == mesh.source_vertex.end()) return std::nullopt;
    const auto packed = mesh.first_vertex + static_cast<std::size_t>(found - mesh.source_vertex.begin());
    return glm::vec3(actor.worlds.front() * glm::vec4(stage.evaluated(actor).positions()[packed], 1.0f));
  }
  return std::nullopt;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------- state

struct App::State {
  enum class Grab { kNone, kUndecided, kOrbit, kPan, kSplit, kGizmo, kPaint };

  AppOptions options;
  const runtime::Device* device = nullptr;
  ViewState view;
  std::optional<Document> document;
  Binder binder;
  std::optional<Stage> stage;
  std::optional<samples::Renderer> renderer;
  std::shared_ptr<samples::MaterialTextures> textures;
  std::optional<HeatMap> heat;
  std::vector<float> heat_shares;
  bool posed_last = false;    // the commands recorded last move the characters, and do not only refine the picture
  std::size_t drawn_row = 1;  // characters side by side
  Overlay overlay;
  Timings timings;
  Messages messages;
  RigEditorState rig_editor;
  FileDialog dialog;
  std::string chosen;    // a file to open after this frame's menus
  std::string open_tab;  // of the inspector
  int tab_settles = 0;   // frames until what is open is what was asked for

  double now = 0;  // seconds since the start
  PixelRect rect;
  glm::uvec2 renderer_size{0};
  glm::uvec2 refused_size{0};
  // What was asked for last, by key.
  struct Asked {
    std::uint64_t revision = 0;  // of the document
    std::uint64_t number = 0;    // of all requests
  };
  std::map<std::string, Asked> requested;
  std::uint64_t request_count = 0;
  std::shared_ptr<const Model> model;  // that the textures are of
  bool drawable = false;               // there is a scene
  // What was drawn, posed and coloured last, as text; empty: nothing.
  std::string drawn;
  std::string posed;
  std::string heated;
  std::uint64_t shown_count = 0;  // of Stage::show, so that a new character is a new scene
  Grab grab = Grab::kNone;
  glm::vec2 grabbed_at{0};
  std::optional<Gizmo> gizmo;
  GizmoPart hot = GizmoPart::kNone;  // under the mouse, or dragged
  // When a gizmo was grabbed.
  GizmoDrag drag;
  glm::quat turn_before{1, 0, 0, 0};
  glm::mat4 joint_before{1.0f};
  nlohmann::json rig_before;
  Handle handle_before;
  MaskPaint painter;
  std::string painted_mesh;

  Context context() { return {view, document, *stage, binder, heat, overlay, timings, messages, rig_editor}; }
  void error(const std::string& text) { messages.error(text); }
  void note(const std::string& text) { messages.note(text); }

  void begin_document();
  void hide_picture();
  void cancel_grab();
  void load_textures();
  void follow_document();
  void take_bound();
  void request_binds();
  bool wants(const std::string& key) const;

  void draw_menu();
  void draw_panels();
  void draw_messages();
  void draw_help();
  void draw_captions();
  void draw_legend();
  void handle_keys();
  void handle_mouse();
  void begin_grab(glm::vec2 mouse);
  void drag_gizmo(glm::vec2 mouse);
  std::optional<VertexHit> brush_at(glm::vec2 mouse);
  bool begin_stroke(glm::vec2 mouse);
  void paint(glm::vec2 mouse);
  void click(glm::vec2 at);
  const Handle* selected_handle() const;
  void frame_selection(bool everything);
  std::string suggested_name() const;
  Result<void> save(const std::filesystem::path& path);
  void save_somewhere();

  void make_heat(const Actor& subject);
  void add_gizmo(const Actor& subject);
  void update_scene();
  std::string fingerprint(std::initializer_list<const char*> parts) const;
  std::string fingerprint_of_scene() const;
  bool pose();
};

// ---------------------------------------------------------------------------------------------------------- document

void App::State::begin_document() {
  requested.clear();
  cancel_grab();
  hide_picture();
  heat.reset();
  overlay = {};
  rig_editor = {};
  stage->remove(kSubject);
  for (const std::string& key : view.compare.deformers) stage->remove(key);
  view.camera.framed = false;
  view.turns.clear();
  view.selection = {};
  const std::vector<Clip>& clips = document->model()->clips;
  view.playback.clip = clips.empty() ? "" : clips.front().name;
  view.playback.time = 0;
  textures = nullptr;
  model = nullptr;
}

// There is no scene until update_scene has made one.
void App::State::hide_picture() {
  drawable = false;
  drawn.clear();
}

void App::State::cancel_grab() {
  if (grab == Grab::kPaint && document) painter.end(*document);
  grab = Grab::kNone;
  gizmo.reset();
  hot = GizmoPart::kNone;
}

bool App::State::wants(const std::string& key) const {
  if (key == kSubject) return true;
  const std::vector<std::string>& others = view.compare.deformers;
  return view.compare.mode != CompareMode::kNone && std::find(others.begin(), others.end(), key) != others.end();
}

// Asks for what is missing, and drops what is no longer compared with.
void App::State::request_binds() {
  if (!document) return;
  const std::uint64_t revision = document->revision();
  if (!requested.contains(kSubject) || requested[kSubject].revision != revision) {
    requested[kSubject] = {revision, ++request_count};
    binder.request({kSubject, request_count, document->model(), document->rig()});
  }
  for (auto known = requested.begin(); known != requested.end();) {
    const std::string key = known->first;
    known = wants(key) ? std::next(known) : requested.erase(known);
    if (!wants(key)) stage->remove(key);
  }
  if (view.compare.mode == CompareMode::kNone) return;
  for (const std::string& deformer : view.compare.deformers) {
    if (requested.contains(deformer)) continue;
    requested[deformer] = {revision, ++request_count};
    Result<Rig> rig = rig_from_deformer_name(deformer);
    if (!rig) {
      error(rig.error().message);
      continue;
    }
    binder.request({deformer, request_count, document->model(), std::move(*rig)});
  }
}

void App::State::take_bound() {
  for (Binder::Finished& finished : binder.take_finished()) {
    const auto asked = requested.find(finished.key);
    if (asked == requested.end() || asked->second.number != finished.revision) continue;  // a newer one is on its way
    if (!finished.bound) {
      error(finished.key == kSubject ? finished.bound.error().message
                                     : fmt::format("{}: {}", finished.key, finished.bound.error().message));
      continue;
    }
    const Result<void> shown = stage->show(finished.key, std::move(*finished.bound), finished.seconds, 1);
    if (!shown) {
      error(shown.error().message);
      continue;
    }
    ++shown_count;
    if (finished.key == kSubject) load_textures();
  }
}

// Those of the document's model, whose characters are new: what was drawn with others is not drawn again.
void App::State::load_textures() {
  if (!document || model == document->model()) return;
  hide_picture();
  model = document->model();
  std::vector<std::string> notes;
  Result<std::shared_ptr<samples::MaterialTextures>> made = samples::make_textures(*device, *model, notes);
  textures = made ? std::move(*made) : nullptr;
  if (!made) error(made.error().message);
  for (const std::string& text : notes) note(text);
}

void App::State::follow_document() {
  if (!document) return;
  const std::shared_ptr<const Model> before = document->model();
  const Result<bool> reloaded = document->reload_if_changed(now);
  if (!reloaded) {
    error(reloaded.error().message);
  } else if (*reloaded) {
    note(fmt::format("{} was read again: it changed on disk", document->title()));
    cancel_grab();
    if (document->model() != before) requested.clear();
  }
}

// -------------------------------------------------------------------------------------------------------------- scene

// What the scene is made of, as text. Names in files need not be UTF-8.
std::string App::State::fingerprint(std::initializer_list<const char*> parts) const {
  const nlohmann::json all = view_json(view);
  nlohmann::json json;
  for (const char* part : parts) json.push_back(all.at(part));
  return fmt::format("{} {}", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), shown_count);
}

std::string App::State::fingerprint_of_scene() const {
  return fmt::format("{} {} {} {}",
                     fingerprint({"camera", "playback", "turns", "shown", "compare", "heat", "selection", "instances"}),
                     rect.width, rect.height, static_cast<int>(hot));
}

// Poses the characters where anything moves them.
bool App::State::pose() {
  const std::string wanted = fingerprint({"playback", "turns", "compare", "instances"});
  if (wanted == posed) return true;
  const Clock::time_point begin = Clock::now();
  const Result<void> done = stage->pose(view);
  timings.cpu_pose = seconds_since(begin);
  heated.clear();
  posed = done ? wanted : "";
  if (done) return true;
  error(done.error().message);
  // What cannot be shown is taken back.
  const CharacterData& character = *stage->subject()->character;
  std::erase_if(view.turns, [&](const JointTurn& turn) { return !character.skeleton.find(turn.joint); });
  if (find_clip(character.clips, view.playback.clip) == nullptr) view.playback.clip.clear();
  view.instances = stage->subject()->crowd.instance_count();
  return false;
}

void App::State::make_heat(const Actor& subject) {
  const std::string wanted_heat = fingerprint({"playback", "turns", "compare", "instances", "heat"});
  if (wanted_heat == heated) return;
  heated = wanted_heat;
  heat.reset();
  heat_shares.clear();
  Heat wanted = view.heat;
  if (view.compare.mode == CompareMode::kDifference) wanted.kind = HeatKind::kDifference;
  if (wanted.kind == HeatKind::kNone) return;
  if (wanted.kind == HeatKind::kDifference && stage->reference() == nullptr) {
    if (view.compare.mode != CompareMode::kNone) return;  // not bound yet
    note("choose a deformer to compare with, in the tab View, to see the difference from it");
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

// The rings of the selected joint, or the arrows of the selected handle.
void App::State::add_gizmo(const Actor& subject) {
  const samples::Camera camera = camera_of(view.camera);
  const glm::vec2 size(rect.width, rect.height);
  if (grab != Grab::kGizmo) {
    gizmo.reset();
    const Handle* handle = selected_handle();
    if (handle != nullptr && !handle->pointer.empty()) {
      gizmo = translate_gizmo(*handle, camera, size);
    } else if (!view.selection.joint.empty() && view.shown.skeleton) {
      gizmo = rotate_gizmo(subject, view.selection.joint, camera, size);
    }
  }
  if (gizmo) draw_gizmo(*gizmo, camera, hot, overlay);
}

const Handle* App::State::selected_handle() const {
  for (const Handle& handle : overlay.handles) {
    if (handle.name == view.selection.point) return &handle;
  }
  return nullptr;
}

void App::State::update_scene() {
  Actor* subject = stage->subject();
  if (subject == nullptr || rect.width == 0 || rect.height == 0) return hide_picture();
  const glm::uvec2 size(rect.width, rect.height);
  if (size == refused_size) return;
  if (!renderer || renderer_size != size) {
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
  hide_picture();  // the scene before may be of characters that are gone
  if (!pose()) return;
  // A row of another length is looked at as a whole.
  const std::size_t row = view.compare.mode == CompareMode::kSideBySide ? stage->actors().size() : 1;
  if (!view.camera.framed || row != drawn_row) frame_selection(true);
  drawn_row = row;
  make_heat(*subject);
  overlay = make_overlay(*stage, *subject, document->rig(), view);
  add_gizmo(*subject);

  samples::Scene scene;
  scene.camera = camera_of(view.camera);
  scene.split = view.compare.split;
  scene.ground = view.shown.ground;
  scene.ground_height = subject->bounds.low.y;
  scene.lines = overlay.lines;
  scene.dots = overlay.dots;
  const std::span<Actor* const> actors = stage->actors();
  for (Actor* const actor : actors) {
    samples::DrawItem item;
    item.crowd = &actor->crowd;
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
      if (actor != subject && actor != actors.front()) continue;  // there are two sides
      item.side = actor == subject ? samples::SplitSide::kRight : samples::SplitSide::kLeft;
    }
    scene.items.push_back(item);
  }
  const Result<void> set = renderer->set_scene(scene);
  if (!set) {
    error(set.error().message);
    drawn = fingerprint_of_scene();  // not tried again until something changes
    return;
  }
  drawable = true;
  drawn = fingerprint_of_scene();
}

// -------------------------------------------------------------------------------------------------------------- input

void App::State::frame_selection(bool everything) {
  if (stage->subject() == nullptr || rect.height == 0) return;
  const float aspect = static_cast<float>(rect.width) / static_cast<float>(rect.height);
  const Actor& subject = *stage->subject();
  samples::Bounds bounds;
  if (!everything) {
    std::optional<glm::vec3> at;
    if (const Handle* handle = selected_handle()) at = handle->position;
    if (!at && !view.selection.mesh.empty()) at = posed_position(*stage, subject, view.selection);
    if (!at && !view.selection.joint.empty()) {
      if (const auto joint = subject.character->skeleton.find(view.selection.joint)) {
        at = glm::vec3(subject.worlds.front() * subject.pose.joints[*joint][3]);
      }
    }
    if (at) {
      const glm::vec3 half(0.08f * glm::length(subject.bounds.size()));
      bounds.add(*at - half);
      bounds.add(*at + half);
    }
  }
  if (bounds.empty()) bounds = stage->bounds(view);
  if (!bounds.empty()) frame_on(view.camera, bounds, aspect);
}

void App::State::click(glm::vec2 at) {
  Actor* subject = stage->subject();
  if (subject == nullptr) return;
  const samples::Camera camera = camera_of(view.camera);
  const glm::vec2 size(rect.width, rect.height);
  Selection& selection = view.selection;
  if (const Handle* handle = pick_handle(overlay, camera, size, at, kHandleRadius)) {
    selection.point = handle->name;
    return;
  }
  selection.point.clear();
  const std::string joint = view.shown.skeleton ? pick_joint(*subject, camera, size, at, kHandleRadius) : "";
  if (!joint.empty()) {
    selection.joint = joint;
    view.panels.tab = "Joints";
    return;
  }
  const std::optional<VertexHit> hit = pick_vertex(*stage, *subject, ray_through(camera, size, at));
  selection.mesh = hit ? hit->mesh : "";
  selection.vertex = hit ? hit->vertex : 0;
  if (hit) view.panels.tab = "Vertex";
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
  } else if (gizmo && hot != GizmoPart::kNone && stage->subject() != nullptr) {
    grab = Grab::kGizmo;
    drag = {*gizmo, hot, mouse};
    turn_before = turn_of(view, view.selection.joint);
    const auto joint = stage->subject()->character->skeleton.find(view.selection.joint);
    joint_before = joint ? stage->subject()->pose.joints[*joint] : glm::mat4(1.0f);
    rig_before = document->rig_json();
    if (const Handle* handle = selected_handle()) handle_before = *handle;
  } else if (begin_stroke(mouse)) {
    grab = Grab::kPaint;
  } else {
    grab = io.KeyShift ? Grab::kPan : Grab::kUndecided;
  }
}

// Where the brush touches the skin.
std::optional<VertexHit> App::State::brush_at(glm::vec2 mouse) {
  if (rig_editor.paint.group.empty() || !document || stage->subject() == nullptr) return std::nullopt;
  const Ray ray = ray_through(camera_of(view.camera), {rect.width, rect.height}, mouse);
  return pick_vertex(*stage, *stage->subject(), ray);
}

bool App::State::begin_stroke(glm::vec2 mouse) {
  const std::optional<VertexHit> hit = brush_at(mouse);
  if (!hit) return false;
  const Result<void> begun = painter.begin(*document, rig_editor.paint, hit->mesh);
  if (!begun) {
    error(begun.error().message);
    return false;
  }
  painted_mesh = hit->mesh;
  paint(mouse);
  return true;
}

void App::State::paint(glm::vec2 mouse) {
  const std::optional<VertexHit> hit = brush_at(mouse);
  if (!hit || hit->mesh != painted_mesh) return;
  const Actor& subject = *stage->subject();
  for (const CharacterMesh& mesh : subject.character->meshes) {
    if (mesh.name != painted_mesh) continue;
    std::vector<glm::vec3> positions(mesh.vertex_count());
    to_source_order<glm::vec3>(mesh, stage->evaluated(subject).positions(), positions);
    for (glm::vec3& position : positions) position = glm::vec3(subject.worlds.front() * glm::vec4(position, 1.0f));
    const Result<void> touched = painter.stroke(*document, positions, hit->vertex, hit->position);
    if (!touched) error(touched.error().message);
    return;
  }
}

// Turns the joint or moves the handle that the gizmo is of, to where the mouse is.
void App::State::drag_gizmo(glm::vec2 mouse) {
  const samples::Camera camera = camera_of(view.camera);
  const glm::vec2 size(rect.width, rect.height);
  if (drag.gizmo.kind == Gizmo::Kind::kRotate) {
    const glm::quat turn = drag_turn(drag, camera, size, mouse);
    const glm::mat4& world = stage->subject()->worlds.front();
    set_turn(view, view.selection.joint, turned_joint(turn_before, joint_before, world, turn));
    return;
  }
  const glm::vec3 moved = glm::inverse(handle_before.from_bind) * drag_offset(drag, camera, size, mouse);
  const nlohmann::json::json_pointer at(handle_before.pointer);
  nlohmann::json rig = rig_before;
  if (!rig.contains(at) || !rig[at].is_array() || rig[at].size() != 3) return;
  for (int c = 0; c < 3; ++c)
    rig[at][static_cast<std::size_t>(c)] = rig[at][static_cast<std::size_t>(c)].get<float>() + moved[c];
  const Result<void> edited = document->edit(std::move(rig), "move " + handle_before.name);
  if (!edited) error(edited.error().message);
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
    hot = gizmo && inside ? hit_gizmo(*gizmo, camera_of(view.camera), size, mouse, kHandleRadius) : GizmoPart::kNone;
    if (inside) begin_grab(mouse);
  }
  const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Middle) ||
                    ImGui::IsMouseDown(ImGuiMouseButton_Right);
  if (grab == Grab::kUndecided && glm::distance(mouse, grabbed_at) > kClickSlop) grab = Grab::kOrbit;
  if (grab == Grab::kOrbit) orbit_by(view.camera, moved, size.y);
  if (grab == Grab::kPan) pan_by(view.camera, moved, size.y);
  if (grab == Grab::kSplit) view.compare.split = std::clamp(mouse.x / std::max(size.x, 1.0f), 0.0f, 1.0f);
  if (grab == Grab::kGizmo) drag_gizmo(mouse);
  if (grab == Grab::kPaint && glm::length(moved) > 0) paint(mouse);
  if (held) return;
  if (grab == Grab::kUndecided) click(mouse);
  if (grab == Grab::kGizmo && document) document->end_edit();
  if (grab == Grab::kPaint && document) painter.end(*document);
  grab = Grab::kNone;
}

// A file name for a rig that has none yet.
std::string App::State::suggested_name() const {
  std::string name = document->title();
  if (name.starts_with("builtin:")) name.erase(0, name.find(':') + 1);
  return std::filesystem::path(name).stem().string() + ".json";
}

Result<void> App::State::save(const std::filesystem::path& path) {
  Result<void> saved = document->save(path);
  saved ? note(fmt::format("saved {}", path.string())) : error(saved.error().message);
  return saved;
}

void App::State::save_somewhere() {
  if (!document) return;
  if (document->rig_path().empty()) {
    dialog.open(FileDialog::Purpose::kSave, suggested_name());
  } else {
    static_cast<void>(save(document->rig_path()));
  }
}

void App::State::handle_keys() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput) return;
  // Key numbers are GLFW's: of letters and the space, the ASCII ones.
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
  if (letter('W')) view.shown.wire = !view.shown.wire;
  if (letter('S')) view.shown.skeleton = !view.shown.skeleton;
  if (letter('C')) view.shown.curves = !view.shown.curves;
  if (letter('P')) view.shown.control_points = !view.shown.control_points;
  if (letter('D')) view.shown.drivers = !view.shown.drivers;
  if (letter('M')) view.panels.measure = !view.panels.measure;
  if (letter('H')) view.panels.help = !view.panels.help;
}

// ------------------------------------------------------------------------------------------------------------- window

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

// A panel at an edge of the window.
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

void App::State::draw_panels() {
  const ImGuiIO& io = ImGui::GetIO();
  const float em = ImGui::GetFontSize();
  const float top = ImGui::GetFrameHeight();
  const glm::vec2 size(io.DisplaySize.x, io.DisplaySize.y);
  const bool loaded = document.has_value();
  // What is in the panels needs their width; a window that is too narrow for both shows the inspector.
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
      if (!ImGui::BeginTabBar("tabs")) return;
      const std::pair<const char*, void (*)(Context&)> tabs[] = {{"View", draw_view_options},
                                                                 {"Joints", draw_skeleton_panel},
                                                                 {"Vertex", draw_vertex_panel},
                                                                 {"Heat", draw_heat_panel},
                                                                 {"Report", draw_report_panel}};
      // A tab that is asked for is open with the next frame; until then it is not the mouse that opened another.
      const bool asked = view.panels.tab != open_tab;
      if (asked) tab_settles = 2;
      for (const auto& [name, draw] : tabs) {
        const bool select = asked && view.panels.tab == name;
        if (!ImGui::BeginTabItem(name, nullptr, select ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None))
          continue;
        if (tab_settles == 0) view.panels.tab = name;
        ImGui::BeginChild("contents");
        draw(shared);
        ImGui::EndChild();
        ImGui::EndTabItem();
      }
      tab_settles = std::max(tab_settles - 1, 0);
      open_tab = view.panels.tab;
      ImGui::EndTabBar();
    });
  }
  if (timeline > 0) docked("Timeline", {0, size.y - timeline}, {size.x, timeline}, [&] { draw_timeline(shared); });
  rect = {static_cast<std::int32_t>(left), static_cast<std::int32_t>(top),
          static_cast<std::uint32_t>(std::max(size.x - left - right, 0.0f)), static_cast<std::uint32_t>(middle)};
  if (!view.panels.measure || !loaded || stage->subject() == nullptr) return;
  ImGui::SetNextWindowPos({left + 0.7f * em, top + 0.7f * em});
  ImGui::SetNextWindowBgAlpha(0.85f);
  constexpr ImGuiWindowFlags kOver = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize |
                                     ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings |
                                     ImGuiWindowFlags_NoFocusOnAppearing;
  if (ImGui::Begin("Measurements", nullptr, kOver)) draw_measure_panel(shared);
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
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize |
                                      ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing;
  if (ImGui::Begin("Messages", nullptr, kFlags)) {
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
        {"Click", "select a vertex, or a point that is drawn"},
        {"Space", "play and pause"},
        {"F, A", "frame the selection, everything"},
        {"W, S, C, P, D", "wireframe, skeleton, curves, control points, drivers"},
        {"M", "measurements"},
        {"Ctrl+Z, Ctrl+Y", "undo, redo"},
        {"Ctrl+O, Ctrl+S", "open, save the rig"},
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

// Names under the characters, or on both sides of the split.
void App::State::draw_captions() {
  const std::span<Actor* const> actors = stage->actors();
  if (actors.size() < 2 || !drawable) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const float em = ImGui::GetFontSize();
  const glm::vec2 corner(rect.x, rect.y);
  const auto write = [&](const std::string& text, glm::vec2 middle) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const glm::vec2 at = middle - 0.5f * glm::vec2(size.x, size.y);
    list.AddRectFilled({at.x - 0.5f * em, at.y - 0.25f * em}, {at.x + size.x + 0.5f * em, at.y + size.y + 0.25f * em},
                       IM_COL32(18, 20, 24, 190), 0.3f * em);
    list.AddText({at.x, at.y}, IM_COL32(235, 238, 242, 255), text.c_str());
  };
  if (view.compare.mode == CompareMode::kSplit) {
    const float split = view.compare.split * static_cast<float>(rect.width);
    write(caption_of(*actors.front()), corner + glm::vec2(0.5f * split, 1.5f * em));
    write(caption_of(*actors.back()), corner + glm::vec2(0.5f * (split + static_cast<float>(rect.width)), 1.5f * em));
    return;
  }
  for (const Actor* actor : actors) {
    const glm::vec3 feet(actor->bounds.center().x, actor->bounds.low.y, actor->bounds.center().z);
    const glm::vec3 there(actor->worlds.front() * glm::vec4(feet, 1.0f));
    const std::optional<glm::vec2> at = pixel_of(camera_of(view.camera), {rect.width, rect.height}, there);
    if (!at) continue;
    const glm::vec2 low(0.0f, 2 * em);
    const glm::vec2 high(rect.width, static_cast<float>(rect.height) - 2 * em);
    write(caption_of(*actor), corner + glm::clamp(*at + glm::vec2(0, 1.5f * em), low, high));
  }
}

// The scale of the heat map, over the picture.
void App::State::draw_legend() {
  if (!heat || !drawable) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const float em = ImGui::GetFontSize();
  const glm::vec2 size(14 * em, 0.8f * em);
  const glm::vec2 at(static_cast<float>(rect.x) + 1.2f * em,
                     static_cast<float>(rect.y) + static_cast<float>(rect.height) - 2.8f * em);
  list.AddRectFilled({at.x - 0.5f * em, at.y - 1.6f * em}, {at.x + size.x + 0.5f * em, at.y + size.y + 1.5f * em},
                     IM_COL32(18, 20, 24, 190), 0.3f * em);
  constexpr int kSteps = 64;
  for (int k = 0; k < kSteps; ++k) {
    const glm::vec3 color = shared::color_ramp((static_cast<float>(k) + 0.5f) / kSteps);
    const float from = at.x + size.x * static_cast<float>(k) / kSteps;
    const float to = at.x + size.x * static_cast<float>(k + 1) / kSteps;
    list.AddRectFilled({from, at.y}, {to, at.y + size.y},
                       ImGui::ColorConvertFloat4ToU32({color.r, color.g, color.b, 1}));
  }
  const ImU32 text = IM_COL32(235, 238, 242, 255);
  const std::string low = fmt::format("{:.3g}", heat->low);
  const std::string high = fmt::format("{:.3g} {}", heat->high, heat->unit);
  list.AddText({at.x, at.y - 1.35f * em}, text, heat->title.c_str());
  list.AddText({at.x, at.y + size.y + 0.15f * em}, text, low.c_str());
  list.AddText({at.x + size.x - ImGui::CalcTextSize(high.c_str()).x, at.y + size.y + 0.15f * em}, text, high.c_str());
}

App::App(std::unique_ptr<State> state) : state_(std::move(state)) {}
App::~App() = default;
App::App(App&&) noexcept = default;

Result<App> App::create(const runtime::Device& device, const AppOptions& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  App app(std::move(state));
  const Result<void> made = app.create_on(device);
  if (!made) return tl::unexpected(made.error());
  return app;
}

Result<void> App::open(const std::string& file, const std::string& model) {
  State& state = *state_;
  // A rig without a model is for the one that is open, or else for the built-in biped.
  const std::string shown = state.document ? state.document->model_name() : "builtin:biped";
  Result<Document> opened = Document::open(file, model.empty() ? shown : model);
  if (!opened) {
    state.error(opened.error().message);
    return tl::unexpected(opened.error());
  }
  state.document = std::move(*opened);
  state.begin_document();
  return {};
}

Result<void> App::save(const std::string& path) {
  State& state = *state_;
  if (!state.document) return fail(ErrorCode::kInvalidArgument, "nothing is open that could be saved");
  if (path.empty() && state.document->rig_path().empty()) {
    return fail(ErrorCode::kInvalidArgument, "the rig has no file yet to be saved to");
  }
  return state.save(path.empty() ? state.document->rig_path() : std::filesystem::path(path));
}

void App::frame(double seconds) {
  State& state = *state_;
  const Clock::time_point begin = Clock::now();
  state.now += std::max(seconds, 1e-6);
  state.follow_document();
  state.request_binds();
  state.take_bound();

  state.draw_menu();
  state.draw_panels();
  state.draw_help();
  if (const std::optional<std::string> path = state.dialog.draw()) {
    state.dialog.purpose() == FileDialog::Purpose::kSave ? static_cast<void>(save(*path))
                                                         : static_cast<void>(open(*path));
  }
  if (!state.chosen.empty()) static_cast<void>(open(std::exchange(state.chosen, {})));
  state.draw_messages();
  state.handle_mouse();
  state.handle_keys();
  state.request_binds();
  state.stage->advance(state.view, seconds);
  state.update_scene();
  state.draw_captions();
  state.draw_legend();

  std::vector<float>& frames = state.timings.frames;
  constexpr std::size_t kFrames = 240;
  frames.push_back(static_cast<float>(seconds));
  if (frames.size() > kFrames) frames.erase(frames.begin());
  state.timings.cpu_frame = seconds_since(begin);
}

void App::record(VkCommandBuffer commands, bool all_samples) {
  State& state = *state_;
  if (!state.drawable) return;
  const std::optional<samples::PassSeconds> seconds = state.renderer->seconds();
  if (seconds && state.posed_last) {
    state.timings.gpu = {{"compute", seconds->compute}, {"shadows", seconds->shadows}, {"drawing", seconds->surfaces}};
  }
  state.posed_last = state.renderer->recorded_samples() == 0;
  const std::uint32_t left = state.options.samples - state.renderer->recorded_samples();
  state.renderer->record(commands, all_samples ? left : std::min(left, state.options.samples_per_frame));
}

VkImage App::picture() const { return state_->drawable ? state_->renderer->picture() : VK_NULL_HANDLE; }
PixelRect App::picture_rect() const { return state_->rect; }

bool App::wants_frames() const {
  const State& state = *state_;
  return state.view.playback.playing || state.binder.progress().has_value() || state.messages.has_notes() ||
         (state.drawable && state.renderer->recorded_samples() < state.options.samples);
}

void App::wait_for_binds() {
  state_->request_binds();
  state_->binder.wait();
}

ViewState& App::view() { return state_->view; }

float App::clip_seconds() const { return state_->stage->duration(state_->view); }

std::uint64_t App::error_count() const { return state_->messages.error_count(); }
const std::string& App::last_error() const { return state_->messages.last_error(); }

void App::apply_rig_patch(const std::string& pointer, const std::string& json_value) {
  State& state = *state_;
  if (!state.document) return state.error("no rig is open that could be edited");
  using Pointer = nlohmann::json::json_pointer;
  try {
    nlohmann::json rig = state.document->rig_json();
    const Pointer at(pointer);
    // What is there is replaced, a key is added to an object, and an entry to the end of a list.
    const bool added =
        !at.empty() && rig.contains(at.parent_pointer()) &&
        (rig[at.parent_pointer()].is_object() ||
         (rig[at.parent_pointer()].is_array() && at.back() == std::to_string(rig[at.parent_pointer()].size())));
    if (!rig.contains(at) && !added) return state.error(fmt::format("{}: there is no such place in the rig", pointer));
    rig[at] = nlohmann::json::parse(json_value);
    const Result<void> edited = state.document->edit(std::move(rig));
    if (!edited) state.error(edited.error().message);
  } catch (const std::exception& thrown) {
    state.error(fmt::format("{}: {}", pointer, thrown.what()));
  }
}

void App::undo() {
  if (state_->document) state_->document->undo();
}
void App::redo() {
  if (state_->document) state_->document->redo();
}

void App::release_device() {
  State& state = *state_;
  state.cancel_grab();
  state.hide_picture();
  state.posed.clear();
  state.heated.clear();
  state.renderer.reset();
  state.textures.reset();
  state.model = nullptr;
  state.overlay = {};
  state.heat.reset();
  state.stage.reset();
  state.requested.clear();
}

Result<void> App::create_on(const runtime::Device& device) {
  State& state = *state_;
  state.device = &device;
  state.stage.emplace(device);
  state.timings.device = device.description().name;
  return {};
}

}  // namespace pelt::viewer
