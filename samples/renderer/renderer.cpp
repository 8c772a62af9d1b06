// SPDX-License-Identifier: MIT
#include "samples/renderer/renderer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "engine/core/frame.h"
#include "runtime/debug.h"
#include "runtime/transfer.h"
#include "runtime/vulkan_functions.h"
#include "samples/renderer/geometry.h"
#include "samples/renderer/gpu_objects.h"
#include "samples/renderer/lighting.h"
#include "samples/renderer/pipelines.h"

namespace pelt::samples {
namespace {

constexpr std::uint32_t kMapSize = 1024;
constexpr std::uint32_t kMaxSamples = 1024;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

constexpr glm::vec4 kWireColor(0.02f, 0.02f, 0.025f, 0.45f);
constexpr glm::vec4 kCageColor(0.95f, 0.20f, 0.02f, 0.9f);
constexpr float kHiddenCageOpacity = 0.10f;
constexpr float kWireWidth = 1.0f;  // as State::pixels_of takes them
constexpr float kCageWidth = 1.15f;
constexpr float kDotWidth = 5.0f;

constexpr ImageUse kNew{};
constexpr ImageUse kDrawnColor{VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                               VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                               VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
constexpr ImageUse kDrawnDepth{
    VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT};
constexpr ImageUse kSampled{VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                            VK_ACCESS_2_SHADER_SAMPLED_READ_BIT};
constexpr ImageUse kCopied{VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_2_COPY_BIT,
                           VK_ACCESS_2_TRANSFER_READ_BIT};

// The same use with its contents given up: what was there is overwritten.
constexpr ImageUse discarded(ImageUse use) {
  use.layout = VK_IMAGE_LAYOUT_UNDEFINED;
  return use;
}

struct Targets {
  Texture maps;     // shadow maps of one sample
  Texture color;    // one sample
  Texture depth;    // of one sample
  Texture mean;     // of all samples
  Texture picture;  // the result
  runtime::Buffer readback;
};

Result<Targets> make_targets(const runtime::Device& device, const TargetFormats& formats, VkExtent2D size) {
  constexpr VkImageUsageFlags kColor = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  constexpr VkImageUsageFlags kDepth = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  constexpr VkImageUsageFlags kSampledImage = VK_IMAGE_USAGE_SAMPLED_BIT;
  Targets made;
  const struct {
    Texture& into;
    TextureOptions options;
    const char* name;
  } list[] = {
      {made.maps, {formats.depth, {kMapSize, kMapSize}, shared::kMaps, kDepth | kSampledImage}, "shadow maps"},
      {made.color, {formats.color, size, 1, kColor | kSampledImage}, "sample color"},
      {made.depth, {formats.depth, size, 1, kDepth}, "sample depth"},
      {made.mean, {formats.mean, size, 1, kColor | kSampledImage}, "mean color"},
      {made.picture, {formats.picture, size, 1, kColor | VK_IMAGE_USAGE_TRANSFER_SRC_BIT}, "picture"},
  };
  for (const auto& [into, options, name] : list) {
    auto texture = make_texture(device, options, name);
    if (!texture) return tl::unexpected(texture.error());
    into = std::move(*texture);
  }
  auto readback = runtime::Buffer::create(device, {.size = VkDeviceSize{4} * size.width * size.height,
                                                   .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                   .memory = runtime::MemoryUse::kReadback,
                                                   .name = "picture readback"});
  if (!readback) return tl::unexpected(readback.error());
  made.readback = std::move(*readback);
  return made;
}

// What one picture reads besides the crowds' vertices.
struct SceneBuffers {
  runtime::Buffer frame;
  runtime::Buffer samples;  // one every sample_stride bytes
  std::uint32_t sample_stride = 0;
  runtime::Buffer indices;
  runtime::Buffer edges;
  std::vector<runtime::Buffer> weights;  // one an item
};

Result<SceneBuffers> make_scene_buffers(const runtime::Device& device, const Scene& scene, const Geometry& geometry,
                                        const Lighting& lighting) {
  constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  SceneBuffers made;
  const auto fill = [&]<class T>(runtime::Buffer& into, std::span<const T> values, VkBufferUsageFlags usage,
                                 const char* name) -> Result<void> {
    auto buffer = make_buffer(device, values, usage, name);
    if (!buffer) return tl::unexpected(buffer.error());
    into = std::move(*buffer);
    return {};
  };
  constexpr VkBufferUsageFlags kUniform = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  const auto alignment = static_cast<std::uint32_t>(device.limits().minUniformBufferOffsetAlignment);
  made.sample_stride = (std::uint32_t{sizeof(shared::Sample)} + alignment - 1) / alignment * alignment;
  std::vector<std::byte> samples(lighting.samples.size() * made.sample_stride);
  for (std::size_t i = 0; i < lighting.samples.size(); ++i) {
    std::memcpy(&samples[i * made.sample_stride], &lighting.samples[i], sizeof(shared::Sample));
  }
  Result<void> ok = fill(made.frame, std::span(&lighting.frame, 1), kUniform, "frame");
  if (ok) ok = fill(made.samples, std::span<const std::byte>(samples), kUniform, "samples");
  if (ok) ok = fill(made.indices, std::span(geometry.indices), VK_BUFFER_USAGE_INDEX_BUFFER_BIT, "triangles");
  if (ok) ok = fill(made.edges, std::span(geometry.edges), kStorage, "edges");
  made.weights.resize(scene.items.size());
  for (std::size_t i = 0; ok && i < scene.items.size(); ++i) {
    ok = fill(made.weights[i], scene.items[i].weights, kStorage, "weights");
  }
  if (!ok) return tl::unexpected(ok.error());
  return made;
}

// Where vertex 0 of an item's instance is: descriptors start at aligned offsets, words count from there.
struct VertexRange {
  VkDescriptorBufferInfo positions;
  VkDescriptorBufferInfo directions;
  std::uint32_t first_word = 0;
  std::uint32_t first_packed = 0;
};

VertexRange vertex_range(const DrawItem& item, VkDeviceSize alignment) {
  const runtime::VertexLayout& layout = item.crowd->layout();
  const auto range = [&](VkDeviceSize offset, std::uint32_t stride, std::uint32_t& first_word) {
    const VkDeviceSize bytes = VkDeviceSize{layout.vertices_per_instance} * stride;
    const VkDeviceSize begin = offset + item.instance * bytes;
    const VkDeviceSize aligned = begin / alignment * alignment;
    first_word = static_cast<std::uint32_t>((begin - aligned) / 4);
    return VkDescriptorBufferInfo{item.crowd->vertex_buffer(), aligned, begin - aligned + bytes};
  };
  VertexRange made{};
  made.positions = range(layout.positions_offset, layout.positions_stride, made.first_word);
  made.directions = range(layout.directions_offset, layout.directions_stride, made.first_packed);
  return made;
}

struct Descriptors {
  Owned<VkDescriptorPool> pool;
  VkDescriptorSet sample = VK_NULL_HANDLE;   // set 0 while a sample is drawn and added
  VkDescriptorSet develop = VK_NULL_HANDLE;  // set 0 with the mean as its colour
  std::vector<VkDescriptorSet> items;        // set 1
};

}  // namespace

struct Renderer::State {
  const runtime::Device& device;
  const runtime::DeviceFunctions& vk;
  RendererOptions options;
  Pipelines pipelines;
  Targets targets;

