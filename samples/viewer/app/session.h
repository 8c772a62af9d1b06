// SPDX-License-Identifier: MIT
// A device, the App on it, and where its frames go: the same with a window and without.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/viewer/app/app.h"
#include "samples/viewer/app/target.h"

namespace pelt::viewer {

struct SessionOptions {
  runtime::DeviceOptions device;
  AppOptions app;
  std::function<Result<Target>(const runtime::Device& device)> make_target;
};

// Dear ImGui's context outlives it.
class Session {
 public:
  static Result<std::unique_ptr<Session>> create(SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  App& app() { return *app_; }
  Target* target() { return target_ ? &*target_ : nullptr; }  // nullptr: there is no device now

  // Waits for the frame before, takes input from ImGui::GetIO, and draws. A device that is lost is made anew, and the
  // frame not shown. Errors: it is lost again and again, or cannot be made; the next frame tries again then.
  Result<void> frame(double seconds, bool all_samples);

  // As after the loss of the device.
  Result<void> recreate_device();

 private:
  explicit Session(SessionOptions options);
  Result<void> make_device();
  void give_up_device(const std::string& reason);
  Result<void> make_device_anew();

  SessionOptions options_;
  std::optional<runtime::Device> device_;
  std::optional<Target> target_;
  std::optional<App> app_;
  std::uint32_t losses_ = 0;  // since a frame was drawn
  std::string loss_;          // why there is no device now, or was none
};

}  // namespace pelt::viewer
