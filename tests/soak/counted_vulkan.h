// SPDX-License-Identifier: MIT
// Vulkan that counts objects which were not destroyed, and fails on demand: a lost device, a refused object.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pelt::test {

// Works as Vulkan's entry point does, and counts. There is one device at a time.
PFN_vkVoidFunction VKAPI_CALL counted_entry_point(VkInstance instance, const char* name);

// Returns how many handles are alive, of all kinds ("Buffer") but those that are left out, as text.
std::string vulkan_counts(const std::vector<std::string>& without = {});
std::int64_t vulkan_count(const std::string& kind);

// Loses the device at the n-th submission or wait from now on, 1 being the next: that call and all later ones return
// VK_ERROR_DEVICE_LOST. Earlier submissions have finished by then, so that all objects may be destroyed. 0: never.
void lose_device_in(std::uint32_t calls);
bool device_is_lost();

// Has the n-th call from now on that makes an object or allocates memory return VK_ERROR_OUT_OF_DEVICE_MEMORY, once. 0:
// none.
void refuse_object_in(std::uint32_t calls);

}  // namespace pelt::test
