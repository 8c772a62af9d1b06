// SPDX-License-Identifier: MIT
// What upload() made, as crowds read it.
#pragma once

#include <array>
#include <vector>

#include "engine/character/pose_kernels.h"
#include "runtime/buffer.h"
#include "runtime/upload.h"

namespace pelt::runtime {

struct GpuCharacter::State {
  Character character;
  Buffer buffer;  // all streams, one range each

  // Streams of all meshes, one after the other: shaders/blend/blend.h.
  BufferRange points;
  BufferRange directions;
  BufferRange rows;
  // Records of all passes of a kernel, one after the other: shaders/<deformer>/pose.h.
  std::array<BufferRange, kPoseKernelCount> records;
  BufferRange tables;  // of all passes, one after the other

  // Where a mesh starts: its point in points and directions, the others in rows. As many as meshes.
  struct MeshStart {
    std::uint32_t point = 0;
    std::uint32_t slice = 0;
    std::uint32_t influence = 0;
    std::uint32_t slope_slice = 0;
    std::uint32_t slope = 0;
    std::uint32_t local_point = 0;  // in units of its four words
  };
  std::vector<MeshStart> mesh_starts;
  std::vector<std::uint32_t> first_records;  // of each pass, in records of its kernel
  std::vector<std::uint32_t> first_words;    // of each pass's table, in tables
};

}  // namespace pelt::runtime
