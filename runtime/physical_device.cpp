// SPDX-License-Identifier: MIT
#include "runtime/physical_device.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"

namespace pelt::runtime {
namespace {

std::vector<std::string> missing_features(const InstanceFunctions& functions, VkPhysicalDevice physical,
                                          const VkPhysicalDeviceProperties& properties,
                                          VkDeviceSize largest_allocation) {
  if (properties.apiVersion < VK_API_VERSION_1_1) {
    return {formatted("Vulkan 1.1 (it has {}.{})", VK_API_VERSION_MAJOR(properties.apiVersion),
                      VK_API_VERSION_MINOR(properties.apiVersion))};
  }
  // Loaders return functions of 1.1 for any instance, but for a 1.0 instance these leave structures of 1.1 unchanged.
  if (largest_allocation == 0) return {"Vulkan 1.1 (its instance was made with apiVersion 1.0)"};
  std::vector<std::string> missing;
  const auto require = [&](const char* name, std::uint32_t value, std::uint32_t least) {
    if (value < least) missing.push_back(formatted("{} of {} (it has {})", name, least, value));
  };
  const VkPhysicalDeviceLimits& limits = properties.limits;
  require("maxPerStageDescriptorStorageBuffers", limits.maxPerStageDescriptorStorageBuffers, kMaxStorageBuffers);
  require("maxDescriptorSetStorageBuffers", limits.maxDescriptorSetStorageBuffers, kMaxStorageBuffers);
  require("maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations, 128);
  require("maxComputeWorkGroupSize", limits.maxComputeWorkGroupSize[0], 128);
  if (!compute_family(queue_families(functions, physical))) missing.emplace_back("a queue with compute");
  return missing;
}

// Device types, the most capable first.
constexpr struct {
  VkPhysicalDeviceType type;
  const char* name;
} kTypes[] = {{VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "discrete"},
              {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, "integrated"},
              {VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, "virtual"},
              {VK_PHYSICAL_DEVICE_TYPE_CPU, "software"},
              {VK_PHYSICAL_DEVICE_TYPE_OTHER, "other"}};

// Returns a type's index in the list, whose last entry stands for all other types.
std::size_t rank(VkPhysicalDeviceType type) {
  std::size_t place = 0;
  while (place + 1 < std::size(kTypes) && kTypes[place].type != type) ++place;
  return place;
}

std::string listing(std::span<const PhysicalDevice> devices) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceDescription& device = devices[i].description;
    lines.push_back(formatted("{} = {} ({}{})", i, device.name, kTypes[rank(device.type)].name,
                              device.missing.empty() ? "" : ", not usable"));
  }
  return lines.empty() ? "there are none" : formatted("the devices are {}", joined(lines, ", "));
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::vector<MemoryHeap> memory_heaps(const InstanceFunctions& functions, const PhysicalDevice& physical) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budgets{.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                           .pNext = physical.has_memory_budget ? &budgets : nullptr};
  functions.vkGetPhysicalDeviceMemoryProperties2(physical.handle, &memory);
  std::vector<MemoryHeap> heaps;
  for (std::uint32_t h = 0; h < memory.memoryProperties.memoryHeapCount; ++h) {
    const VkMemoryHeap& heap = memory.memoryProperties.memoryHeaps[h];
    MemoryHeap& made = heaps.emplace_back();
    made.size = heap.size;
    made.device_local = (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    if (!physical.has_memory_budget) continue;
    made.budget = budgets.heapBudget[h];
    made.usage = budgets.heapUsage[h];
  }
  return heaps;
}

std::vector<VkQueueFamilyProperties> queue_families(const InstanceFunctions& functions, VkPhysicalDevice physical) {
  return enumerated<VkQueueFamilyProperties>(
      [&](auto* count, auto* items) { functions.vkGetPhysicalDeviceQueueFamilyProperties(physical, count, items); });
}

std::optional<std::uint32_t> compute_family(std::span<const VkQueueFamilyProperties> families) {
  for (const VkQueueFlags wanted : {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_COMPUTE_BIT + 0}) {
    for (std::uint32_t family = 0; family < families.size(); ++family) {
      if ((families[family].queueFlags & wanted) == wanted) return family;
    }
  }
  return std::nullopt;
}

std::vector<VkExtensionProperties> device_extensions(const InstanceFunctions& functions, VkPhysicalDevice physical) {
  return enumerated<VkExtensionProperties>([&](auto* count, auto* items) {
    functions.vkEnumerateDeviceExtensionProperties(physical, nullptr, count, items);
  });
}

PhysicalDevice describe_physical_device(const InstanceFunctions& functions, VkPhysicalDevice handle,
                                        std::uint32_t most_version) {
  VkPhysicalDeviceDriverProperties driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceMaintenance4Properties sizes{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES,
                                               .maxBufferSize = VK_WHOLE_SIZE};
  VkPhysicalDeviceMaintenance3Properties allocations{.sType =
                                                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  functions.vkGetPhysicalDeviceProperties2(handle, &properties);
  const std::uint32_t version = std::min(properties.properties.apiVersion, most_version);
  const std::vector<VkExtensionProperties> extensions = device_extensions(functions, handle);
  // Queries only structures that the device knows.
  const auto ask = [&](auto& structure, std::uint32_t core, const char* extension) {
    if (version < core && !has_extension(extensions, extension)) return;
    structure.pNext = properties.pNext;
    properties.pNext = &structure;
  };
  ask(allocations, VK_API_VERSION_1_1, VK_KHR_MAINTENANCE_3_EXTENSION_NAME);
  ask(sizes, VK_API_VERSION_1_3, VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
  ask(driver, VK_API_VERSION_1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
  functions.vkGetPhysicalDeviceProperties2(handle, &properties);
  return {.handle = handle,
          .description = {.name = properties.properties.deviceName,
                          .driver = formatted("{} {}", driver.driverName, driver.driverInfo),
                          .type = properties.properties.deviceType,
                          .missing = missing_features(functions, handle, properties.properties,
                                                      allocations.maxMemoryAllocationSize)},
          .limits = properties.properties.limits,
          .version = version,
          .largest_buffer = sizes.maxBufferSize,
          .largest_allocation = allocations.maxMemoryAllocationSize,
          .has_memory_budget = has_extension(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)};
}

Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance) {
  std::uint32_t count = 0;
  VkResult result = instance.functions.vkEnumeratePhysicalDevices(instance.handle, &count, nullptr);
  if (result != VK_SUCCESS) return vulkan_failure("list the Vulkan devices", result);
  std::vector<VkPhysicalDevice> handles(count);
  result = instance.functions.vkEnumeratePhysicalDevices(instance.handle, &count, handles.data());
  if (result != VK_SUCCESS) return vulkan_failure("list the Vulkan devices", result);
  std::vector<PhysicalDevice> devices;
  for (VkPhysicalDevice handle : handles)
    devices.push_back(describe_physical_device(instance.functions, handle, instance.version));
  return devices;
}

Result<std::size_t> choose_physical_device(std::span<const PhysicalDevice> devices, const std::string& select) {
  if (select.empty()) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (!devices[i].description.missing.empty()) continue;
      if (!best || rank(devices[i].description.type) < rank(devices[*best].description.type)) best = i;
    }
    if (best) return *best;
    if (devices.size() == 1) return std::size_t{0};  // the caller reports what it lacks
    return fail(ErrorCode::kNotFound, "no Vulkan device is usable: " + listing(devices));
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(select.data(), select.data() + select.size(), index);
  const bool is_index = error == std::errc() && end == select.data() + select.size();
  if (is_index && index < devices.size()) return index;
  std::optional<std::size_t> found;  // prefers a usable device
  for (std::size_t i = devices.size(); !is_index && i-- > 0;) {
    const DeviceDescription& device = devices[i].description;
    if (lower_case(device.name).find(lower_case(select)) == std::string::npos) continue;
    if (!found || device.missing.empty() || !devices[*found].description.missing.empty()) found = i;
  }
  if (found) return *found;
  return fail(ErrorCode::kNotFound, formatted("no Vulkan device is called '{}': {}", select, listing(devices)));
}

Result<std::vector<DeviceDescription>> list_devices() {
  PELT_ASSIGN(const auto instance, make_instance({}));
  PELT_ASSIGN(const auto devices, physical_devices(*instance));
  std::vector<DeviceDescription> descriptions;
  for (const PhysicalDevice& device : devices) descriptions.push_back(device.description);
  return descriptions;
}

DeviceDescription describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                  VkPhysicalDevice physical) {
  const InstanceFunctions functions = load_instance_functions(get_instance_proc_addr, instance);
  std::vector<std::string> missing = missing_functions(functions);
  if (!missing.empty()) return {.missing = std::move(missing)};
  return describe_physical_device(functions, physical).description;
}

}  // namespace pelt::runtime
