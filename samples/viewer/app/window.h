// SPDX-License-Identifier: MIT
// A window of the desktop, by GLFW.
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
  // Errors: kUnsupported where there is no display, or no Vulkan for it.
  static Result<std::unique_ptr<Window>> open(const std::string& title, VkExtent2D size);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  float content_scale() const;  // of a plain screen's
  std::vector<std::string> instance_extensions() const;
  Result<VkSurfaceKHR> make_surface(VkInstance instance) const;
  VkExtent2D framebuffer_size() const;
  bool seen() const;  // not minimised, hidden or without size
  void set_title(const std::string& title);
  void hide();
  bool closed() const;

  // Feeds Dear ImGui, whose context is there, from the window's events until the context or the window goes.
  void connect_ui();
  void disconnect_ui();
  void begin_ui_frame();

  void poll();
  void wait(double seconds);  // for an event, at most so long

  std::vector<std::string> take_dropped_files();

 private:
  Window() = default;

  // As GLFW's callback has them.
  struct KeyEvent {
    int key, scancode, action, modifiers;
  };

  GLFWwindow* handle_ = nullptr;
  std::vector<std::string> dropped_;
  std::vector<KeyEvent> keys_;  // not yet fed to Dear ImGui
};

}  // namespace pelt::viewer
