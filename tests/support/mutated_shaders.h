// SPDX-License-Identifier: MIT
// Shaders that are wrong on purpose, to see whether tests notice (tests/mutation/mutate.py).
#pragma once

#include <vulkan/vulkan_core.h>

namespace pelt::test {

// Works as the loader, but where a device is given the SPIR-V of a file NAME.was in the folder that PELT_MUTANTS names,
// it makes a module of NAME.is instead.
PFN_vkVoidFunction VKAPI_CALL mutated_entry_point(VkInstance instance, const char* name);

}  // namespace pelt::test
