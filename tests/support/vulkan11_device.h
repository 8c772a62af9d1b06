// SPDX-License-Identifier: MIT
// Vulkan 1.1 of a device that has more: what came later is there by its extensions alone, or not at all.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace pelt::test {

// What vulkan11_entry_point() shows, and what it has seen. There is one at a time.
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
// validation layer holds their users to it. It fails the current test where an instance is made for more, and where a
// device is asked for structures that it does not know. Functions that came after 1.1 have no name but their
// extension's.
PFN_vkVoidFunction VKAPI_CALL vulkan11_entry_point(VkInstance instance, const char* name);

}  // namespace pelt::test
