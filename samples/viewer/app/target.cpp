// SPDX-License-Identifier: MIT
#include "samples/viewer/app/target.h"

#include <imgui.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "runtime/device_internals.h"
#include "samples/renderer/gpu_objects.h"
#include "samples/viewer/app/app.h"
#include "samples/viewer/app/ui.h"
// Comes after Vulkan's header, which it also includes.
#include <backends/imgui_impl_vulkan.h>

namespace pelt::viewer {
namespace {

using samples::Owned;

// sRGB values are blended and shown without conversion.
constexpr std::array<VkFormat, 2> kFormats = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM};
constexpr VkFormat kOffscreenFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr std::uint64_t kLongestWait = 500'000'000;  // ns, for an image of a window that may be invisible
constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

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

struct WindowFunctions {
#define PELT_MEMBER(name) PFN_##name name = nullptr;
  PELT_WINDOW_FUNCTIONS(PELT_MEMBER)
#undef PELT_MEMBER
};

WindowFunctions load_window_functions(VkInstance instance) {
  WindowFunctions functions;
#define PELT_LOAD(name) functions.name = reinterpret_cast<PFN_##name>(runtime::vulkan_entry_point()(instance, #name));
  PELT_WINDOW_FUNCTIONS(PELT_LOAD)
#undef PELT_LOAD
  return functions;
}

// The last error of Dear ImGui's Vulkan backend, which has no other way to report it.
VkResult& backend_result() {
  static VkResult result = VK_SUCCESS;
  return result;
}

// Makes one Vulkan object with its create function.
template <class T, class Info, class Create, class DestroyFunction>
Result<Owned<T>> make(const runtime::Device& device, Create create, DestroyFunction destroy, const Info& info,
                      const char* what) {
  T made = VK_NULL_HANDLE;
  const VkResult result = create(device.handle(), &info, nullptr, &made);
  if (result != VK_SUCCESS) return runtime::vulkan_failure(std::string("make ") + what, result);
  return Owned<T>(made, {device.handle(), destroy});
}

// An image that a frame is drawn into.
struct FrameImage {
  VkImage image = VK_NULL_HANDLE;
  Owned<VkImageView> view;
  Owned<VkFramebuffer> framebuffer;
  Owned<VkSemaphore> drawn;  // of a window: signalled when the image may be shown
};

}  // namespace

struct Target::State {
  const runtime::Device& device;
  const runtime::DeviceFunctions& vk;
  const WindowFunctions wsi;  // null if the device is not for a window
  VkExtent2D size{};
  VkFormat format = VK_FORMAT_UNDEFINED;
  Owned<VkCommandPool> pool;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  Owned<VkFence> done;
  bool in_flight = false;
  Owned<VkRenderPass> render_pass;
  Owned<VkDescriptorPool> descriptors;
  bool has_backend = false;
  std::vector<FrameImage> images;

  std::optional<runtime::GpuTimer> timer;  // none if the device has no timestamps
  bool timed = false;                      // the timer holds a frame

  samples::Texture offscreen;

  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkColorSpaceKHR color_space = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  VkExtent2D swapchain_size{};
  bool stale = true;
  Owned<VkSemaphore> acquired;

  explicit State(const runtime::Device& on)
      : device(on), vk(on.functions()), wsi(load_window_functions(on.instance())) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    wait_for_device();
    if (has_backend) ImGui_ImplVulkan_Shutdown();
    images.clear();
    if (swapchain != VK_NULL_HANDLE) wsi.vkDestroySwapchainKHR(device.handle(), swapchain, nullptr);
    if (surface != VK_NULL_HANDLE) wsi.vkDestroySurfaceKHR(device.instance(), surface, nullptr);
  }

  void wait_for_device() const {
    const std::lock_guard lock(device.internals().queue_mutex);
    vk.vkDeviceWaitIdle(device.handle());
  }
  Result<void> make_common();
  Result<void> make_backend();
  Result<void> choose_format();
  Result<FrameImage> make_frame_image(VkImage image) const;
  Result<void> make_swapchain();
  void barrier(VkImage image, const samples::ImageUse& before, const samples::ImageUse& after) const;
  void record(App& app, const FrameImage& frame, bool all_samples);
  void stamp() {
    if (timer) timer->stamp(commands);
  }
  void tell_times(App& app) const;
  Result<void> submit(const FrameImage& frame);
};