  Result<Descriptors> make_descriptors(const Scene& scene, const SceneBuffers& buffers);
  void draw_scene(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry, const Lighting& lighting,
                  const SceneBuffers& buffers, const Descriptors& descriptors);

  void begin_pass(VkCommandBuffer commands, VkExtent2D size, const Texture* color, VkImageView depth,
                  VkAttachmentLoadOp load_color);
  template <class Constants>
  void push(VkCommandBuffer commands, const Constants& constants) {
    vk.vkCmdPushConstants(commands, pipelines.layout.get(), kStages, 0, sizeof constants, &constants);
  }
  void draw_triangles(VkCommandBuffer commands, const SurfaceDraw& draw, const Descriptors& descriptors);
  void draw_shadows(VkCommandBuffer commands, const Geometry& geometry, const Descriptors& descriptors,
                    const glm::mat4& map_from_world);
  void draw_surfaces(VkCommandBuffer commands, const Geometry& geometry, const Descriptors& descriptors);
  void draw_lines(VkCommandBuffer commands, const Geometry& geometry, const Descriptors& descriptors, bool hidden);
  void draw_points(VkCommandBuffer commands, const Geometry& geometry, const Descriptors& descriptors);
  void draw_edges(VkCommandBuffer commands, VkDescriptorSet item, const shared::DrawConstants& constants,
                  std::uint32_t first, std::uint32_t count);

