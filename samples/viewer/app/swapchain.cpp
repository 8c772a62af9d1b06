// SPDX-License-Identifier: MIT
#include "samples/viewer/app/swapchain.h"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>

#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

namespace pelt::viewer {
namespace {

// sRGB values are blended and shown without conversion.
constexpr std::array<VkFormat, 2> kFormats = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM};
constexpr std::uint64_t kLongestWait = 500'000'000;  // ns, for an image of a window that may be invisible

// Vulkan's window functions, which only this file calls.
#define PELT_WINDOW_FUNCTIONS(F)               \
  F(vkAcquireNextImageKHR)                     \
  F(vkCreateSwapchainKHR)                      \
  F(vkDestroySurfaceKHR)                       \
  F(vkDestroySwapchainKHR)                     \
  F(vkGetPhysicalDeviceSurfaceCapabilitiesKHR) \
  F(vkGetPhysicalDeviceSurfaceFormatsKHR)      \
  F(vkGetPhysicalDeviceSurfaceSupportKHR)      \
  F(vkGetSwapchainImagesKHR)                   \
  F(vkQueuePresentKHR)

}  // namespace

struct Swapchain::Functions {
#define PELT_MEMBER(name) PFN_##name name = nullptr;
  PELT_WINDOW_FUNCTIONS(PELT_MEMBER)
#undef PELT_MEMBER

  explicit Functions(VkInstance instance) {
#define PELT_LOAD(name) name = reinterpret_cast<PFN_##name>(runtime::vulkan_entry_point()(instance, #name));
    PELT_WINDOW_FUNCTIONS(PELT_LOAD)
#undef PELT_LOAD
  }
};

Swapchain::Swapchain(const runtime::Device& device, VkSurfaceKHR surface)
    : device_(device), wsi_(std::make_unique<Functions>(device.instance())), surface_(surface) {}

Swapchain::~Swapchain() {
  if (handle_ != VK_NULL_HANDLE) wsi_->vkDestroySwapchainKHR(device_.handle(), handle_, nullptr);
  wsi_->vkDestroySurfaceKHR(device_.instance(), surface_, nullptr);
}

Result<std::unique_ptr<Swapchain>> Swapchain::create(const runtime::Device& device, VkSurfaceKHR surface) {
  std::unique_ptr<Swapchain> made(new Swapchain(device, surface));
  PELT_TRY(made->choose_format());
  const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  const runtime::DeviceFunctions& vk = device.functions();
  PELT_ASSIGN(made->acquired_, samples::make_object<VkSemaphore>(device, vk.vkCreateSemaphore, vk.vkDestroySemaphore,
                                                                 info, "the semaphore of the window"));
  return made;
}

Result<void> Swapchain::choose_format() {
  VkBool32 shows = VK_FALSE;
  VkResult result =
      wsi_->vkGetPhysicalDeviceSurfaceSupportKHR(device_.physical(), device_.queue_family(), surface_, &shows);
  if (result != VK_SUCCESS) return runtime::vulkan_failure("ask whether the device shows pictures", result);
  if (shows == VK_FALSE) {
    return fail(ErrorCode::kUnsupported,
                "the Vulkan device " + device_.description().name + " cannot show pictures in this window");
  }
  std::uint32_t count = 0;
  result = wsi_->vkGetPhysicalDeviceSurfaceFormatsKHR(device_.physical(), surface_, &count, nullptr);
  std::vector<VkSurfaceFormatKHR> offered(count);
  if (result >= 0)
    result = wsi_->vkGetPhysicalDeviceSurfaceFormatsKHR(device_.physical(), surface_, &count, offered.data());
  if (result < 0) return runtime::vulkan_failure("list the formats of the window", result);
  for (const VkFormat wanted : kFormats) {
    for (const VkSurfaceFormatKHR& one : offered) {
      if (format_ == VK_FORMAT_UNDEFINED && one.format == wanted) {
        format_ = wanted;
        color_space_ = one.colorSpace;
      }
    }
  }
  if (format_ == VK_FORMAT_UNDEFINED) {
    return fail(ErrorCode::kUnsupported, "the window offers no format with 8 bits per channel");
  }
  return {};
}

