// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include <pelt/runtime/device.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "runtime/device_internals.h"

namespace pelt::runtime {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

// The functions needed to describe and to adopt a device.
#define PELT_PHYSICAL_DEVICE_FUNCTIONS(F) \
  F(vkGetDeviceProcAddr)                  \
  F(vkGetPhysicalDeviceFeatures2)         \
  F(vkGetPhysicalDeviceMemoryProperties)  \
  F(vkGetPhysicalDeviceProperties2)       \
  F(vkGetPhysicalDeviceQueueFamilyProperties)

#define PELT_INSTANCE_FUNCTIONS(F)        \
  F(vkCreateDebugUtilsMessengerEXT)       \
  F(vkCreateDevice)                       \
  F(vkDestroyDebugUtilsMessengerEXT)      \
  F(vkDestroyInstance)                    \
  F(vkEnumerateDeviceExtensionProperties) \
  F(vkEnumeratePhysicalDevices)           \
  PELT_PHYSICAL_DEVICE_FUNCTIONS(F)

struct InstanceFunctions {
#define PELT_MEMBER(name) PFN_##name name = nullptr;
  PELT_INSTANCE_FUNCTIONS(PELT_MEMBER)
#undef PELT_MEMBER
};

InstanceFunctions load_instance_functions(PFN_vkGetInstanceProcAddr entry, VkInstance instance) {
  InstanceFunctions functions;
#define PELT_LOAD(name) functions.name = reinterpret_cast<PFN_##name>(entry(instance, #name));
  PELT_INSTANCE_FUNCTIONS(PELT_LOAD)
#undef PELT_LOAD
  return functions;
}

// Returns the names of the null functions among those.
std::vector<std::string> missing_functions(const InstanceFunctions& functions) {
  std::vector<std::string> missing;
#define PELT_CHECK(name) \
  if (functions.name == nullptr) missing.emplace_back(#name);
  PELT_PHYSICAL_DEVICE_FUNCTIONS(PELT_CHECK)
#undef PELT_CHECK
  return missing;
}

using MessageFunction = std::function<void(const std::string&)>;

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  (*static_cast<const MessageFunction*>(user))(data->pMessage);
  return VK_FALSE;
}

// A VkInstance, and the messenger of the validation layer if validation was asked for.
struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  bool own = true;  // true: destroyed with this object
  InstanceFunctions functions;
  bool has_debug_utils = false;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  MessageFunction message_function;

  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    if (messenger != VK_NULL_HANDLE) functions.vkDestroyDebugUtilsMessengerEXT(handle, messenger, nullptr);
    if (own && handle != VK_NULL_HANDLE) functions.vkDestroyInstance(handle, nullptr);
  }
};

bool has_layer(PFN_vkGetInstanceProcAddr entry, const char* name) {
  const auto enumerate =
      reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(entry(nullptr, "vkEnumerateInstanceLayerProperties"));
  std::uint32_t count = 0;
  enumerate(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  enumerate(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(),
                     [&](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

std::vector<VkExtensionProperties> instance_extensions(PFN_vkGetInstanceProcAddr entry) {
  const auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      entry(nullptr, "vkEnumerateInstanceExtensionProperties"));
  std::uint32_t count = 0;
  enumerate(nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  enumerate(nullptr, &count, extensions.data());
  return extensions;
}

std::vector<VkExtensionProperties> device_extensions(const InstanceFunctions& functions, VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  functions.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  functions.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions.data());
  return extensions;
}

bool has_extension(std::span<const VkExtensionProperties> extensions, std::string_view name) {
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const VkExtensionProperties& extension) { return extension.extensionName == name; });
}

// Returns the `wanted` extensions that are missing.
std::vector<std::string> missing_extensions(std::span<const VkExtensionProperties> extensions,
                                            std::span<const std::string> wanted) {
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    if (!has_extension(extensions, name)) missing.push_back(name);
  }
  return missing;
}

