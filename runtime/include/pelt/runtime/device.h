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
  // Called for each validation message; required with `validation`.
  std::function<void(const std::string& message)> on_validation_message;
  // For tests: host-visible memory behaves like that of a discrete GPU without coherence (host writes need a flush to
  // reach the device, device writes need an invalidation to reach the host), so that a missing copy or flush shows on
  // any device.
  bool pretend_discrete = false;
  // Enables robustBufferAccess, which every device has: no shader reads or writes beyond a buffer. This is a second
  // safeguard, since checked files cannot cause such an access. Has no effect on adopted devices.
  bool robust_buffer_access = true;
  // Extensions to enable in addition to those that Pelt needs, for example for surfaces and swapchains.
  std::vector<std::string> instance_extensions;
  std::vector<std::string> device_extensions;
  // Vulkan's entry point. Null: that of the loader, which is opened on first use.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
};

struct DeviceDescription {
  std::string name;
  std::string driver;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::vector<std::string> missing;  // missing parts of the device profile; empty: usable
};

// Lists every physical device, usable or not, in the order of the indices that DeviceOptions::select takes.
Result<std::vector<DeviceDescription>> list_devices();

// ------------------------------------------------------------------------------------------- a device of the caller's

// Describes a physical device and what it lacks.
DeviceDescription describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                  VkPhysicalDevice physical);

// A piece of the caller's device memory.
struct MemoryPiece {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  void* mapped = nullptr;  // the piece's first byte, until `free`; host-visible pieces are always mapped
  bool coherent = false;
  void* owner = nullptr;  // for the caller's own use
};

struct MemoryCallbacks {
  void* user = nullptr;
  // Fills `piece` with memory of a type in requirements.memoryTypeBits that has the properties `required` and, if
  // possible, `preferred`; allocated with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT if `device_address` is true. `name`
  // describes the memory's purpose and is valid only during the call. Called on any thread that makes or destroys an
  // object of Pelt's, never while a frame is posed or recorded.
  VkResult (*allocate)(void* user, const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                       VkMemoryPropertyFlags preferred, bool device_address, const char* name,
                       MemoryPiece& piece) = nullptr;
  void (*free)(void* user, const MemoryPiece& piece) = nullptr;
};

struct DeviceHandles {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;  // made with apiVersion 1.1 or higher
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;  // needs no features or extensions (docs/platforms.md)
  std::uint32_t queue_family = 0;    // family of the queue that runs the crowds' commands
  VkQueue queue = VK_NULL_HANDLE;    // for functions documented to submit and wait; may be null
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  MemoryCallbacks memory;    // no callbacks: the runtime allocates its own blocks
  bool debug_utils = false;  // true: VK_EXT_debug_utils is enabled; Pelt names objects and commands
  // True: bufferDeviceAddress is enabled, which device addresses of outputs need.
  bool buffer_device_address = false;
};

// A heap of device memory.
struct MemoryHeap {
  VkDeviceSize size = 0;
  bool device_local = false;
  // The bytes that the process may use, and that it uses now (VK_EXT_memory_budget); none: the driver does not report
  // them.
  std::optional<VkDeviceSize> budget;
  VkDeviceSize usage = 0;
};

// A Vulkan device of the device profile (docs/runtime.md), with its functions and its memory. Move-only; outlives
// everything made from it.
class Device {
 public:
  // Makes an instance and a device, for tools and tests. Enables the features that Pelt's programs and outputs use, as
  // far as the physical device has them: synchronization2, dynamicRendering, scalarBlockLayout and bufferDeviceAddress,
  // from Vulkan 1.3 or extensions. Errors: no loader, no such device (the message lists the devices), missing limits or
  // extensions (the message names them).
  static Result<Device> create(const DeviceOptions& options = {});
  // Works on the caller's device, which must outlive this object. Makes only the objects that crowds and characters
  // need, and destroys nothing else. Errors: a null handle, only one of the two memory callbacks, a device that lacks
  // part of the device profile (the message names it), an instance made with apiVersion 1.0, functions that
  // get_instance_proc_addr does not find (the message names them).
  static Result<Device> adopt(const DeviceHandles& handles);
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  const DeviceDescription& description() const;
  VkInstance instance() const;
  VkPhysicalDevice physical() const;
  VkDevice handle() const;
  VkQueue queue() const;  // compute, and graphics if the device has it; null if DeviceHandles::queue was null
  std::uint32_t queue_family() const;
  bool has_graphics() const;
  const VkPhysicalDeviceLimits& limits() const;
  // Queries the driver; in Vulkan's order. Pelt's own allocations stay within the budgets: if a heap's budget is used
  // up, the next best heap is tried, and if none is left, the error reports it.
  std::vector<MemoryHeap> memory_heaps() const;
  const DeviceFunctions& functions() const;
  // Locks the queue. Hold the lock while you submit to the queue or present, because other threads may call functions
  // that submit and wait.
  [[nodiscard]] std::unique_lock<std::mutex> lock_queue() const;
  DeviceInternals& internals() const;  // for the runtime's own files

 private:
  struct State;
  explicit Device(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::runtime
