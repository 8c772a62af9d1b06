// SPDX-License-Identifier: MIT
#include "samples/renderer/renderer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <pelt/runtime/debug.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "samples/renderer/device_scene.h"
#include "samples/renderer/geometry.h"
#include "samples/renderer/gpu_objects.h"
#include "samples/renderer/lighting.h"
#include "samples/renderer/pass_timer.h"
#include "samples/renderer/pipelines.h"

namespace pelt::samples {
namespace {

constexpr std::uint32_t kMapSize = 1024;
constexpr std::uint32_t kMaxSamples = 1024;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

constexpr glm::vec4 kWireColor(0.02f, 0.02f, 0.025f, 0.45f);
constexpr glm::vec4 kDriverColor(0.95f, 0.20f, 0.02f, 0.9f);
constexpr glm::vec4 kMuscleColor(0.02f, 0.25f, 0.95f, 0.9f);
constexpr float kHiddenCageOpacity = 0.10f;
constexpr float kHiddenOverlayOpacity = 0.5f;
constexpr float kWireWidth = 1.0f;  // in units of State::pixels_of
constexpr float kCageWidth = 1.15f;
constexpr float kDotWidth = 5.0f;
constexpr float kSplitWidth = 2.0f;

constexpr ImageUse kNew{};

// Returns the missing device features that the renderer needs and crowds do not.
std::vector<std::string> missing_for_drawing(const runtime::Device& device) {
  std::vector<std::string> missing;
  const runtime::DeviceFunctions& vk = device.functions();
  if (vk.vkCmdPipelineBarrier2 == nullptr) missing.emplace_back("synchronization2 (VK_KHR_synchronization2)");
  if (vk.vkCmdBeginRendering == nullptr) missing.emplace_back("dynamicRendering (VK_KHR_dynamic_rendering)");
  VkPhysicalDeviceScalarBlockLayoutFeatures layout{.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES};
  VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &layout};
  reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures2>(
      runtime::vulkan_entry_point()(device.instance(), "vkGetPhysicalDeviceFeatures2"))(device.physical(), &features);
  if (layout.scalarBlockLayout == VK_FALSE) {
    missing.emplace_back("scalarBlockLayout (VK_EXT_scalar_block_layout)");
  }
  return missing;
}

struct Targets {
  Texture maps;     // shadow maps of one sample
  Texture color;    // one sample
  Texture depth;    // of one sample
  Texture sum;      // of all samples so far
  Texture picture;  // the result
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
      {made.sum, {formats.mean, size, 1, kColor | kSampledImage}, "sum of samples"},
      {made.picture, {formats.picture, size, 1, kColor | VK_IMAGE_USAGE_TRANSFER_SRC_BIT}, "picture"},
  };
  for (const auto& [into, options, name] : list) {
    PELT_ASSIGN(into, make_texture(device, options, name));
  }
  return made;
}

// A part of the picture, with the items of one side and their shadows.
struct Region {
  VkRect2D area{};
  SplitSide side = SplitSide::kBoth;

  bool shows(const DeviceItem& item) const {
    return side == SplitSide::kBoth || item.side == SplitSide::kBoth || item.side == side;
  }
};

}  // namespace

struct Renderer::State {
  const runtime::Device& device;
  const runtime::DeviceFunctions& vk;
  RendererOptions options;
  Pipelines pipelines;
  Targets targets;
  DeviceScene scene;
  PictureReader reader;  // made when a picture is first read back

  std::vector<Region> regions;   // of the scene
  float split_column = 0;        // column between them
  bool split_line = false;       // draws a line at split_column
  bool crowds_recorded = false;  // in this scene
  std::uint32_t samples = 0;     // recorded samples of this scene
  bool drawn = false;            // true if there is a picture

  PassTimer timer;

  void set_regions(const Scene& wanted);
  void record_crowds(VkCommandBuffer commands);
  void record_sample(VkCommandBuffer commands, std::uint32_t sample);
  void record_development(VkCommandBuffer commands);

