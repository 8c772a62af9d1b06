// SPDX-License-Identifier: MIT
#include "samples/engine/passes.h"

#include <cstring>
#include <glm/gtc/packing.hpp>

#include <pelt/runtime/debug.h>
#include <pelt/try.h>

#include "samples/engine/shaders/character.frag.h"
#include "samples/engine/shaders/character.vert.h"
#include "samples/engine/shaders/ground.frag.h"
#include "samples/engine/shaders/ground.vert.h"
#include "samples/engine/shaders/shadow.vert.h"

namespace pelt::samples {
namespace {

constexpr VkFormat kColor = VK_FORMAT_R8G8B8A8_SRGB;
constexpr VkFormat kMotion = VK_FORMAT_R16G16_SFLOAT;
constexpr VkFormat kDepth = VK_FORMAT_D32_SFLOAT;
constexpr VkClearColorValue kHaze{{0.60f, 0.68f, 0.78f, 1.0f}};  // as lighting.glsl has it
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

// The crowd's outputs, a binding each: positions, normals, previous positions.
constexpr VkVertexInputBindingDescription kBindings[] = {
    {0, 12, VK_VERTEX_INPUT_RATE_VERTEX}, {1, 4, VK_VERTEX_INPUT_RATE_VERTEX}, {2, 12, VK_VERTEX_INPUT_RATE_VERTEX}};
constexpr VkVertexInputAttributeDescription kAttributes[] = {
    {0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0}, {1, 1, VK_FORMAT_R32_UINT, 0}, {2, 2, VK_FORMAT_R32G32B32_SFLOAT, 0}};

struct PipelineOptions {
  const char* name;
  std::span<const std::uint32_t> vertex;
  std::span<const std::uint32_t> fragment;  // empty: depth alone, with a bias
  std::uint32_t attributes = 0;             // of the vertices, the first ones
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
};

Result<Owned<VkShaderModule>> make_module(const runtime::Device& device, std::span<const std::uint32_t> words) {
  const VkShaderModuleCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size_bytes(), .pCode = words.data()};
  return make_object<VkShaderModule>(device, device.functions().vkCreateShaderModule,
                                     device.functions().vkDestroyShaderModule, info, "a shader of the game");
}

Result<Owned<VkPipeline>> make_pipeline(const runtime::Device& device, VkPipelineLayout layout,
                                        const PipelineOptions& options) {
  const runtime::DeviceFunctions& vk = device.functions();
  const bool shadow = options.fragment.empty();
  std::vector<Owned<VkShaderModule>> modules;
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (const auto& [stage, words] : {std::pair(VK_SHADER_STAGE_VERTEX_BIT, options.vertex),
                                     std::pair(VK_SHADER_STAGE_FRAGMENT_BIT, options.fragment)}) {
    if (words.empty()) continue;
    PELT_ASSIGN(auto module, make_module(device, words));
    stages.push_back({.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = stage,
                      .module = module.get(),
                      .pName = "main"});
    modules.push_back(std::move(module));
  }
  const VkPipelineVertexInputStateCreateInfo vertices{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
      .vertexBindingDescriptionCount = options.attributes,
      .pVertexBindingDescriptions = kBindings,
      .vertexAttributeDescriptionCount = options.attributes,
      .pVertexAttributeDescriptions = kAttributes};
  const VkPipelineInputAssemblyStateCreateInfo assembly{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = options.topology};
  const VkPipelineViewportStateCreateInfo viewport{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
  const VkPipelineRasterizationStateCreateInfo raster{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
      .cullMode = VK_CULL_MODE_NONE,
      .frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE,
      .depthBiasEnable = shadow ? VK_TRUE : VK_FALSE,
      .depthBiasConstantFactor = 1.0f,
      .depthBiasSlopeFactor = 1.5f,
      .lineWidth = 1.0f};
  const VkPipelineMultisampleStateCreateInfo samples{.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                     .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkPipelineDepthStencilStateCreateInfo depth{.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                    .depthTestEnable = VK_TRUE,
                                                    .depthWriteEnable = VK_TRUE,
                                                    .depthCompareOp = VK_COMPARE_OP_LESS};
  const VkPipelineColorBlendAttachmentState written[] = {{.colorWriteMask = 0xF}, {.colorWriteMask = 0xF}};
  const std::uint32_t colors = shadow ? 0 : 2;
  const VkPipelineColorBlendStateCreateInfo blend{.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                  .attachmentCount = colors,
                                                  .pAttachments = written};
  const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  const VkPipelineDynamicStateCreateInfo dynamic{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                 .dynamicStateCount = 2,
                                                 .pDynamicStates = dynamic_states};
  const VkFormat formats[] = {kColor, kMotion};
  const VkPipelineRenderingCreateInfo rendering{.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                .colorAttachmentCount = colors,
                                                .pColorAttachmentFormats = formats,
                                                .depthAttachmentFormat = kDepth};
  const VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                          .pNext = &rendering,
                                          .stageCount = static_cast<std::uint32_t>(stages.size()),
                                          .pStages = stages.data(),
                                          .pVertexInputState = &vertices,
                                          .pInputAssemblyState = &assembly,
                                          .pViewportState = &viewport,
                                          .pRasterizationState = &raster,
                                          .pMultisampleState = &samples,
                                          .pDepthStencilState = &depth,
                                          .pColorBlendState = &blend,
                                          .pDynamicState = &dynamic,
                                          .layout = layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result = vk.vkCreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  if (result != VK_SUCCESS) return runtime::vulkan_failure(std::string("make the pipeline ") + options.name, result);
  runtime::set_name(device, VK_OBJECT_TYPE_PIPELINE, pipeline, options.name);
  return Owned<VkPipeline>(pipeline, {device.handle(), vk.vkDestroyPipeline});
}

VkRenderingAttachmentInfo attachment(const Texture& texture, VkClearColorValue clear) {
  return {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
          .imageView = texture.view.get(),
          .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
          .clearValue = {.color = clear}};
}

constexpr VkPipelineStageFlags2 kDepthStages =
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
constexpr ImageUse kColorUse{VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                             VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
constexpr ImageUse kDepthUse{
    VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, kDepthStages,
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT};
constexpr ImageUse kSampled{VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                            VK_ACCESS_2_SHADER_SAMPLED_READ_BIT};
constexpr ImageUse kCopied{VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_2_COPY_BIT,
                           VK_ACCESS_2_TRANSFER_READ_BIT};

// The use of an image in the frame before, whose content is not needed.
constexpr ImageUse discarded(ImageUse last) { return {VK_IMAGE_LAYOUT_UNDEFINED, last.stage, last.access}; }

}  // namespace

Result<Passes> Passes::create(const GameDevice& device, const PassSizes& sizes, std::span<const GameBuffer> walkers) {
  Passes made;
  made.sizes_ = sizes;
  PELT_TRY(made.make_images(device));
  PELT_TRY(made.make_sets(device, walkers));
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
  // Beyond the map all is lit. Where the device does not filter depths, edges of shadows are less smooth.
  const VkFormat filtered =
      first_format(pelt, std::span(&kDepth, 1), VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
  const VkFilter filter = filtered == kDepth ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  const VkSamplerCreateInfo sampler{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                    .magFilter = filter,
                                    .minFilter = filter,
                                    .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                    .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                    .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                    .compareEnable = VK_TRUE,
                                    .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
                                    .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
  PELT_ASSIGN(shadow_sampler_, make_object<VkSampler>(pelt, device.functions().vkCreateSampler,
                                                      device.functions().vkDestroySampler, sampler, "a sampler"));
  PELT_ASSIGN(picture_reader_, PictureReader::create(pelt, sizes_.picture, "picture for the host"));
  PELT_ASSIGN(motion_reader_, PictureReader::create(pelt, sizes_.picture, "motion for the host"));
  return {};
}

Result<void> Passes::make_sets(const GameDevice& device, std::span<const GameBuffer> walkers) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkDescriptorSetLayoutBinding bindings[] = {
      {shared::kBindFrameRecord, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, kStages, nullptr},
      {shared::kBindWalkers, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, nullptr},
      {shared::kBindShadow, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}};
  const VkDescriptorSetLayoutCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 3, .pBindings = bindings};
  PELT_ASSIGN(set_layout_, make_object<VkDescriptorSetLayout>(device.pelt(), vk.vkCreateDescriptorSetLayout,
                                                              vk.vkDestroyDescriptorSetLayout, info,
                                                              "the game's descriptor layout"));
  sets_ = DescriptorSets(set_layout_.get(), {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
                                             {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                             {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}});
  PELT_TRY(sets_.reserve(device.pelt(), walkers.size()));
  for (std::size_t slot = 0; slot < walkers.size(); ++slot) {
    PELT_ASSIGN(auto frame, GameBuffer::create(device, sizeof(shared::FrameRecord), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                               runtime::MemoryUse::kStream, "frame"));
    write_descriptor(device.pelt(), sets_[slot], shared::kBindFrameRecord, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                     {frame.handle(), 0, VK_WHOLE_SIZE});
    write_descriptor(device.pelt(), sets_[slot], shared::kBindWalkers, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                     {walkers[slot].handle(), 0, VK_WHOLE_SIZE});
    write_descriptor(device.pelt(), sets_[slot], shared::kBindShadow, shadow_.view.get(), shadow_sampler_.get());
    frames_.push_back(std::move(frame));
  }
  return {};
}

Result<void> Passes::make_pipelines(const GameDevice& device) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkDescriptorSetLayout set_layout = set_layout_.get();
  const VkPipelineLayoutCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
  PELT_ASSIGN(layout_, make_object<VkPipelineLayout>(device.pelt(), vk.vkCreatePipelineLayout,
                                                     vk.vkDestroyPipelineLayout, info, "the game's pipeline layout"));
  PELT_ASSIGN(
      shadow_pipeline_,
      make_pipeline(device.pelt(), layout_.get(),
                    {.name = "shadow map", .vertex = engine_spirv::shadow_vert, .fragment = {}, .attributes = 1}));
  PELT_ASSIGN(character_pipeline_, make_pipeline(device.pelt(), layout_.get(),
                                                 {.name = "characters",
                                                  .vertex = engine_spirv::character_vert,
                                                  .fragment = engine_spirv::character_frag,
                                                  .attributes = 3}));
  PELT_ASSIGN(ground_pipeline_, make_pipeline(device.pelt(), layout_.get(),
                                              {.name = "ground",
                                               .vertex = engine_spirv::ground_vert,
                                               .fragment = engine_spirv::ground_frag,
                                               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP}));
  return {};
}

void Passes::set_frame(const GameDevice& device, std::uint32_t slot, const shared::FrameRecord& frame) const {
  std::memcpy(frames_[slot].mapped(), &frame, sizeof(frame));
  frames_[slot].flush(device);
}

void Passes::begin(const GameDevice& device, VkCommandBuffer commands, VkExtent2D size, const Texture& depth,
                   std::span<const VkRenderingAttachmentInfo> colors, std::uint32_t slot) const {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkRenderingAttachmentInfo depth_attachment{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                   .imageView = depth.view.get(),
                                                   .imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                                                   .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                   .clearValue = {.depthStencil = {.depth = 1.0f}}};
  const VkRenderingInfo rendering{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, size},
                                  .layerCount = 1,
                                  .colorAttachmentCount = static_cast<std::uint32_t>(colors.size()),
                                  .pColorAttachments = colors.data(),
                                  .pDepthAttachment = &depth_attachment};
  vk.vkCmdBeginRendering(commands, &rendering);
  const VkViewport viewport{0, 0, static_cast<float>(size.width), static_cast<float>(size.height), 0, 1};
  const VkRect2D scissor{{0, 0}, size};
  vk.vkCmdSetViewport(commands, 0, 1, &viewport);
  vk.vkCmdSetScissor(commands, 0, 1, &scissor);
  const VkDescriptorSet set = sets_[slot];
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.get(), 0, 1, &set, 0, nullptr);
}

// Binds all vertices of the crowd at once: each draw has the first of its own.
void Passes::bind_vertices(const GameDevice& device, VkCommandBuffer commands,
                           const runtime::OutputPlaces& outputs) const {
  const runtime::OutputPlace* const places[] = {&outputs.positions, &outputs.normals, &outputs.previous_positions};
  VkBuffer buffers[3];
  VkDeviceSize offsets[3];
  for (std::size_t i = 0; i < 3; ++i) {
    buffers[i] = places[i]->buffer;
    offsets[i] = places[i]->offset;
  }
  device.functions().vkCmdBindVertexBuffers(commands, 0, 3, buffers, offsets);
}

void Passes::record(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot, const runtime::Crowd& crowd,
                    const Culling& culling) const {
  const runtime::DeviceFunctions& vk = device.functions();
  image_barrier(device.pelt(), commands, shadow_, discarded(kSampled), kDepthUse);
  begin(device, commands, {sizes_.shadow, sizes_.shadow}, shadow_, {}, slot);
  bind_vertices(device, commands, crowd.outputs());
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, shadow_pipeline_.get());
  culling.draw_casts(device, commands);
  vk.vkCmdEndRendering(commands);

  image_barrier(device.pelt(), commands, shadow_, kDepthUse, kSampled);
  image_barrier(device.pelt(), commands, depth_, discarded(kDepthUse), kDepthUse);
  for (const Texture* target : {&color_, &motion_}) {
    image_barrier(device.pelt(), commands, *target,
                  {VK_IMAGE_LAYOUT_UNDEFINED, kColorUse.stage | kCopied.stage, kColorUse.access}, kColorUse);
  }
  const VkRenderingAttachmentInfo colors[] = {attachment(color_, kHaze), attachment(motion_, {})};
  begin(device, commands, sizes_.picture, depth_, colors, slot);
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, character_pipeline_.get());
  culling.draw(device, commands);
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, ground_pipeline_.get());
  vk.vkCmdDraw(commands, 4, 1, 0, 0);
  vk.vkCmdEndRendering(commands);
}

void Passes::record_capture(const GameDevice& device, VkCommandBuffer commands) const {
  for (const auto& [target, reader] : {std::pair(&color_, &picture_reader_), std::pair(&motion_, &motion_reader_)}) {
    image_barrier(device.pelt(), commands, *target, kColorUse, kCopied);
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
