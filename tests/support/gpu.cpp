// SPDX-License-Identifier: MIT
#include "tests/support/gpu.h"

#include <dlfcn.h>

#include <optional>

namespace pelt::test {
namespace {

// The loader, drivers and layers keep memory until the process ends. Leak checking can only tell it from ours while
// their code is still mapped, so it is kept.
void keep_libraries_mapped() {
#ifdef __SANITIZE_ADDRESS__
  for (const char* library : {"libvulkan.so.1", "libvulkan_lvp.so", "libVkLayer_khronos_validation.so"}) {
    dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  }
#endif
}

// Devices live until the environment's end, inside gtest, so that messages at their destruction still count.
class Devices : public testing::Environment {
 public:
  const Result<runtime::Device>& get(bool pretend_discrete) {
    std::optional<Result<runtime::Device>>& device = devices_[pretend_discrete ? 1 : 0];
    if (!device) {
      keep_libraries_mapped();
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

#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libvulkan\nleak:libVkLayer\nleak:libLLVM\n";
}
#endif
