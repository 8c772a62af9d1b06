// SPDX-License-Identifier: MIT
#ifndef _WIN32
#include <dlfcn.h>
#endif

#include <pelt/runtime/vulkan_functions.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/lean_windows.h"

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

namespace {

#ifdef _WIN32
// Searches only the system's folder for the loader.
PFN_vkGetInstanceProcAddr open_loader() {
  const HMODULE loader = LoadLibraryExA("vulkan-1.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (loader == nullptr) return nullptr;
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      reinterpret_cast<void*>(GetProcAddress(loader, "vkGetInstanceProcAddr")));
}
#else
PFN_vkGetInstanceProcAddr open_loader() {
#ifdef __APPLE__
  // The loader, or MoltenVK without a loader.
  constexpr const char* kNames[] = {"libvulkan.1.dylib", "libMoltenVK.dylib"};
#else
  constexpr const char* kNames[] = {"libvulkan.so.1", "libvulkan.so"};  // Android has only the second
#endif
  for (const char* name : kNames) {
    if (void* loader = dlopen(name, RTLD_NOW | RTLD_LOCAL); loader != nullptr) {
      return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
    }
  }
  return nullptr;
}
#endif

}  // namespace

PFN_vkGetInstanceProcAddr vulkan_entry_point() {
  static const PFN_vkGetInstanceProcAddr entry = open_loader();
  return entry;
}

tl::unexpected<Error> vulkan_failure(const std::string& action, VkResult result) {
  constexpr struct {
    VkResult result;
    const char* reason;
  } kKnown[] = {{VK_ERROR_OUT_OF_HOST_MEMORY, "out of host memory"},
                {VK_ERROR_OUT_OF_DEVICE_MEMORY, "out of device memory"},
                {VK_ERROR_INITIALIZATION_FAILED, "initialisation failed"},
                {VK_ERROR_DEVICE_LOST, "the device was lost"},
                {VK_ERROR_LAYER_NOT_PRESENT, "a layer is not installed"},
                {VK_ERROR_EXTENSION_NOT_PRESENT, "an extension is not supported"},
                {VK_ERROR_INCOMPATIBLE_DRIVER, "no driver supports Vulkan 1.1"},
                {VK_ERROR_TOO_MANY_OBJECTS, "too many objects"}};
  const bool no_memory = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const ErrorCode code = no_memory ? ErrorCode::kOutOfMemory : ErrorCode::kDeviceFailed;
  for (const auto& known : kKnown) {
    if (known.result == result) return fail(code, formatted("cannot {}: {}", action, known.reason));
  }
  return fail(code, formatted("cannot {}: VkResult {}", action, static_cast<int>(result)));
}

}  // namespace pelt::runtime
