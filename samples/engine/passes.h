// SPDX-License-Identifier: MIT
// The game's passes: a shadow map of the sun, then the lit picture, with its depth and its motion vectors.
#pragma once

#include <array>
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
  std::uint32_t shadow = 4096;  // texels of a side of the shadow map
};

class Passes {
 public:
  Passes() = default;
  // Makes images, pipelines, and a descriptor set for each frame in flight, which reads its walkers.
  static Result<Passes> create(const GameDevice& device, const PassSizes& sizes, std::span<const GameBuffer> walkers);

  // Writes what the passes of a frame read of it.
  void set_frame(const GameDevice& device, std::uint32_t slot, const shared::FrameRecord& frame) const;
  // Records the passes on the queue that draws, of what culling wrote. The crowd's outputs are readable as vertices.
  void record(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot, const runtime::Crowd& crowd,
              const Culling& culling) const;
  // Records copies of picture and motion vectors to the host, behind the passes.
  void record_capture(const GameDevice& device, VkCommandBuffer commands) const;

  // Returns the picture of the frame that was captured last, which is done; motion() returns its motion.
  Image picture() const { return picture_reader_.picture(); }
  std::vector<glm::vec2> motion() const;  // pixels since the frame before; rows from the top

 private:
  Result<void> make_images(const GameDevice& device);
  Result<void> make_sets(const GameDevice& device, std::span<const GameBuffer> walkers);
  Result<void> make_pipelines(const GameDevice& device);
  void bind_vertices(const GameDevice& device, VkCommandBuffer commands, const runtime::OutputPlaces& outputs) const;

  PassSizes sizes_;
  Texture shadow_, color_, motion_, depth_;
  Owned<VkSampler> shadow_sampler_;
  SetLayout set_layout_;
  Owned<VkPipelineLayout> layout_;
  DescriptorSets sets_;
  std::vector<GameBuffer> frames_;  // FrameRecord, one a frame in flight
  Owned<VkPipeline> shadow_pipeline_, character_pipeline_, ground_pipeline_;
  PictureReader picture_reader_, motion_reader_;
};

}  // namespace pelt::samples