  void begin_picture(VkCommandBuffer commands, const VkRect2D& area, const Texture& color, VkAttachmentLoadOp load,
                     VkImageView depth = VK_NULL_HANDLE) {
    const VkRenderingAttachmentInfo attachment = color_attachment(color, load);
    begin_rendering(device, commands, size(), area, {&attachment, 1}, depth);
  }
  template <class Constants>
  void push(VkCommandBuffer commands, const Constants& constants) {
    vk.vkCmdPushConstants(commands, pipelines.layout.get(), kStages, 0, sizeof constants, &constants);
  }
  void bind(VkCommandBuffer commands, const Owned<VkPipeline>& pipeline) {
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.get());
  }
  void bind_set(VkCommandBuffer commands, std::uint32_t index, VkDescriptorSet set) {
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.layout.get(), index, 1, &set, 0,
                               nullptr);
  }
  void bind_scene(VkCommandBuffer commands, VkDescriptorSet set, std::uint32_t sample) {
    const std::uint32_t offset = scene.sample_offset(sample);
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.layout.get(), 0, 1, &set, 1,
                               &offset);
  }
  shared::DrawConstants constants_of(const DrawnMesh& mesh) const;
  void draw_triangles(VkCommandBuffer commands, const SurfaceDraw& draw, const shared::DrawConstants& constants);
  void draw_shadows(VkCommandBuffer commands, const Region& region, std::uint32_t map);
  void draw_surfaces(VkCommandBuffer commands, const Region& region, bool alpha_mask);
  void draw_lines(VkCommandBuffer commands, const Region& region, bool hidden);
  void draw_points(VkCommandBuffer commands, const Region& region);
  void draw_edges(VkCommandBuffer commands, std::uint32_t item, const shared::DrawConstants& constants,
                  std::uint32_t first, std::uint32_t count);
  void draw_overlays(VkCommandBuffer commands, bool hidden);

  // Scales a width in pixels of a picture 720 high to this picture.
  float pixels_of(float width) const { return width * std::max(static_cast<float>(options.height) / 720.0f, 0.75f); }

  VkExtent2D size() const { return {options.width, options.height}; }
  VkRect2D whole() const { return {{0, 0}, size()}; }
};

// If no item has a side, there is one region. Regions without pixels are left out.
void Renderer::State::set_regions(const Scene& wanted) {
  const auto on = [&](SplitSide side) {
    return std::ranges::any_of(wanted.items, [&](const DrawItem& item) { return item.side == side; });
  };
  const bool left = on(SplitSide::kLeft);
  const bool right = on(SplitSide::kRight);
  regions.clear();
  split_line = left && right;
  if (!left && !right) {
    regions.push_back({whole(), SplitSide::kBoth});
    return;
  }
  const float split = wanted.split > 0 ? std::min(wanted.split, 1.0f) : 0.0f;
  const auto column = static_cast<std::uint32_t>(std::lround(split * static_cast<float>(options.width)));
  split_column = static_cast<float>(column);
  if (column > 0) regions.push_back({{{0, 0}, {column, options.height}}, SplitSide::kLeft});
  if (column < options.width) {
    regions.push_back(
        {{{static_cast<std::int32_t>(column), 0}, {options.width - column, options.height}}, SplitSide::kRight});
  }
}

void Renderer::State::draw_shadows(VkCommandBuffer commands, const Region& region, std::uint32_t map) {
  for (const SurfaceDraw& draw : scene.draws().surfaces) {
    if (!region.shows(scene.items()[draw.mesh.item])) continue;
    shared::DrawConstants constants = constants_of(draw.mesh);
    constants.map = map;
    draw_triangles(commands, draw, constants);
  }
}