// The instance is on the heap because the messenger points into it.
Result<std::unique_ptr<Instance>> make_instance(const DeviceOptions& options) {
  const PFN_vkGetInstanceProcAddr entry = vulkan_entry_point();
  if (entry == nullptr) {
    return fail(ErrorCode::kUnsupported, "no Vulkan loader (libvulkan.so.1) is installed");
  }
  if (options.validation && !has_layer(entry, kValidationLayer)) {
    return fail(ErrorCode::kUnsupported, fmt::format("the validation layer {} is not installed", kValidationLayer));
  }
  if (options.validation && !options.on_validation_message) {
    return fail(ErrorCode::kInvalidArgument, "validation was asked for without a function that takes its messages");
  }
  auto instance = std::make_unique<Instance>();
  instance->message_function = options.on_validation_message;
  const std::vector<VkExtensionProperties> available = instance_extensions(entry);
  instance->has_debug_utils = has_extension(available, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (const auto missing = missing_extensions(available, options.instance_extensions); !missing.empty()) {
    return fail(ErrorCode::kUnsupported, fmt::format("the Vulkan loader lacks {}", fmt::join(missing, ", ")));
  }

  std::vector<const char*> extensions;
  for (const std::string& name : options.instance_extensions) extensions.push_back(name.c_str());
  if (instance->has_debug_utils) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (options.validation) extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);

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
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "pelt", .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pNext = options.validation ? &validation : nullptr,
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

// The features of the device profile: visit(name, member) for each.
template <class Visit>
void each_required_feature(VkPhysicalDeviceVulkan12Features& features12, VkPhysicalDeviceVulkan13Features& features13,
                           const Visit& visit) {
  visit("synchronization2", features13.synchronization2);
  visit("maintenance4", features13.maintenance4);
  visit("scalarBlockLayout", features12.scalarBlockLayout);
}

// Features, chained as Vulkan wants them; `chain` is what vkCreateDevice takes.
struct Features {
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 chain{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};

  Features() {
    chain.pNext = &v12;
    v12.pNext = &v13;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
};

std::vector<VkQueueFamilyProperties> queue_families(const InstanceFunctions& functions, VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  functions.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  functions.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  return families;
}

// The first family with compute and graphics, or else with compute.
std::optional<std::uint32_t> compute_family(std::span<const VkQueueFamilyProperties> families) {
  for (const VkQueueFlags wanted : {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_COMPUTE_BIT + 0}) {
    for (std::uint32_t family = 0; family < families.size(); ++family) {
      if ((families[family].queueFlags & wanted) == wanted) return family;
    }
  }
  return std::nullopt;
}

std::vector<std::string> missing_features(const InstanceFunctions& functions, VkPhysicalDevice physical,
                                          const VkPhysicalDeviceProperties& properties) {
  if (properties.apiVersion < VK_API_VERSION_1_3) {
    return {fmt::format("Vulkan 1.3 (it has {}.{})", VK_API_VERSION_MAJOR(properties.apiVersion),
                        VK_API_VERSION_MINOR(properties.apiVersion))};
  }
  std::vector<std::string> missing;
  Features features;
  functions.vkGetPhysicalDeviceFeatures2(physical, &features.chain);
  each_required_feature(features.v12, features.v13, [&](const char* name, VkBool32 value) {
    if (value == VK_FALSE) missing.emplace_back(name);
  });
  const auto require = [&](const char* name, std::uint32_t value, std::uint32_t least) {
    if (value < least) missing.push_back(fmt::format("{} of {} (it has {})", name, least, value));
  };
  const VkPhysicalDeviceLimits& limits = properties.limits;
  require("maxPerStageDescriptorStorageBuffers", limits.maxPerStageDescriptorStorageBuffers, 8);
  require("maxDescriptorSetStorageBuffers", limits.maxDescriptorSetStorageBuffers, 8);
  require("maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations, 128);
  require("maxComputeWorkGroupSize", limits.maxComputeWorkGroupSize[0], 128);
  if (!compute_family(queue_families(functions, physical))) missing.emplace_back("a queue with compute");
  return missing;
}

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceDescription description;
  VkPhysicalDeviceLimits limits{};
  VkDeviceSize largest_buffer = 0;
};

PhysicalDevice describe(const InstanceFunctions& functions, VkPhysicalDevice handle) {
  VkPhysicalDeviceDriverProperties driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceMaintenance4Properties sizes{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES,
                                               .pNext = &driver};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sizes};
  functions.vkGetPhysicalDeviceProperties2(handle, &properties);
  return {.handle = handle,
          .description = {.name = properties.properties.deviceName,
                          .driver = fmt::format("{} {}", driver.driverName, driver.driverInfo),
                          .type = properties.properties.deviceType,
                          .missing = missing_features(functions, handle, properties.properties)},
          .limits = properties.properties.limits,
          .largest_buffer = sizes.maxBufferSize};
}

Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance) {
  std::uint32_t count = 0;
  VkResult result = instance.functions.vkEnumeratePhysicalDevices(instance.handle, &count, nullptr);
  if (result != VK_SUCCESS) return vulkan_failure("list the Vulkan devices", result);
  std::vector<VkPhysicalDevice> handles(count);
  result = instance.functions.vkEnumeratePhysicalDevices(instance.handle, &count, handles.data());
  if (result != VK_SUCCESS) return vulkan_failure("list the Vulkan devices", result);
  std::vector<PhysicalDevice> devices;
  for (VkPhysicalDevice handle : handles) devices.push_back(describe(instance.functions, handle));
  return devices;
}

const char* type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "software";
    default:
      return "other";
  }
}

// Returns a rank by type; lower is more capable.
int rank(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 3;
    default:
      return 4;
  }
}

