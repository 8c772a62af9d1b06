// SPDX-License-Identifier: MIT
#include "samples/viewer/app/target.h"

#include <imgui.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "samples/renderer/gpu_objects.h"
#include "samples/viewer/app/app.h"
#include "samples/viewer/app/swapchain.h"
#include "samples/viewer/app/ui.h"
// Comes after Vulkan's header, which it also includes.
#include <backends/imgui_impl_vulkan.h>

namespace pelt::viewer {
namespace {

using samples::Owned;

constexpr VkFormat kOffscreenFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

// The last error of Dear ImGui's Vulkan backend, which has no other way to report it.
VkResult& backend_result() {
  static VkResult result = VK_SUCCESS;
  return result;
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

  std::unique_ptr<Swapchain> window;  // nullptr: offscreen

  explicit State(const runtime::Device& on) : device(on), vk(on.functions()) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    wait_for_device();
    if (has_backend) ImGui_ImplVulkan_Shutdown();
    images.clear();
  }

  void wait_for_device() const {
    const std::unique_lock lock = device.lock_queue();
    vk.vkDeviceWaitIdle(device.handle());
  }
  VkExtent2D frame_size() const { return window ? window->size() : size; }
  Result<void> make_common();
  Result<void> make_backend();
  Result<FrameImage> make_frame_image(VkImage image) const;
  Result<void> make_window_images();
  void barrier(VkImage image, const samples::ImageUse& before, const samples::ImageUse& after) const;
  void record(App& app, const FrameImage& frame, bool all_samples);
  void stamp() {
    if (timer) timer->stamp(commands);
  }
  void report_times(App& app) const;
  Result<void> submit(const FrameImage& frame);
};

Result<void> Target::State::make_common() {
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = device.queue_family()};
  PELT_ASSIGN(pool, samples::make_object<VkCommandPool>(device, vk.vkCreateCommandPool, vk.vkDestroyCommandPool,
                                                        pool_info, "the command pool of frames"));
  const VkCommandBufferAllocateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool.get(),
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
  const VkResult allocated = vk.vkAllocateCommandBuffers(device.handle(), &commands_info, &commands);
  if (allocated != VK_SUCCESS) return runtime::vulkan_failure("make the commands of frames", allocated);
  const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  PELT_ASSIGN(done, samples::make_object<VkFence>(device, vk.vkCreateFence, vk.vkDestroyFence, fence_info,
                                                  "the fence of frames"));
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
  PELT_ASSIGN(render_pass, samples::make_object<VkRenderPass>(device, vk.vkCreateRenderPass, vk.vkDestroyRenderPass,
                                                              pass_info, "the render pass of panels"));
  return make_backend();
}

Result<void> Target::State::make_backend() {
  const VkDescriptorPoolSize pool_size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};  // the font
  const VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                        .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                        .maxSets = 1,
                                        .poolSizeCount = 1,
                                        .pPoolSizes = &pool_size};
  PELT_ASSIGN(descriptors,
              samples::make_object<VkDescriptorPool>(device, vk.vkCreateDescriptorPool, vk.vkDestroyDescriptorPool,
                                                     info, "the descriptor pool of panels"));
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

Result<FrameImage> Target::State::make_frame_image(VkImage image) const {
  FrameImage frame{.image = image};
  const VkImageViewCreateInfo view_info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  PELT_ASSIGN(auto view, samples::make_object<VkImageView>(device, vk.vkCreateImageView, vk.vkDestroyImageView,
                                                           view_info, "the view of a frame"));
  frame.view = std::move(view);
  const VkImageView attached = frame.view.get();
  const VkExtent2D extent = frame_size();
  const VkFramebufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                     .renderPass = render_pass.get(),
                                     .attachmentCount = 1,
                                     .pAttachments = &attached,
                                     .width = extent.width,
                                     .height = extent.height,
                                     .layers = 1};
  PELT_ASSIGN(frame.framebuffer,
              samples::make_object<VkFramebuffer>(device, vk.vkCreateFramebuffer, vk.vkDestroyFramebuffer, info,
                                                  "the framebuffer of a frame"));
  if (!window) return frame;
  const VkSemaphoreCreateInfo semaphore{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  PELT_ASSIGN(frame.drawn, samples::make_object<VkSemaphore>(device, vk.vkCreateSemaphore, vk.vkDestroySemaphore,
                                                             semaphore, "the semaphore of a frame"));
  return frame;
}

