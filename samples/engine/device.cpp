// SPDX-License-Identifier: MIT
#include "samples/engine/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

#include <pelt/runtime/debug.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

namespace pelt::samples {
namespace {

using runtime::vulkan_failure;

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  (*static_cast<const std::function<void(const std::string&)>*>(user))(data->pMessage);
  return VK_FALSE;
}

// Returns whether `wanted` is a device's index, or part of its name in upper or lower case.
bool is_wanted(const std::string& wanted, std::size_t index, const std::string& name) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return wanted == std::to_string(index) ||
         std::search(name.begin(), name.end(), wanted.begin(), wanted.end(), same) != name.end();
}

// Ranks a device for a game; higher is better.
int rank(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 3;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

Result<std::unique_ptr<GameDevice>> GameDevice::create(const GameDeviceOptions& options) {
  std::unique_ptr<GameDevice> made(new GameDevice);
  PELT_TRY(made->make_instance(options));
  PELT_TRY(made->choose_physical(options.select));
  made->choose_families(options.one_queue);
  PELT_TRY(made->make_device());
  return made;
}

Result<void> GameDevice::make_instance(const GameDeviceOptions& options) {
  entry_ = runtime::vulkan_entry_point();
  if (entry_ == nullptr) return fail(ErrorCode::kUnsupported, "no Vulkan loader is installed");
  on_message_ = options.on_validation_message;
  const bool validation = static_cast<bool>(on_message_);
  const VkDebugUtilsMessengerCreateInfoEXT messenger_info{
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity =
          VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = on_message,
      .pUserData = &on_message_};
  const VkValidationFeatureEnableEXT enabled = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  const VkValidationFeaturesEXT features{.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                         .pNext = &messenger_info,
                                         .enabledValidationFeatureCount = 1,
                                         .pEnabledValidationFeatures = &enabled};
  const char* const layer = "VK_LAYER_KHRONOS_validation";
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  const VkApplicationInfo application{
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "pelt_game", .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pNext = validation ? &features : nullptr,
                                  .pApplicationInfo = &application,
                                  .enabledLayerCount = validation ? 1u : 0u,
                                  .ppEnabledLayerNames = &layer,
                                  .enabledExtensionCount = validation ? 2u : 0u,
                                  .ppEnabledExtensionNames = extensions};
  VkResult result = load<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance_);
  if (result != VK_SUCCESS) return vulkan_failure("make the game's Vulkan instance", result);
  if (!validation) return {};
  result = load<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(instance_, &messenger_info,
                                                                                      nullptr, &messenger_);
  if (result != VK_SUCCESS) return vulkan_failure("make the messenger of the validation layer", result);
  return {};
}

Result<void> GameDevice::choose_physical(const std::string& select) {
  const char* environment = std::getenv("PELT_DEVICE");
  const std::string wanted = select.empty() && environment != nullptr ? environment : select;
  std::uint32_t count = 0;
  const auto enumerate = load<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
  enumerate(instance_, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  enumerate(instance_, &count, devices.data());
  const auto get_properties = load<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties");
  int best = -1;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    // Pelt lists the features that a device lacks, before the game makes one.
    runtime::DeviceDescription found = runtime::describe_device(entry_, instance_, devices[i]);
    VkPhysicalDeviceProperties properties;
    get_properties(devices[i], &properties);
    if (properties.apiVersion < VK_API_VERSION_1_3)
      found.missing.emplace_back("Vulkan 1.3, which this game draws with");
    others.push_back(found.missing.empty() ? found.name
                                           : fmt::format("{} (lacks {})", found.name, fmt::join(found.missing, ", ")));
    if (!is_wanted(wanted, i, found.name) || !found.missing.empty() || rank(found.type) <= best) continue;
    best = rank(found.type);
    physical_ = devices[i];
  }
  if (physical_ != VK_NULL_HANDLE) return {};
  return fail(ErrorCode::kUnsupported,
              fmt::format("no Vulkan device called '{}' has the features that the game and Pelt need; available: {}",
                          wanted, others.empty() ? "none" : fmt::to_string(fmt::join(others, ", "))));
}

