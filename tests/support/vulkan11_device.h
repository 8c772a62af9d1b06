// SPDX-License-Identifier: MIT
// Vulkan 1.1 on a newer device: later features exist only as extensions, or not at all.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace pelt::test {

// The settings and observations of vulkan11_entry_point(). There is one at a time.
struct Vulkan11 {
  std::uint32_t loader_version = VK_API_VERSION_1_1;
  std::uint32_t device_version = VK_API_VERSION_1_1;
  bool extensions = true;  // false: the device lists none
  bool portable = false;   // the device lists VK_KHR_portability_subset, with events and without triangle fans

  std::uint32_t portable_instances = 0;  // made with VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR
  std::uint32_t portable_devices = 0;    // made with VK_KHR_portability_subset and the features that were shown
};
extern Vulkan11 vulkan11;

// Works as Vulkan's entry point does, for a loader and devices of Vulkan 1.1. Instances are made for 1.1, so that the
// validation layer holds their users to it. It fails the current test if an instance is made for a later version, or a
// device is queried for structures that it does not know. Functions that came after 1.1 have no name but their
// extension's.
PFN_vkVoidFunction VKAPI_CALL vulkan11_entry_point(VkInstance instance, const char* name);

}  // namespace pelt::test