// Draws the surfaces with an alpha mask, or all others.
void Renderer::State::draw_surfaces(VkCommandBuffer commands, const Region& region, bool alpha_mask) {
  for (const SurfaceDraw& draw : scene.draws().surfaces) {
    if (!region.shows(scene.items()[draw.mesh.item]) || draw.alpha_mask != alpha_mask) continue;
    shared::DrawConstants constants = constants_of(draw.mesh);
    constants.color = draw.color;
    if (draw.texture != nullptr) constants.flags |= shared::kDrawTexture;
    if (draw.vertex_colors) constants.flags |= shared::kDrawColors;
    bind_set(commands, 2, scene.texture_set(draw.texture));
    draw_triangles(commands, draw, constants);
  }
}

shared::DrawConstants Renderer::State::constants_of(const DrawnMesh& mesh) const {
  shared::DrawConstants constants = scene.items()[mesh.item].constants;
  constants.first_word += 3 * mesh.crowd_vertex;
  constants.first_packed += 2 * mesh.crowd_vertex;
  constants.first_weight += mesh.character_vertex;
  constants.first_uv = mesh.character_vertex;
  return constants;
}

void Renderer::State::draw_triangles(VkCommandBuffer commands, const SurfaceDraw& draw,
                                     const shared::DrawConstants& constants) {
  const DeviceItem& item = scene.items()[draw.mesh.item];
  push(commands, constants);
  bind_set(commands, 1, scene.item_set(draw.mesh.item));
  vk.vkCmdBindIndexBuffer(commands, item.indices, 0, VK_INDEX_TYPE_UINT32);
  vk.vkCmdDrawIndexed(commands, draw.index_count, item.instances, draw.first_index, 0, 0);
}

// Draws the lines. `hidden`: only the drivers, faint, over everything in front of them.
void Renderer::State::draw_lines(VkCommandBuffer commands, const Region& region, bool hidden) {
  for (const LineDraw& draw : scene.draws().lines) {
    if (!region.shows(scene.items()[draw.mesh.item]) || (hidden && !draw.control)) continue;
    shared::DrawConstants constants = constants_of(draw.mesh);
    constants.color = draw.muscle ? kMuscleColor : draw.control ? kDriverColor : kWireColor;
    if (hidden) constants.color.a = kHiddenCageOpacity;
    constants.flags = 0;
    constants.line_width = pixels_of(draw.control ? kCageWidth : kWireWidth);
    constants.line_lift = draw.control ? 2e-3f : 1e-3f;
    draw_edges(commands, draw.mesh.item, constants, draw.first_edge, draw.edge_count);
  }
}

void Renderer::State::draw_points(VkCommandBuffer commands, const Region& region) {
  for (const PointDraw& draw : scene.draws().points) {
    if (!region.shows(scene.items()[draw.mesh.item])) continue;
    shared::DrawConstants constants = constants_of(draw.mesh);
    constants.color = draw.color;
    constants.line_width = pixels_of(kDotWidth);
    constants.line_lift = 1e-3f;
    draw_edges(commands, draw.mesh.item, constants, draw.first_edge, draw.count);
  }
}

void Renderer::State::draw_edges(VkCommandBuffer commands, std::uint32_t item, const shared::DrawConstants& constants,
                                 std::uint32_t first, std::uint32_t count) {
  push(commands, constants);
  bind_set(commands, 1, scene.item_set(item));
  vk.vkCmdDraw(commands, 6 * count, scene.items()[item].instances, 6 * first, 0);
}

// Draws the overlays. `hidden`: only those that show through the skin, faint, over everything in front of them.
void Renderer::State::draw_overlays(VkCommandBuffer commands, bool hidden) {
  if (scene.overlay_count() == 0) return;
  push(commands, shared::DrawConstants{.color = glm::vec4(1, 1, 1, hidden ? kHiddenOverlayOpacity : 1.0f),
                                       .flags = shared::kDrawOverlay | (hidden ? shared::kDrawHidden : 0u),
                                       .line_lift = 1e-3f});
  bind_set(commands, 1, scene.no_item_set());
  vk.vkCmdDraw(commands, 6 * scene.overlay_count(), 1, 0, 0);
}