Result<void> Target::State::make_window_images() {
  wait_for_device();
  images.clear();
  PELT_ASSIGN(const auto handles, window->make_images(size));
  std::vector<FrameImage> made;  // all or none
  for (VkImage handle : handles) {
    PELT_ASSIGN(auto image, make_frame_image(handle));
    made.push_back(std::move(image));
  }
  images = std::move(made);
  return {};
}

void Target::State::barrier(VkImage image, const samples::ImageUse& before, const samples::ImageUse& after) const {
  samples::image_barrier(device, commands, image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}, before, after);
}

// Reports the times of the previous frame, which must be done, to the App.
void Target::State::report_times(App& app) const {
  if (!timed) return;
  const Result<std::vector<double>> stamps = timer->seconds();
  if (stamps) app.measured((*stamps)[1], (*stamps)[2] - (*stamps)[1]);
}

void Target::State::record(App& app, const FrameImage& frame, bool all_samples) {
  const VkExtent2D extent = frame_size();
  const samples::ImageUse copied{VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                                 VK_ACCESS_2_TRANSFER_WRITE_BIT};
  const samples::ImageUse drawn{VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
  report_times(app);
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
  if (window) {
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
                                       .semaphore = window ? window->acquired() : VK_NULL_HANDLE,
                                       .stageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT};
  const VkSemaphoreSubmitInfo signal{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                     .semaphore = frame.drawn.get(),
                                     .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
  const std::uint32_t semaphores = window ? 1 : 0;
  const VkSubmitInfo2 info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                           .waitSemaphoreInfoCount = semaphores,
                           .pWaitSemaphoreInfos = &wait_for,
                           .commandBufferInfoCount = 1,
                           .pCommandBufferInfos = &buffer,
                           .signalSemaphoreInfoCount = semaphores,
                           .pSignalSemaphoreInfos = &signal};
  const std::unique_lock lock = device.lock_queue();
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
  PELT_ASSIGN(state->window, Swapchain::create(device, surface));
  state->format = state->window->format();
  PELT_TRY(state->make_common());
  return Target(std::move(state));
}

Result<Target> Target::offscreen(const runtime::Device& device, VkExtent2D size) {
  auto state = std::make_unique<State>(device);
  state->size = size;
  state->format = kOffscreenFormat;
  PELT_ASSIGN(
      auto texture,
      samples::make_texture(
          device, {.format = kOffscreenFormat, .size = size, .usage = kFrameUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
          "offscreen window"));
  state->offscreen = std::move(texture);
  PELT_TRY(state->make_common());
  PELT_ASSIGN(auto image, state->make_frame_image(state->offscreen.image.get()));
  state->images.push_back(std::move(image));
  return Target(std::move(state));
}

void Target::set_size(VkExtent2D size) {
  State& state = *state_;
  if (!state.window) return;
  if (size.width != state.size.width || size.height != state.size.height) state.window->set_stale();
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
  if (state.window) {
    if (state.window->stale()) PELT_TRY(state.make_window_images());
    if (state.images.empty()) return {};
    PELT_ASSIGN(const auto acquired, state.window->acquire());
    if (!acquired) return {};
    index = *acquired;
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
  return state.window ? state.window->present(index, frame.drawn.get()) : Result<void>();
}

Result<samples::Image> Target::read_back() {
  const State& state = *state_;
  PELT_ASSIGN(const auto reader, samples::PictureReader::create(state.device, state.size, "picture"));
  PELT_TRY(runtime::submit_and_wait(state.device, "picture", [&](VkCommandBuffer commands) {
    reader.record(state.device, commands, state.offscreen.image.get());
  }));
  return reader.picture();
}

}  // namespace pelt::viewer
