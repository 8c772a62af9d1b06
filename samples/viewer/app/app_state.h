// SPDX-License-Identifier: MIT
// The app's state between frames, shared by its own files: app.cpp, app_document.cpp (opening and binding),
// app_scene.cpp (the scene), app_input.cpp (mouse and keys), app_window.cpp (menus, panels, texts over the picture).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <initializer_list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "samples/renderer/renderer.h"
#include "samples/renderer/textures.h"
#include "samples/viewer/app/app.h"
#include "samples/viewer/file_dialog.h"
#include "samples/viewer/gizmo.h"
#include "samples/viewer/net_brush.h"
#include "samples/viewer/panels/context.h"
#include "samples/viewer/pick.h"

namespace pelt::viewer {

inline constexpr const char* kSubject = "rig";

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A bound character on the device.
struct Made {
  std::optional<Newcomer> newcomer;
  std::shared_ptr<const Model> model;  // the model of the textures; nullptr: no textures were needed
  std::shared_ptr<samples::MaterialTextures> textures;
  std::vector<std::string> notes;
};

// A file that was read, with its character.
struct Opened {
  Document document;
  Result<Made> made;
  std::vector<Newcomer> companions;  // AppOptions::with
};

struct App::State {
  enum class Grab { kNone, kUndecided, kOrbit, kPan, kSplit, kGizmo };

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
  // Captions of the characters in the scene, and of those that the last recorded commands move; the latter are empty if
  // the commands only refine the picture.
  std::vector<std::string> captions;
  std::vector<std::string> posed_last;
  double copy_seconds = 0;  // App::measured
  double panel_seconds = 0;
  std::size_t drawn_row = 1;  // number of characters side by side
  // The camera as framing has set it. Until something else moves the camera, a change of the picture's size frames
  // again.
  struct Framing {
    bool everything = true;
    glm::vec3 target{0};
    float distance = 0;
  };
  std::optional<Framing> framing;
  Overlay overlay;
  Timings timings;
  Messages messages;
  RigEditorState rig_editor;
  FileDialog dialog;
  std::string chosen;         // a file to open when this frame's menus are done
  std::string open_tab;       // tab of the inspector
  bool frame_wanted = false;  // Context::frame_wanted
  int tab_settles = 0;        // frames until the requested tab is open

  double now = 0;  // seconds since the start
  PixelRect rect;
  glm::uvec2 renderer_size{0};
  glm::uvec2 refused_size{0};
  struct Opening {
    std::string file;
    std::string model;
  };
  std::optional<Opening> opening;                  // the file that is being read in the background
  std::uint32_t bound_level = 0;                   // ViewState::level of the requested characters
  std::map<std::string, std::uint64_t> requested;  // last requested revision of the document, by key
  std::optional<Rig> shown_rig;                    // the rig of the bound subject
  std::uint64_t generation = 0;                    // changes when earlier requests are no longer wanted
  std::shared_ptr<const Model> model;              // the model of the textures
  bool drawable = false;                           // there is a scene
  // The fingerprints of the last drawing, pose and heat map; empty: none.
  std::string drawn;
  std::string posed;
  std::string heated;
  std::uint64_t shown_count = 0;  // calls of Stage::show, so that a new character gives a new scene
  Grab grab = Grab::kNone;
  glm::vec2 grabbed_at{0};
  std::optional<Gizmo> gizmo;
  std::optional<std::size_t> hot;  // the gizmo's part under the mouse, or being dragged
  // The state when a gizmo was grabbed.
  GizmoDrag drag;
  glm::quat turn_before{1, 0, 0, 0};
  nlohmann::json rig_before;
  std::vector<BrushedHandle> handles_before;

  Context context() { return {view, document, *stage, binder, heat, overlay, timings, messages, rig_editor}; }
  void error(const std::string& text) { messages.error(text); }
  void note(const std::string& text) { messages.note(text); }

  void request_open();
  std::string opening_title() const;
  void cancel_opening();
  void take_opened(Opened opened);
  void begin_document();
  void hide_picture();
  void cancel_grab();
  void follow_document();
  void request_bind(const std::string& key, const Rig& rig);
  void take_made(const std::string& key, Made made);
  void request_binds();
  void remember_rig();
  bool move_points();
  void forget_requests();
  void draw_progress();
  void stop_on_escape();
  bool wants(const std::string& key) const;

  void take_gpu_seconds();
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
  Result<void> move_handles(const std::vector<BrushedHandle>& handles, glm::vec3 way);
  std::vector<BrushedHandle> brushed_handles();
  std::optional<std::uint32_t> selected_vertex();
  glm::vec3 posed_position(std::uint32_t vertex);
  void click(glm::vec2 at);
  void click_point(const std::string& name);
  void frame_selection(bool everything);
  void step_deformer();
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

}  // namespace pelt::viewer
