// SPDX-License-Identifier: MIT
// Vulkan objects that are destroyed with their owner, which the Device must outlive.
#pragma once

#include <vulkan/vulkan_core.h>

#include <memory>
#include <string>
#include <type_traits>

#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/vulkan_functions.h>

namespace pelt::runtime {

template <class T>
struct Destroy {
  using pointer = T;
  VkDevice device = VK_NULL_HANDLE;
  void(VKAPI_PTR* function)(VkDevice, T, const VkAllocationCallbacks*) = nullptr;
  void operator()(T handle) const { function(device, handle, nullptr); }
};

template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy<T>>;

// Makes an object with its create function. `what` ends the error "cannot create ...".
template <class T, class Info, class Create, class DestroyFunction>
Result<Owned<T>> make_object(const Device& device, Create create, DestroyFunction destroy, const Info& info,
                             const std::string& what) {
  T made = VK_NULL_HANDLE;
  const VkResult result = create(device.handle(), &info, nullptr, &made);
  if (result != VK_SUCCESS) return vulkan_failure("create " + what, result);
  return Owned<T>(made, {device.handle(), destroy});
}

}  // namespace pelt::runtime
