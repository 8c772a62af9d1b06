// SPDX-License-Identifier: MIT
// Owns a device, the App on it, and the target of its frames, with or without a window.
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

// Dear ImGui's context must outlive it.
class Session {
 public:
  static Result<std::unique_ptr<Session>> create(SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  App& app() { return *app_; }
  Target* target() { return target_ ? &*target_ : nullptr; }  // nullptr: there is no device now

  // Waits for the previous frame, takes input from ImGui::GetIO, and draws. If the device is lost, makes a new one and
  // skips the frame. Errors: the device is lost repeatedly, or cannot be made; the next frame tries again.
  Result<void> frame(double seconds, bool all_samples);

  // Makes a new device, as after a loss.
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
  std::uint32_t losses_ = 0;  // losses since the last drawn frame
  std::string loss_;          // reason for the last loss
};

}  // namespace pelt::viewer
