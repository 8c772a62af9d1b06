// SPDX-License-Identifier: MIT
#include <vulkan/vulkan_core.h>
// Has no includes of its own.
#include <vulkan/vulkan_beta.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include <pelt/runtime/device.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "runtime/device_internals.h"
#include "runtime/physical_device.h"

namespace pelt::runtime {
namespace {

Result<void> check_missing(const PhysicalDevice& physical, std::span<const std::string> missing) {
  if (missing.empty()) return {};
  return fail(ErrorCode::kUnsupported,
              formatted("the Vulkan device {} lacks {}", physical.description.name, joined(missing, ", ")));
}

// The features that Pelt's programs and outputs use, as far as a physical device has them.
struct OfferedFeatures {
  VkPhysicalDeviceFeatures2 chain{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};  // for vkCreateDevice
  std::vector<const char*> extensions;  // that provide features which the Vulkan version lacks

  OfferedFeatures(const InstanceFunctions& functions, const PhysicalDevice& physical) : physical_(physical) {
    available_ = device_extensions(functions, physical.handle);
    offer(synchronization2_, VK_API_VERSION_1_3, {VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME});
    offer(addresses_, VK_API_VERSION_1_2, {VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
    offer(scalar_layout_, VK_API_VERSION_1_2, {VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME});
    // The extension requires the two that follow it, which Vulkan 1.2 includes.
    if (physical.version >= VK_API_VERSION_1_2) {
      offer(rendering_, VK_API_VERSION_1_3, {VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME});
    } else {
      offer(rendering_, VK_API_VERSION_1_3,
            {VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
             VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME});
    }
    // Must be enabled if the device lists it. Crowds need none of its features, and drawing uses those that exist.
    offer(portable_, UINT32_MAX, {VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME});
    functions.vkGetPhysicalDeviceFeatures2(physical.handle, &chain);
    chain.features = {};
    addresses_.bufferDeviceAddressCaptureReplay = VK_FALSE;
    addresses_.bufferDeviceAddressMultiDevice = VK_FALSE;
  }
  OfferedFeatures(const OfferedFeatures&) = delete;
  OfferedFeatures& operator=(const OfferedFeatures&) = delete;

  bool has_addresses() const { return addresses_.bufferDeviceAddress == VK_TRUE; }

 private:
  // Queries the features of a structure if the device has version `core` or the extensions.
  template <class Structure>
  void offer(Structure& structure, std::uint32_t core, std::initializer_list<const char*> names) {
    if (physical_.version < core) {
      const auto available = [&](const char* name) { return has_extension(available_, name); };
      if (!std::all_of(names.begin(), names.end(), available)) return;
      extensions.insert(extensions.end(), names);
    }
    structure.pNext = chain.pNext;
    chain.pNext = &structure;
  }

  const PhysicalDevice& physical_;
  std::vector<VkExtensionProperties> available_;
  VkPhysicalDeviceSynchronization2Features synchronization2_{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES};
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses_{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
  VkPhysicalDeviceScalarBlockLayoutFeatures scalar_layout_{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES};
  VkPhysicalDeviceDynamicRenderingFeatures rendering_{.sType =
                                                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES};
  VkPhysicalDevicePortabilitySubsetFeaturesKHR portable_{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_FEATURES_KHR};
};

}  // namespace

struct Device::State {
  std::unique_ptr<Instance> instance;
  PhysicalDevice physical;
  std::uint32_t queue_family = 0;
  bool graphics = false;
  bool owned = true;  // true: the device is destroyed with this object
  VkQueue queue = VK_NULL_HANDLE;
  DeviceInternals internals;

  static Result<std::unique_ptr<State>> create(const DeviceOptions& options);
  static Result<std::unique_ptr<State>> adopt(const DeviceHandles& handles);

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Fills in everything that follows from the handles.
  void finish(bool has_debug_utils, bool has_addresses, const MemoryCallbacks& callbacks) {
    const InstanceFunctions& functions = instance->functions;
    internals.functions = load_device_functions(internals.handle, functions.vkGetDeviceProcAddr);
    if (!has_debug_utils) {
      internals.functions.vkSetDebugUtilsObjectNameEXT = nullptr;
      internals.functions.vkCmdBeginDebugUtilsLabelEXT = nullptr;
      internals.functions.vkCmdEndDebugUtilsLabelEXT = nullptr;
    }
    // Every Vulkan 1.2 device has the function, even without the feature.
    if (!has_addresses) internals.functions.vkGetBufferDeviceAddress = nullptr;
    VkPhysicalDeviceMemoryProperties memory;
    functions.vkGetPhysicalDeviceMemoryProperties(physical.handle, &memory);
    internals.allocator =
        std::make_unique<MemoryAllocator>(internals.handle, internals.functions, memory, physical.limits,
                                          physical.largest_allocation, callbacks, [this] { return memory_heaps(); });
    internals.limits = physical.limits;
    internals.largest_buffer = physical.largest_buffer;
    const VkQueueFamilyProperties family = queue_families(functions, physical.handle)[queue_family];
    graphics = (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
    internals.timestamp_bits = family.timestampValidBits;
  }

  std::vector<MemoryHeap> memory_heaps() const { return runtime::memory_heaps(instance->functions, physical); }

  ~State() {
    internals.pipelines.clear();
    internals.allocator.reset();
    if (internals.pool != VK_NULL_HANDLE)
      internals.functions.vkDestroyCommandPool(internals.handle, internals.pool, nullptr);
    if (owned && internals.handle != VK_NULL_HANDLE) internals.functions.vkDestroyDevice(internals.handle, nullptr);
  }
};

Result<std::unique_ptr<Device::State>> Device::State::create(const DeviceOptions& options) {
  auto state = std::make_unique<State>();
  PELT_ASSIGN(auto instance, make_instance(options));
  state->instance = std::move(instance);
  const InstanceFunctions& functions = state->instance->functions;

  PELT_ASSIGN(const auto devices, physical_devices(*state->instance));
  const char* environment = std::getenv("PELT_DEVICE");
  PELT_ASSIGN(const auto chosen,
              choose_physical_device(devices,
                                     !options.select.empty() || environment == nullptr ? options.select : environment));
  state->physical = devices[chosen];
  const PhysicalDevice& physical = state->physical;
  PELT_TRY(check_missing(physical, physical.description.missing));
  PELT_TRY(check_missing(physical,
                         missing_extensions(device_extensions(functions, physical.handle), options.device_extensions)));

  state->queue_family = *compute_family(queue_families(functions, physical.handle));
  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = state->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
  DeviceInternals& internals = state->internals;
  OfferedFeatures features(functions, physical);
  features.chain.features.robustBufferAccess = options.robust_buffer_access ? VK_TRUE : VK_FALSE;
  std::vector<const char*>& extensions = features.extensions;
  for (const std::string& name : options.device_extensions) {
    if (std::find(extensions.begin(), extensions.end(), name) == extensions.end()) extensions.push_back(name.c_str());
  }
  const VkDeviceCreateInfo device_info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features.chain,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue_info,
                                       .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                       .ppEnabledExtensionNames = extensions.data()};
  const VkResult result = functions.vkCreateDevice(physical.handle, &device_info, nullptr, &internals.handle);
  if (result != VK_SUCCESS) return vulkan_failure("create a device on " + physical.description.name, result);
  internals.pretend_discrete = options.pretend_discrete;
  state->finish(state->instance->has_debug_utils, features.has_addresses(), {});
  internals.functions.vkGetDeviceQueue(internals.handle, state->queue_family, 0, &state->queue);
  return state;
}

Result<std::unique_ptr<Device::State>> Device::State::adopt(const DeviceHandles& handles) {
  if (handles.get_instance_proc_addr == nullptr || handles.instance == VK_NULL_HANDLE ||
      handles.physical == VK_NULL_HANDLE || handles.device == VK_NULL_HANDLE) {
    return invalid("adopting a device needs vkGetInstanceProcAddr, an instance, a physical device and a device");
  }
  if ((handles.memory.allocate == nullptr) != (handles.memory.free == nullptr)) {
    return invalid("memory callbacks must have both allocate and free");
  }
  auto state = std::make_unique<State>();
  state->owned = false;
  state->instance = std::make_unique<Instance>();
  state->instance->owned = false;
  state->instance->handle = handles.instance;
  state->instance->functions = load_instance_functions(handles.get_instance_proc_addr, handles.instance);
  const InstanceFunctions& functions = state->instance->functions;
  if (const std::vector<std::string> missing = missing_functions(functions); !missing.empty()) {
    return fail(ErrorCode::kUnsupported,
                formatted("the Vulkan instance lacks {}: it must be made with apiVersion 1.1", joined(missing, ", ")));
  }
  state->physical = describe_physical_device(functions, handles.physical);
  PELT_TRY(check_missing(state->physical, state->physical.description.missing));
  const std::vector<VkQueueFamilyProperties> families = queue_families(functions, handles.physical);
  if (handles.queue_family >= families.size() ||
      (families[handles.queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
    return invalid("queue family {} of the Vulkan device {} has no compute", handles.queue_family,
                   state->physical.description.name);
  }
  state->queue_family = handles.queue_family;
  state->queue = handles.queue;
  state->internals.handle = handles.device;
  state->internals.pipeline_cache = handles.pipeline_cache;
  state->finish(handles.debug_utils, handles.buffer_device_address, handles.memory);
  if (const std::vector<std::string> missing = missing_functions(state->internals.functions); !missing.empty()) {
    return fail(ErrorCode::kUnsupported,
                formatted("the Vulkan device {} lacks {}: its instance must be made with apiVersion 1.1",
                          state->physical.description.name, joined(missing, ", ")));
  }
  return state;
}

Result<Device> Device::create(const DeviceOptions& options) {
  PELT_ASSIGN(auto state, guard_memory([&] { return State::create(options); }));
  return Device(std::move(state));
}

Result<Device> Device::adopt(const DeviceHandles& handles) {
  PELT_ASSIGN(auto state, guard_memory([&] { return State::adopt(handles); }));
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
std::vector<MemoryHeap> Device::memory_heaps() const { return state_->memory_heaps(); }
const VkPhysicalDeviceLimits& Device::limits() const { return state_->physical.limits; }
const DeviceFunctions& Device::functions() const { return state_->internals.functions; }
std::unique_lock<std::mutex> Device::lock_queue() const { return std::unique_lock(internals().queue_mutex); }
DeviceInternals& Device::internals() const { return state_->internals; }

}  // namespace pelt::runtime
