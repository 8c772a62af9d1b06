// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/result.h"

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

// A Vulkan device with the features that Pelt needs (docs/runtime.md: the device profile), its functions, and memory.
// Move-only; outlives everything made from it.
class Device {
 public:
  // Makes an instance and a device of its own, for tools and tests. Errors: no loader, no such device (the message
  // lists what there is), features or extensions missing (named).
  static Result<Device> create(const DeviceOptions& options = {});
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  const DeviceDescription& description() const;
  VkInstance instance() const;
  VkPhysicalDevice physical() const;
  VkDevice handle() const;
  VkQueue queue() const;  // compute; graphics too where the device has it
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