Result<std::vector<VkImage>> Swapchain::make_images(VkExtent2D wanted) {
  VkSurfaceCapabilitiesKHR can{};
  VkResult result = wsi_->vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_.physical(), surface_, &can);
  if (result != VK_SUCCESS) return runtime::vulkan_failure("ask for the size of the window", result);
  size_ = can.currentExtent.width != std::numeric_limits<std::uint32_t>::max()
              ? can.currentExtent
              : VkExtent2D{std::clamp(wanted.width, can.minImageExtent.width, can.maxImageExtent.width),
                           std::clamp(wanted.height, can.minImageExtent.height, can.maxImageExtent.height)};
  if (size_.width == 0 || size_.height == 0) return std::vector<VkImage>();
  if ((can.supportedUsageFlags & kFrameUsage) != kFrameUsage) {
    return fail(ErrorCode::kUnsupported, "the window's images cannot be the target of copies");
  }
  const std::uint32_t most = can.maxImageCount == 0 ? std::numeric_limits<std::uint32_t>::max() : can.maxImageCount;
  const VkSwapchainKHR before = handle_;
  const VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                      .surface = surface_,
                                      .minImageCount = std::min(can.minImageCount + 1, most),
                                      .imageFormat = format_,
                                      .imageColorSpace = color_space_,
                                      .imageExtent = size_,
                                      .imageArrayLayers = 1,
                                      .imageUsage = kFrameUsage,
                                      .preTransform = can.currentTransform,
                                      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                      .clipped = VK_TRUE,
                                      .oldSwapchain = before};
  VkSwapchainKHR made = VK_NULL_HANDLE;
  result = wsi_->vkCreateSwapchainKHR(device_.handle(), &info, nullptr, &made);
  if (before != VK_NULL_HANDLE) wsi_->vkDestroySwapchainKHR(device_.handle(), before, nullptr);
  handle_ = made;
  if (result != VK_SUCCESS) return runtime::vulkan_failure("make the images of the window", result);
  std::uint32_t count = 0;
  result = wsi_->vkGetSwapchainImagesKHR(device_.handle(), handle_, &count, nullptr);
  std::vector<VkImage> handles(count);
  if (result >= 0) result = wsi_->vkGetSwapchainImagesKHR(device_.handle(), handle_, &count, handles.data());
  if (result < 0) return runtime::vulkan_failure("list the images of the window", result);
  stale_ = false;
  return handles;
}

Result<std::optional<std::uint32_t>> Swapchain::acquire() {
  std::uint32_t index = 0;
  const VkResult result =
      wsi_->vkAcquireNextImageKHR(device_.handle(), handle_, kLongestWait, acquired_.get(), VK_NULL_HANDLE, &index);
  stale_ = result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR;
  if (result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_TIMEOUT || result == VK_NOT_READY)
    return std::optional<std::uint32_t>();
  if (result < 0) return runtime::vulkan_failure("take an image of the window", result);
  return std::optional(index);
}

Result<void> Swapchain::present(std::uint32_t index, VkSemaphore drawn) {
  const VkPresentInfoKHR info{.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                              .waitSemaphoreCount = 1,
                              .pWaitSemaphores = &drawn,
                              .swapchainCount = 1,
                              .pSwapchains = &handle_,
                              .pImageIndices = &index};
  const std::unique_lock lock = device_.lock_queue();
  const VkResult result = wsi_->vkQueuePresentKHR(device_.queue(), &info);
  if (result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR) {
    stale_ = true;
  } else if (result != VK_SUCCESS) {
    return runtime::vulkan_failure("show a frame", result);
  }
  return {};
}

}  // namespace pelt::viewer
