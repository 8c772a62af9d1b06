// SPDX-License-Identifier: MIT
// A scene in the form that shaders read. It keeps everything on the device that the next scene uses again, and rewrites
// the rest into the same memory.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <pelt/character.h>
#include <pelt/runtime/buffer.h>

#include "samples/renderer/geometry.h"
#include "samples/renderer/gpu_objects.h"
#include "samples/renderer/lighting.h"
#include "samples/renderer/pass_timer.h"
#include "samples/renderer/pipelines.h"
#include "samples/renderer/renderer.h"

namespace pelt::samples {

// The data that all draws of an item share.
struct DeviceItem {
  shared::DrawConstants constants{};
  std::uint32_t instances = 1;
  SplitSide side = SplitSide::kBoth;
  VkBuffer indices = VK_NULL_HANDLE;
};

// Move-only; the Device and the Pipelines must outlive it.
class DeviceScene {
 public:
  // The images in set 0: `sample` is read to sum samples up, `sum` to develop the sum.
  struct Images {
    VkImageView maps;
    VkImageView sample;
    VkImageView sum;
  };
  static Result<DeviceScene> create(const runtime::Device& device, const Pipelines& pipelines);

  // Replaces the scene. The device must no longer read the previous one. After an error the scene is empty. `pixel`:
  // factor from the widths of overlays to pixels.
  Result<void> set(const runtime::Device& device, const Pipelines& pipelines, const Images& images, const Scene& scene,
                   Lighting lighting, float pixel);

  const Lighting& lighting() const { return lighting_; }
  const Draws& draws() const { return draws_; }
  const std::vector<DeviceItem>& items() const { return items_; }
  const std::vector<DrawnCrowd>& crowds() const { return crowds_; }  // each once
  std::uint32_t overlay_count() const { return static_cast<std::uint32_t>(overlays_.size()); }

  VkDescriptorSet sample_set() const { return scene_sets_[0]; }
  VkDescriptorSet develop_set() const { return scene_sets_[1]; }
  std::uint32_t sample_offset(std::uint32_t sample) const { return sample * sample_stride_; }
  VkDescriptorSet item_set(std::uint32_t item) const { return item_sets_[item]; }
  VkDescriptorSet texture_set(const Texture* texture) const { return texture_sets_[texture_places_.at(texture)]; }
  // The set for draws that do not read an item.
  VkDescriptorSet no_item_set() const { return item_sets_[items_.size()]; }

 private:
  // Buffers of a character, kept while scenes show it.
  struct CharacterBuffers {
    Character character;  // owned, so that no other character gets its address
    std::vector<MeshGeometry> meshes;
    runtime::Buffer indices;
    runtime::Buffer edges;
    runtime::Buffer uvs;
    runtime::Buffer colors;
    bool shown = false;
  };

  Result<CharacterBuffers*> find_or_make(const runtime::Device& device, const DrawItem& item);
  Result<void> set_items(const runtime::Device& device, const Pipelines& pipelines, const Scene& scene);
  Result<void> write_scene(const runtime::Device& device, const Pipelines& pipelines, const Images& images);
  void clear();

  std::map<std::pair<const CharacterData*, const MaterialTextures*>, CharacterBuffers> characters_;
  Texture white_;  // for draws without a texture
  runtime::Buffer nothing_;
  Lighting lighting_;
  Draws draws_;
  std::vector<DeviceItem> items_;
  std::vector<DrawnCrowd> crowds_;
  std::map<const Texture*, std::size_t> texture_places_;

  // In the form that is copied to the device.
  std::vector<shared::Affine> worlds_;
  std::vector<float> weights_;
  std::vector<shared::Overlay> overlays_;
  std::vector<std::byte> samples_;  // one every sample_stride bytes
  std::uint32_t sample_stride_ = 0;

  StreamBuffer frame_buffer_;
  StreamBuffer sample_buffer_;
  StreamBuffer world_buffer_;
  StreamBuffer weight_buffer_;
  StreamBuffer overlay_buffer_;
  DescriptorSets scene_sets_;
  DescriptorSets item_sets_;
  DescriptorSets texture_sets_;
};

}  // namespace pelt::samples
