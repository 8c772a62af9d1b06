// SPDX-License-Identifier: MIT
// The Vulkan objects of a crowd: crowd_make.cpp makes them, crowd_record.cpp records frames with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd.h>

#include "runtime/crowd_outputs.h"
#include "runtime/gpu_characters.h"

namespace pelt::runtime {

// The descriptor sets of a kind of kernel: by output slot, if it writes outputs, then by frame in flight.
struct KernelSets {
  DescriptorPool pool;
  std::vector<VkDescriptorSet> sets;
  VkDescriptorSet at(std::size_t i) const { return sets[i % sets.size()]; }  // by output slot in any case
};
// By kind and number of the buffer of bind data.
using SetsOfKernels = std::map<std::pair<KernelKind, std::uint32_t>, KernelSets>;

struct PreparedDispatch {
  const ComputeKernel* pipeline = nullptr;
  const KernelSets* sets = nullptr;
};

struct Crowd::Vulkan {
  ~Vulkan();

  DeviceInternals* device = nullptr;
  GpuCharacters::State* gpu = nullptr;
  std::vector<bool> used;  // characters in use (GpuCharacters::State::use), by number
  std::string label;
  CrowdCapacity capacity;
  std::vector<OutputLocations> outputs;                            // for each output slot
  std::vector<std::vector<VkDescriptorBufferInfo>> output_ranges;  // for each output slot
  std::vector<BoundOutputs> bound_outputs;                         // for each output slot
  bool reads_previous = false;  // readers take previous positions from the slot before

  Buffer palette;  // palettes, then the vertices of drivers
  Buffer vertices;
  Buffer arguments;
  Buffer nothing;
  Buffer memory;
  // Buffers with a copy for each frame in flight (FrameBuffer).
  struct Copies {
    Buffer buffer;
    std::vector<BufferRange> ranges;
  };
  std::map<FrameBuffer, Copies> copies;
  std::uint32_t frames_in_flight = 1;
  // Ranges that are the same in every frame.
  std::map<FrameBuffer, VkDescriptorBufferInfo> ranges;
  std::vector<VkDescriptorBufferInfo> bind_data;  // by number of the buffer
  SetsOfKernels sets;
  std::vector<PreparedDispatch> prepared;  // by output slot, then by dispatch

  VkDescriptorBufferInfo range_of(FrameBuffer buffer, std::size_t output_slot, std::uint32_t frame_copy) const;
  std::uint32_t slot_of_frame(std::uint64_t of) const { return static_cast<std::uint32_t>(of % outputs.size()); }
  std::uint32_t copy_of_frame(std::uint64_t of) const { return static_cast<std::uint32_t>(of % frames_in_flight); }
  VkDescriptorBufferInfo table_of(std::uint64_t frame) const {
    return range_of(FrameBuffer::kWork, 0, copy_of_frame(frame));
  }

  Result<void> make_copies(const Device& owner, const Options& planned);
  Result<void> make_buffers(const Device& owner, VkDeviceSize vertex_bytes, const CrowdOptions& wanted,
                            const Options& planned);
  // Returns the sets that a dispatch binds, which are made on first use. They do not depend on the characters.
  Result<const KernelSets*> sets_of(const Device& owner, const FrameDispatch& dispatch, const ComputeKernel& kernel,
                                    SetsOfKernels& made) const;

  void transfer(VkCommandBuffer to, std::optional<std::uint64_t> outputs_of, std::optional<std::uint64_t> of_table,
                VkBufferMemoryBarrier2 barrier) const;
  void record_barrier(VkCommandBuffer to, const FrameCommand& barrier) const;
  void record_dispatch(VkCommandBuffer to, const CrowdFrame& frame, const FrameCommand& command) const;
};

}  // namespace pelt::runtime
