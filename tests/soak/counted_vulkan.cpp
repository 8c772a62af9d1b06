// SPDX-License-Identifier: MIT
#include "tests/soak/counted_vulkan.h"

#include <atomic>
#include <mutex>
#include <string_view>

#include <pelt/runtime/vulkan_functions.h>

#include "runtime/instance.h"
#include "tests/support/untyped.h"

namespace pelt::test {
namespace {

// Counts down to a call, which is the one that answers true.
class Countdown {
 public:
  void start(std::uint32_t calls) { left_ = calls; }
  bool strikes() {
    std::uint32_t left = left_;
    while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {
    }
    return left == 1;
  }

 private:
  std::atomic<std::uint32_t> left_ = 0;
};

Countdown until_loss;
Countdown until_refusal;
std::atomic<bool> lost = false;

std::mutex mutex;
VulkanCounts alive;
std::map<VkDeviceMemory, VkDeviceSize> memories;

// The functions behind the mask, of the last instance and of the last device.
runtime::InstanceFunctions behind_instance;
PFN_vkCreateInstance behind_create_instance = nullptr;
runtime::DeviceFunctions behind;

void count(const char* kind, std::int64_t change) {
  const std::lock_guard lock(mutex);
  if ((alive.handles[kind] += change) == 0) alive.handles.erase(kind);
}

VkResult made(const char* kind, VkResult result) {
  if (result == VK_SUCCESS) count(kind, 1);
  return result;
}

// Objects that a device makes one by one.
#define PELT_COUNTED_OBJECTS(F) \
  F(Buffer)                     \
  F(CommandPool)                \
  F(DescriptorPool)             \
  F(DescriptorSetLayout)        \
  F(Fence)                      \
  F(PipelineLayout)             \
  F(QueryPool)                  \
  F(ShaderModule)

#define PELT_COUNTED_FUNCTIONS(Kind)                                                                     \
  VkResult VKAPI_CALL create_##Kind(VkDevice device, const Vk##Kind##CreateInfo* info,                   \
                                    const VkAllocationCallbacks* callbacks, Vk##Kind* object) {          \
    if (until_refusal.strikes()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;                                   \
    return made(#Kind, behind.vkCreate##Kind(device, info, callbacks, object));                          \
  }                                                                                                      \
  void VKAPI_CALL destroy_##Kind(VkDevice device, Vk##Kind object, const VkAllocationCallbacks* calls) { \
    if (object != VK_NULL_HANDLE) count(#Kind, -1);                                                      \
    behind.vkDestroy##Kind(device, object, calls);                                                       \
  }
PELT_COUNTED_OBJECTS(PELT_COUNTED_FUNCTIONS)
#undef PELT_COUNTED_FUNCTIONS

VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t pipeline_count,
                                     const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* callbacks,
                                     VkPipeline* pipelines) {
  if (until_refusal.strikes()) {
    for (std::uint32_t i = 0; i < pipeline_count; ++i) pipelines[i] = VK_NULL_HANDLE;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  const VkResult result = behind.vkCreateComputePipelines(device, cache, pipeline_count, infos, callbacks, pipelines);
  if (result == VK_SUCCESS) count("Pipeline", pipeline_count);
  return result;
}

void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* callbacks) {
  if (pipeline != VK_NULL_HANDLE) count("Pipeline", -1);
  behind.vkDestroyPipeline(device, pipeline, callbacks);
}

VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                    const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  if (until_refusal.strikes()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const VkResult result = made("DeviceMemory", behind.vkAllocateMemory(device, info, callbacks, memory));
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(mutex);
  alive.memory += memories[*memory] = info->allocationSize;
  return result;
}

void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  if (memory != VK_NULL_HANDLE) {
    count("DeviceMemory", -1);
    const std::lock_guard lock(mutex);
    alive.memory -= memories[memory];
    memories.erase(memory);
  }
  behind.vkFreeMemory(device, memory, callbacks);
}

// Returns whether the device is lost at this call, or before it.
bool loses(VkDevice device) {
  if (until_loss.strikes()) {
    behind.vkDeviceWaitIdle(device);
    lost = true;
  }
  return lost;
}

VkDevice device_of_queue = VK_NULL_HANDLE;

VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t submit_count, const VkSubmitInfo* submits, VkFence fence) {
  return loses(device_of_queue) ? VK_ERROR_DEVICE_LOST : behind.vkQueueSubmit(queue, submit_count, submits, fence);
}

