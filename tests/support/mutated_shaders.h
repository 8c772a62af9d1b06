// SPDX-License-Identifier: MIT
// Shaders that are wrong on purpose, to see whether tests notice (tests/mutation/mutate.py), and whether `pelt verify`
// does.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace pelt::test {

// Changes the SPIR-V of every module that is made, if it is set.
extern std::function<void(std::vector<std::uint32_t>& words)> mutate_module;

// Works as the loader, but devices make modules from SPIR-V that mutate_module changed. If that is not set, and the
// SPIR-V equals a file NAME.was in the folder that PELT_MUTANTS names, the device makes a module from NAME.is instead.
PFN_vkVoidFunction VKAPI_CALL mutated_entry_point(VkInstance instance, const char* name);

}  // namespace pelt::test
