// SPDX-License-Identifier: MIT
#include "samples/viewer/app/session.h"

#include <imgui.h>

#include <utility>

#include <pelt/try.h>

namespace pelt::viewer {
namespace {

constexpr std::uint32_t kMaxLosses = 3;

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Session::~Session() {
  if (target_) static_cast<void>(target_->wait());  // the frame in flight uses the App's objects
}

Result<std::unique_ptr<Session>> Session::create(SessionOptions options) {
  std::unique_ptr<Session> session(new Session(std::move(options)));
  PELT_TRY(session->make_device());
  session->app_.emplace(*session->device_, session->options_.app);
  return session;
}

// Makes device and target: both, or neither.
Result<void> Session::make_device() {
  PELT_ASSIGN(auto device, runtime::Device::create(options_.device));
  if (!device.has_graphics()) {
    return fail(ErrorCode::kUnsupported, "the Vulkan device " + device.description().name + " has no queue that draws");
  }
  device_ = std::move(device);
  Result<Target> target = options_.make_target(*device_);
  if (!target) {
    device_.reset();
    return tl::unexpected(target.error());
  }
  target_.emplace(std::move(*target));
  return {};
}

void Session::give_up_device(const std::string& reason) {
  loss_ = reason;
  static_cast<void>(target_->wait());
  app_->release_device();
  target_.reset();
  device_.reset();
}

Result<void> Session::make_device_anew() {
  PELT_TRY(make_device());
  app_->create_on(*device_);
  app_->note("the Vulkan device was lost, and a new one was made:" + loss_);
  return {};
}

Result<void> Session::recreate_device() {
  if (target_) give_up_device("it was requested");
  return make_device_anew();
}

Result<void> Session::frame(double seconds, bool all_samples) {
  Result<void> drawn = target_ ? target_->wait() : make_device_anew();
  if (!target_) return drawn;
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
  give_up_device(drawn.error().message);
  return ++losses_ > kMaxLosses ? drawn : make_device_anew();
}

}  // namespace pelt::viewer
