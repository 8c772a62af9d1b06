// SPDX-License-Identifier: MIT
#include "samples/engine/passes.h"

#include <cstring>
#include <glm/gtc/packing.hpp>

#include <pelt/try.h>

#include "samples/engine/shaders/character.frag.h"
#include "samples/engine/shaders/character.vert.h"
#include "samples/engine/shaders/ground.frag.h"
#include "samples/engine/shaders/ground.vert.h"
#include "samples/engine/shaders/prop.vert.h"
#include "samples/engine/shaders/shadow.vert.h"
#include "samples/renderer/make_pipeline.h"

namespace pelt::samples {
namespace {

constexpr VkFormat kColor = VK_FORMAT_R8G8B8A8_SRGB;
constexpr VkFormat kMotion = VK_FORMAT_R16G16_SFLOAT;
constexpr VkFormat kDepth = VK_FORMAT_D32_SFLOAT;
constexpr VkFormat kColors[] = {kColor, kMotion};
constexpr VkClearColorValue kHaze{{0.60f, 0.68f, 0.78f, 1.0f}};  // as in lighting.glsl

// The crowd's outputs, one per binding: positions, normals with tangents, previous positions, tension.
constexpr VkVertexInputBindingDescription kBindings[] = {{0, 12, VK_VERTEX_INPUT_RATE_VERTEX},
                                                         {1, 8, VK_VERTEX_INPUT_RATE_VERTEX},
                                                         {2, 12, VK_VERTEX_INPUT_RATE_VERTEX},
                                                         {3, 4, VK_VERTEX_INPUT_RATE_VERTEX}};
constexpr VkVertexInputAttributeDescription kAttributes[] = {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0},
                                                             {1, 1, VK_FORMAT_R32_UINT, 0},
                                                             {2, 2, VK_FORMAT_R32G32B32_SFLOAT, 0},
                                                             {3, 1, VK_FORMAT_R32_UINT, 4},
                                                             {4, 3, VK_FORMAT_R8G8_SNORM, 0}};

}  // namespace

Result<Passes> Passes::create(const GameDevice& device, const PassSizes& sizes, std::span<const GameBuffer> walkers,
                              const runtime::Crowd& crowd, const Culling& culling,
                              std::span<const shared::PropRecord> props) {
  Passes made;
  made.sizes_ = sizes;
  PELT_TRY(made.make_images(device));
  PELT_TRY(made.make_sets(device, walkers, crowd, culling, props));
  PELT_TRY(made.make_pipelines(device));
  return made;
}

