// SPDX-License-Identifier: MIT
#include "samples/renderer/device_scene.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <pelt/finite.h>
#include <pelt/frame.h>
#include <pelt/runtime/transfer.h>
#include <pelt/try.h>

#include "samples/renderer/textures.h"

namespace pelt::samples {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

// Makes an immutable buffer of values in device memory. Never empty, so that it can be bound.
template <class T>
Result<runtime::Buffer> make_buffer(const runtime::Device& device, const std::vector<T>& values,
                                    VkBufferUsageFlags usage, const char* name) {
  const auto bytes = std::as_bytes(std::span(values));
  PELT_ASSIGN(auto made, runtime::Buffer::create(device, {.size = std::max<VkDeviceSize>(bytes.size(), 64),
                                                          .usage = usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                          .memory = runtime::MemoryUse::kDeviceLocal,
                                                          .name = name}));
  PELT_TRY(runtime::write_buffer(device, made.handle(), 0, bytes));
  return made;
}

// The vertices of an item, from its first instance on. Descriptors start at aligned offsets; words count from them.
struct VertexRange {
  VkDescriptorBufferInfo positions;
  VkDescriptorBufferInfo directions;
  std::uint32_t first_word = 0;
  std::uint32_t first_packed = 0;
};

VertexRange vertex_range(const DrawItem& item, VkDeviceSize alignment) {
  const runtime::OutputLocations& outputs = item.crowd->outputs();
  const auto range = [&](const runtime::OutputLocation& place, std::uint32_t& first_word) {
    const VkDeviceSize bytes = VkDeviceSize{item.crowd->instance(item.instance)->vertex_count} * place.stride;
    const VkDeviceSize begin =
        place.offset + VkDeviceSize{item.crowd->instance(item.instance)->first_vertex} * place.stride;
    const VkDeviceSize aligned = begin / alignment * alignment;
    first_word = static_cast<std::uint32_t>((begin - aligned) / 4);
    return VkDescriptorBufferInfo{place.buffer, aligned, begin - aligned + (1 + item.others.size()) * bytes};
  };
  VertexRange made{};
  made.positions = range(outputs.positions, made.first_word);
  made.directions = range(outputs.normals, made.first_packed);
  return made;
}

}  // namespace

