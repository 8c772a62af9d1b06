// SPDX-License-Identifier: MIT
// The contents of GpuCharacters, as crowds read them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/upload.h>

#include "engine/character/pose_kernels.h"

namespace pelt::runtime {

struct GpuCharacters::State {
  DeviceInternals* device = nullptr;
  Buffer buffer;   // all streams, one range each
  Buffer staging;  // until the upload has finished

  // The blend's input, bound as one range (shaders/blend/blend.h): the local points, points, directions and words of
  // all meshes of all characters, one kind after the other.
  BufferRange rest;
  // Records of all passes of a kernel, one after the other: shaders/<deformer>/pose.h.
  std::array<BufferRange, kPoseKernelCount> records;
  BufferRange tables;        // of all passes, one after the other
  BufferRange bounds;        // shaders/bounds/bounds.h
  BufferRange normal_rings;  // shaders/normals/normals.h
  bool has_normal_rings = false;

  // First element of a mesh in each part of `rest`; gradients count in words.
  struct MeshStart {
    std::uint32_t local_point = 0;
    std::uint32_t point = 0;
    std::uint32_t direction = 0;
    std::uint32_t slice = 0;
    std::uint32_t influence = 0;
    std::uint32_t gradient = 0;
    std::uint32_t gradient_unit = 0;
    std::uint32_t fit_slice = 0;
    std::uint32_t fit_influence = 0;
    std::uint32_t morph_slice = 0;
    std::uint32_t morph_column = 0;
    std::uint32_t morph_offset = 0;
    std::optional<std::uint32_t> normal_ring;  // first word in normal_rings, if the mesh has rings
  };
  struct PassStart {
    std::uint32_t record = 0;  // index among the records of its kernel
    std::uint32_t word = 0;    // first word of its table in `tables`
  };
  struct Entry {
    Character character;
    std::vector<MeshStart> meshes;
    std::vector<PassStart> passes;
    std::uint32_t first_bound = 0;
    std::uint32_t bound_count = 0;
    std::uint32_t fit_bound_count = 0;  // they follow the deformers'
  };
  std::vector<Entry> entries;
};

}  // namespace pelt::runtime