  // A width in pixels of a picture 720 high, in those of this one.
  float pixels_of(float width) const { return width * std::max(static_cast<float>(options.height) / 720.0f, 0.75f); }

  VkExtent2D size() const { return {options.width, options.height}; }

  std::vector<shared::DrawConstants> item_constants;  // what is the same in all draws of an item
  std::vector<glm::mat4> item_worlds;
};

Result<Descriptors> Renderer::State::make_descriptors(const Scene& scene, const SceneBuffers& buffers) {
  const auto items = static_cast<std::uint32_t>(scene.items.size());
  Descriptors made;
  const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 * items + 1},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 6}};
  const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 2 + items,
                                             .poolSizeCount = sizes.size(),
                                             .pPoolSizes = sizes.data()};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  if (const VkResult result = vk.vkCreateDescriptorPool(device.handle(), &pool_info, nullptr, &pool);
      result != VK_SUCCESS) {
    return runtime::vulkan_failure("make a scene's descriptors", result);
  }
  made.pool = Owned<VkDescriptorPool>(pool, {device.handle(), vk.vkDestroyDescriptorPool});
  std::vector<VkDescriptorSetLayout> layouts(2 + items, pipelines.item_layout.get());
  layouts[0] = layouts[1] = pipelines.scene_layout.get();
  std::vector<VkDescriptorSet> sets(layouts.size());
  const VkDescriptorSetAllocateInfo set_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = pool,
                                             .descriptorSetCount = 2 + items,
                                             .pSetLayouts = layouts.data()};
  if (const VkResult result = vk.vkAllocateDescriptorSets(device.handle(), &set_info, sets.data());
      result != VK_SUCCESS) {
    return runtime::vulkan_failure("make a scene's descriptors", result);
  }
  made.sample = sets[0];
  made.develop = sets[1];
  made.items.assign(sets.begin() + 2, sets.end());

  const auto write_buffer = [&](VkDescriptorSet set, std::uint32_t binding, const VkDescriptorBufferInfo& info,
                                VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set,
                                     .dstBinding = binding,
                                     .descriptorCount = 1,
                                     .descriptorType = type,
                                     .pBufferInfo = &info};
    vk.vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
  };
  const auto write_image = [&](VkDescriptorSet set, std::uint32_t binding, const Texture& texture, VkSampler sampler) {
    const VkDescriptorImageInfo info{sampler, texture.view.get(), kSampled.layout};
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set,
                                     .dstBinding = binding,
                                     .descriptorCount = 1,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                     .pImageInfo = &info};
    vk.vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
  };
  const auto whole = [](const runtime::Buffer& buffer) {
    return VkDescriptorBufferInfo{buffer.handle(), 0, buffer.size()};
  };

  for (const VkDescriptorSet set : {made.sample, made.develop}) {
    write_buffer(set, shared::kBindFrame, whole(buffers.frame), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
    write_buffer(set, shared::kBindSample, {buffers.samples.handle(), 0, sizeof(shared::Sample)},
                 VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
    write_image(set, shared::kBindMaps, targets.maps, pipelines.map_sampler.get());
    write_image(set, shared::kBindDepths, targets.maps, pipelines.color_sampler.get());
    write_image(set, shared::kBindColor, set == made.sample ? targets.color : targets.mean,
                pipelines.color_sampler.get());
  }
  item_constants.clear();
  item_worlds.clear();
  for (std::uint32_t i = 0; i < items; ++i) {
    const DrawItem& item = scene.items[i];
    const VertexRange range = vertex_range(item, device.limits().minStorageBufferOffsetAlignment);
    write_buffer(made.items[i], shared::kBindPositions, range.positions);
    write_buffer(made.items[i], shared::kBindDirections, range.directions);
    write_buffer(made.items[i], shared::kBindWeights, whole(buffers.weights[i]));
    write_buffer(made.items[i], shared::kBindEdges, whole(buffers.edges));
    item_worlds.push_back(item.world);
    item_constants.push_back({.world = affine_from_mat4(item.world),
                              .first_word = range.first_word,
                              .first_packed = range.first_packed,
                              .flags = item.weights.empty() ? 0 : shared::kDrawHeat});
  }
  return made;
}

// Viewport, scissor and attachments. `color` may be nullptr, `depth` may be VK_NULL_HANDLE; depth is cleared.
void Renderer::State::begin_pass(VkCommandBuffer commands, VkExtent2D extent, const Texture* color, VkImageView depth,
                                 VkAttachmentLoadOp load_color) {
  const VkRenderingAttachmentInfo color_info{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = color != nullptr ? color->view.get() : VK_NULL_HANDLE,
                                             .imageLayout = kDrawnColor.layout,
                                             .loadOp = load_color,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
  const VkRenderingAttachmentInfo depth_info{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = depth,
                                             .imageLayout = kDrawnDepth.layout,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                             .clearValue = {.depthStencil = {1.0f, 0}}};
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, extent},
                             .layerCount = 1,
                             .colorAttachmentCount = color != nullptr ? 1u : 0u,
                             .pColorAttachments = &color_info,
                             .pDepthAttachment = depth != VK_NULL_HANDLE ? &depth_info : nullptr};
  vk.vkCmdBeginRendering(commands, &info);
  const VkViewport viewport{0, 0, static_cast<float>(extent.width), static_cast<float>(extent.height), 0, 1};
  const VkRect2D scissor{{0, 0}, extent};
  vk.vkCmdSetViewport(commands, 0, 1, &viewport);
  vk.vkCmdSetScissor(commands, 0, 1, &scissor);
}

