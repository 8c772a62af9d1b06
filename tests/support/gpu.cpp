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
  options.validation = !is_wanted("unvalidated");
#endif
  options.on_validation_message = [](const std::string& message) { ADD_FAILURE() << "validation: " << message; };
  if (is_wanted("mutated")) options.get_instance_proc_addr = mutated_entry_point;
  if (is_wanted("vulkan11")) options.get_instance_proc_addr = vulkan11_entry_point;
  return options;
}

const Result<runtime::Device>& gpu_device() { return devices->get(false); }

const Result<runtime::Device>& discrete_device() { return devices->get(true); }

Commands::Commands(const runtime::Device& device) : device_(device) {
  const runtime::DeviceFunctions& functions = device.functions();
  const VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                     .queueFamilyIndex = device.queue_family()};
  EXPECT_EQ(functions.vkCreateCommandPool(device.handle(), &pool, nullptr, &pool_), VK_SUCCESS);
  const VkCommandBufferAllocateInfo commands{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = pool_,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
  EXPECT_EQ(functions.vkAllocateCommandBuffers(device.handle(), &commands, &commands_), VK_SUCCESS);
  const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  EXPECT_EQ(functions.vkCreateFence(device.handle(), &fence, nullptr, &fence_), VK_SUCCESS);
}

Commands::~Commands() {
  static_cast<void>(wait());  // of a device that is lost nothing runs
  device_.functions().vkDestroyFence(device_.handle(), fence_, nullptr);
  device_.functions().vkDestroyCommandPool(device_.handle(), pool_, nullptr);
}

void Commands::record(const std::function<void(VkCommandBuffer commands)>& record) {
  EXPECT_EQ(device_.functions().vkResetCommandPool(device_.handle(), pool_, 0), VK_SUCCESS);
  const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                       .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  EXPECT_EQ(device_.functions().vkBeginCommandBuffer(commands_, &begin), VK_SUCCESS);
  record(commands_);
  EXPECT_EQ(device_.functions().vkEndCommandBuffer(commands_), VK_SUCCESS);
}

VkResult Commands::submit() {
  const VkSubmitInfo info{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands_};
  const VkResult result = device_.functions().vkQueueSubmit(device_.queue(), 1, &info, fence_);
  runs_ = result == VK_SUCCESS;
  return result;
}

VkResult Commands::wait() {
  if (!runs_) return VK_SUCCESS;
  const VkResult result = device_.functions().vkWaitForFences(device_.handle(), 1, &fence_, VK_TRUE, UINT64_MAX);
  if (result != VK_SUCCESS) return result;
  runs_ = false;
  return device_.functions().vkResetFences(device_.handle(), 1, &fence_);
}

}  // namespace pelt::test
