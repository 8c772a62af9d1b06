// SPDX-License-Identifier: MIT
#include "samples/viewer/session.h"

#include <imgui.h>

#include <utility>

namespace pelt::viewer {
namespace {

constexpr std::uint32_t kMostLosses = 3;

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Session::~Session() {
  if (target_) static_cast<void>(target_->wait());  // the App's objects are drawn from until then
}

Result<std::unique_ptr<Session>> Session::create(SessionOptions options) {
  std::unique_ptr<Session> session(new Session(std::move(options)));
  if (const Result<void> made = session->make_device(); !made) return tl::unexpected(made.error());
  Result<App> app = App::create(*session->device_, session->options_.app);
  if (!app) return tl::unexpected(app.error());
  session->app_.emplace(std::move(*app));
  return session;
}

Result<void> Session::make_device() {
  Result<runtime::Device> device = runtime::Device::create(options_.device);
  if (!device) return tl::unexpected(device.error());
  if (!device->has_graphics()) {
    return fail(ErrorCode::kUnsupported,
                "the Vulkan device " + device->description().name + " has no queue that draws");
  }
  device_ = std::move(*device);
  Result<Target> target = options_.make_target(*device_);
  if (!target) return tl::unexpected(target.error());
  target_.emplace(std::move(*target));
  return {};
}

Result<void> Session::recreate_device() {
  static_cast<void>(target_->wait());
  app_->release_device();
  target_.reset();
  device_.reset();
  if (const Result<void> made = make_device(); !made) return made;
  return app_->create_on(*device_);
}

Result<void> Session::frame(double seconds, bool all_samples) {
  Result<void> drawn = target_->wait();
  if (drawn) {
    ImGui::NewFrame();
    app_->frame(seconds);
    ImGui::Render();
    drawn = target_->draw(*app_, all_samples);
  }
  if (drawn) {
    losses_ = 0;
    return {};
  }
  if (++losses_ > kMostLosses) return drawn;
  return recreate_device();
}

}  // namespace pelt::viewer