Result<void> Passes::make_images(const GameDevice& device) {
  const runtime::Device& pelt = device.pelt();
  constexpr VkImageUsageFlags kTarget = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  constexpr VkImageUsageFlags kDepthTarget = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  PELT_ASSIGN(color_, make_texture(pelt, {.format = kColor, .size = sizes_.picture, .usage = kTarget}, "picture"));
  PELT_ASSIGN(motion_, make_texture(pelt, {.format = kMotion, .size = sizes_.picture, .usage = kTarget}, "motion"));
  PELT_ASSIGN(depth_, make_texture(pelt, {.format = kDepth, .size = sizes_.picture, .usage = kDepthTarget}, "depth"));
  PELT_ASSIGN(shadow_, make_texture(pelt,
                                    {.format = kDepth,
                                     .size = {sizes_.shadow, sizes_.shadow},
                                     .usage = kDepthTarget | VK_IMAGE_USAGE_SAMPLED_BIT},
                                    "shadow map"));
  // Everything beyond the map is lit. If the device does not filter depths, shadow edges are less smooth.
  const VkFormat filtered =
      first_format(pelt, std::span(&kDepth, 1), VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
  PELT_ASSIGN(shadow_sampler_, make_sampler(pelt, target_sampler(true, filtered == kDepth)));
  PELT_ASSIGN(picture_reader_, PictureReader::create(pelt, sizes_.picture, "picture for the host"));
  PELT_ASSIGN(motion_reader_, PictureReader::create(pelt, sizes_.picture, "motion for the host"));
  return {};
}

Result<void> Passes::make_sets(const GameDevice& device, std::span<const GameBuffer> walkers,
                               const runtime::Crowd& crowd, const Culling& culling,
                               std::span<const shared::PropRecord> props) {
  const SetBinding bindings[] = {{shared::kBindFrameRecord, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
                                 {shared::kBindWalkers, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                 {shared::kBindShadow, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                 {shared::kBindTable, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                 {shared::kBindParts, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                 {shared::kBindRest, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                 {shared::kBindAnchors, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                 {shared::kBindProps, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  PELT_ASSIGN(set_layout_, make_set_layout(device.pelt(), bindings, "the game's descriptor layout"));
  sets_ = DescriptorSets(set_layout_);
  const std::size_t sets = walkers.size() * runtime::kMaxOutputSlots;
  PELT_TRY(sets_.reserve(device.pelt(), sets));
  if (!props.empty()) {
    PELT_ASSIGN(props_, GameBuffer::create(device, props.size_bytes(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                           runtime::MemoryUse::kStream, "props"));
    std::memcpy(props_.mapped(), props.data(), props.size_bytes());
    props_.flush(device);
    prop_count_ = static_cast<std::uint32_t>(props.size());
  }
  for (std::size_t slot = 0; slot < walkers.size(); ++slot) {
    PELT_ASSIGN(auto frame, GameBuffer::create(device, sizeof(shared::FrameRecord), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                               runtime::MemoryUse::kStream, "frame"));
    frames_.push_back(std::move(frame));
  }
  for (std::size_t n = 0; n < sets; ++n) {
    const auto write = [&](std::uint32_t binding, VkDescriptorType type, VkDescriptorBufferInfo range) {
      write_descriptor(device.pelt(), sets_[n], binding, type, range);
    };
    const std::size_t slot = n % walkers.size();
    constexpr VkDescriptorType kStorageType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write(shared::kBindFrameRecord, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {frames_[slot].handle(), 0, VK_WHOLE_SIZE});
    write(shared::kBindWalkers, kStorageType, {walkers[slot].handle(), 0, VK_WHOLE_SIZE});
    write_descriptor(device.pelt(), sets_[n], shared::kBindShadow, shadow_.view.get(), shadow_sampler_.get());
    write(shared::kBindTable, kStorageType, crowd.table(n));
    write(shared::kBindParts, kStorageType, {culling.parts().handle(), 0, VK_WHOLE_SIZE});
    write(shared::kBindRest, kStorageType, {culling.rest().handle(), 0, VK_WHOLE_SIZE});
    if (props.empty()) continue;
    const runtime::OutputLocation& anchors = crowd.outputs(n).anchors;
    write(shared::kBindAnchors, kStorageType,
          {anchors.buffer, anchors.offset, crowd.rooms().anchors.capacity * anchors.stride});
    write(shared::kBindProps, kStorageType, {props_.handle(), 0, VK_WHOLE_SIZE});
  }
  return {};
}

Result<void> Passes::make_pipelines(const GameDevice& device) {
  const VkDescriptorSetLayout set = set_layout_.handle.get();
  PELT_ASSIGN(layout_, make_pipeline_layout(device.pelt(), {&set, 1}));
  const struct {
    Owned<VkPipeline>& into;
    PipelineOptions options;
  } list[] = {{shadow_pipeline_,
               {.name = "shadow map",
                .vertex = engine_spirv::shadow_vert,
                .fragment = {},
                .bindings = std::span(kBindings).first(1),
                .attributes = std::span(kAttributes).first(1),
                .depth = kDepth,
                .depth_bias = true}},
              {character_pipeline_,
               {.name = "characters",
                .vertex = engine_spirv::character_vert,
                .fragment = engine_spirv::character_frag,
                .bindings = kBindings,
                .attributes = kAttributes,
                .colors = kColors,
                .depth = kDepth}},
              {prop_pipeline_,
               {.name = "props",
                .vertex = engine_spirv::prop_vert,
                .fragment = engine_spirv::character_frag,
                .colors = kColors,
                .depth = kDepth}},
              {ground_pipeline_,
               {.name = "ground",
                .vertex = engine_spirv::ground_vert,
                .fragment = engine_spirv::ground_frag,
                .colors = kColors,
                .depth = kDepth,
                .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP}}};
  for (const auto& [into, options] : list) {
    PELT_ASSIGN(into, make_pipeline(device.pelt(), layout_.get(), options));
  }
  return {};
}

void Passes::set_frame(const GameDevice& device, std::uint32_t slot, const shared::FrameRecord& frame) const {
  std::memcpy(frames_[slot].mapped(), &frame, sizeof(frame));
  frames_[slot].flush(device);
}

// Binds all vertices of the crowd at once; each draw has its own first vertex.
void Passes::bind_vertices(const GameDevice& device, VkCommandBuffer commands,
                           const runtime::OutputLocations& outputs) const {
  const runtime::OutputLocation* const places[] = {&outputs.positions, &outputs.normals, &outputs.previous_positions,
                                                   &outputs.tension};
  VkBuffer buffers[4];
  VkDeviceSize offsets[4];
  for (std::size_t i = 0; i < 4; ++i) {
    buffers[i] = places[i]->buffer;
    offsets[i] = places[i]->offset;
  }
  device.functions().vkCmdBindVertexBuffers(commands, 0, 4, buffers, offsets);
}

void Passes::record(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot, const runtime::Crowd& crowd,
                    const Culling& culling) const {
  const runtime::DeviceFunctions& vk = device.functions();
  image_barrier(device.pelt(), commands, shadow_, discarded(kSampled), kDrawnDepth);
  const VkDescriptorSet set = sets_[(crowd.frames() - 1) % (frames_.size() * runtime::kMaxOutputSlots)];
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.get(), 0, 1, &set, 0, nullptr);
  const VkExtent2D map{sizes_.shadow, sizes_.shadow};
  begin_rendering(device.pelt(), commands, map, {{0, 0}, map}, {}, shadow_.view.get());
  bind_vertices(device, commands, crowd.outputs());
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, shadow_pipeline_.get());
  culling.draw_casts(device, commands, slot);
  vk.vkCmdEndRendering(commands);

  image_barrier(device.pelt(), commands, shadow_, kDrawnDepth, kSampled);
  image_barrier(device.pelt(), commands, depth_, discarded(kDrawnDepth), kDrawnDepth);
  for (const Texture* target : {&color_, &motion_}) {
    image_barrier(device.pelt(), commands, *target,
                  {VK_IMAGE_LAYOUT_UNDEFINED, kDrawnColor.stage | kCopied.stage, kDrawnColor.access}, kDrawnColor);
  }
  const VkRenderingAttachmentInfo colors[] = {color_attachment(color_, VK_ATTACHMENT_LOAD_OP_CLEAR, kHaze),
                                              color_attachment(motion_, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  begin_rendering(device.pelt(), commands, sizes_.picture, {{0, 0}, sizes_.picture}, colors, depth_.view.get());
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, character_pipeline_.get());
  culling.draw(device, commands, slot);
  if (prop_count_ > 0) {
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, prop_pipeline_.get());
    vk.vkCmdDraw(commands, shared::kPropVertices, prop_count_ * crowd.instance_count(), 0, 0);
  }
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, ground_pipeline_.get());
  vk.vkCmdDraw(commands, 4, 1, 0, 0);
  vk.vkCmdEndRendering(commands);
}

void Passes::record_capture(const GameDevice& device, VkCommandBuffer commands) const {
  for (const auto& [target, reader] : {std::pair(&color_, &picture_reader_), std::pair(&motion_, &motion_reader_)}) {
    image_barrier(device.pelt(), commands, *target, kDrawnColor, kCopied);
    reader->record(device.pelt(), commands, target->image.get());
  }
}

std::vector<glm::vec2> Passes::motion() const {
  const Image halves = motion_reader_.picture();
  std::vector<glm::vec2> vectors(std::size_t{halves.width} * halves.height);
  for (std::size_t p = 0; p < vectors.size(); ++p) {
    std::uint32_t word = 0;
    std::memcpy(&word, &halves.pixels[4 * p], sizeof(word));
    vectors[p] = glm::unpackHalf2x16(word);
  }
  return vectors;
}

}  // namespace pelt::samples
