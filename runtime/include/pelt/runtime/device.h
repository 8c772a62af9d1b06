// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt::runtime {

struct DeviceFunctions;  // vulkan_functions.h
struct DeviceInternals;  // device_internals.h

struct DeviceOptions {
  // Index in list_devices(), or part of a name, in upper or lower case. Empty: the environment variable PELT_DEVICE; if
  // that is empty too, the most capable device (discrete, integrated, virtual, software).
  std::string select;
  // Turns on the validation layer with synchronization validation; an error if the layer is not installed.
  bool validation = false;
  // Called once for each validation message; required with `validation`.
  std::function<void(const std::string& message)> on_validation_message;
  // For tests: host-visible memory behaves as that of a discrete card without coherence (writes that are not flushed do
  // not reach the device, and device writes that are not invalidated do not reach the host), so that a missing copy or
  // flush shows on any device.
  bool pretend_discrete = false;
  // Enables robustBufferAccess, which every device has: no shader reads or writes beyond a buffer. Files are checked so
  // that none does; this is a second wall. Devices that are adopted are as the game made them.
  bool robust_buffer_access = true;
  // Extensions to enable besides those that Pelt needs; programs that show pictures need those of surfaces and
  // swapchains.
  std::vector<std::string> instance_extensions;
  std::vector<std::string> device_extensions;
  // Vulkan's entry point. Null: that of the loader, which is opened when it is first needed.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
};

struct DeviceDescription {
  std::string name;
  std::string driver;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::vector<std::string> missing;  // what the device lacks of the device profile; empty: usable
};

// Lists every physical device, usable or not, in the order of the indices that DeviceOptions::select takes.
Result<std::vector<DeviceDescription>> list_devices();

// ------------------------------------------------------------------------------------------- a device of the caller's

// Describes a physical device, and what it lacks, before a device is made on it.
DeviceDescription describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                  VkPhysicalDevice physical);

// A piece of the caller's device memory.
struct MemoryPiece {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  void* mapped = nullptr;  // the piece's first byte, for as long as it is held; host-visible pieces are always mapped
  bool coherent = false;
  void* owner = nullptr;  // for the caller's own use
};

struct MemoryCallbacks {
  void* user = nullptr;
  // Fills `piece` with memory of a type in requirements.memoryTypeBits that has the properties `required` and, if
  // possible, `preferred`. May be called from every thread that makes or destroys an object of Pelt's, never while a
  // frame is posed or recorded. If `device_address` is true, the memory must be allocated with
  // VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT: buffers with VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT need it. `name` is
  // valid only during the call.
  VkResult (*allocate)(void* user, const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                       VkMemoryPropertyFlags preferred, bool device_address, const char* name,
                       MemoryPiece& piece) = nullptr;
  void (*free)(void* user, const MemoryPiece& piece) = nullptr;
};

struct DeviceHandles {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;  // made with apiVersion 1.1 or higher
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;  // Pelt needs no feature and no extension of it (docs/platforms.md)
  std::uint32_t queue_family = 0;    // family of the queue that runs the crowds' commands
  VkQueue queue = VK_NULL_HANDLE;    // used only by functions that say that they submit and wait; may be null
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  MemoryCallbacks memory;    // no callbacks: the runtime allocates blocks of its own
  bool debug_utils = false;  // true: VK_EXT_debug_utils is enabled, and objects and commands are named
  // True: the feature bufferDeviceAddress is enabled, which outputs by address need.
  bool buffer_device_address = false;
};

// A heap of device memory.
struct MemoryHeap {
  VkDeviceSize size = 0;
  bool device_local = false;
  // What the process may take now, and what it has, as the driver says (VK_EXT_memory_budget); none: it says nothing.
  std::optional<VkDeviceSize> budget;
  VkDeviceSize usage = 0;
};

// A Vulkan device of the device profile (docs/runtime.md), with its functions and its memory. Move-only; outlives
// everything made from it.
class Device {
 public:
  // Makes an instance and a device of its own, for tools and tests. Of what Pelt's own programs draw with, and of what
  // outputs may need, the device has all that the physical device has: synchronization2, dynamicRendering,
  // scalarBlockLayout and bufferDeviceAddress, by Vulkan 1.3 or by extensions. Errors: no loader, no such device (the
  // message lists those that exist), limits or extensions missing (the message names them).
  static Result<Device> create(const DeviceOptions& options = {});
  // Works on the caller's device, which outlives this object: makes only the objects that crowds and characters need,
  // and destroys nothing else. Errors: a null handle, only one of the two memory callbacks, a device that lacks
  // something of the device profile (the message names it), an instance made with apiVersion 1.0, and functions that
  // get_instance_proc_addr does not find (named).
  static Result<Device> adopt(const DeviceHandles& handles);
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  const DeviceDescription& description() const;
  VkInstance instance() const;
  VkPhysicalDevice physical() const;
  VkDevice handle() const;
  VkQueue queue() const;  // compute, and graphics if the device has it; null if adopt() was given none
  std::uint32_t queue_family() const;
  bool has_graphics() const;
  const VkPhysicalDeviceLimits& limits() const;
  // Asks the driver; by the numbers of Vulkan. Memory that Pelt allocates itself stays within the budgets: where a heap
  // has no more, the next best takes it, and where none has, the error says so.
  std::vector<MemoryHeap> memory_heaps() const;
  const DeviceFunctions& functions() const;
  // Locks the queue: hold it while commands of the caller's are submitted or presented there, since functions that say
  // that they submit and wait may be called from other threads.
  [[nodiscard]] std::unique_lock<std::mutex> lock_queue() const;
  DeviceInternals& internals() const;  // for the runtime's own files

 private:
  struct State;
  explicit Device(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::runtime