// Takes the first family that draws, and for compute one that does not, to run in parallel with drawing.
void GameDevice::choose_families(bool one_queue) {
  std::uint32_t count = 0;
  const auto get = load<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties");
  get(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  get(physical_, &count, families.data());
  const auto find = [&](VkQueueFlags with, VkQueueFlags without) -> std::optional<std::uint32_t> {
    for (std::uint32_t f = 0; f < count; ++f) {
      if ((families[f].queueFlags & with) == with && (families[f].queueFlags & without) == 0) return f;
    }
    return std::nullopt;
  };
  graphics_family_ = find(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 0).value_or(0);
  const auto beside = find(VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT);
  compute_family_ = one_queue ? graphics_family_ : beside.value_or(graphics_family_);
}

Result<void> GameDevice::make_device() {
  VkPhysicalDeviceVulkan13Features has13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features has12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                         .pNext = &has13};
  VkPhysicalDeviceFeatures2 has{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &has12};
  load<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(physical_, &has);
  std::vector<std::string> missing;
  if (has.features.multiDrawIndirect == VK_FALSE) missing.emplace_back("multiDrawIndirect");
  if (has.features.drawIndirectFirstInstance == VK_FALSE) missing.emplace_back("drawIndirectFirstInstance");
  if (has12.drawIndirectCount == VK_FALSE) missing.emplace_back("drawIndirectCount");
  if (has12.scalarBlockLayout == VK_FALSE) missing.emplace_back("scalarBlockLayout");
  if (!missing.empty()) {
    return fail(ErrorCode::kUnsupported, fmt::format("the Vulkan device lacks {}", fmt::join(missing, ", ")));
  }

  // Features that the game needs; Pelt needs none. Every device of Vulkan 1.3 has all of them except those
  // checked above.
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                       .synchronization2 = VK_TRUE,
                                       .dynamicRendering = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &v13,
                                       .drawIndirectCount = VK_TRUE,
                                       .scalarBlockLayout = VK_TRUE,
                                       .timelineSemaphore = VK_TRUE};
  const VkPhysicalDeviceFeatures features{.multiDrawIndirect = VK_TRUE, .drawIndirectFirstInstance = VK_TRUE};
  const float priority = 1.0f;
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const std::uint32_t family : {graphics_family_, compute_family_}) {
    if (!queues.empty() && family == graphics_family_) continue;
    queues.push_back({.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                      .queueFamilyIndex = family,
                      .queueCount = 1,
                      .pQueuePriorities = &priority});
  }
  const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &v12,
                                .queueCreateInfoCount = static_cast<std::uint32_t>(queues.size()),
                                .pQueueCreateInfos = queues.data(),
                                .pEnabledFeatures = &features};
  const VkResult result = load<PFN_vkCreateDevice>("vkCreateDevice")(physical_, &info, nullptr, &device_);
  if (result != VK_SUCCESS) return vulkan_failure("make the game's Vulkan device", result);
  const auto get = load<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
  const auto get_queue = reinterpret_cast<PFN_vkGetDeviceQueue>(get(device_, "vkGetDeviceQueue"));
  get_queue(device_, graphics_family_, 0, &graphics_queue_);
  get_queue(device_, compute_family_, 0, &compute_queue_);

  VkPhysicalDeviceProperties properties;
  load<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(physical_, &properties);
  VkPhysicalDeviceMemoryProperties types;
  load<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(physical_, &types);
  memory_ = std::make_unique<GameMemory>(device_, get, types, properties.limits);
  PELT_ASSIGN(auto adopted, runtime::Device::adopt({.get_instance_proc_addr = entry_,
                                                    .instance = instance_,
                                                    .physical = physical_,
                                                    .device = device_,
                                                    .queue_family = compute_family_,
                                                    .queue = compute_queue_,
                                                    .memory = memory_->callbacks(),
                                                    .debug_utils = messenger_ != VK_NULL_HANDLE}));
  pelt_.emplace(std::move(adopted));
  return {};
}

