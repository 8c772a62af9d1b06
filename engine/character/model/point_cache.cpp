// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include <pelt/finite.h>
#include <pelt/point_cache.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"

namespace pelt {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they are");
static_assert(sizeof(glm::vec3) == 12);

// `size`: bytes of the file.
Result<void> check_header(const Pc2Header& header, std::uint64_t size, const std::string& source) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidFile, formatted("{}: {}", source, why));
  };
  constexpr Pc2Header kLegal;
  if (std::memcmp(header.signature, kLegal.signature, sizeof kLegal.signature) != 0) return refuse("not a PC2 cache");
  if (header.version != kLegal.version) {
    return fail(ErrorCode::kUnsupported,
                formatted("{}: version {}, but this program reads {}", source, header.version, kLegal.version));
  }
  if (header.points < 1) return refuse(formatted("{} points", header.points));
  if (header.samples < 1) return refuse(formatted("{} samples", header.samples));
  if (!std::isfinite(header.first_frame)) return refuse("the first frame is not finite");
  if (!(header.frames_a_sample > 0) || !std::isfinite(header.frames_a_sample)) {
    return refuse(formatted("samples are {} frames apart", header.frames_a_sample));
  }
  // The product of two factors of 31 bits and 12 does not overflow.
  const std::uint64_t wanted = sizeof header + static_cast<std::uint64_t>(header.points) *
                                                   static_cast<std::uint64_t>(header.samples) * sizeof(glm::vec3);
  if (size != wanted) {
    return refuse(formatted("{} points in {} samples need {} bytes, but there are {}", header.points, header.samples,
                            wanted, size));
  }
  return {};
}

}  // namespace

Result<PointCache> load_pc2(const std::filesystem::path& path) {
  const std::string source = path.string();
  // A sparse file of any size takes no room on the disk, but its points fill memory.
  PELT_ASSIGN(const std::uint64_t size, size_of_file(path, std::uint64_t{16} << 30));

  // Reads directly into the result: caches are the largest files that Pelt reads.
  std::ifstream stream(path, std::ios::binary);
  const auto read = [&](auto values) {
    const auto bytes = std::as_writable_bytes(values);
    return static_cast<bool>(
        stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())));
  };
  const auto unreadable = [&] {
    return fail(ErrorCode::kReadFailed, formatted("{}: cannot be read: {}", source, std::strerror(errno)));
  };
  Pc2Header header;
  if (size < sizeof header) return fail(ErrorCode::kInvalidFile, formatted("{}: not a PC2 cache", source));
  if (!read(std::span(&header, 1))) return unreadable();
  PELT_TRY(check_header(header, size, source));

  PointCache cache{.count = static_cast<std::uint32_t>(header.points),
                   .start = header.first_frame,
                   .rate = header.frames_a_sample,
                   .frames = static_cast<std::uint32_t>(header.samples)};
  cache.positions.resize(std::size_t{cache.count} * cache.frames);
  if (!read(std::span(cache.positions))) return unreadable();
  for (std::size_t i = 0; i < cache.positions.size(); ++i) {
    const glm::vec3& p = cache.positions[i];
    if (!is_near(p)) {
      return fail(ErrorCode::kInvalidFile,
                  formatted("{}: point {} of sample {} is not finite, or too far from the origin", source,
                            i % cache.count, i / cache.count));
    }
  }
  return cache;
}

void sample(const PointCache& cache, float frame, std::span<glm::vec3> to) {
  assert(cache.frames > 0 && to.size() == cache.count);
  const double last = static_cast<double>(cache.frames) - 1;
  const double wanted = (static_cast<double>(frame) - cache.start) / cache.rate;
  const double at = wanted > 0 ? std::min(wanted, last) : 0.0;  // NaN becomes 0, too
  const auto before = static_cast<std::uint32_t>(at);
  const std::span<const glm::vec3> low = cache.frame(before);
  const std::span<const glm::vec3> high = cache.frame(std::min(before + 1, cache.frames - 1));
  const auto t = static_cast<float>(at - before);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = low[i] + t * (high[i] - low[i]);
}

}  // namespace pelt
