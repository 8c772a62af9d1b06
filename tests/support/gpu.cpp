// SPDX-License-Identifier: MIT
#include "tests/support/gpu.h"

#include <cstdlib>
#include <optional>
#include <string_view>

#include "tests/support/strict_device.h"

namespace pelt::test {
namespace {

// Keeps the devices until the environment's end, inside gtest, so that messages at their destruction still count.
class Devices : public testing::Environment {
 public:
  const Result<runtime::Device>& get(bool pretend_discrete) {
    std::optional<Result<runtime::Device>>& device = devices_[pretend_discrete ? 1 : 0];
    if (!device) {
      runtime::DeviceOptions options = validated_options();
      options.pretend_discrete = pretend_discrete;
      device.emplace(runtime::Device::create(options));
      if (*device && wants_strict()) {
        std::optional<Result<runtime::Device>>& under = under_[pretend_discrete ? 1 : 0];
        under.emplace(std::move(*device));
        device.emplace(strict_device(**under));
      }
    }
    return *device;
  }
  void TearDown() override {
    for (auto& device : devices_) device.reset();
    for (auto& device : under_) device.reset();
  }

 private:
  static bool wants_strict() {
    const char* wanted = std::getenv("PELT_TEST_DEVICE");
    return wanted != nullptr && std::string_view(wanted) == "strict";
  }

  std::optional<Result<runtime::Device>> devices_[2];
  std::optional<Result<runtime::Device>> under_[2];  // of strict devices
};

Devices* const devices = static_cast<Devices*>(testing::AddGlobalTestEnvironment(new Devices));

}  // namespace

runtime::DeviceOptions validated_options() {
  runtime::DeviceOptions options;
  options.validation = true;
  options.on_validation_message = [](const std::string& message) { ADD_FAILURE() << "validation: " << message; };
  return options;
}

const Result<runtime::Device>& gpu_device() { return devices->get(false); }

const Result<runtime::Device>& discrete_device() { return devices->get(true); }

}  // namespace pelt::test
