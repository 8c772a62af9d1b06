// SPDX-License-Identifier: MIT
// Names and labels that debuggers, captures and validation messages show. They cost nothing without VK_EXT_debug_utils.
#pragma once

#include <cstdint>
#include <string>

#include <pelt/runtime/device.h>
#include <pelt/runtime/vulkan_functions.h>

namespace pelt::runtime {

// Names an object. Does nothing without VK_EXT_debug_utils.
inline void set_name(const DeviceFunctions& functions, VkDevice device, VkObjectType type, std::uint64_t handle,
                     const std::string& name) {
  if (functions.vkSetDebugUtilsObjectNameEXT == nullptr) return;
  const VkDebugUtilsObjectNameInfoEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                           .objectType = type,
                                           .objectHandle = handle,
                                           .pObjectName = name.c_str()};
  functions.vkSetDebugUtilsObjectNameEXT(device, &info);
}

template <class Handle>
void set_name(const Device& device, VkObjectType type, Handle* handle, const std::string& name) {
  set_name(device.functions(), device.handle(), type, reinterpret_cast<std::uint64_t>(handle), name);
}

// Labels the commands recorded during its lifetime.
class CommandLabel {
 public:
  CommandLabel(const DeviceFunctions& functions, VkCommandBuffer commands, const char* name)
      : functions_(functions), commands_(commands) {
    if (functions_.vkCmdBeginDebugUtilsLabelEXT == nullptr) return;
    const VkDebugUtilsLabelEXT label{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = name};
    functions_.vkCmdBeginDebugUtilsLabelEXT(commands_, &label);
  }
  ~CommandLabel() {
    if (functions_.vkCmdEndDebugUtilsLabelEXT != nullptr) functions_.vkCmdEndDebugUtilsLabelEXT(commands_);
  }
  CommandLabel(const CommandLabel&) = delete;
  CommandLabel& operator=(const CommandLabel&) = delete;

 private:
  const DeviceFunctions& functions_;
  VkCommandBuffer commands_;
};

}  // namespace pelt::runtime
