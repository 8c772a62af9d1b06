// SPDX-License-Identifier: MIT
#include "runtime/instance.h"

#include <algorithm>
#include <cstring>

#include <pelt/runtime/vulkan_functions.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"

namespace pelt::runtime {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  (*static_cast<const std::function<void(const std::string&)>*>(user))(data->pMessage);
  return VK_FALSE;
}

bool has_layer(PFN_vkGetInstanceProcAddr entry, const char* name) {
  const auto enumerate =
      reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(entry(nullptr, "vkEnumerateInstanceLayerProperties"));
  const auto layers = enumerated<VkLayerProperties>(enumerate);
  return std::any_of(layers.begin(), layers.end(),
                     [&](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

std::vector<VkExtensionProperties> instance_extensions(PFN_vkGetInstanceProcAddr entry) {
  const auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      entry(nullptr, "vkEnumerateInstanceExtensionProperties"));
  return enumerated<VkExtensionProperties>([&](auto* count, auto* items) { enumerate(nullptr, count, items); });
}

// Returns the Vulkan version for a new instance: the loader's, but at most 1.3, the latest that Pelt's programs use.
std::uint32_t instance_version(PFN_vkGetInstanceProcAddr entry) {
  const auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(entry(nullptr, "vkEnumerateInstanceVersion"));
  std::uint32_t version = VK_API_VERSION_1_0;
  if (enumerate != nullptr) enumerate(&version);
  return std::min<std::uint32_t>(version, VK_API_VERSION_1_3);
}

}  // namespace

bool has_extension(std::span<const VkExtensionProperties> extensions, std::string_view name) {
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const VkExtensionProperties& extension) { return extension.extensionName == name; });
}

InstanceFunctions load_instance_functions(PFN_vkGetInstanceProcAddr entry, VkInstance instance) {
  InstanceFunctions functions;
#define PELT_LOAD(name) functions.name = reinterpret_cast<PFN_##name>(entry(instance, #name));
  PELT_INSTANCE_FUNCTIONS(PELT_LOAD)
#undef PELT_LOAD
  return functions;
}

std::vector<std::string> missing_functions(const InstanceFunctions& functions) {
  std::vector<std::string> missing;
#define PELT_CHECK(name) \
  if (functions.name == nullptr) missing.emplace_back(#name);
  PELT_PHYSICAL_DEVICE_FUNCTIONS(PELT_CHECK)
#undef PELT_CHECK
  return missing;
}

std::vector<std::string> missing_extensions(std::span<const VkExtensionProperties> extensions,
                                            std::span<const std::string> wanted) {
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    if (!has_extension(extensions, name)) missing.push_back(name);
  }
  return missing;
}

Result<std::unique_ptr<Instance>> make_instance(const DeviceOptions& options) {
  const PFN_vkGetInstanceProcAddr entry =
      options.get_instance_proc_addr != nullptr ? options.get_instance_proc_addr : vulkan_entry_point();
  if (entry == nullptr) return fail(ErrorCode::kUnsupported, "no Vulkan loader is installed");
  const std::uint32_t version = instance_version(entry);
  if (version < VK_API_VERSION_1_1) {
    return fail(ErrorCode::kUnsupported, "the Vulkan loader has version 1.0; Pelt needs 1.1");
  }
  if (options.validation && !options.on_validation_message) {
    return invalid("validation needs on_validation_message");
  }
  if (options.validation && !has_layer(entry, kValidationLayer)) {
    return fail(ErrorCode::kUnsupported, formatted("the validation layer {} is not installed", kValidationLayer));
  }
  auto instance = std::make_unique<Instance>();
  instance->version = version;
  instance->message_function = options.on_validation_message;
  const std::vector<VkExtensionProperties> available = instance_extensions(entry);
  instance->has_debug_utils = has_extension(available, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (const auto missing = missing_extensions(available, options.instance_extensions); !missing.empty()) {
    return fail(ErrorCode::kUnsupported, formatted("the Vulkan loader lacks {}", joined(missing, ", ")));
  }

  std::vector<const char*> extensions;
  for (const std::string& name : options.instance_extensions) extensions.push_back(name.c_str());
  if (instance->has_debug_utils) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (options.validation) extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
  // Without this flag, Vulkan does not list portability devices such as MoltenVK's.
  VkInstanceCreateFlags flags = 0;
  if (has_extension(available, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }

  const VkDebugUtilsMessengerCreateInfoEXT messenger_info{
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity =
          VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
      .pfnUserCallback = on_message,
      .pUserData = &instance->message_function};
  const VkValidationFeatureEnableEXT enabled = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  const VkValidationFeaturesEXT validation{.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                           .pNext = &messenger_info,
                                           .enabledValidationFeatureCount = 1,
                                           .pEnabledValidationFeatures = &enabled};
  const VkApplicationInfo application{
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "pelt", .apiVersion = version};
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pNext = options.validation ? &validation : nullptr,
                                  .flags = flags,
                                  .pApplicationInfo = &application,
                                  .enabledLayerCount = options.validation ? 1u : 0u,
                                  .ppEnabledLayerNames = &kValidationLayer,
                                  .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(entry(nullptr, "vkCreateInstance"));
  VkResult result = create(&info, nullptr, &instance->handle);
  if (result != VK_SUCCESS) return vulkan_failure("create a Vulkan instance", result);
  instance->functions = load_instance_functions(entry, instance->handle);
  if (options.validation) {
    result = instance->functions.vkCreateDebugUtilsMessengerEXT(instance->handle, &messenger_info, nullptr,
                                                                &instance->messenger);
    if (result != VK_SUCCESS) return vulkan_failure("create the messenger of the validation layer", result);
  }
  return instance;
}

}  // namespace pelt::runtime
