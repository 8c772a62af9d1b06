// SPDX-License-Identifier: MIT
#include "tests/support/gpu.h"

#include <cstdlib>
#include <optional>
#include <string_view>

#include <pelt/runtime/vulkan_functions.h>

#include "tests/support/mutated_shaders.h"
#include "tests/support/strict_device.h"
#include "tests/support/vulkan11_device.h"

namespace pelt::test {
namespace {

bool is_wanted(std::string_view device) {
  const char* wanted = std::getenv("PELT_TEST_DEVICE");
  return wanted != nullptr && wanted == device;
}

// Keeps the devices until the environment's end, inside gtest, so that messages at their destruction still count.
class Devices : public testing::Environment {
 public:
  const Result<runtime::Device>& get(bool pretend_discrete) {
    std::optional<Result<runtime::Device>>& device = devices_[pretend_discrete ? 1 : 0];
    if (!device) {
      runtime::DeviceOptions options = validated_options();
      options.pretend_discrete = pretend_discrete;
      device.emplace(runtime::Device::create(options));
      if (*device && is_wanted("strict")) {
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
  std::optional<Result<runtime::Device>> devices_[2];
  std::optional<Result<runtime::Device>> under_[2];  // of strict devices
};

Devices* const devices = static_cast<Devices*>(testing::AddGlobalTestEnvironment(new Devices));

}  // namespace

runtime::DeviceOptions validated_options() {
  runtime::DeviceOptions options;
#ifndef _WIN32  // Wine gives programs a Vulkan without layers
  options.validation = true;
#endif
  options.on_validation_message = [](const std::string& message) { ADD_FAILURE() << "validation: " << message; };
  if (is_wanted("mutated")) options.get_instance_proc_addr = mutated_entry_point;
  if (is_wanted("vulkan11")) options.get_instance_proc_addr = vulkan11_entry_point;
  return options;
}

const Result<runtime::Device>& gpu_device() { return devices->get(false); }

const Result<runtime::Device>& discrete_device() { return devices->get(true); }

void record_and_drop(const runtime::Device& device, const std::function<void(VkCommandBuffer commands)>& record) {
  const runtime::DeviceFunctions& functions = device.functions();
  VkCommandPool pool = VK_NULL_HANDLE;
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = device.queue_family()};
  ASSERT_EQ(functions.vkCreateCommandPool(device.handle(), &pool_info, nullptr, &pool), VK_SUCCESS);
  VkCommandBuffer commands = VK_NULL_HANDLE;
  const VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
  ASSERT_EQ(functions.vkAllocateCommandBuffers(device.handle(), &allocate_info, &commands), VK_SUCCESS);
  const VkCommandBufferBeginInfo begin_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  ASSERT_EQ(functions.vkBeginCommandBuffer(commands, &begin_info), VK_SUCCESS);
  record(commands);
  EXPECT_EQ(functions.vkEndCommandBuffer(commands), VK_SUCCESS);
  functions.vkDestroyCommandPool(device.handle(), pool, nullptr);
}

}  // namespace pelt::test
