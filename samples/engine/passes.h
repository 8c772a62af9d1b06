// SPDX-License-Identifier: MIT
// The game's passes: a shadow map of the sun, then the lit picture, with its depth and its motion vectors.
#pragma once

#include <span>
#include <vector>

#include <pelt/runtime/crowd.h>

#include "samples/engine/culling.h"
#include "samples/engine/device.h"
#include "samples/engine/shaders/records.h"
#include "samples/renderer/gpu_objects.h"

namespace pelt::samples {

struct PassSizes {
  VkExtent2D picture{1280, 720};
  std::uint32_t shadow = 4096;  // texels per side of the shadow map
};

class Passes {
 public:
  Passes() = default;
  // Makes images, pipelines, and a descriptor set per frame in flight and output slot, with that frame's walkers, table
  // and anchors. `props`: solids on them.
  static Result<Passes> create(const GameDevice& device, const PassSizes& sizes, std::span<const GameBuffer> walkers,
                               const runtime::Crowd& crowd, const Culling& culling,
                               std::span<const shared::PropRecord> props);

  // Writes the record that the passes of a frame read.
  void set_frame(const GameDevice& device, std::uint32_t slot, const shared::FrameRecord& frame) const;
  // Records the passes, with culling's draws, on the graphics queue. Outputs must be readable as vertices.
  void record(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot, const runtime::Crowd& crowd,
              const Culling& culling) const;
  // Records copies of picture and motion vectors to the host, after the passes.
  void record_capture(const GameDevice& device, VkCommandBuffer commands) const;

  // Return the last captured frame, once it is done.
  Image picture() const { return picture_reader_.picture(); }
  std::vector<glm::vec2> motion() const;  // pixels since the previous frame; rows from the top

 private:
  Result<void> make_images(const GameDevice& device);
  Result<void> make_sets(const GameDevice& device, std::span<const GameBuffer> walkers, const runtime::Crowd& crowd,
                         const Culling& culling, std::span<const shared::PropRecord> props);
  Result<void> make_pipelines(const GameDevice& device);
  void bind_vertices(const GameDevice& device, VkCommandBuffer commands, const runtime::OutputLocations& outputs) const;

  PassSizes sizes_;
  Texture shadow_, color_, motion_, depth_;
  Owned<VkSampler> shadow_sampler_;
  SetLayout set_layout_;
  Owned<VkPipelineLayout> layout_;
  DescriptorSets sets_;
  std::vector<GameBuffer> frames_;  // FrameRecord, one per frame in flight
  GameBuffer props_;
  std::uint32_t prop_count_ = 0;
  Owned<VkPipeline> shadow_pipeline_, character_pipeline_, ground_pipeline_, prop_pipeline_;
  PictureReader picture_reader_, motion_reader_;
};

}  // namespace pelt::samples
