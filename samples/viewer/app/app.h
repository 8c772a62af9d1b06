// SPDX-License-Identifier: MIT
// The viewer without its window: a document, its characters and the panels.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <string>
#include <vector>

#include <pelt/named_files.h>
#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/viewer/view_state.h"

namespace pelt::viewer {

struct AppOptions {
  std::uint32_t samples = 32;              // samples of a picture that stands still
  std::uint32_t samples_per_frame = 4;     // samples of a picture that moves
  NamedFiles files = NamedFiles::kFolder;  // as for Document::open
  std::vector<std::string> with;           // characters and models that are drawn over each figure: garments
  bool waits = false;                      // each frame waits for the background work, so that pictures are repeatable
};

// A rectangle of the window, pixels from its top left corner.
struct PixelRect {
  std::int32_t x = 0, y = 0;
  std::uint32_t width = 0, height = 0;
};

// Dear ImGui's context must exist before it and outlive it; so must the device.
class App {
 public:
  App(const runtime::Device& device, const AppOptions& options);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // Reads, binds and uploads a file in the background, with a progress bar. The open document stays until then, or if
  // the file cannot be opened. A rig without a model applies to the open model, or else to the built-in biped. Dropping
  // a file on the window calls this too.
  void open(const std::string& file, const std::string& model = "");
  // Saves the rig. Errors are shown in the window and returned.
  Result<void> save(const std::string& path = "");

  // Runs between ImGui::NewFrame and ImGui::Render: takes input from ImGui::GetIO, draws the panels, advances time by
  // `seconds`, takes the results of the background work, and poses the characters. The device must be idle.
  void frame(double seconds);

  // Records the picture, if any, outside a render pass; leaves it in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL.
  // `all_samples`: completes the picture, however long it takes.
  void record(VkCommandBuffer commands, bool all_samples);

  // Takes the device's seconds for the rest of the last frame, which must be done: the picture's copy and the
  // panels. The measurements show them. Call it before the next record().
  void measured(double copy, double panels);

  VkImage picture() const;  // VK_NULL_HANDLE: there is no picture
  PixelRect picture_rect() const;

  bool wants_frames() const;  // true if something moves, work is running or the picture is incomplete

  ViewState& view();
  float clip_seconds() const;             // duration of the clip that the view plays; 0: no clip
  std::uint64_t error_count() const;      // number of errors shown so far
  const std::string& last_error() const;  // empty: there was no error
  void apply_rig_patch(const std::string& pointer, const std::string& json_value);  // edits like the rig panel

  // Moves the selected point by `by`, metres, world space, like a drag: one step of undo. Errors are shown and
  // returned: the last frame's picture has no such point, or nothing in the rig moves it.
  Result<void> move_point(const std::string& name, glm::vec3 by);

  void undo();
  void redo();

  // Call these if the VkDevice is lost. release_device destroys everything on it; the document stays. create_on(new
  // device) then starts again, and reopens any file that was being opened.
  void release_device();
  void create_on(const runtime::Device& device);
  void note(const std::string& text);  // shows it for a while

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
