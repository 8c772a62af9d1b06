// SPDX-License-Identifier: MIT
#include "tests/soak/counted_vulkan.h"

#include <algorithm>
#include <map>

#include "runtime/instance.h"
#include "tests/support/vulkan_mask.h"

namespace pelt::test {
namespace {

// Calls until that which is lost or refused; 0: none is.
std::uint32_t until_loss = 0;
std::uint32_t until_refusal = 0;
bool strikes(std::uint32_t& calls) { return calls > 0 && --calls == 0; }

bool lost = false;
std::map<std::string, std::int64_t> alive;  // handles by kind, without kinds of which there are none

// The functions that the mask wraps, of the last instance and of the last device.
PFN_vkCreateInstance create_unmasked_instance = nullptr;
runtime::InstanceFunctions behind_instance;
runtime::DeviceFunctions behind;
VkDevice last_device = VK_NULL_HANDLE;

void count(const char* kind, std::int64_t change) {
  if ((alive[kind] += change) == 0) alive.erase(kind);
}

// Counts what `make` makes, unless its turn to be refused has come.
template <class Make>
VkResult counted(const char* kind, std::int64_t handles, const Make& make) {
  if (strikes(until_refusal)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const VkResult result = make();
  if (result == VK_SUCCESS) count(kind, handles);
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

#define PELT_COUNTED_FUNCTIONS(Kind)                                                                         \
  VkResult VKAPI_CALL create_##Kind(VkDevice device, const Vk##Kind##CreateInfo* info,                       \
                                    const VkAllocationCallbacks* callbacks, Vk##Kind* object) {              \
    return counted(#Kind, 1, [&] { return behind.vkCreate##Kind(device, info, callbacks, object); });        \
  }                                                                                                          \
  void VKAPI_CALL destroy_##Kind(VkDevice device, Vk##Kind object, const VkAllocationCallbacks* callbacks) { \
    if (object != VK_NULL_HANDLE) count(#Kind, -1);                                                          \
    behind.vkDestroy##Kind(device, object, callbacks);                                                       \
  }
PELT_COUNTED_OBJECTS(PELT_COUNTED_FUNCTIONS)
#undef PELT_COUNTED_FUNCTIONS

VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t pipeline_count,
                                     const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* callbacks,
                                     VkPipeline* pipelines) {
  std::fill_n(pipelines, pipeline_count, VK_NULL_HANDLE);
  return counted("Pipeline", pipeline_count, [&] {
    return behind.vkCreateComputePipelines(device, cache, pipeline_count, infos, callbacks, pipelines);
  });
}

void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* callbacks) {
  if (pipeline != VK_NULL_HANDLE) count("Pipeline", -1);
  behind.vkDestroyPipeline(device, pipeline, callbacks);
}

VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                    const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  return counted("DeviceMemory", 1, [&] { return behind.vkAllocateMemory(device, info, callbacks, memory); });
}

void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  if (memory != VK_NULL_HANDLE) count("DeviceMemory", -1);
  behind.vkFreeMemory(device, memory, callbacks);
}

// Returns whether the device is lost at this call, or before it.
bool loses() {
  if (strikes(until_loss)) {
    behind.vkDeviceWaitIdle(last_device);
    lost = true;
  }
  return lost;
}

VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t submit_count, const VkSubmitInfo* submits, VkFence fence) {
  return loses() ? VK_ERROR_DEVICE_LOST : behind.vkQueueSubmit(queue, submit_count, submits, fence);
}

VkResult VKAPI_CALL wait(VkDevice device, std::uint32_t fence_count, const VkFence* fences, VkBool32 all,
                         std::uint64_t timeout) {
  return loses() ? VK_ERROR_DEVICE_LOST : behind.vkWaitForFences(device, fence_count, fences, all, timeout);
}

VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                  const VkAllocationCallbacks* callbacks, VkDevice* device) {
  const VkResult result = behind_instance.vkCreateDevice(physical, info, callbacks, device);
  if (result != VK_SUCCESS) return result;
  count("Device", 1);
  behind = runtime::load_device_functions(*device, behind_instance.vkGetDeviceProcAddr);
  last_device = *device;
  lost = false;
  return result;
}

void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks* callbacks) {
  count("Device", -1);
  behind.vkDestroyDevice(device, callbacks);
}

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                    VkInstance* instance) {
  const VkResult result = create_unmasked_instance(info, callbacks, instance);
  if (result != VK_SUCCESS) return result;
  count("Instance", 1);
  behind_instance = runtime::load_instance_functions(runtime::vulkan_entry_point(), *instance);
  return result;
}

void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks* callbacks) {
  count("Instance", -1);
  behind_instance.vkDestroyInstance(instance, callbacks);
}

struct Counted {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
#define PELT_COUNTED_NAMES(Kind)                               \
  if (name == "vkCreate" #Kind) return untyped(create_##Kind); \
  if (name == "vkDestroy" #Kind) return untyped(destroy_##Kind);
    PELT_COUNTED_OBJECTS(PELT_COUNTED_NAMES)
#undef PELT_COUNTED_NAMES
    if (name == "vkCreateComputePipelines") return untyped(create_pipelines);
    if (name == "vkDestroyPipeline") return untyped(destroy_pipeline);
    if (name == "vkAllocateMemory") return untyped(allocate_memory);
    if (name == "vkFreeMemory") return untyped(free_memory);
    if (name == "vkQueueSubmit") return untyped(submit);
    if (name == "vkWaitForFences") return untyped(wait);
    if (name == "vkCreateDevice") return untyped(create_device);
    if (name == "vkDestroyDevice") return untyped(destroy_device);
    if (name == "vkDestroyInstance") return untyped(destroy_instance);
    if (name != "vkCreateInstance") return found;
    create_unmasked_instance = reinterpret_cast<PFN_vkCreateInstance>(found);
    return untyped(create_instance);
  }
};

}  // namespace

PFN_vkVoidFunction VKAPI_CALL counted_entry_point(VkInstance instance, const char* name) {
  return MaskedVulkan<Counted>::entry_point(instance, name);
}

std::string vulkan_counts(const std::vector<std::string>& without) {
  std::string text;
  for (const auto& [kind, number] : alive) {
    if (std::find(without.begin(), without.end(), kind) == without.end())
      text += kind + " " + std::to_string(number) + ", ";
  }
  return text;
}

std::int64_t vulkan_count(const std::string& kind) { return alive.contains(kind) ? alive.at(kind) : 0; }

void lose_device_in(std::uint32_t calls) { until_loss = calls; }
bool device_is_lost() { return lost; }
void refuse_object_in(std::uint32_t calls) { until_refusal = calls; }

}  // namespace pelt::test
