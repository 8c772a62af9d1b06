// SPDX-License-Identifier: MIT
#include "samples/viewer/app/window.h"

#define GLFW_INCLUDE_NONE
#include <vulkan/vulkan.h>
// After Vulkan's header: only then does GLFW declare its Vulkan functions.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include <pelt/runtime/vulkan_functions.h>

namespace pelt::viewer {
namespace {

tl::unexpected<Error> glfw_failure(const char* action) {
  const char* description = nullptr;
  glfwGetError(&description);
  return fail(ErrorCode::kUnsupported, fmt::format("cannot {}: {}; --headless works without a display", action,
                                                   description != nullptr ? description : "unknown reason"));
}

}  // namespace

Result<std::unique_ptr<Window>> Window::open(const std::string& title, VkExtent2D size) {
  if (glfwInit() != GLFW_TRUE) return glfw_failure("open a window");
  std::unique_ptr<Window> window(new Window);
  if (glfwVulkanSupported() != GLFW_TRUE) return glfw_failure("show Vulkan's pictures in a window");
  glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
  window->handle_ =
      glfwCreateWindow(static_cast<int>(size.width), static_cast<int>(size.height), title.c_str(), nullptr, nullptr);
  if (window->handle_ == nullptr) return glfw_failure("open a window");
  glfwSetWindowUserPointer(window->handle_, window.get());
  glfwSetDropCallback(window->handle_, [](GLFWwindow* handle, int count, const char** paths) {
    auto& dropped_on = *static_cast<Window*>(glfwGetWindowUserPointer(handle));
    dropped_on.dropped_.insert(dropped_on.dropped_.end(), paths, paths + count);
  });
  return window;
}

Window::~Window() {
  if (handle_ != nullptr) glfwDestroyWindow(handle_);
  glfwTerminate();
}

float Window::content_scale() const {
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(handle_, &x, &y);
  return std::clamp(std::max(x, y), 1.0f, 4.0f);
}

std::vector<std::string> Window::instance_extensions() const {
  std::uint32_t count = 0;
  const char** names = glfwGetRequiredInstanceExtensions(&count);
  return names == nullptr ? std::vector<std::string>{} : std::vector<std::string>(names, names + count);
}

Result<VkSurfaceKHR> Window::make_surface(VkInstance instance) const {
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  const VkResult result = glfwCreateWindowSurface(instance, handle_, nullptr, &surface);
  if (result != VK_SUCCESS) return runtime::vulkan_failure("make the surface of the window", result);
  return surface;
}

VkExtent2D Window::framebuffer_size() const {
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(handle_, &width, &height);
  return {static_cast<std::uint32_t>(std::max(width, 0)), static_cast<std::uint32_t>(std::max(height, 0))};
}

bool Window::seen() const {
  const VkExtent2D size = framebuffer_size();
  return size.width != 0 && size.height != 0 && glfwGetWindowAttrib(handle_, GLFW_ICONIFIED) == GLFW_FALSE &&
         glfwGetWindowAttrib(handle_, GLFW_VISIBLE) == GLFW_TRUE;
}

void Window::set_title(const std::string& title) { glfwSetWindowTitle(handle_, title.c_str()); }

void Window::hide() { glfwHideWindow(handle_); }

bool Window::closed() const { return glfwWindowShouldClose(handle_) == GLFW_TRUE; }

void Window::connect_ui() {
  ImGui_ImplGlfw_InitForVulkan(handle_, true);
  glfwSetKeyCallback(handle_, [](GLFWwindow* handle, int key, int scancode, int action, int modifiers) {
    static_cast<Window*>(glfwGetWindowUserPointer(handle))->keys_.push_back({key, scancode, action, modifiers});
  });
}
void Window::disconnect_ui() { ImGui_ImplGlfw_Shutdown(); }

// Dear ImGui reads the keys once per frame, and would miss a key pressed and released within one frame. So a frame
// takes events up to the release of a key that was pressed in it; the remaining events wait for the next frame.
void Window::begin_ui_frame() {
  auto next = keys_.begin();
  for (; next != keys_.end(); ++next) {
    const auto went_down = [&](const KeyEvent& before) {
      return before.key == next->key && before.action == GLFW_PRESS;
    };
    if (next->action == GLFW_RELEASE && std::any_of(keys_.begin(), next, went_down)) break;
    ImGui_ImplGlfw_KeyCallback(handle_, next->key, next->scancode, next->action, next->modifiers);
  }
  keys_.erase(keys_.begin(), next);
  ImGui_ImplGlfw_NewFrame();
  // The viewer draws in pixels; a desktop unit may have several.
  ImGuiIO& io = ImGui::GetIO();
  const ImVec2 scale = std::exchange(io.DisplayFramebufferScale, ImVec2(1, 1));
  io.DisplaySize = {io.DisplaySize.x * scale.x, io.DisplaySize.y * scale.y};
  if (ImGui::IsMousePosValid()) io.MousePos = {io.MousePos.x * scale.x, io.MousePos.y * scale.y};
}

void Window::poll() { glfwPollEvents(); }
void Window::wait(double seconds) { glfwWaitEventsTimeout(seconds); }

std::vector<std::string> Window::take_dropped_files() { return std::exchange(dropped_, {}); }

}  // namespace pelt::viewer