void Renderer::State::draw_shadows(VkCommandBuffer commands, const Geometry& geometry, const Descriptors& descriptors,
                                   const glm::mat4& map_from_world) {
  for (const SurfaceDraw& draw : geometry.surfaces) {
    const shared::ShadowConstants constants{.map_from_model = map_from_world * item_worlds[draw.item],
                                            .first_word = item_constants[draw.item].first_word};
    push(commands, constants);
    draw_triangles(commands, draw, descriptors);
  }
}

void Renderer::State::draw_surfaces(VkCommandBuffer commands, const Geometry& geometry,
                                    const Descriptors& descriptors) {
  for (const SurfaceDraw& draw : geometry.surfaces) {
    shared::DrawConstants constants = item_constants[draw.item];
    constants.color = draw.color;
    push(commands, constants);
    draw_triangles(commands, draw, descriptors);
  }
}

void Renderer::State::draw_triangles(VkCommandBuffer commands, const SurfaceDraw& draw,
                                     const Descriptors& descriptors) {
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.layout.get(), 1, 1,
                             &descriptors.items[draw.item], 0, nullptr);
  vk.vkCmdDrawIndexed(commands, draw.index_count, 1, draw.first_index, static_cast<std::int32_t>(draw.first_vertex), 0);
}

// `hidden`: cages alone, faint, whatever is in front of them.
void Renderer::State::draw_lines(VkCommandBuffer commands, const Geometry& geometry, const Descriptors& descriptors,
                                 bool hidden) {
  for (const LineDraw& draw : geometry.lines) {
    if (hidden && !draw.control) continue;
    shared::DrawConstants constants = item_constants[draw.item];
    constants.color = draw.control ? kCageColor : kWireColor;
    if (hidden) constants.color.a = kHiddenCageOpacity;
    constants.flags = 0;
    constants.first_vertex = draw.first_vertex;
    constants.line_width = pixels_of(draw.control ? kCageWidth : kWireWidth);
    constants.line_lift = draw.control ? 2e-3f : 1e-3f;
    draw_edges(commands, descriptors.items[draw.item], constants, draw.first_edge, draw.edge_count);
  }
}

