// SPDX-License-Identifier: MIT
#include "tests/support/vulkan11_device.h"

#include <gtest/gtest.h>
// Has no includes of its own.
#include <vulkan/vulkan_beta.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "runtime/instance.h"
#include "tests/support/vulkan_mask.h"

namespace pelt::test {

Vulkan11 vulkan11;

namespace {

// The functions that the mask wraps, of the last instance.
runtime::InstanceFunctions unmasked;
PFN_vkCreateInstance create_unmasked = nullptr;

constexpr auto kPortableFeatures = static_cast<VkStructureType>(1000163000);  // of VK_KHR_portability_subset

// Structures that came after Vulkan 1.1, and the extensions that have them.
struct Later {
  VkStructureType type;
  const char* extension;  // null: only Vulkan 1.2 or 1.3
};
constexpr Later kLater[] = {
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, nullptr},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, nullptr},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, nullptr},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, VK_KHR_MAINTENANCE_4_EXTENSION_NAME},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME},
    {kPortableFeatures, VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME}};

constexpr std::string_view kLaterFunctions[] = {
    "vkCmdBeginRendering",  "vkCmdDrawIndexedIndirectCount", "vkCmdEndRendering", "vkCmdPipelineBarrier2",
    "vkCmdWriteTimestamp2", "vkGetBufferDeviceAddress",      "vkQueueSubmit2",    "vkWaitSemaphores",
    "vkSignalSemaphore",    "vkGetSemaphoreCounterValue",    "vkResetQueryPool",  "vkCmdCopyBuffer2",
    "vkCreateRenderPass2"};

std::vector<VkExtensionProperties> shown_extensions(VkPhysicalDevice physical) {
  std::vector<VkExtensionProperties> shown;
  if (vulkan11.extensions) {
    std::uint32_t count = 0;
    unmasked.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
    shown.resize(count);
    unmasked.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, shown.data());
  }
  if (vulkan11.portable) shown.push_back({VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME, 1});
  return shown;
}

void expect_known(VkPhysicalDevice physical, const void* chain) {
  const std::vector<VkExtensionProperties> shown = shown_extensions(physical);
  for (auto* next = static_cast<const VkBaseInStructure*>(chain); next != nullptr; next = next->pNext) {
    for (const Later& later : kLater) {
      if (later.type != next->sType) continue;
      EXPECT_TRUE(later.extension != nullptr && runtime::has_extension(shown, later.extension))
          << "a structure of type " << next->sType << " is unknown to the device";
    }
  }
}

// Takes the first structure of a type out of a chain, as long as this object lives.
class Hidden {
 public:
  Hidden(void* chain, VkStructureType type) {
    for (before_ = static_cast<VkBaseOutStructure*>(chain); before_->pNext != nullptr; before_ = before_->pNext) {
      if (before_->pNext->sType != type) continue;
      found_ = before_->pNext;
      before_->pNext = found_->pNext;
      return;
    }
  }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;
  ~Hidden() {
    if (found_ != nullptr) before_->pNext = found_;
  }
  // Null: there was none.
  VkPhysicalDevicePortabilitySubsetFeaturesKHR* found() const {
    return reinterpret_cast<VkPhysicalDevicePortabilitySubsetFeaturesKHR*>(found_);
  }

 private:
  VkBaseOutStructure* before_ = nullptr;
  VkBaseOutStructure* found_ = nullptr;
};

VkResult VKAPI_CALL older_version(std::uint32_t* version) {
  *version = vulkan11.loader_version;
  return VK_SUCCESS;
}

VkResult VKAPI_CALL older_create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                          VkInstance* instance) {
  EXPECT_LE(info->pApplicationInfo->apiVersion, vulkan11.loader_version) << "vkCreateInstance";
  if ((info->flags & VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR) != 0) ++vulkan11.portable_instances;
  const VkResult result = create_unmasked(info, callbacks, instance);
  if (result == VK_SUCCESS) unmasked = runtime::load_instance_functions(runtime::vulkan_entry_point(), *instance);
  return result;
}

void VKAPI_CALL older_properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* properties) {
  expect_known(physical, properties->pNext);
  unmasked.vkGetPhysicalDeviceProperties2(physical, properties);
  properties->properties.apiVersion = vulkan11.device_version;
}

void VKAPI_CALL older_features(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* features) {
  expect_known(physical, features->pNext);
  const Hidden portable(features, kPortableFeatures);
  unmasked.vkGetPhysicalDeviceFeatures2(physical, features);
  if (portable.found() == nullptr) return;
  portable.found()->events = VK_TRUE;
  portable.found()->triangleFans = VK_FALSE;
}

VkResult VKAPI_CALL older_extensions(VkPhysicalDevice physical, const char*, std::uint32_t* count,
                                     VkExtensionProperties* properties) {
  const std::vector<VkExtensionProperties> shown = shown_extensions(physical);
  if (properties != nullptr) std::copy_n(shown.begin(), *count, properties);
  *count = static_cast<std::uint32_t>(shown.size());
  return VK_SUCCESS;
}

VkResult VKAPI_CALL older_create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                        const VkAllocationCallbacks* callbacks, VkDevice* device) {
  expect_known(physical, info->pNext);
  VkDeviceCreateInfo real = *info;
  const Hidden portable(&real, kPortableFeatures);
  std::vector<const char*> names(info->ppEnabledExtensionNames,
                                 info->ppEnabledExtensionNames + info->enabledExtensionCount);
  const auto kept = std::remove_if(names.begin(), names.end(), [](const char* name) {
    return std::string_view(name) == VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME;
  });
  if (kept != names.end() && portable.found() != nullptr && portable.found()->events == VK_TRUE &&
      portable.found()->triangleFans == VK_FALSE)
    ++vulkan11.portable_devices;
  names.erase(kept, names.end());
  real.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
  real.ppEnabledExtensionNames = names.data();
  return unmasked.vkCreateDevice(physical, &real, callbacks, device);
}

struct Older {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
    if (std::find(std::begin(kLaterFunctions), std::end(kLaterFunctions), name) != std::end(kLaterFunctions))
      return nullptr;
    if (name == "vkCreateInstance") {
      create_unmasked = reinterpret_cast<PFN_vkCreateInstance>(found);
      return untyped(older_create_instance);
    }
    if (name == "vkEnumerateInstanceVersion") return untyped(older_version);
    if (name == "vkGetPhysicalDeviceProperties2") return untyped(older_properties);
    if (name == "vkGetPhysicalDeviceFeatures2") return untyped(older_features);
    if (name == "vkEnumerateDeviceExtensionProperties") return untyped(older_extensions);
    if (name == "vkCreateDevice") return untyped(older_create_device);
    return found;
  }
};

}  // namespace

PFN_vkVoidFunction VKAPI_CALL vulkan11_entry_point(VkInstance instance, const char* name) {
  return MaskedVulkan<Older>::entry_point(instance, name);
}

}  // namespace pelt::test