GameDevice::~GameDevice() {
  pelt_.reset();
  memory_.reset();
  if (device_ != VK_NULL_HANDLE) load<PFN_vkDestroyDevice>("vkDestroyDevice")(device_, nullptr);
  if (messenger_ != VK_NULL_HANDLE) {
    load<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT")(instance_, messenger_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) load<PFN_vkDestroyInstance>("vkDestroyInstance")(instance_, nullptr);
}

Result<GameBuffer> GameBuffer::create(const GameDevice& device, VkDeviceSize size, VkBufferUsageFlags usage,
                                      runtime::MemoryUse use, const std::string& name) {
  const runtime::DeviceFunctions& vk = device.functions();
  const std::uint32_t families[] = {device.graphics_family(), device.compute_family()};
  const bool shared = families[0] != families[1];
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = size,
                                .usage = usage,
                                .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
                                .queueFamilyIndexCount = shared ? 2u : 0u,
                                .pQueueFamilyIndices = families};
  GameBuffer made;
  PELT_ASSIGN(made.handle_, make_object<VkBuffer>(device.pelt(), vk.vkCreateBuffer, vk.vkDestroyBuffer, info, name));
  runtime::set_name(device.pelt(), VK_OBJECT_TYPE_BUFFER, made.handle(), name);
  VkMemoryRequirements needs;
  vk.vkGetBufferMemoryRequirements(device.handle(), made.handle(), &needs);
  PELT_ASSIGN(auto memory, runtime::allocate(device.pelt(), needs, use, name));
  made.memory_ = std::move(memory);
  const VkResult bound =
      vk.vkBindBufferMemory(device.handle(), made.handle(), made.memory_.memory(), made.memory_.offset());
  if (bound != VK_SUCCESS) return vulkan_failure("give memory to " + name, bound);
  return made;
}

VkMappedMemoryRange GameBuffer::range() const {
  return {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
          .memory = memory_.memory(),
          .offset = memory_.offset(),
          .size = memory_.size()};
}

void GameBuffer::flush(const GameDevice& device) const {
  const VkMappedMemoryRange all = range();
  if (!memory_.coherent()) device.functions().vkFlushMappedMemoryRanges(device.handle(), 1, &all);
}

void GameBuffer::invalidate(const GameDevice& device) const {
  const VkMappedMemoryRange all = range();
  if (!memory_.coherent()) device.functions().vkInvalidateMappedMemoryRanges(device.handle(), 1, &all);
}

Result<Timeline> Timeline::create(const GameDevice& device, std::string name) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  Timeline made;
  PELT_ASSIGN(made.handle_, make_object<VkSemaphore>(device.pelt(), vk.vkCreateSemaphore, vk.vkDestroySemaphore, info,
                                                     "the timeline of " + name));
  made.name_ = std::move(name);
  return made;
}

Result<void> Timeline::wait(const GameDevice& device, std::uint64_t value, std::chrono::nanoseconds longest) const {
  const VkSemaphore semaphore = handle();
  const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                 .semaphoreCount = 1,
                                 .pSemaphores = &semaphore,
                                 .pValues = &value};
  const VkResult result =
      device.functions().vkWaitSemaphores(device.handle(), &info, static_cast<std::uint64_t>(longest.count()));
  if (result == VK_SUCCESS) return {};
  if (result != VK_TIMEOUT) return vulkan_failure(fmt::format("wait for {} of frame {}", name_, value), result);
  return fail(ErrorCode::kDeviceFailed, fmt::format("{} of frame {} has not finished after {} s", name_, value,
                                                    std::chrono::duration<double>(longest).count()));
}

Result<void> submit(const GameDevice& device, VkQueue queue, VkCommandBuffer commands, const Timeline& waits,
                    std::uint64_t wait_value, const Timeline& signals, std::uint64_t signal_value) {
  // Wait before and signal after all commands: changes of owner are commands too.
  const VkSemaphoreSubmitInfo wait{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                   .semaphore = waits.handle(),
                                   .value = wait_value,
                                   .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
  const VkSemaphoreSubmitInfo signal{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                     .semaphore = signals.handle(),
                                     .value = signal_value,
                                     .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
  const VkCommandBufferSubmitInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                         .commandBuffer = commands};
  const VkSubmitInfo2 info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                           .waitSemaphoreInfoCount = wait_value > 0 ? 1u : 0u,
                           .pWaitSemaphoreInfos = &wait,
                           .commandBufferInfoCount = 1,
                           .pCommandBufferInfos = &buffer,
                           .signalSemaphoreInfoCount = 1,
                           .pSignalSemaphoreInfos = &signal};
  const VkResult result = device.functions().vkQueueSubmit2(queue, 1, &info, VK_NULL_HANDLE);
  if (result != VK_SUCCESS) return vulkan_failure(fmt::format("submit frame {}", signal_value), result);
  return {};
}

}  // namespace pelt::samples
