// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include <pelt/try.h>

#include "samples/viewer/app/run.h"
#include "samples/viewer/app/session.h"
#include "samples/viewer/app/ui.h"
#include "samples/viewer/app/validation.h"
#include "samples/viewer/app/window.h"

namespace pelt::viewer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTitle = "Pelt";

constexpr double kIdleSeconds = 0.1;              // between checks of the files on disk
constexpr double kHiddenSeconds = 0.5;            // between checks of whether a window without events is visible
constexpr std::chrono::seconds kBetweenTries(2);  // between attempts to make a device
constexpr double kLongestFrame = 0.25;            // seconds; longer frames count as this long
constexpr std::uint32_t kSettling = 3;            // frames drawn after an event, until panels have settled

// Feeds Dear ImGui during its lifetime.
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

// Shows errors in the title and on stderr if there is no picture to show them on.
class Trouble {
 public:
  explicit Trouble(Window& window) : window_(window) {}

  // Shows a text; empty: no trouble.
  void show(const std::string& text) {
    if (text == shown_) return;
    shown_ = text;
    window_.set_title(text.empty() ? kTitle : fmt::format("{}: {}; trying again", kTitle, text));
    if (!text.empty()) fmt::print(stderr, "pelt_viewer: {}; trying again\n", text);
  }

 private:
  Window& window_;
  std::string shown_;
};

void show(Window& window, Session& session) {
  Clock::time_point last = Clock::now();
  Clock::time_point next_try = last;  // when there is no device
  Trouble trouble(window);
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
    for (const std::string& file : window.take_dropped_files()) session.app().open(file);
    if (!window.seen()) {
      window.wait(kHiddenSeconds);
      settling = kSettling;
      continue;
    }
    const Clock::time_point now = Clock::now();
    if (now < next_try) {
      window.wait(seconds_between(now, next_try));
      continue;
    }
    if (session.target() != nullptr) session.target()->set_size(window.framebuffer_size());
    window.begin_ui_frame();
    const double seconds = std::min(seconds_between(last, now), kLongestFrame);
    last = now;
    const Result<void> drawn = session.frame(seconds, false);
    trouble.show(drawn ? "" : drawn.error().message);
    if (!drawn) {
      next_try = Clock::now() + kBetweenTries;
      settling = kSettling;
      continue;
    }
    if (ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed('Q', false)) return;
  }
}

}  // namespace

Result<void> run_window(const RunOptions& options) {
  PELT_ASSIGN(const auto window, Window::open(kTitle, options.size));
  return run_validated(options, [&](SessionOptions session_options) -> Result<void> {
    const Ui ui(options.scale.value_or(window->content_scale()), options.font);
    const Connection connection(*window);
    session_options.device.instance_extensions = window->instance_extensions();
    session_options.device.device_extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    session_options.make_target = [&](const runtime::Device& device) -> Result<Target> {
      PELT_ASSIGN(const auto surface, window->make_surface(device.instance()));
      return Target::on_surface(device, surface);
    };
    PELT_ASSIGN(const auto session, Session::create(std::move(session_options)));
    session->app().open(options.file, options.model);
    show(*window, *session);
    window->hide();  // hide at once, even if a bind is still running
    return {};
  });
}

}  // namespace pelt::viewer
