// SPDX-License-Identifier: MIT
// Replaces some of Vulkan's functions with a test's.
#pragma once

#include <vulkan/vulkan_core.h>

#include <string_view>

#include <pelt/runtime/vulkan_functions.h>

#include "tests/support/untyped.h"

namespace pelt::test {

// Vulkan with a mask. Mask::masked(name, found) returns the function `name` of an instance or a device for a caller:
// Vulkan's `found`, a replacement, or null.
template <class Mask>
class MaskedVulkan {
 public:
  // Works as Vulkan's entry point does.
  static PFN_vkVoidFunction VKAPI_CALL entry_point(VkInstance instance, const char* name) {
    PFN_vkVoidFunction found = runtime::vulkan_entry_point()(instance, name);
    if (std::string_view(name) == "vkGetDeviceProcAddr") {
      device_function_ = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
      found = untyped(device_function);
    }
    return Mask::masked(name, found);
  }

 private:
  static PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
    return Mask::masked(name, device_function_(device, name));
  }

  static inline PFN_vkGetDeviceProcAddr device_function_ = nullptr;
};

}  // namespace pelt::test
