// SPDX-License-Identifier: MIT
#include <dlfcn.h>

#include <pelt/runtime/vulkan_functions.h>

#include "engine/core/formatted.h"

namespace pelt::runtime {

DeviceFunctions load_device_functions(VkDevice device, PFN_vkGetDeviceProcAddr get) {
  DeviceFunctions functions;
#define PELT_LOAD(name)                                              \
  functions.name = reinterpret_cast<PFN_##name>(get(device, #name)); \
  if (functions.name == nullptr) functions.name = reinterpret_cast<PFN_##name>(get(device, #name "KHR"));
  PELT_DEVICE_FUNCTIONS(PELT_LOAD)
#undef PELT_LOAD
  return functions;
}

std::vector<std::string> missing_functions(const DeviceFunctions& functions) {
  std::vector<std::string> missing;
#define PELT_CHECK(name) \
  if (functions.name == nullptr) missing.emplace_back(#name);
  PELT_REQUIRED_DEVICE_FUNCTIONS(PELT_CHECK)
#undef PELT_CHECK
  return missing;
}

PFN_vkGetInstanceProcAddr vulkan_entry_point() {
  static const PFN_vkGetInstanceProcAddr entry = [] {
    void* loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    return loader == nullptr ? nullptr
                             : reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
  }();
  return entry;
}

tl::unexpected<Error> vulkan_failure(const std::string& action, VkResult result) {
  const char* reason = nullptr;
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      reason = "out of host memory";
      break;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      reason = "out of device memory";
      break;
    case VK_ERROR_INITIALIZATION_FAILED:
      reason = "initialisation failed";
      break;
    case VK_ERROR_DEVICE_LOST:
      reason = "the device was lost";
      break;
    case VK_ERROR_LAYER_NOT_PRESENT:
      reason = "a layer is not installed";
      break;
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      reason = "an extension is not supported";
      break;
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      reason = "no driver supports Vulkan 1.1";
      break;
    case VK_ERROR_TOO_MANY_OBJECTS:
      reason = "too many objects";
      break;
    default:
      break;
  }
  return fail(ErrorCode::kDeviceFailed, reason != nullptr
                                            ? formatted("cannot {}: {}", action, reason)
                                            : formatted("cannot {}: VkResult {}", action, static_cast<int>(result)));
}

}  // namespace pelt::runtime
