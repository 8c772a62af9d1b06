// SPDX-License-Identifier: MIT
// A Vulkan instance, its functions, and the extensions that it and its devices offer.
#pragma once

#include <vulkan/vulkan_core.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

// The functions needed to describe and to adopt a device.
#define PELT_PHYSICAL_DEVICE_FUNCTIONS(F) \
  F(vkEnumerateDeviceExtensionProperties) \
  F(vkGetDeviceProcAddr)                  \
  F(vkGetPhysicalDeviceMemoryProperties)  \
  F(vkGetPhysicalDeviceMemoryProperties2) \
  F(vkGetPhysicalDeviceProperties2)       \
  F(vkGetPhysicalDeviceQueueFamilyProperties)

#define PELT_INSTANCE_FUNCTIONS(F)   \
  F(vkCreateDebugUtilsMessengerEXT)  \
  F(vkCreateDevice)                  \
  F(vkDestroyDebugUtilsMessengerEXT) \
  F(vkDestroyInstance)               \
  F(vkEnumeratePhysicalDevices)      \
  F(vkGetPhysicalDeviceFeatures2)    \
  PELT_PHYSICAL_DEVICE_FUNCTIONS(F)

struct InstanceFunctions {
#define PELT_MEMBER(name) PFN_##name name = nullptr;
  PELT_INSTANCE_FUNCTIONS(PELT_MEMBER)
#undef PELT_MEMBER
};

InstanceFunctions load_instance_functions(PFN_vkGetInstanceProcAddr entry, VkInstance instance);
// Returns the names of functions that are needed to describe and adopt a device and are null.
std::vector<std::string> missing_functions(const InstanceFunctions& functions);

// A VkInstance, and the messenger of the validation layer if validation is on.
struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  bool owned = true;          // true: destroyed with this object
  std::uint32_t version = 0;  // of Vulkan; 0: the caller's instance, whose version is unknown
  InstanceFunctions functions;
  bool has_debug_utils = false;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  std::function<void(const std::string&)> message_function;

  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    if (messenger != VK_NULL_HANDLE) functions.vkDestroyDebugUtilsMessengerEXT(handle, messenger, nullptr);
    if (owned && handle != VK_NULL_HANDLE) functions.vkDestroyInstance(handle, nullptr);
  }
};

// Makes an instance, on the heap because the messenger points into it.
Result<std::unique_ptr<Instance>> make_instance(const DeviceOptions& options);

// Returns a list that Vulkan enumerates in two calls: its length, then its items.
template <class T, class Ask>
std::vector<T> enumerated(const Ask& ask) {
  std::uint32_t count = 0;
  ask(&count, static_cast<T*>(nullptr));
  std::vector<T> items(count);
  ask(&count, items.data());
  return items;
}

bool has_extension(std::span<const VkExtensionProperties> extensions, std::string_view name);

// Returns the `wanted` extensions that are missing.
std::vector<std::string> missing_extensions(std::span<const VkExtensionProperties> extensions,
                                            std::span<const std::string> wanted);

}  // namespace pelt::runtime
