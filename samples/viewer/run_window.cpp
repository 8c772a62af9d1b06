// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <algorithm>
#include <chrono>

#include "samples/viewer/run.h"
#include "samples/viewer/session.h"
#include "samples/viewer/ui.h"
#include "samples/viewer/validation.h"
#include "samples/viewer/window.h"

namespace pelt::viewer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kIdleSeconds = 0.1;    // between looks at the files on disk
constexpr double kLongestFrame = 0.25;  // what comes later is not caught up with
constexpr std::uint32_t kSettling = 3;  // frames after an event until panels have found their places

// Feeds Dear ImGui as long as it lives.
class Connection {
 public:
  explicit Connection(Window& window) : window_(window) { window_.connect_ui(); }
  ~Connection() { window_.disconnect_ui(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

 private:
  Window& window_;
};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

Result<void> show(Window& window, Session& session) {
  Clock::time_point last = Clock::now();
  std::uint32_t settling = kSettling;
  while (!window.closed()) {
    if (settling > 0 || session.app().wants_frames()) {
      window.poll();
      settling -= settling > 0 ? 1 : 0;
    } else {
      const Clock::time_point before = Clock::now();
      window.wait(kIdleSeconds);
      if (seconds_between(before, Clock::now()) < kIdleSeconds) settling = kSettling;  // there was an event
    }
    // Errors are shown in the window.
    for (const std::string& file : window.take_dropped_files()) static_cast<void>(session.app().open(file));
    const VkExtent2D size = window.framebuffer_size();
    if (size.width == 0 || size.height == 0) {
      window.wait(kIdleSeconds);
      continue;
    }
    session.target().set_size(size);
    window.begin_ui_frame();
    const Clock::time_point now = Clock::now();
    const double seconds = std::min(seconds_between(last, now), kLongestFrame);
    last = now;
    if (const Result<void> drawn = session.frame(seconds, false); !drawn) return drawn;
    if (ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed('Q', false)) return {};
  }
  return {};
}

}  // namespace

Result<void> run_window(const RunOptions& options) {
  const Result<std::unique_ptr<Window>> window = Window::open("Pelt", options.size);
  if (!window) return tl::unexpected(window.error());
  Validation validation;
  const Result<void> done = [&]() -> Result<void> {
    const Ui ui(options.scale.value_or((*window)->content_scale()));
    const Connection connection(**window);
    SessionOptions session_options;
    session_options.device = validation.device_options(options);
    session_options.device.instance_extensions = (*window)->instance_extensions();
    session_options.device.device_extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    session_options.make_target = [&](const runtime::Device& device) -> Result<Target> {
      const Result<VkSurfaceKHR> surface = (*window)->make_surface(device.instance());
      if (!surface) return tl::unexpected(surface.error());
      return Target::on_surface(device, *surface);
    };
    const Result<std::unique_ptr<Session>> session = Session::create(std::move(session_options));
    if (!session) return tl::unexpected(session.error());
    static_cast<void>((*session)->app().open(options.file, options.model));
    return show(**window, **session);
  }();
  return validation.judge(done);
}

}  // namespace pelt::viewer
