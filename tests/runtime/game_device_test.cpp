// SPDX-License-Identifier: MIT
// Devices as games make them: of instances of Vulkan 1.0, with bufferDeviceAddress and without.
#include <vector>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/upload.h>
#include <pelt/runtime/vulkan_functions.h>

#include "engine/character/base/formatted.h"
#include "tests/runtime/c_crowds.h"
#include "tests/runtime/crowds.h"
#include "tests/support/refused.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// A device of the tests, with only the features and extensions that the test requests.
class GameDevices : public CCrowds {
 protected:
  void TearDown() override { destroy(); }

  void destroy() {
    if (device != VK_NULL_HANDLE) load<PFN_vkDestroyDevice>("vkDestroyDevice")(device, nullptr);
    if (instance != VK_NULL_HANDLE) load<PFN_vkDestroyInstance>("vkDestroyInstance")(instance, nullptr);
    device = VK_NULL_HANDLE;
    instance = VK_NULL_HANDLE;
  }

  template <class Function>
  Function load(const char* name) const {
    return reinterpret_cast<Function>(vulkan_entry_point()(instance, name));
  }

  void make(std::uint32_t version, const std::vector<const char*>& extensions, const void* features) {
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pApplicationInfo = &application,
                                    .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                    .ppEnabledExtensionNames = extensions.data()};
    ASSERT_EQ(load<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance), VK_SUCCESS);
    std::uint32_t count = 0;
    const auto list = load<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
    ASSERT_EQ(list(instance, &count, nullptr), VK_SUCCESS);
    std::vector<VkPhysicalDevice> all(count);
    ASSERT_EQ(list(instance, &count, all.data()), VK_SUCCESS);
    for (const VkPhysicalDevice one : all) {
      VkPhysicalDeviceProperties properties;
      load<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(one, &properties);
      if (properties.deviceName == gpu_device()->description().name) physical = one;
    }
    ASSERT_NE(physical, VK_NULL_HANDLE);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueFamilyIndex = gpu_device()->queue_family(),
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device_info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                         .pNext = features,
                                         .queueCreateInfoCount = 1,
                                         .pQueueCreateInfos = &queue};
    ASSERT_EQ(load<PFN_vkCreateDevice>("vkCreateDevice")(physical, &device_info, nullptr, &device), VK_SUCCESS);
  }

  DeviceHandles handles() const {
    DeviceHandles made{.get_instance_proc_addr = vulkan_entry_point(),
                       .instance = instance,
                       .physical = physical,
                       .device = device,
                       .queue_family = gpu_device()->queue_family()};
    const auto get = load<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
    load_device_functions(device, get).vkGetDeviceQueue(device, made.queue_family, 0, &made.queue);
    return made;
  }

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
};

// Loaders have no functions of 1.1 for such an instance, or leave structures of 1.1 as they were. With the extension,
// these are filled in, but the driver has no function of 1.1, unless it has them on every instance (SwiftShader).
TEST_F(GameDevices, OfVulkan10AreRefused) {
  for (const std::vector<const char*>& extensions :
       {std::vector<const char*>(), {VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME}}) {
    make(VK_API_VERSION_1_0, extensions, nullptr);
    const DeviceHandles given = handles();
    const Result<Device> adopted = Device::adopt(given);
    const auto get = load<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
    if (!extensions.empty() && missing_functions(load_device_functions(device, get)).empty()) {
      EXPECT_TRUE(adopted);
      destroy();
      continue;
    }
    EXPECT_TRUE(test::refused(adopted, ErrorCode::kUnsupported, "apiVersion 1."));
    const DeviceDescription description = describe_device(given.get_instance_proc_addr, instance, physical);
    if (extensions.empty()) {
      EXPECT_FALSE(description.missing.empty());
    }
    auto described = sized<pelt_device_description>();
    ASSERT_OK(pelt_describe_device(given.get_instance_proc_addr, instance, physical, &described));
    EXPECT_EQ(described.missing, joined(description.missing, ", "));
    destroy();
  }
}

// Every Vulkan 1.2 device has the function that returns addresses, even without the feature.
TEST_F(GameDevices, SayWhetherOutputsMayHaveAddresses) {
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            .bufferDeviceAddress = VK_TRUE};
  reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(vulkan_entry_point()(
      gpu_device()->instance(), "vkGetPhysicalDeviceProperties2"))(gpu_device()->physical(), &properties);
  if (properties.properties.apiVersion < VK_API_VERSION_1_2) PELT_SKIP("the device is of Vulkan 1.1");
  for (const bool enabled : {false, true}) {
    make(VK_API_VERSION_1_2, {}, enabled ? &features : nullptr);
    DeviceHandles given = handles();
    const auto get = load<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
    EXPECT_NE(load_device_functions(device, get).vkGetBufferDeviceAddress, nullptr);
    given.buffer_device_address = enabled;
    {
      const Device adopted = test::must(Device::adopt(given));
      const GpuCharacters gpu = test::must(upload(adopted, characters_[1]));
      CrowdOptions options;
      options.outputs.usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
      const Result<Crowd> crowd = Crowd::create(adopted, gpu, options);
      ASSERT_EQ(crowd.has_value(), enabled);
      if (enabled) {
        EXPECT_NE(address_of(adopted, crowd->outputs().positions), 0u);
      } else {
        EXPECT_TRUE(test::refused(crowd, ErrorCode::kUnsupported, "no buffer device addresses"));
        EXPECT_TRUE(Crowd::create(adopted, gpu));
      }
    }
    destroy();
  }
}

}  // namespace
}  // namespace pelt::runtime