VkResult VKAPI_CALL wait(VkDevice device, std::uint32_t fence_count, const VkFence* fences, VkBool32 all,
                         std::uint64_t timeout) {
  return loses(device) ? VK_ERROR_DEVICE_LOST : behind.vkWaitForFences(device, fence_count, fences, all, timeout);
}

void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks* callbacks) {
  count("Device", -1);
  behind.vkDestroyDevice(device, callbacks);
}

PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
  const std::string_view wanted = name;
#define PELT_COUNTED_NAMES(Kind)                                 \
  if (wanted == "vkCreate" #Kind) return untyped(create_##Kind); \
  if (wanted == "vkDestroy" #Kind) return untyped(destroy_##Kind);
  PELT_COUNTED_OBJECTS(PELT_COUNTED_NAMES)
#undef PELT_COUNTED_NAMES
  if (wanted == "vkCreateComputePipelines") return untyped(create_pipelines);
  if (wanted == "vkDestroyPipeline") return untyped(destroy_pipeline);
  if (wanted == "vkAllocateMemory") return untyped(allocate_memory);
  if (wanted == "vkFreeMemory") return untyped(free_memory);
  if (wanted == "vkQueueSubmit") return untyped(submit);
  if (wanted == "vkWaitForFences") return untyped(wait);
  if (wanted == "vkDestroyDevice") return untyped(destroy_device);
  return behind_instance.vkGetDeviceProcAddr(device, name);
}

VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                  const VkAllocationCallbacks* callbacks, VkDevice* device) {
  const VkResult result = made("Device", behind_instance.vkCreateDevice(physical, info, callbacks, device));
  if (result != VK_SUCCESS) return result;
  behind = runtime::load_device_functions(*device, behind_instance.vkGetDeviceProcAddr);
  device_of_queue = *device;
  lost = false;
  return result;
}

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                    VkInstance* instance) {
  const VkResult result = made("Instance", behind_create_instance(info, callbacks, instance));
  if (result == VK_SUCCESS)
    behind_instance = runtime::load_instance_functions(runtime::vulkan_entry_point(), *instance);
  return result;
}

void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks* callbacks) {
  count("Instance", -1);
  behind_instance.vkDestroyInstance(instance, callbacks);
}

}  // namespace

PFN_vkVoidFunction VKAPI_CALL counted_entry_point(VkInstance instance, const char* name) {
  const std::string_view wanted = name;
  const PFN_vkVoidFunction found = runtime::vulkan_entry_point()(instance, name);
  if (wanted == "vkCreateInstance") {
    behind_create_instance = reinterpret_cast<PFN_vkCreateInstance>(found);
    return untyped(create_instance);
  }
  if (wanted == "vkDestroyInstance") return untyped(destroy_instance);
  if (wanted == "vkCreateDevice") return untyped(create_device);
  if (wanted == "vkGetDeviceProcAddr") return untyped(device_function);
  return found;
}

VulkanCounts vulkan_counts() {
  const std::lock_guard lock(mutex);
  return alive;
}

std::string to_string(const VulkanCounts& counted) {
  std::string text;
  for (const auto& [kind, number] : counted.handles) text += kind + " " + std::to_string(number) + ", ";
  return text + std::to_string(counted.memory) + " bytes";
}

void lose_device_in(std::uint32_t calls) { until_loss.start(calls); }
bool device_is_lost() { return lost; }
void refuse_object_in(std::uint32_t calls) { until_refusal.start(calls); }

}  // namespace pelt::test
