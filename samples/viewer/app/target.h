// SPDX-License-Identifier: MIT
// Where finished frames go: a window, or an image that is read back.
#pragma once

#include <vulkan/vulkan_core.h>

#include <memory>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/renderer/image.h"

namespace pelt::viewer {

class App;

// Draws frames, one at a time: the App's picture, Dear ImGui's panels over it. Dear ImGui's context and the device
// outlive it. An error of it means that the device is lost or as good as lost: make another of both.
class Target {
 public:
  // Owns the surface from now on, whatever is returned. Errors: the device cannot show pictures on it.
  static Result<Target> on_surface(const runtime::Device& device, VkSurfaceKHR surface);
  static Result<Target> offscreen(const runtime::Device& device, VkExtent2D size);
  ~Target();
  Target(Target&&) noexcept;

  // Of the window's pixels, before each frame. Where one is 0, nothing is drawn.
  void set_size(VkExtent2D size);

  // Until the device is done with the frame before.
  Result<void> wait();

  // After ImGui::Render and wait(). A window that changes size meanwhile shows the next frame.
  Result<void> draw(App& app, bool all_samples);

  // The frame drawn last, of an offscreen target.
  Result<samples::Image> read_back();

 private:
  struct State;
  explicit Target(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
