// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt::runtime {

struct DeviceFunctions;  // vulkan_functions.h
struct DeviceInternals;  // device_internals.h

struct DeviceOptions {
  // Index in list_devices(), or part of a name, any case. Empty: the environment variable PELT_DEVICE, and where that
  // is empty the most capable device (discrete, integrated, virtual, software).
  std::string select;
  // Validation layer with synchronization validation; an error where the layer is not installed.
  bool validation = false;
  // Validation messages, one call each; required with `validation`.
  std::function<void(const std::string& message)> on_validation_message;
  // For tests: host-visible memory behaves as a discrete card's without coherence does (what is not flushed does not
  // arrive, what is not invalidated does not come back), so that a missing copy or flush shows on any device.
  bool pretend_discrete = false;
  // Turned on besides what Pelt needs, for programs that show pictures: those of surfaces and of swapchains.
  std::vector<std::string> instance_extensions;
  std::vector<std::string> device_extensions;
};

struct DeviceDescription {
  std::string name;
  std::string driver;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::vector<std::string> missing;  // features of the device profile that it lacks; empty: usable
};

// Every physical device, usable or not, in the order of the indices that `select` takes.
Result<std::vector<DeviceDescription>> list_devices();

// ------------------------------------------------------------------------------------------- a device of the caller's

// Turns on what Pelt needs, beside what the caller has turned on: chain both to VkDeviceCreateInfo.
void enable_required_features(VkPhysicalDeviceVulkan12Features& features12,
                              VkPhysicalDeviceVulkan13Features& features13);

// What a physical device is and lacks, before a device is made on it.
DeviceDescription describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                  VkPhysicalDevice physical);

// Device memory of the caller's.
struct MemoryPiece {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  void* mapped = nullptr;  // the piece's first byte, for as long as it is held; host-visible pieces are always mapped
  bool coherent = false;
  void* owner = nullptr;  // for the caller
};

struct MemoryCallbacks {
  void* user = nullptr;
  // A piece of a memory type in requirements.memoryTypeBits that has `required` and, if it can be, `preferred`. May be
  // called from every thread that makes or destroys something of Pelt's, never while a frame is posed or recorded. For
  // buffers with VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT it must be allocated with
  // VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT: `device_address` says so. `name` is read during the call alone.
  VkResult (*allocate)(void* user, const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                       VkMemoryPropertyFlags preferred, bool device_address, const char* name,
                       MemoryPiece& piece) = nullptr;
  void (*free)(void* user, const MemoryPiece& piece) = nullptr;
};

struct DeviceHandles {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;  // of Vulkan 1.3 or later
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;  // with the features of enable_required_features
  std::uint32_t queue_family = 0;    // of the queue that runs what crowds record
  VkQueue queue = VK_NULL_HANDLE;    // for the functions alone that say that they submit and wait
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  MemoryCallbacks memory;    // none: blocks of the runtime's own
  bool debug_utils = false;  // VK_EXT_debug_utils is enabled: objects and commands are named
};

// A Vulkan device with the features that Pelt needs (docs/runtime.md: the device profile), its functions, and memory.
// Move-only; outlives everything made from it.
class Device {
 public:
  // Makes an instance and a device of its own, for tools and tests. Errors: no loader, no such device (the message
  // lists what there is), features or extensions missing (named).
  static Result<Device> create(const DeviceOptions& options = {});
  // Works on the caller's device, which outlives it: makes nothing but what crowds and characters are made of, and
  // destroys nothing else. Errors: handles that are null, callbacks of which one is missing, a device that lacks what
  // Pelt needs (named), functions that get_instance_proc_addr does not find (named), as those of Vulkan 1.3 of an
  // instance that was made for an earlier one.
  static Result<Device> adopt(const DeviceHandles& handles);
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  const DeviceDescription& description() const;
  VkInstance instance() const;
  VkPhysicalDevice physical() const;
  VkDevice handle() const;
  VkQueue queue() const;  // compute; graphics too where the device has it; null where adopt() was given none
  std::uint32_t queue_family() const;
  bool has_graphics() const;
  const VkPhysicalDeviceLimits& limits() const;
  const DeviceFunctions& functions() const;
  DeviceInternals& internals() const;  // for the runtime's own files

 private:
  struct State;
  explicit Device(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::runtime
