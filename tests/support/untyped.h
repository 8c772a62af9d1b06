// SPDX-License-Identifier: MIT
// What masks of Vulkan give to those who ask for a function by its name.
#pragma once

#include <vulkan/vulkan_core.h>

namespace pelt::test {

template <class Function>
PFN_vkVoidFunction untyped(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

}  // namespace pelt::test
