// SPDX-License-Identifier: MIT
// Culling on the device, between the two parts of the crowd's frame: which skins the crowd moves, and what is drawn.
#pragma once

#include <span>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd.h>

#include "samples/engine/device.h"
#include "samples/engine/shaders/records.h"

namespace pelt::samples {

// Returns the planes of a view, for CullConstants::planes. Clip space has depths from 0 to 1.
void set_planes(shared::CullConstants& view, const glm::mat4& clip_from_world);

// One buffer with all that culling writes, in ranges.
class Culling {
 public:
  Culling() = default;
  // Takes the memory: for so many instances and as many draws as they may have.
  static Result<Culling> create(const GameDevice& device, std::uint32_t instances);
  // Binds what culling reads: the boxes of the crowd, and the walkers' records of each frame in flight.
  Result<void> connect(const GameDevice& device, const runtime::Crowd& crowd, std::span<const GameBuffer> walkers);

  // Where the list of what the crowd moves is, for CrowdOptions::drawn.
  runtime::BufferPlace drawn() const { return {written_.handle(), drawn_.offset}; }

  // Adds a character's skins at all levels, and the indices of their triangles. The crowd has it already. Frames that
  // are in flight do not read what is added. Errors: too many skins, no room for the indices.
  Result<void> add_character(const GameDevice& device, const runtime::Crowd& crowd, std::uint32_t number,
                             const CharacterData& character);

  // Records culling behind Crowd::record_pose(), on the queue of compute; `slot`: of the frame in flight.
  void record(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot,
              const shared::CullConstants& view) const;

  // Draw what was seen, or what casts shadows, by one command: the pipeline and the vertices are bound already.
  void draw(const GameDevice& device, VkCommandBuffer commands) const { draw(device, commands, draws_, 0); }
  void draw_casts(const GameDevice& device, VkCommandBuffer commands) const {
    draw(device, commands, casts_, sizeof(std::uint32_t));
  }

  // Copies the counts to the host, and reads them when the frame is done.
  void record_counts(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot) const;
  struct Counted {
    std::uint32_t drawn = 0;  // instances that the crowd moved
    shared::CullCounts of{};
  };
  Counted counted(const GameDevice& device, std::uint32_t slot) const;

  // For tests: what was written.
  Result<std::vector<std::uint32_t>> read_drawn(const GameDevice& device) const;
  Result<std::vector<shared::DrawRecord>> read_draws(const GameDevice& device) const;

 private:
  void draw(const GameDevice& device, VkCommandBuffer commands, runtime::BufferRange range, VkDeviceSize count) const;

  std::uint32_t most_draws_ = 0;
  runtime::BufferRange counts_, drawn_, draws_, casts_;
  GameBuffer written_;
  GameBuffer levels_, parts_, indices_;  // written by the host as characters come
  std::uint32_t part_count_ = 0;
  std::uint32_t index_count_ = 0;
  std::vector<GameBuffer> read_back_;  // one a frame in flight
  runtime::ComputeKernel kernel_;
  runtime::DescriptorPool pool_;
  std::vector<VkDescriptorSet> sets_;
};

}  // namespace pelt::samples