Result<void> Target::State::make_common() {
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = device.queue_family()};
  PELT_ASSIGN(pool, make<VkCommandPool>(device, vk.vkCreateCommandPool, vk.vkDestroyCommandPool, pool_info,
                                        "the command pool of frames"));
  const VkCommandBufferAllocateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool.get(),
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
  const VkResult allocated = vk.vkAllocateCommandBuffers(device.handle(), &commands_info, &commands);
  if (allocated != VK_SUCCESS) return runtime::vulkan_failure("make the commands of frames", allocated);
  const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  PELT_ASSIGN(auto made_fence,
              make<VkFence>(device, vk.vkCreateFence, vk.vkDestroyFence, fence_info, "the fence of frames"));
  done = std::move(made_fence);
  if (runtime::GpuTimer::supported(device)) {
    PELT_ASSIGN(timer, runtime::GpuTimer::create(device, 3));
  }

  // Draws over the copied picture. Explicit barriers surround the pass, so it changes no layouts.
  const VkAttachmentDescription attachment{.format = format,
                                           .samples = VK_SAMPLE_COUNT_1_BIT,
                                           .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                           .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                           .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                           .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                           .initialLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                           .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkSubpassDescription subpass{
      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .colorAttachmentCount = 1, .pColorAttachments = &reference};
  const VkRenderPassCreateInfo pass_info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &attachment,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
  PELT_ASSIGN(render_pass, make<VkRenderPass>(device, vk.vkCreateRenderPass, vk.vkDestroyRenderPass, pass_info,
                                              "the render pass of panels"));
  return make_backend();
}

Result<void> Target::State::make_backend() {
  const VkDescriptorPoolSize pool_size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};  // the font
  const VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                        .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                        .maxSets = 1,
                                        .poolSizeCount = 1,
                                        .pPoolSizes = &pool_size};
  PELT_ASSIGN(descriptors, make<VkDescriptorPool>(device, vk.vkCreateDescriptorPool, vk.vkDestroyDescriptorPool, info,
                                                  "the descriptor pool of panels"));
  backend_result() = VK_SUCCESS;
  ImGui_ImplVulkan_InitInfo init{};
  init.Instance = device.instance();
  init.PhysicalDevice = device.physical();
  init.Device = device.handle();
  init.QueueFamily = device.queue_family();
  init.Queue = device.queue();
  init.DescriptorPool = descriptors.get();
  init.MinImageCount = 2;  // the smallest number that it accepts
  init.ImageCount = 2;
  init.MSAASamples = VK_SAMPLE_COUNT_1_BIT;
  init.CheckVkResultFn = [](VkResult result) {
    if (result < 0) backend_result() = result;
  };
  has_backend = ImGui_ImplVulkan_Init(&init, render_pass.get());
  PELT_TRY(runtime::submit_and_wait(device, "font",
                                    [](VkCommandBuffer recorded) { ImGui_ImplVulkan_CreateFontsTexture(recorded); }));
  ImGui_ImplVulkan_DestroyFontUploadObjects();
  if (backend_result() != VK_SUCCESS) return runtime::vulkan_failure("prepare panels", backend_result());
  return {};
}

Result<void> Target::State::choose_format() {
  VkBool32 shows = VK_FALSE;
  VkResult result = wsi.vkGetPhysicalDeviceSurfaceSupportKHR(device.physical(), device.queue_family(), surface, &shows);
  if (result != VK_SUCCESS) return runtime::vulkan_failure("ask whether the device shows pictures", result);
  if (shows == VK_FALSE) {
    return fail(ErrorCode::kUnsupported,
                "the Vulkan device " + device.description().name + " cannot show pictures in this window");
  }
  std::uint32_t count = 0;
  result = wsi.vkGetPhysicalDeviceSurfaceFormatsKHR(device.physical(), surface, &count, nullptr);
  std::vector<VkSurfaceFormatKHR> offered(count);
  if (result >= 0)
    result = wsi.vkGetPhysicalDeviceSurfaceFormatsKHR(device.physical(), surface, &count, offered.data());
  if (result < 0) return runtime::vulkan_failure("list the formats of the window", result);
  for (const VkFormat wanted : kFormats) {
    for (const VkSurfaceFormatKHR& one : offered) {
      if (format == VK_FORMAT_UNDEFINED && one.format == wanted) {
        format = wanted;
        color_space = one.colorSpace;
      }
    }
  }
  if (format == VK_FORMAT_UNDEFINED) {
    return fail(ErrorCode::kUnsupported, "the window offers no format of 8 bits a channel");
  }
  return {};
}