// Records the crowds, and a barrier from compute's writes of vertices to the vertex shaders' reads.
void Renderer::State::record_crowds(VkCommandBuffer commands) {
  for (const DrawnCrowd& crowd : scene.crowds()) timer.record(commands, crowd);
  runtime::memory_barrier(vk, commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
}

void Renderer::State::record_sample(VkCommandBuffer commands, std::uint32_t sample) {
  bind_scene(commands, scene.sample_set(), sample);
  for (const Region& region : regions) {
    const bool first = &region == &regions.front();

    // Draw the shadow maps; the previous contents have been read.
    image_barrier(device, commands, targets.maps, discarded(kSampled), kDrawnDepth);
    bind(commands, pipelines.shadow);
    for (std::uint32_t map = 0; map < shared::kMaps; ++map) {
      constexpr VkExtent2D kExtent{kMapSize, kMapSize};
      begin_rendering(device, commands, kExtent, {{0, 0}, kExtent}, {}, targets.maps.layer_views[map].get());
      draw_shadows(commands, region, map);
      vk.vkCmdEndRendering(commands);
    }
    image_barrier(device, commands, targets.maps, kDrawnDepth, kSampled);
    timer.stamp(commands, Timed::kShadows);

    // Draw the region.
    image_barrier(device, commands, targets.color, first ? discarded(kSampled) : kDrawnColor, kDrawnColor);
    image_barrier(device, commands, targets.depth, first ? discarded(kDrawnDepth) : kDrawnDepth, kDrawnDepth);
    begin_picture(commands, region.area, targets.color, VK_ATTACHMENT_LOAD_OP_CLEAR, targets.depth.view.get());
    bind(commands, pipelines.surface);
    draw_surfaces(commands, region, false);
    bind(commands, pipelines.masked_surface);
    draw_surfaces(commands, region, true);
    if (scene.lighting().ground) {
      bind(commands, pipelines.ground);
      vk.vkCmdDraw(commands, 4, 1, 0, 0);
    }
    timer.stamp(commands, Timed::kSurfaces);
    bind(commands, pipelines.point);
    draw_points(commands, region);
    bind(commands, pipelines.hidden_line);
    draw_lines(commands, region, true);
    draw_overlays(commands, true);
    bind(commands, pipelines.line);
    draw_lines(commands, region, false);
    draw_overlays(commands, false);
    vk.vkCmdEndRendering(commands);
    timer.stamp(commands, Timed::kLines);
  }

  // Add the sample to the sum.
  image_barrier(device, commands, targets.color, kDrawnColor, kSampled);
  const bool first = sample == 0;
  image_barrier(device, commands, targets.sum, first ? discarded(kDrawnColor) : kDrawnColor, kDrawnColor);
  begin_picture(commands, whole(), targets.sum, first ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD);
  bind(commands, pipelines.accumulate);
  vk.vkCmdDraw(commands, 3, 1, 0, 0);
  vk.vkCmdEndRendering(commands);
  timer.stamp(commands, Timed::kDevelopment);
}

// Develops the sum of the samples into the picture.
void Renderer::State::record_development(VkCommandBuffer commands) {
  image_barrier(device, commands, targets.sum, kDrawnColor, kSampled);
  image_barrier(device, commands, targets.picture, discarded(kCopied), kDrawnColor);
  bind_scene(commands, scene.develop_set(), 0);
  begin_picture(commands, whole(), targets.picture, VK_ATTACHMENT_LOAD_OP_DONT_CARE);
  bind(commands, pipelines.develop);
  push(commands, shared::DevelopConstants{
                     .mean_from_sum = static_cast<float>(options.samples) / static_cast<float>(samples),
                     .split = split_column,
                     .split_width = split_line ? std::max(1.0f, std::round(pixels_of(kSplitWidth / 2))) : 0.0f});
  vk.vkCmdDraw(commands, 3, 1, 0, 0);
  vk.vkCmdEndRendering(commands);
  // More samples may follow.
  image_barrier(device, commands, targets.sum, kSampled, kDrawnColor);
  image_barrier(device, commands, targets.picture, kDrawnColor, kCopied);
}

Renderer::Renderer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

Result<Renderer> Renderer::create(const runtime::Device& device, const RendererOptions& options) {
  if (!device.has_graphics()) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: the device cannot draw", device.description().name));
  }
  if (const std::vector<std::string> missing = missing_for_drawing(device); !missing.empty()) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} cannot draw: it lacks {}", device.description().name, fmt::join(missing, ", ")));
  }
  const std::uint32_t limit = device.limits().maxImageDimension2D;
  if (options.width == 0 || options.height == 0 || options.width > limit || options.height > limit) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a picture of {} x {} pixels: this device draws 1 to {} per side", options.width,
                            options.height, limit));
  }
  if (options.samples == 0 || options.samples > kMaxSamples) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} samples: a picture is the mean of 1 to {}", options.samples, kMaxSamples));
  }
  const TargetFormats formats = choose_formats(device);
  PELT_ASSIGN(auto pipelines, make_pipelines(device, formats));
  PELT_ASSIGN(auto targets, make_targets(device, formats, {options.width, options.height}));
  PELT_ASSIGN(auto scene, DeviceScene::create(device, pipelines));
  auto state = std::unique_ptr<State>(new State{.device = device,
                                                .vk = device.functions(),
                                                .options = options,
                                                .pipelines = std::move(pipelines),
                                                .targets = std::move(targets),
                                                .scene = std::move(scene)});
  Renderer made(std::move(state));
  PELT_TRY(made.set_scene({}));
  return made;
}

