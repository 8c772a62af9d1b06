// SPDX-License-Identifier: MIT
// Culling on the device, between the parts of the crowd's frame: lists the instances to move, and writes the draws.
#pragma once

#include <array>
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

// Owns one buffer with everything that culling writes, in ranges.
class Culling {
 public:
  Culling() = default;
  // Allocates the memory for this number of instances and all of their draws.
  static Result<Culling> create(const GameDevice& device, std::uint32_t instances);
  // Binds the inputs: the boxes and tables of the crowd, and the walkers' records of each frame in flight.
  Result<void> connect(const GameDevice& device, const runtime::Crowd& crowd, std::span<const GameBuffer> walkers);

  // Returns the location of the list of instances that the crowd shows, for CrowdOptions::drawn.
  runtime::BufferLocation drawn() const { return {written_.handle(), drawn_.offset, drawn_.size}; }

  // Adds the triangles of a character of the crowd. Frames in flight do not read them. Errors: too many characters or
  // meshes, no room for the indices.
  Result<void> add_character(const GameDevice& device, std::uint32_t number, const CharacterData& character);

  // PartRecord[], and the positions at rest to which they refer.
  const GameBuffer& parts() const { return parts_; }
  const GameBuffer& rest() const { return rest_; }

  // Records culling between the parts of the crowd's frame, on the queue of compute. `frame`: counts from 0; frame %
  // kFramesInFlight is its slot below, of which draws and counts have a copy each: the next frame is culled while one
  // is drawn.
  void record(const GameDevice& device, VkCommandBuffer commands, std::uint64_t frame,
              const shared::CullConstants& view) const;

  // Draw everything seen, or all shadow casters, by one command. The pipeline and the vertices must be bound.
  void draw(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot) const {
    draw(device, commands, slots_[slot].draws, slots_[slot].counts.offset);
  }
  void draw_casts(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot) const {
    draw(device, commands, slots_[slot].casts, slots_[slot].counts.offset + sizeof(std::uint32_t));
  }

  // Copies the counts to the host; reads them once the frame is done.
  void record_counts(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot) const;
  shared::CullCounts counted(const GameDevice& device, std::uint32_t slot) const;

  // For tests: return the lists that culling wrote.
  Result<std::vector<std::uint32_t>> read_drawn(const GameDevice& device) const;
  Result<std::vector<shared::DrawRecord>> read_draws(const GameDevice& device, std::uint32_t slot) const;

 private:
  void draw(const GameDevice& device, VkCommandBuffer commands, runtime::BufferRange range, VkDeviceSize count) const;

  std::uint32_t instances_ = 0;
  std::uint32_t most_draws_ = 0;
  struct Slot {
    runtime::BufferRange counts, draws, casts;
  };
  std::array<Slot, kFramesInFlight> slots_;
  runtime::BufferRange drawn_;
  GameBuffer written_;
  GameBuffer parts_, indices_, rest_;  // written by the host when a character is added
  std::uint32_t index_count_ = 0;
  std::uint32_t rest_count_ = 0;
  std::vector<GameBuffer> read_back_;  // one per frame in flight
  runtime::ComputeKernel kernel_;
  runtime::DescriptorPool pool_;
  std::vector<VkDescriptorSet> sets_;  // for frames in turn
};

}  // namespace pelt::samples