Result<FrameImage> Target::State::make_frame_image(VkImage image) const {
  FrameImage frame{.image = image};
  const VkImageViewCreateInfo view_info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  PELT_ASSIGN(auto view,
              make<VkImageView>(device, vk.vkCreateImageView, vk.vkDestroyImageView, view_info, "the view of a frame"));
  frame.view = std::move(view);
  const VkImageView attached = frame.view.get();
  const VkExtent2D extent = surface != VK_NULL_HANDLE ? swapchain_size : size;
  const VkFramebufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                     .renderPass = render_pass.get(),
                                     .attachmentCount = 1,
                                     .pAttachments = &attached,
                                     .width = extent.width,
                                     .height = extent.height,
                                     .layers = 1};
  PELT_ASSIGN(frame.framebuffer, make<VkFramebuffer>(device, vk.vkCreateFramebuffer, vk.vkDestroyFramebuffer, info,
                                                     "the framebuffer of a frame"));
  if (surface == VK_NULL_HANDLE) return frame;
  const VkSemaphoreCreateInfo semaphore{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  PELT_ASSIGN(frame.drawn, make<VkSemaphore>(device, vk.vkCreateSemaphore, vk.vkDestroySemaphore, semaphore,
                                             "the semaphore of a frame"));
  return frame;
}

// Makes a swapchain for the window's current size, which may differ from `size`; if it is 0, there is no swapchain.
Result<void> Target::State::make_swapchain() {
  wait_for_device();
  images.clear();
  VkSurfaceCapabilitiesKHR can{};
  VkResult result = wsi.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device.physical(), surface, &can);
  if (result != VK_SUCCESS) return runtime::vulkan_failure("ask for the size of the window", result);
  swapchain_size = can.currentExtent.width != std::numeric_limits<std::uint32_t>::max()
                       ? can.currentExtent
                       : VkExtent2D{std::clamp(size.width, can.minImageExtent.width, can.maxImageExtent.width),
                                    std::clamp(size.height, can.minImageExtent.height, can.maxImageExtent.height)};
  if (swapchain_size.width == 0 || swapchain_size.height == 0) return {};
  if ((can.supportedUsageFlags & kUsage) != kUsage) {
    return fail(ErrorCode::kUnsupported, "the window's images cannot be copied to");
  }
  const std::uint32_t most = can.maxImageCount == 0 ? std::numeric_limits<std::uint32_t>::max() : can.maxImageCount;
  const VkSwapchainKHR before = swapchain;
  const VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                      .surface = surface,
                                      .minImageCount = std::min(can.minImageCount + 1, most),
                                      .imageFormat = format,
                                      .imageColorSpace = color_space,
                                      .imageExtent = swapchain_size,
                                      .imageArrayLayers = 1,
                                      .imageUsage = kUsage,
                                      .preTransform = can.currentTransform,
                                      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                      .clipped = VK_TRUE,
                                      .oldSwapchain = before};
  VkSwapchainKHR made = VK_NULL_HANDLE;
  result = wsi.vkCreateSwapchainKHR(device.handle(), &info, nullptr, &made);
  if (before != VK_NULL_HANDLE) wsi.vkDestroySwapchainKHR(device.handle(), before, nullptr);
  swapchain = made;
  if (result != VK_SUCCESS) return runtime::vulkan_failure("make the images of the window", result);
  std::uint32_t count = 0;
  result = wsi.vkGetSwapchainImagesKHR(device.handle(), swapchain, &count, nullptr);
  std::vector<VkImage> handles(count);
  if (result >= 0) result = wsi.vkGetSwapchainImagesKHR(device.handle(), swapchain, &count, handles.data());
  if (result < 0) return runtime::vulkan_failure("list the images of the window", result);
  for (VkImage handle : handles) {
    PELT_ASSIGN(auto image, make_frame_image(handle));
    images.push_back(std::move(image));
  }
  stale = false;
  return {};
}

void Target::State::barrier(VkImage image, const samples::ImageUse& before, const samples::ImageUse& after) const {
  samples::image_barrier(device, commands, image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}, before, after);
}

// Tells the App the times of the previous frame, which is done.
void Target::State::tell_times(App& app) const {
  if (!timed) return;
  const Result<std::vector<double>> stamps = timer->seconds();
  if (stamps) app.measured((*stamps)[1], (*stamps)[2] - (*stamps)[1]);
}