void Renderer::State::draw_points(VkCommandBuffer commands, const Geometry& geometry, const Descriptors& descriptors) {
  for (const PointDraw& draw : geometry.points) {
    shared::DrawConstants constants = item_constants[draw.item];
    constants.color = draw.color;
    constants.first_vertex = draw.first_vertex;
    constants.line_width = pixels_of(kDotWidth);
    constants.line_lift = 1e-3f;
    draw_edges(commands, descriptors.items[draw.item], constants, draw.first_edge, draw.count);
  }
}

void Renderer::State::draw_edges(VkCommandBuffer commands, VkDescriptorSet item, const shared::DrawConstants& constants,
                                 std::uint32_t first, std::uint32_t count) {
  push(commands, constants);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.layout.get(), 1, 1, &item, 0,
                             nullptr);
  vk.vkCmdDraw(commands, 6 * count, 1, 6 * first, 0);
}

void Renderer::State::draw_scene(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                                 const Lighting& lighting, const SceneBuffers& buffers,
                                 const Descriptors& descriptors) {
  // Compute: every crowd once, then vertices from its writes to the vertex shaders' reads.
  std::set<runtime::Crowd*> crowds;
  for (const DrawItem& item : scene.items) {
    if (crowds.insert(item.crowd).second) item.crowd->record(commands);
  }
  runtime::memory_barrier(vk, commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT);

  const auto bind = [&](const Owned<VkPipeline>& pipeline) {
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.get());
  };
  const auto bind_scene = [&](VkDescriptorSet set, std::uint32_t sample) {
    const std::uint32_t offset = sample * buffers.sample_stride;
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.layout.get(), 0, 1, &set, 1,
                               &offset);
  };
  vk.vkCmdBindIndexBuffer(commands, buffers.indices.handle(), 0, VK_INDEX_TYPE_UINT32);

  for (std::uint32_t i = 0; i < options.samples; ++i) {
    bind_scene(descriptors.sample, i);

    // Shadow maps; the sample before has been read from them.
    image_barrier(device, commands, targets.maps, i == 0 ? kNew : discarded(kSampled), kDrawnDepth);
    bind(pipelines.shadow);
    for (std::uint32_t map = 0; map < shared::kMaps; ++map) {
      begin_pass(commands, {kMapSize, kMapSize}, nullptr, targets.maps.layer_views[map].get(),
                 VK_ATTACHMENT_LOAD_OP_DONT_CARE);
      draw_shadows(commands, geometry, descriptors, lighting.samples[i].maps[map].map_from_world);
      vk.vkCmdEndRendering(commands);
    }
    image_barrier(device, commands, targets.maps, kDrawnDepth, kSampled);

    // The sample.
    image_barrier(device, commands, targets.color, i == 0 ? kNew : discarded(kSampled), kDrawnColor);
    image_barrier(device, commands, targets.depth, i == 0 ? kNew : discarded(kDrawnDepth), kDrawnDepth);
    begin_pass(commands, size(), &targets.color, targets.depth.view.get(), VK_ATTACHMENT_LOAD_OP_CLEAR);
    bind(pipelines.surface);
    draw_surfaces(commands, geometry, descriptors);
    if (lighting.ground) {
      bind(pipelines.ground);
      vk.vkCmdDraw(commands, 4, 1, 0, 0);
    }
    bind(pipelines.point);
    draw_points(commands, geometry, descriptors);
    bind(pipelines.hidden_line);
    draw_lines(commands, geometry, descriptors, true);
    bind(pipelines.line);
    draw_lines(commands, geometry, descriptors, false);
    vk.vkCmdEndRendering(commands);

    // Added to the mean.
    image_barrier(device, commands, targets.color, kDrawnColor, kSampled);
    image_barrier(device, commands, targets.mean, i == 0 ? kNew : kDrawnColor, kDrawnColor);
    begin_pass(commands, size(), &targets.mean, VK_NULL_HANDLE,
               i == 0 ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD);
    bind(pipelines.accumulate);
    vk.vkCmdDraw(commands, 3, 1, 0, 0);
    vk.vkCmdEndRendering(commands);
  }

  // The mean becomes the picture, and the picture goes to the host.
  image_barrier(device, commands, targets.mean, kDrawnColor, kSampled);
  image_barrier(device, commands, targets.picture, kNew, kDrawnColor);
  bind_scene(descriptors.develop, 0);
  begin_pass(commands, size(), &targets.picture, VK_NULL_HANDLE, VK_ATTACHMENT_LOAD_OP_DONT_CARE);
  bind(pipelines.develop);
  vk.vkCmdDraw(commands, 3, 1, 0, 0);
  vk.vkCmdEndRendering(commands);
  image_barrier(device, commands, targets.picture, kDrawnColor, kCopied);
  const VkBufferImageCopy copy{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                               .imageExtent = {options.width, options.height, 1}};
  vk.vkCmdCopyImageToBuffer(commands, targets.picture.image.get(), kCopied.layout, targets.readback.handle(), 1, &copy);
  runtime::memory_barrier(vk, commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
}