Result<DeviceScene> DeviceScene::create(const runtime::Device& device, const Pipelines& pipelines) {
  DeviceScene made;
  made.frame_buffer_ = StreamBuffer(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, "frame");
  made.sample_buffer_ = StreamBuffer(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, "samples");
  made.world_buffer_ = StreamBuffer(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "worlds");
  made.weight_buffer_ = StreamBuffer(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "weights");
  made.overlay_buffer_ = StreamBuffer(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "overlays");
  made.scene_sets_ = DescriptorSets(pipelines.scene_layout);
  made.item_sets_ = DescriptorSets(pipelines.item_layout);
  made.texture_sets_ = DescriptorSets(pipelines.texture_layout);
  PELT_ASSIGN(made.white_, upload_image(device, {1, 1, {255, 255, 255, 255}}, "white"));
  PELT_ASSIGN(made.nothing_, make_buffer(device, std::vector<float>(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "nothing"));
  return made;
}

Result<DeviceScene::CharacterBuffers*> DeviceScene::find_or_make(const runtime::Device& device, const DrawItem& item) {
  const Character& character = *item.character;
  const std::pair key(character.operator->(), item.textures);
  if (const auto found = characters_.find(key); found != characters_.end()) return &found->second;
  Geometry geometry = make_geometry(*character, item.textures);
  PELT_ASSIGN(auto indices, make_buffer(device, geometry.indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, "triangles"));
  PELT_ASSIGN(auto edges, make_buffer(device, geometry.edges, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "edges"));
  PELT_ASSIGN(auto uvs, make_buffer(device, geometry.uvs, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "texture coordinates"));
  PELT_ASSIGN(auto colors, make_buffer(device, geometry.colors, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "vertex colours"));
  return &characters_
              .emplace(key, CharacterBuffers{.character = character,
                                             .meshes = std::move(geometry.meshes),
                                             .indices = std::move(indices),
                                             .edges = std::move(edges),
                                             .uvs = std::move(uvs),
                                             .colors = std::move(colors)})
              .first->second;
}

void DeviceScene::clear() {
  draws_.surfaces.clear();
  draws_.lines.clear();
  draws_.points.clear();
  items_.clear();
  crowds_.clear();
  texture_places_.clear();
  worlds_.clear();
  weights_.clear();
  overlays_.clear();
}

Result<void> DeviceScene::set(const runtime::Device& device, const Pipelines& pipelines, const Images& images,
                              const Scene& scene, Lighting lighting, float pixel) {
  clear();
  lighting_ = std::move(lighting);
  const auto add_overlay = [&](glm::vec3 from, glm::vec3 to, glm::vec4 color, float width, bool through) {
    if (!is_finite(from) || !is_finite(to)) return;
    overlays_.push_back({.from = from, .to = to, .color = color, .width = width * pixel, .through = through ? 1u : 0u});
  };
  for (const OverlayLine& line : scene.lines) add_overlay(line.from, line.to, line.color, line.width, line.through);
  for (const OverlayDot& dot : scene.dots) add_overlay(dot.at, dot.at, dot.color, dot.width, dot.through);

  for (auto& [data, buffers] : characters_) buffers.shown = false;
  Result<void> done = set_items(device, pipelines, scene);
  std::erase_if(characters_, [](const auto& entry) { return !entry.second.shown; });
  if (done) done = write_scene(device, pipelines, images);
  if (!done) clear();
  return done;
}

Result<void> DeviceScene::set_items(const runtime::Device& device, const Pipelines& pipelines, const Scene& scene) {
  PELT_TRY(item_sets_.reserve(device, scene.items.size() + 1));
  texture_places_.emplace(nullptr, 0);
  for (std::uint32_t i = 0; i < scene.items.size(); ++i) {
    const DrawItem& item = scene.items[i];
    PELT_ASSIGN(auto buffers, find_or_make(device, item));
    buffers->shown = true;
    append_draws(item, i, buffers->meshes, draws_);
    const auto is_item = [&](const DrawnCrowd& drawn) { return drawn.crowd == item.crowd; };
    if (std::ranges::none_of(crowds_, is_item)) crowds_.push_back({item.crowd, item.restart});

    const VertexRange range = vertex_range(item, device.limits().minStorageBufferOffsetAlignment);
    const VkDescriptorSet set = item_sets_[i];
    write_descriptor(device, set, shared::kBindPositions, kStorage, range.positions);
    write_descriptor(device, set, shared::kBindDirections, kStorage, range.directions);
    write_descriptor(device, set, shared::kBindEdges, kStorage, buffers->edges.whole());
    write_descriptor(device, set, shared::kBindUvs, kStorage, buffers->uvs.whole());
    write_descriptor(device, set, shared::kBindColors, kStorage, buffers->colors.whole());
    items_.push_back({.constants = {.first_word = range.first_word,
                                    .first_packed = range.first_packed,
                                    .vertices = item.crowd->instance(item.instance)->vertex_count,
                                    .first_world = static_cast<std::uint32_t>(worlds_.size()),
                                    .first_weight = static_cast<std::uint32_t>(weights_.size()),
                                    .flags = item.weights.empty() ? 0 : shared::kDrawHeat},
                      .instances = static_cast<std::uint32_t>(1 + item.others.size()),
                      .side = item.side,
                      .indices = buffers->indices.handle()});
    worlds_.push_back(affine_from_mat4(item.world));
    for (const glm::mat4& world : item.others) worlds_.push_back(affine_from_mat4(world));
    weights_.insert(weights_.end(), item.weights.begin(), item.weights.end());
  }
  for (const std::uint32_t unread :
       {shared::kBindPositions, shared::kBindDirections, shared::kBindEdges, shared::kBindUvs, shared::kBindColors}) {
    write_descriptor(device, no_item_set(), unread, kStorage, nothing_.whole());
  }

  for (const SurfaceDraw& draw : draws_.surfaces) texture_places_.emplace(draw.texture, texture_places_.size());
  PELT_TRY(texture_sets_.reserve(device, texture_places_.size()));
  for (const auto& [texture, place] : texture_places_) {
    write_descriptor(device, texture_sets_[place], shared::kBindTexture,
                     (texture != nullptr ? *texture : white_).view.get(), pipelines.texture_sampler.get());
  }
  return {};
}

Result<void> DeviceScene::write_scene(const runtime::Device& device, const Pipelines& pipelines, const Images& images) {
  const auto alignment = static_cast<std::uint32_t>(device.limits().minUniformBufferOffsetAlignment);
  sample_stride_ = (std::uint32_t{sizeof(shared::Sample)} + alignment - 1) / alignment * alignment;
  samples_.resize(lighting_.samples.size() * sample_stride_);
  for (std::size_t i = 0; i < lighting_.samples.size(); ++i) {
    std::memcpy(&samples_[i * sample_stride_], &lighting_.samples[i], sizeof(shared::Sample));
  }
  PELT_TRY(frame_buffer_.write(device, std::span<const shared::Frame>(&lighting_.frame, 1)));
  PELT_TRY(sample_buffer_.write(device, std::span<const std::byte>(samples_)));
  PELT_TRY(world_buffer_.write(device, std::span<const shared::Affine>(worlds_)));
  PELT_TRY(weight_buffer_.write(device, std::span<const float>(weights_)));
  PELT_TRY(overlay_buffer_.write(device, std::span<const shared::Overlay>(overlays_)));
  PELT_TRY(scene_sets_.reserve(device, 2));
  for (const VkDescriptorSet set : {sample_set(), develop_set()}) {
    write_descriptor(device, set, shared::kBindFrame, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, frame_buffer_.whole());
    write_descriptor(device, set, shared::kBindSample, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
                     {sample_buffer_.handle(), 0, sizeof(shared::Sample)});
    write_descriptor(device, set, shared::kBindWorlds, kStorage, world_buffer_.whole());
    write_descriptor(device, set, shared::kBindWeights, kStorage, weight_buffer_.whole());
    write_descriptor(device, set, shared::kBindOverlays, kStorage, overlay_buffer_.whole());
    write_descriptor(device, set, shared::kBindMaps, images.maps, pipelines.map_sampler.get());
    write_descriptor(device, set, shared::kBindDepths, images.maps, pipelines.color_sampler.get());
    write_descriptor(device, set, shared::kBindColor, set == sample_set() ? images.sample : images.sum,
                     pipelines.color_sampler.get());
  }
  return {};
}

}  // namespace pelt::samples
