// SPDX-License-Identifier: MIT
// The viewer without its window: a document, its characters and the panels over them.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <string>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/viewer/view_state.h"

namespace pelt::viewer {

struct AppOptions {
  std::uint32_t samples = 32;           // of a picture at rest
  std::uint32_t samples_per_frame = 4;  // of one that moves
  bool waits = false;                   // each frame waits for what is done in the background: pictures are repeatable
};

// A rectangle of the window, pixels from its top left corner.
struct PixelRect {
  std::int32_t x = 0, y = 0;
  std::uint32_t width = 0, height = 0;
};

// Dear ImGui's context is made and outlives it; so does the device.
class App {
 public:
  App(const runtime::Device& device, const AppOptions& options);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // Reads, binds and uploads it in the background, with a progress bar; what is open stays until then, and where it
  // cannot be opened. A rig without a model is for the one that is open, or else for the built-in biped. Also what a
  // drop on the window does.
  void open(const std::string& file, const std::string& model = "");
  // Errors are shown in the window and returned.
  Result<void> save(const std::string& path = "");

  // Between ImGui::NewFrame and ImGui::Render: takes input from ImGui::GetIO, draws the panels, advances time by
  // `seconds`, takes what has been bound in the background, poses. The device must be idle.
  void frame(double seconds);

  // Records the picture, if there is one, outside a render pass; leaves it in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL.
  // `all_samples`: the picture is complete, however long it takes.
  void record(VkCommandBuffer commands, bool all_samples);

  // What the commands of the last record(), which are done, took beside it, seconds on the device: the picture's copy
  // and the panels. For the measurements; call it before the next record().
  void measured(double copy, double panels);

  VkImage picture() const;  // VK_NULL_HANDLE: there is none
  PixelRect picture_rect() const;

  bool wants_frames() const;  // something moves, is done in the background or is not complete

  ViewState& view();
  float clip_seconds() const;             // of the clip that the view plays; 0: none
  std::uint64_t error_count() const;      // that have been shown
  const std::string& last_error() const;  // empty: there was none
  void apply_rig_patch(const std::string& pointer, const std::string& json_value);  // an edit, as the rig panel makes

  // The selected point as if dragged by `by`, metres, world space: one step of undo. Errors are shown and returned:
  // there is no such point in the last frame's picture, or nothing in the rig moves it.
  Result<void> move_point(const std::string& name, glm::vec3 by);

  void undo();
  void redo();

  // The VkDevice is lost: everything on it is destroyed; the document stays, and what was opened is opened again. Then
  // create_on(new device).
  void release_device();
  void create_on(const runtime::Device& device);
  void note(const std::string& text);  // is shown for a while

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