Result<void> Renderer::set_scene(const Scene& scene) {
  State& state = *state_;
  state.samples = 0;
  state.crowds_recorded = false;
  if (auto valid = check_scene(scene); !valid) {
    // Show nothing: the previous scene's crowds may no longer exist.
    PELT_TRY(set_scene({}));
    return valid;
  }
  state.set_regions(scene);
  const Targets& targets = state.targets;
  const Result<void> set = state.scene.set(state.device, state.pipelines,
                                           {targets.maps.view.get(), targets.color.view.get(), targets.sum.view.get()},
                                           scene, make_lighting(scene, state.options), state.pixels_of(1.0f));
  return set ? state.timer.reserve(state.device, state.options.samples, state.scene.crowds()) : set;
}

void Renderer::record(VkCommandBuffer commands, std::uint32_t samples) {
  State& state = *state_;
  state.timer.begin(commands);
  if (!std::exchange(state.crowds_recorded, true)) {
    state.record_crowds(commands);
    state.timer.stamp(commands, Timed::kCrowdsReady);
  }
  const std::uint32_t end = state.samples + std::min(samples, state.options.samples - state.samples);
  const bool changes = end > state.samples;
  for (; state.samples < end; ++state.samples) state.record_sample(commands, state.samples);
  if (changes) {
    state.record_development(commands);
  } else if (!state.drawn) {
    image_barrier(state.device, commands, state.targets.picture, kNew, kCopied);
  }
  state.drawn = true;
  state.timer.stamp(commands, Timed::kDevelopment);
}

std::uint32_t Renderer::recorded_samples() const { return state_->samples; }

VkImage Renderer::picture() const { return state_->targets.picture.image.get(); }

std::optional<PassSeconds> Renderer::seconds() const { return state_->timer.seconds(); }

Result<Image> Renderer::render(const Scene& scene) {
  State& state = *state_;
  PELT_TRY(set_scene(scene));
  if (state.reader.empty()) {
    PELT_ASSIGN(state.reader, PictureReader::create(state.device, state.size(), "picture readback"));
  }
  PELT_TRY(runtime::submit_and_wait(state.device, "render", [&](VkCommandBuffer commands) {
    record(commands, state.options.samples);
    state.reader.record(state.device, commands, picture());
  }));
  return state.reader.picture();
}

}  // namespace pelt::samples