std::string listing(std::span<const PhysicalDevice> devices) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceDescription& device = devices[i].description;
    lines.push_back(fmt::format("{} = {} ({}{})", i, device.name, type_name(device.type),
                                device.missing.empty() ? "" : ", not usable"));
  }
  return lines.empty() ? "there is none" : fmt::format("the devices are {}", fmt::join(lines, ", "));
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Result<std::size_t> choose(std::span<const PhysicalDevice> devices, const std::string& select) {
  if (select.empty()) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (!devices[i].description.missing.empty()) continue;
      if (!best || rank(devices[i].description.type) < rank(devices[*best].description.type)) best = i;
    }
    if (best) return *best;
    if (devices.size() == 1) return std::size_t{0};  // the caller reports what it lacks
    return fail(ErrorCode::kNotFound, "no Vulkan device is usable: " + listing(devices));
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(select.data(), select.data() + select.size(), index);
  const bool is_index = error == std::errc() && end == select.data() + select.size();
  if (is_index && index < devices.size()) return index;
  std::optional<std::size_t> found;  // prefers a usable device
  for (std::size_t i = devices.size(); !is_index && i-- > 0;) {
    const DeviceDescription& device = devices[i].description;
    if (lower_case(device.name).find(lower_case(select)) == std::string::npos) continue;
    if (!found || device.missing.empty() || !devices[*found].description.missing.empty()) found = i;
  }
  if (found) return *found;
  return fail(ErrorCode::kNotFound, fmt::format("no Vulkan device is called '{}': {}", select, listing(devices)));
}

}  // namespace

struct Device::State {
  std::unique_ptr<Instance> instance;
  PhysicalDevice physical;
  std::uint32_t queue_family = 0;
  bool graphics = false;
  bool own = true;  // true: the device is destroyed with this object
  VkQueue queue = VK_NULL_HANDLE;
  DeviceInternals internals;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Fills in everything that follows from the handles.
  void finish(bool has_debug_utils, const MemoryCallbacks& callbacks) {
    const InstanceFunctions& functions = instance->functions;
    internals.functions = load_device_functions(internals.handle, functions.vkGetDeviceProcAddr);
    if (!has_debug_utils) {
      internals.functions.vkSetDebugUtilsObjectNameEXT = nullptr;
      internals.functions.vkCmdBeginDebugUtilsLabelEXT = nullptr;
      internals.functions.vkCmdEndDebugUtilsLabelEXT = nullptr;
    }
    VkPhysicalDeviceMemoryProperties memory;
    functions.vkGetPhysicalDeviceMemoryProperties(physical.handle, &memory);
    internals.allocator =
        std::make_unique<MemoryAllocator>(internals.handle, internals.functions, memory, physical.limits, callbacks);
    internals.limits = physical.limits;
    internals.largest_buffer = physical.largest_buffer;
    internals.timestamp_bits = queue_families(functions, physical.handle)[queue_family].timestampValidBits;
  }

  ~State() {
    internals.pipelines.reset();
    internals.allocator.reset();
    if (own && internals.handle != VK_NULL_HANDLE) internals.functions.vkDestroyDevice(internals.handle, nullptr);
  }
};

Result<std::vector<DeviceDescription>> list_devices() {
  PELT_ASSIGN(const auto instance, make_instance({}));
  PELT_ASSIGN(const auto devices, physical_devices(*instance));
  std::vector<DeviceDescription> descriptions;
  for (const PhysicalDevice& device : devices) descriptions.push_back(device.description);
  return descriptions;
}

Result<Device> Device::create(const DeviceOptions& options) {
  auto state = std::make_unique<State>();
  PELT_ASSIGN(auto instance, make_instance(options));
  state->instance = std::move(instance);
  const InstanceFunctions& functions = state->instance->functions;

  PELT_ASSIGN(const auto devices, physical_devices(*state->instance));
  const char* environment = std::getenv("PELT_DEVICE");
  PELT_ASSIGN(const auto chosen,
              choose(devices, !options.select.empty() || environment == nullptr ? options.select : environment));
  state->physical = devices[chosen];
  const PhysicalDevice& physical = state->physical;
  if (!physical.description.missing.empty()) {
    return fail(ErrorCode::kUnsupported, fmt::format("the Vulkan device {} lacks {}", physical.description.name,
                                                     fmt::join(physical.description.missing, ", ")));
  }
  const std::vector<std::string> missing =
      missing_extensions(device_extensions(functions, physical.handle), options.device_extensions);
  if (!missing.empty()) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("the Vulkan device {} lacks {}", physical.description.name, fmt::join(missing, ", ")));
  }

  const std::vector<VkQueueFamilyProperties> families = queue_families(functions, physical.handle);
  state->queue_family = *compute_family(families);
  state->graphics = (families[state->queue_family].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = state->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
  DeviceInternals& internals = state->internals;
  Features features;
  enable_required_features(features.v12, features.v13);
  // Every device of Vulkan 1.3 has both; tools draw with the first, and outputs may need the second.
  features.v13.dynamicRendering = VK_TRUE;
  features.v12.bufferDeviceAddress = VK_TRUE;
  std::vector<const char*> extensions;
  for (const std::string& name : options.device_extensions) extensions.push_back(name.c_str());
  const VkDeviceCreateInfo device_info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features.chain,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue_info,
                                       .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                       .ppEnabledExtensionNames = extensions.data()};
  const VkResult result = functions.vkCreateDevice(physical.handle, &device_info, nullptr, &internals.handle);
  if (result != VK_SUCCESS) return vulkan_failure("create a device on " + physical.description.name, result);
  internals.pretend_discrete = options.pretend_discrete;
  state->finish(state->instance->has_debug_utils, {});
  internals.functions.vkGetDeviceQueue(internals.handle, state->queue_family, 0, &state->queue);
  return Device(std::move(state));
}

