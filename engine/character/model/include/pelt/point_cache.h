// SPDX-License-Identifier: MIT
// PC2, the point cache of 3ds Max that Blender and Maya read and write: vertex positions of a mesh, frame by frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// The header of a PC2 file, little-endian; float3[samples][points] follows.
struct Pc2Header {
  char signature[12] = "POINTCACHE2";
  std::int32_t version = 1;
  std::int32_t points = 0;
  float first_frame = 0;
  float frames_a_sample = 1;
  std::int32_t samples = 0;
};
static_assert(sizeof(Pc2Header) == 32);

struct PointCache {
  std::uint32_t count = 0;           // number of points
  float start = 0;                   // frame number of the first sample
  float rate = 1;                    // frames from one sample to the next
  std::uint32_t frames = 0;          // number of samples
  std::vector<glm::vec3> positions;  // all points of sample 0, then of sample 1, ...

  std::span<const glm::vec3> frame(std::uint32_t i) const {
    return std::span(positions).subspan(std::size_t{i} * count, count);
  }
};

// Reads a cache of at least one point and one sample; every number must be finite. Errors: kNotFound; kReadFailed;
// kInvalidFile if the size of the file differs from that in its header; kUnsupported above 16 GiB.
Result<PointCache> load_pc2(const std::filesystem::path& path);

// Writes the positions at a time in frames, linear between samples and constant beyond the ends. Does not allocate.
// Shape: to.size() == cache.count.
void sample(const PointCache& cache, float frame, std::span<glm::vec3> to);

}  // namespace pelt
