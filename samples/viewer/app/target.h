// SPDX-License-Identifier: MIT
// The target of finished frames: a window, or an image that is read back.
#pragma once

#include <vulkan/vulkan_core.h>

#include <memory>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/renderer/image.h"

namespace pelt::viewer {

class App;

// Draws frames, one at a time: the App's picture, with Dear ImGui's panels over it. Dear ImGui's context and the device
// must outlive it. After an error the device is lost or unusable: make a new device and a new target.
class Target {
 public:
  // Takes ownership of the surface, even on failure. Errors: the device cannot show pictures on it.
  static Result<Target> on_surface(const runtime::Device& device, VkSurfaceKHR surface);
  static Result<Target> offscreen(const runtime::Device& device, VkExtent2D size);
  ~Target();
  Target(Target&&) noexcept;

  // Sets the window's size in pixels; call it before each frame. If a side is 0, nothing is drawn.
  void set_size(VkExtent2D size);

  // Waits until the device is done with the previous frame.
  Result<void> wait();

  // Draws a frame, after ImGui::Render and wait(). If the window changes size meanwhile, only the next frame is shown.
  Result<void> draw(App& app, bool all_samples);

  // Returns the last frame of an offscreen target.
  Result<samples::Image> read_back();

 private:
  struct State;
  explicit Target(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
