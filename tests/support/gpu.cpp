// SPDX-License-Identifier: MIT
#include "tests/support/gpu.h"

#include <optional>

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
    }
    return *device;
  }
  void TearDown() override {
    for (auto& device : devices_) device.reset();
  }

 private:
  std::optional<Result<runtime::Device>> devices_[2];
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
