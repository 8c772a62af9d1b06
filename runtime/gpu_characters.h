// SPDX-License-Identifier: MIT
// The contents of GpuCharacters, which crowds read.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/upload.h>

#include "engine/character/pose_kernels.h"
#include "runtime/free_ranges.h"

namespace pelt::runtime {

// Shaders bind the whole buffer as an array of the elements that they read. Each character has one block, in which
// every stream begins at a multiple of its element size: indices count elements from the buffer's start.
struct GpuCharacters::State {
  DeviceInternals* device = nullptr;
  UploadOptions options;
  Buffer buffer;
  FreeRanges free;  // bytes of it

  // The starts of a mesh's bind data, in elements; from `slice` on, in words.
  struct MeshStart {
    std::uint32_t local_point = 0;
    std::uint32_t point = 0;
    std::uint32_t direction = 0;
    std::uint32_t slice = 0;
    std::uint32_t influence = 0;
    std::uint32_t gradient = 0;
    std::uint32_t gradient_unit = 0;
    std::uint32_t painted_slice = 0;
    std::uint32_t painted_influence = 0;
    std::uint32_t morph_slice = 0;
    std::uint32_t morph_column = 0;
    std::uint32_t morph_offset = 0;
    std::optional<std::uint32_t> normal_ring;  // if the mesh has rings
  };
  struct PassStart {
    std::uint32_t record = 0;  // index among the records of its kernel
    std::uint32_t word = 0;    // first word of its table
  };
  struct Entry {
    Character character;
    std::uint64_t upload = 0;  // unique, unlike the character's number
    std::vector<MeshStart> meshes;
    std::vector<MeshStart> levels;  // of CharacterData::levels
    std::vector<PassStart> passes;
    std::uint32_t first_bound = 0;
    std::uint32_t bound_count = 0;
    std::uint32_t painted_bound_count = 0;  // after those of the deformers
    BufferRange block;
    Buffer staging;           // until the upload has finished
    VkDeviceSize copied = 0;  // bytes whose copy is recorded
    bool acquired = false;    // by the compute queue family, from the one that copied
  };
  std::deque<std::optional<Entry>> entries;  // by number; none: removed. Addresses never change
  std::uint64_t uploads = 0;                 // number of uploads so far
  bool has(std::uint32_t number) const { return number < entries.size() && entries[number].has_value(); }
  mutable std::mutex mutex;  // guards entries and blocks
};

// Returns "'name'" or "3 characters", for messages.
std::string label_of(const GpuCharacters::State& characters);

}  // namespace pelt::runtime
