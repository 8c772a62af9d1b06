// SPDX-License-Identifier: MIT
#include <cstdlib>

#include <pelt/runtime/device.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "engine/core/formatted.h"
#include "runtime/device_internals.h"
#include "runtime/physical_device.h"

namespace pelt::runtime {
namespace {

Result<void> check_missing(const PhysicalDevice& physical, std::span<const std::string> missing) {
  if (missing.empty()) return {};
  return fail(ErrorCode::kUnsupported,
              formatted("the Vulkan device {} lacks {}", physical.description.name, joined(missing, ", ")));
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
    if (own && internals.handle != VK_NULL_HANDLE) internals.functions.vkDestroyDevice(internals.handle, nullptr);
  }
};

Result<Device> Device::create(const DeviceOptions& options) {
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
  Features features;
  enable_required_features(features.v12, features.v13);
  // Every device of Vulkan 1.3 has both; tools draw with the first, and outputs may need the second.
  features.v13.dynamicRendering = VK_TRUE;
  features.v12.bufferDeviceAddress = VK_TRUE;
  features.chain.features.robustBufferAccess = options.robust_buffer_access ? VK_TRUE : VK_FALSE;
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
    return fail(ErrorCode::kUnsupported,
                formatted("the Vulkan instance lacks {}: it must be made with apiVersion 1.3", joined(missing, ", ")));
  }
  state->physical = describe_physical_device(functions, handles.physical);
  PELT_TRY(check_missing(state->physical, state->physical.description.missing));
  const std::vector<VkQueueFamilyProperties> families = queue_families(functions, handles.physical);
  if (handles.queue_family >= families.size() ||
      (families[handles.queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
    return fail(ErrorCode::kInvalidArgument, formatted("queue family {} of the Vulkan device {} has no compute",
                                                       handles.queue_family, state->physical.description.name));
  }
  state->queue_family = handles.queue_family;
  state->queue = handles.queue;
  state->internals.handle = handles.device;
  state->internals.pipeline_cache = handles.pipeline_cache;
  state->finish(handles.debug_utils, handles.memory);
  if (const std::vector<std::string> missing = missing_functions(state->internals.functions); !missing.empty()) {
    return fail(ErrorCode::kUnsupported,
                formatted("the Vulkan device {} lacks {}: its instance must be made with apiVersion 1.3",
                          state->physical.description.name, joined(missing, ", ")));
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
std::vector<MemoryHeap> Device::memory_heaps() const { return state_->memory_heaps(); }
const VkPhysicalDeviceLimits& Device::limits() const { return state_->physical.limits; }
const DeviceFunctions& Device::functions() const { return state_->internals.functions; }
std::unique_lock<std::mutex> Device::lock_queue() const { return std::unique_lock(internals().queue_mutex); }
DeviceInternals& Device::internals() const { return state_->internals; }

}  // namespace pelt::runtime
