// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <span>

#include "engine/core/file_io.h"
#include "engine/core/result.h"

namespace pelt::samples {

// The point cache of 3ds Max that Blender and Maya read. Little-endian:
//
//   0   char[12]  "POINTCACHE2", zero
//   12  int32     version, 1
//   16  int32     points
//   20  float     first frame
//   24  float     frames from one sample to the next
//   28  int32     samples
//   32  float3    points of sample 0, then of sample 1, ...
struct Pc2Header {
  std::int32_t points = 0;
  float first_frame = 0;
  float frames_a_sample = 1;
  std::int32_t samples = 0;
};

// Writes sample by sample, so that long caches need no memory.
class Pc2Writer {
 public:
  static Result<Pc2Writer> create(const std::filesystem::path& path, const Pc2Header& header);

  // Precondition: one position a point.
  Result<void> append(std::span<const glm::vec3> positions);

  // After the last sample.
  Result<void> commit() { return file_.commit(); }

 private:
  Pc2Writer(OutputFile file, const Pc2Header& header) : file_(std::move(file)), header_(header) {}
  OutputFile file_;
  Pc2Header header_;
};

}  // namespace pelt::samples
