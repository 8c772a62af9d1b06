// SPDX-License-Identifier: MIT
// A window of the desktop, made with GLFW.
#pragma once

#include <vulkan/vulkan_core.h>

#include <memory>
#include <string>
#include <vector>

#include <pelt/result.h>

struct GLFWwindow;

namespace pelt::viewer {

class Window {
 public:
  // Errors: kUnsupported if there is no display, or no Vulkan for it.
  static Result<std::unique_ptr<Window>> open(const std::string& title, VkExtent2D size);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  float content_scale() const;  // relative to a standard screen
  std::vector<std::string> instance_extensions() const;
  Result<VkSurfaceKHR> make_surface(VkInstance instance) const;
  VkExtent2D framebuffer_size() const;
  bool seen() const;  // true if not minimised, hidden or of size 0
  void set_title(const std::string& title);
  void hide();
  bool closed() const;

  // Feeds the window's events to Dear ImGui, whose context must exist, until the context or the window is destroyed.
  void connect_ui();
  void disconnect_ui();
  void begin_ui_frame();

  void poll();
  void wait(double seconds);  // waits for an event, at most this long

  std::vector<std::string> take_dropped_files();

 private:
  Window() = default;

  // The arguments of GLFW's key callback.
  struct KeyEvent {
    int key, scancode, action, modifiers;
  };

  GLFWwindow* handle_ = nullptr;
  std::vector<std::string> dropped_;
  std::vector<KeyEvent> keys_;  // events that Dear ImGui has not been fed yet
};

}  // namespace pelt::viewer
