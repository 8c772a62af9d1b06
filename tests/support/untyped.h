// SPDX-License-Identifier: MIT
// Functions as masks of Vulkan return them by name.
#pragma once

#include <vulkan/vulkan_core.h>

namespace pelt::test {

template <class Function>
PFN_vkVoidFunction untyped(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

}  // namespace pelt::test