Renderer::Renderer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

Result<Renderer> Renderer::create(const runtime::Device& device, const RendererOptions& options) {
  if (!device.has_graphics()) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: the device cannot draw", device.description().name));
  }
  const std::uint32_t limit = device.limits().maxImageDimension2D;
  if (options.width == 0 || options.height == 0 || options.width > limit || options.height > limit) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a picture of {} x {} pixels: this device draws 1 to {} a side", options.width,
                            options.height, limit));
  }
  if (options.samples == 0 || options.samples > kMaxSamples) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} samples: a picture is the mean of 1 to {}", options.samples, kMaxSamples));
  }
  const TargetFormats formats = choose_formats(device);
  auto pipelines = make_pipelines(device, formats);
  if (!pipelines) return tl::unexpected(pipelines.error());
  auto targets = make_targets(device, formats, {options.width, options.height});
  if (!targets) return tl::unexpected(targets.error());
  return Renderer(std::unique_ptr<State>(
      new State{device, device.functions(), options, std::move(*pipelines), std::move(*targets), {}, {}}));
}

Result<Image> Renderer::render(const Scene& scene) {
  State& state = *state_;
  const Result<Geometry> geometry = make_geometry(scene);
  if (!geometry) return tl::unexpected(geometry.error());
  const Lighting lighting = make_lighting(scene, state.options);
  const auto buffers = make_scene_buffers(state.device, scene, *geometry, lighting);
  if (!buffers) return tl::unexpected(buffers.error());
  const auto descriptors = state.make_descriptors(scene, *buffers);
  if (!descriptors) return tl::unexpected(descriptors.error());
  const Result<void> drawn = runtime::submit_and_wait(state.device, "render", [&](VkCommandBuffer commands) {
    state.draw_scene(commands, scene, *geometry, lighting, *buffers, *descriptors);
  });
  if (!drawn) return tl::unexpected(drawn.error());

  Image image{.width = state.options.width, .height = state.options.height, .pixels = {}};
  image.pixels.resize(std::size_t{4} * image.width * image.height);
  state.targets.readback.invalidate(0, image.pixels.size());
  std::memcpy(image.pixels.data(), state.targets.readback.mapped(), image.pixels.size());
  return image;
}

}  // namespace pelt::samples