void enable_required_features(VkPhysicalDeviceVulkan12Features& features12,
                              VkPhysicalDeviceVulkan13Features& features13) {
  each_required_feature(features12, features13, [](const char*, VkBool32& value) { value = VK_TRUE; });
}

DeviceDescription describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                  VkPhysicalDevice physical) {
  const InstanceFunctions functions = load_instance_functions(get_instance_proc_addr, instance);
  std::vector<std::string> missing = missing_functions(functions);
  if (!missing.empty()) return {.missing = std::move(missing)};
  return describe(functions, physical).description;
}

Result<Device> Device::adopt(const DeviceHandles& handles) {
  if (handles.get_instance_proc_addr == nullptr || handles.instance == VK_NULL_HANDLE ||
      handles.physical == VK_NULL_HANDLE || handles.device == VK_NULL_HANDLE) {
    return fail(ErrorCode::kInvalidArgument,
                "adopting a device needs vkGetInstanceProcAddr, an instance, a physical device and a device");
  }
  if ((handles.memory.allocate == nullptr) != (handles.memory.free == nullptr)) {
    return fail(ErrorCode::kInvalidArgument, "memory callbacks must have both allocate and free");
  }
  auto state = std::make_unique<State>();
  state->own = false;
  state->instance = std::make_unique<Instance>();
  state->instance->own = false;
  state->instance->handle = handles.instance;
  state->instance->functions = load_instance_functions(handles.get_instance_proc_addr, handles.instance);
  const InstanceFunctions& functions = state->instance->functions;
  if (const std::vector<std::string> missing = missing_functions(functions); !missing.empty()) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("the Vulkan instance lacks {}: it must be made with apiVersion 1.3", fmt::join(missing, ", ")));
  }
  state->physical = describe(functions, handles.physical);
  if (!state->physical.description.missing.empty()) {
    return fail(ErrorCode::kUnsupported, fmt::format("the Vulkan device {} lacks {}", state->physical.description.name,
                                                     fmt::join(state->physical.description.missing, ", ")));
  }
  const std::vector<VkQueueFamilyProperties> families = queue_families(functions, handles.physical);
  if (handles.queue_family >= families.size() ||
      (families[handles.queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("queue family {} of the Vulkan device {} has no compute",
                                                         handles.queue_family, state->physical.description.name));
  }
  state->queue_family = handles.queue_family;
  state->graphics = (families[handles.queue_family].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
  state->queue = handles.queue;
  state->internals.handle = handles.device;
  state->internals.pipeline_cache = handles.pipeline_cache;
  state->finish(handles.debug_utils, handles.memory);
  if (const std::vector<std::string> missing = missing_functions(state->internals.functions); !missing.empty()) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("the Vulkan device {} lacks {}: its instance must be made with apiVersion 1.3",
                            state->physical.description.name, fmt::join(missing, ", ")));
  }
  return Device(std::move(state));
}

Device::Device(std::unique_ptr<State> state) : state_(std::move(state)) {}
Device::~Device() = default;
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;

const DeviceDescription& Device::description() const { return state_->physical.description; }
VkInstance Device::instance() const { return state_->instance->handle; }
VkPhysicalDevice Device::physical() const { return state_->physical.handle; }
VkDevice Device::handle() const { return state_->internals.handle; }
VkQueue Device::queue() const { return state_->queue; }
std::uint32_t Device::queue_family() const { return state_->queue_family; }
bool Device::has_graphics() const { return state_->graphics; }
const VkPhysicalDeviceLimits& Device::limits() const { return state_->physical.limits; }
const DeviceFunctions& Device::functions() const { return state_->internals.functions; }
DeviceInternals& Device::internals() const { return state_->internals; }

}  // namespace pelt::runtime