void Target::State::record(App& app, const FrameImage& frame, bool all_samples) {
  const VkExtent2D extent = surface != VK_NULL_HANDLE ? swapchain_size : size;
  const samples::ImageUse copied{VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                                 VK_ACCESS_2_TRANSFER_WRITE_BIT};
  const samples::ImageUse drawn{VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
  tell_times(app);
  app.record(commands, all_samples);
  if (timer) timer->reset(commands);
  stamp();
  // Wait until the image may be written (submit waits at this stage), and discard its contents.
  barrier(frame.image, {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_NONE}, copied);
  const glm::vec4 color = background_color();
  const VkClearColorValue clear{.float32 = {color.r, color.g, color.b, color.a}};
  const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vk.vkCmdClearColorImage(commands, frame.image, copied.layout, &clear, 1, &whole);
  if (app.picture() != VK_NULL_HANDLE) {
    // The window may have become smaller since the panels were laid out.
    const PixelRect rect = app.picture_rect();
    const std::int32_t width =
        std::min(static_cast<std::int32_t>(rect.width), static_cast<std::int32_t>(extent.width) - rect.x);
    const std::int32_t height =
        std::min(static_cast<std::int32_t>(rect.height), static_cast<std::int32_t>(extent.height) - rect.y);
    if (rect.x >= 0 && rect.y >= 0 && width > 0 && height > 0) {
      barrier(frame.image, copied, copied);  // after the clear
      const VkImageBlit blit{.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             .srcOffsets = {{0, 0, 0}, {width, height, 1}},
                             .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             .dstOffsets = {{rect.x, rect.y, 0}, {rect.x + width, rect.y + height, 1}}};
      vk.vkCmdBlitImage(commands, app.picture(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, frame.image, copied.layout, 1,
                        &blit, VK_FILTER_NEAREST);
    }
  }
  barrier(frame.image, copied, drawn);
  stamp();
  const VkRenderPassBeginInfo begin{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                    .renderPass = render_pass.get(),
                                    .framebuffer = frame.framebuffer.get(),
                                    .renderArea = {{0, 0}, extent}};
  vk.vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  ImGui_ImplVulkan_RenderDrawData(ImGui::GetDrawData(), commands);
  vk.vkCmdEndRenderPass(commands);
  stamp();
  timed = timer.has_value();
  if (surface != VK_NULL_HANDLE) {
    barrier(frame.image, drawn, {VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_PIPELINE_STAGE_2_NONE, VK_ACCESS_2_NONE});
  } else {
    barrier(frame.image, drawn,
            {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT});
  }
}

Result<void> Target::State::submit(const FrameImage& frame) {
  const VkCommandBufferSubmitInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                         .commandBuffer = commands};
  const VkSemaphoreSubmitInfo wait_for{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                       .semaphore = acquired.get(),
                                       .stageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT};
  const VkSemaphoreSubmitInfo signal{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                     .semaphore = frame.drawn.get(),
                                     .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
  const std::uint32_t semaphores = surface != VK_NULL_HANDLE ? 1 : 0;
  const VkSubmitInfo2 info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                           .waitSemaphoreInfoCount = semaphores,
                           .pWaitSemaphoreInfos = &wait_for,
                           .commandBufferInfoCount = 1,
                           .pCommandBufferInfos = &buffer,
                           .signalSemaphoreInfoCount = semaphores,
                           .pSignalSemaphoreInfos = &signal};
  const std::lock_guard lock(device.internals().queue_mutex);
  const VkResult result = vk.vkQueueSubmit2(device.queue(), 1, &info, done.get());
  if (result != VK_SUCCESS) return runtime::vulkan_failure("draw a frame", result);
  in_flight = true;
  return {};
}

Target::Target(std::unique_ptr<State> state) : state_(std::move(state)) {}
Target::~Target() = default;
Target::Target(Target&&) noexcept = default;

Result<Target> Target::on_surface(const runtime::Device& device, VkSurfaceKHR surface) {
  auto state = std::make_unique<State>(device);
  state->surface = surface;
  PELT_TRY(state->choose_format());
  PELT_TRY(state->make_common());
  const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  PELT_ASSIGN(state->acquired, make<VkSemaphore>(device, state->vk.vkCreateSemaphore, state->vk.vkDestroySemaphore,
                                                 info, "the semaphore of the window"));
  return Target(std::move(state));
}

Result<Target> Target::offscreen(const runtime::Device& device, VkExtent2D size) {
  auto state = std::make_unique<State>(device);
  state->size = size;
  state->format = kOffscreenFormat;
  PELT_ASSIGN(auto texture,
              samples::make_texture(
                  device, {.format = kOffscreenFormat, .size = size, .usage = kUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
                  "offscreen window"));
  state->offscreen = std::move(texture);
  PELT_TRY(state->make_common());
  PELT_ASSIGN(auto image, state->make_frame_image(state->offscreen.image.get()));
  state->images.push_back(std::move(image));
  return Target(std::move(state));
}

void Target::set_size(VkExtent2D size) {
  State& state = *state_;
  if (state.surface == VK_NULL_HANDLE) return;
  if (size.width != state.size.width || size.height != state.size.height) state.stale = true;
  state.size = size;
}

Result<void> Target::wait() {
  State& state = *state_;
  if (!state.in_flight) return {};
  const VkFence fence = state.done.get();
  VkResult result = state.vk.vkWaitForFences(state.device.handle(), 1, &fence, VK_TRUE, kForever);
  if (result == VK_SUCCESS) result = state.vk.vkResetFences(state.device.handle(), 1, &fence);
  if (result != VK_SUCCESS) return runtime::vulkan_failure("wait for a frame", result);
  state.in_flight = false;
  return {};
}

Result<void> Target::draw(App& app, bool all_samples) {
  State& state = *state_;
  if (state.size.width == 0 || state.size.height == 0) return {};
  std::uint32_t index = 0;
  if (state.surface != VK_NULL_HANDLE) {
    if (state.stale) {
      PELT_TRY(state.make_swapchain());
    }
    if (state.images.empty()) return {};
    const VkResult acquired = state.wsi.vkAcquireNextImageKHR(state.device.handle(), state.swapchain, kLongestWait,
                                                              state.acquired.get(), VK_NULL_HANDLE, &index);
    state.stale = acquired == VK_SUBOPTIMAL_KHR || acquired == VK_ERROR_OUT_OF_DATE_KHR;
    if (acquired == VK_ERROR_OUT_OF_DATE_KHR || acquired == VK_TIMEOUT || acquired == VK_NOT_READY) return {};
    if (acquired < 0) return runtime::vulkan_failure("take an image of the window", acquired);
  }
  const FrameImage& frame = state.images[index];
  const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                       .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  VkResult result = state.vk.vkResetCommandPool(state.device.handle(), state.pool.get(), 0);
  if (result == VK_SUCCESS) result = state.vk.vkBeginCommandBuffer(state.commands, &begin);
  if (result != VK_SUCCESS) return runtime::vulkan_failure("record a frame", result);
  state.record(app, frame, all_samples);
  result = state.vk.vkEndCommandBuffer(state.commands);
  if (result == VK_SUCCESS) result = backend_result();
  if (result != VK_SUCCESS) return runtime::vulkan_failure("record a frame", result);
  PELT_TRY(state.submit(frame));
  if (state.surface == VK_NULL_HANDLE) return {};
  const VkSemaphore drawn = frame.drawn.get();
  const VkPresentInfoKHR present{.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                 .waitSemaphoreCount = 1,
                                 .pWaitSemaphores = &drawn,
                                 .swapchainCount = 1,
                                 .pSwapchains = &state.swapchain,
                                 .pImageIndices = &index};
  {
    const std::lock_guard lock(state.device.internals().queue_mutex);
    result = state.wsi.vkQueuePresentKHR(state.device.queue(), &present);
  }
  if (result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR) {
    state.stale = true;
  } else if (result != VK_SUCCESS) {
    return runtime::vulkan_failure("show a frame", result);
  }
  return {};
}

Result<samples::Image> Target::read_back() {
  State& state = *state_;
  samples::Image picture{state.size.width, state.size.height, {}};
  picture.pixels.resize(std::size_t{4} * picture.width * picture.height);
  PELT_ASSIGN(auto buffer, runtime::Buffer::create(state.device, {.size = picture.pixels.size(),
                                                                  .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                                  .memory = runtime::MemoryUse::kReadback,
                                                                  .name = "picture"}));
  PELT_TRY(runtime::submit_and_wait(state.device, "picture", [&](VkCommandBuffer commands) {
    const VkBufferImageCopy region{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                   .imageExtent = {picture.width, picture.height, 1}};
    state.vk.vkCmdCopyImageToBuffer(commands, state.offscreen.image.get(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    buffer.handle(), 1, &region);
    runtime::memory_barrier(state.vk, commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                            VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
  }));
  buffer.invalidate(0, picture.pixels.size());
  std::memcpy(picture.pixels.data(), buffer.mapped(), picture.pixels.size());
  return picture;
}

}  // namespace pelt::viewer
