// SPDX-License-Identifier: MIT
// The images of a window.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/renderer/gpu_objects.h"

namespace pelt::viewer {

// The usage of every image that frames are drawn into.
constexpr VkImageUsageFlags kFrameUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

// A window's surface and its swapchain. The device must outlive it, and be idle when it is destroyed.
class Swapchain {
 public:
  // Takes ownership of the surface, even on failure. Errors: the device cannot show pictures on it.
  static Result<std::unique_ptr<Swapchain>> create(const runtime::Device& device, VkSurfaceKHR surface);
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  VkFormat format() const { return format_; }
  VkExtent2D size() const { return size_; }
  VkSemaphore acquired() const { return acquired_.get(); }  // signalled when an acquired image may be written

  // Returns true if make_images() must be called again: the window's size may have changed.
  bool stale() const { return stale_; }
  void set_stale() { stale_ = true; }

  // Makes the images for the window's current size, which may differ from `wanted`; there are none if it is 0. The
  // device must be idle.
  Result<std::vector<VkImage>> make_images(VkExtent2D wanted);

  // Waits for an image and returns its index; none if the window shows nothing now.
  Result<std::optional<std::uint32_t>> acquire();
  // Shows an image when `drawn` is signalled.
  Result<void> present(std::uint32_t index, VkSemaphore drawn);

 private:
  struct Functions;
  Swapchain(const runtime::Device& device, VkSurfaceKHR surface);
  Result<void> choose_format();

  const runtime::Device& device_;
  std::unique_ptr<const Functions> wsi_;
  VkSurfaceKHR surface_;
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  VkColorSpaceKHR color_space_ = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  VkSwapchainKHR handle_ = VK_NULL_HANDLE;
  VkExtent2D size_{};
  bool stale_ = true;
  samples::Owned<VkSemaphore> acquired_;
};

}  // namespace pelt::viewer
