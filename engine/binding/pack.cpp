// SPDX-License-Identifier: MIT
#include "engine/binding/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/core/finite.h"
#include "shaders/blend/blend.h"

namespace pelt {
namespace {

constexpr std::size_t kSortWindow = 4096;  // rows: far enough to fill slices, near enough to keep the mesh's locality

// Words of a row: a group without an entry takes one.
std::size_t row_length(std::span<const SparseRows> groups, std::size_t row) {
  std::size_t sum = 0;
  for (const SparseRows& rows : groups) sum += std::max<std::size_t>(rows.row(row).size(), 1);
  return sum;
}

// What stands where a group without a share has no entry: the first of the row, of any group.
Result<Influence> filler(std::span<const SparseRows> groups, std::size_t row, float share) {
  for (const SparseRows& rows : groups) {
    if (share == 0 && !rows.row(row).empty()) return Influence{rows.row(row).front().index, 1.0f};
  }
  return fail(ErrorCode::kInvalidArgument, fmt::format("row {} names no palette entry", row));
}

std::size_t slice_count(std::size_t rows) { return (rows + shared::kSliceRows - 1) / shared::kSliceRows; }

constexpr std::uint32_t kEndsGroup = 0x80000000u;  // of a slope's first word
constexpr std::uint32_t kNoSlope = 0xFFFFu;        // the slot of no slope: it has no next one
constexpr double kMostSlope = 8e9;                 // per metre, what 15 bits hold (shaders/blend/blend.h)
constexpr double kLeastSlope = 1e-9;

// |gradient| in the bits where slope_gradient reads it, to the nearest; 0 where it is less than kLeastSlope.
std::uint32_t slope_magnitude(double length) {
  if (length < kLeastSlope) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(length / shared::kSlopeUnit));
  return ((bits + 0x2000u) << 2u) & shared::kSlopeBits;
}

std::span<const Slope> slopes_of(const SlopeRows& slopes, std::size_t row) {
  return slopes.row_count() == 0 ? std::span<const Slope>() : slopes.row(row);
}

std::size_t slope_count(std::span<const SlopeRows> groups, std::size_t row) {
  std::size_t sum = 0;
  for (const SlopeRows& slopes : groups) sum += slopes_of(slopes, row).size();
  return sum;
}

// Appends the slopes of a row, of all groups. A slope that has to end a group without any has the slot kNoSlope.
Result<void> append_slopes(std::span<const SlopeRows> groups, std::size_t row, std::vector<glm::uvec2>& words) {
  for (const SlopeRows& slopes : groups) {
    const std::size_t first = words.size();
    for (const Slope& slope : slopes_of(slopes, row)) {
      if (slope.slot >= kNoSlope) {
        return fail(ErrorCode::kUnsupported, fmt::format("a slope of row {} names palette entry {}; a mesh can use {}",
                                                         row, std::uint64_t{slope.slot} + 1, kNoSlope + 1));
      }
      const double length = glm::length(glm::dvec3(slope.gradient));
      if (!(length < kMostSlope)) {
        return fail(ErrorCode::kUnsupported, fmt::format("row {} has a slope of {} per metre", row, length));
      }
      const std::uint32_t magnitude = slope_magnitude(length);
      if (magnitude == 0) continue;
      words.emplace_back(slope.slot | magnitude, shared::pack_normal(glm::vec3(glm::dvec3(slope.gradient) / length)));
    }
    if (groups.size() == 1) continue;
    if (words.size() == first) words.emplace_back(kNoSlope, 0u);
    words.back().x |= kEndsGroup;
  }
  return {};
}

std::uint32_t first_slot(std::span<const glm::uvec2> words) {
  for (const glm::uvec2 word : words) {
    if (shared::slope_slot(word) != kNoSlope) return shared::slope_slot(word);
  }
  return kNoSlope;
}

// `source_of`: packed row -> row.
template <class SourceOf>
Result<void> pack_slopes(std::span<const SlopeRows> groups, const SourceOf& source_of, PackedBinding& packed) {
  const std::size_t count = packed.points.size();
  packed.slope_slices.reserve(slice_count(count) + 1);
  packed.slope_slices.push_back(0);
  std::vector<glm::uvec2> words[shared::kSliceRows];
  for (std::size_t slice = 0; slice < slice_count(count); ++slice) {
    std::size_t length = 0;
    std::uint32_t slot = kNoSlope;  // of any slope of the slice
    for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
      words[r].clear();
      const std::size_t row = slice * shared::kSliceRows + r;
      if (row >= count) continue;
      const Result<void> appended = append_slopes(groups, source_of(row), words[r]);
      if (!appended) return appended;
      length = std::max(length, words[r].size());
      if (slot == kNoSlope) slot = first_slot(words[r]);
    }
    if (slot == kNoSlope) length = 0;
    if (packed.slopes.size() + length * shared::kSliceRows > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::kUnsupported, "pack: more slopes than 32 bits count");
    }
    for (std::size_t k = 0; k < length; ++k) {
      for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
        glm::uvec2 word = k < words[r].size() ? words[r][k] : glm::uvec2(kNoSlope, 0u);
        if (shared::slope_slot(word) == kNoSlope) {
          const std::uint32_t own = first_slot(words[r]);
          word.x = (word.x & kEndsGroup) | (own == kNoSlope ? slot : own);
        }
        packed.slopes.push_back(word);
      }
    }
    packed.slope_slices.push_back(static_cast<std::uint32_t>(packed.slopes.size()));
  }
  return {};
}

std::size_t local_group_count(const PackedBinding& packed) {
  return packed.points.empty() ? 0 : packed.local_points.size() / packed.points.size();
}

// The groups of a row of influences. Precondition: its weights are valid.
std::size_t group_count(const PackedBinding& packed, std::size_t row) {
  const std::size_t slice = row / shared::kSliceRows;
  std::uint64_t units = 0;
  for (std::size_t at = packed.slices[slice] + row % shared::kSliceRows; at < packed.slices[slice + 1];
       at += shared::kSliceRows) {
    units += shared::influence_units(packed.influences[at]);
  }
  return units / shared::kWeightUnits;
}

Result<void> validate_slice(const PackedBinding& packed, std::size_t slice, std::size_t palette_size, Groups groups,
                            const std::string& what) {
  const std::size_t begin = packed.slices[slice];
  const std::size_t length = (packed.slices[slice + 1] - begin) / shared::kSliceRows;
  for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
    const std::size_t row = slice * shared::kSliceRows + r;
    std::uint32_t sum = 0;
    std::size_t ended = 0;  // groups
    for (std::size_t k = 0; k < length; ++k) {
      const std::uint32_t word = packed.influences[begin + k * shared::kSliceRows + r];
      if (shared::influence_index(word) >= palette_size) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("{}: row {} names palette entry {} of {}", what, row,
                                                             shared::influence_index(word), palette_size));
      }
      sum += shared::influence_units(word);
      if (sum > shared::kWeightUnits) break;
      if (sum < shared::kWeightUnits) continue;
      ++ended;
      if (groups != Groups::kOne) sum = 0;
    }
    const bool padding = row >= packed.points.size();
    const bool right =
        padding ? sum == 0 && ended == 0 : ended > 0 && sum == (groups == Groups::kOne ? shared::kWeightUnits : 0);
    if (!right) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: the weights of row {} do not sum to {}", what, row,
                                                           padding ? 0 : shared::kWeightUnits));
    }
    if (groups == Groups::kWithPoints && !padding && ended != local_group_count(packed)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: row {} holds {} groups, but has {} local points", what,
                                                           row, ended, local_group_count(packed)));
    }
  }
  return {};
}

// Precondition: the influences are valid.
Result<void> validate_slope_slice(const PackedBinding& packed, std::size_t slice, std::size_t palette_size,
                                  Groups groups, const std::string& what) {
  const std::size_t begin = packed.slope_slices[slice];
  const std::size_t length = (packed.slope_slices[slice + 1] - begin) / shared::kSliceRows;
  for (std::size_t r = 0; r < shared::kSliceRows && length > 0; ++r) {
    const std::size_t row = slice * shared::kSliceRows + r;
    std::size_t ended = 0;
    for (std::size_t k = 0; k < length; ++k) {
      const glm::uvec2 words = packed.slopes[begin + k * shared::kSliceRows + r];
      if (shared::slope_slot(words) + std::size_t{1} >= palette_size) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("{}: a slope of row {} names palette entry {} of {}", what,
                                                             row, shared::slope_slot(words) + 1, palette_size));
      }
      if (shared::slope_ends_group(words)) ++ended;
    }
    const bool padding = row >= packed.points.size();
    const std::size_t wanted = groups != Groups::kSeveral || padding ? 0 : group_count(packed, row);
    if (ended != wanted) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: the slopes of row {} end {} groups, not {}", what, row, ended, wanted));
    }
  }
  return {};
}

Result<void> validate_local_points(const PackedBinding& packed, Groups groups, const std::string& what) {
  const std::size_t count = packed.points.size();
  const std::size_t size = packed.local_points.size();
  const auto broken = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", what, why));
  };
  if (groups != Groups::kWithPoints) {
    return size == 0 ? Result<void>() : broken("has local points, but is not blended with them");
  }
  if (count == 0 ? size != 0 : size == 0 || size % count != 0 || size / count > kMostLocalGroups) {
    return broken(fmt::format("{} local points for {} vertices", size, count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t at = i; at < size; at += count) {
      const glm::vec4 local = packed.local_points[at];
      if (!is_near(glm::vec3(local))) {
        return broken(fmt::format("a local point of row {} is not finite, or beyond {:g}", i, kFarthest));
      }
      if (!(std::abs(local.w) <= kMostShare)) return broken(fmt::format("a share of row {} is {}", i, local.w));
      sum += local.w;
    }
    if (!(std::abs(sum - 1) <= 1e-4)) return broken(fmt::format("the shares of row {} sum to {}, not 1", i, sum));
  }
  return {};
}

// `slices`: where each starts in a stream of `size` elements.
Result<void> validate_slices(std::span<const std::uint32_t> slices, std::size_t vertex_count, std::size_t size,
                             const std::string& what) {
  if (slices.size() != slice_count(vertex_count) + 1) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: {} slices for {} vertices", what, slices.size(), vertex_count));
  }
  if (slices.front() != 0 || slices.back() != size) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: slices do not cover what they cut", what));
  }
  for (std::size_t slice = 0; slice + 1 < slices.size(); ++slice) {
    if (slices[slice + 1] < slices[slice] || (slices[slice + 1] - slices[slice]) % shared::kSliceRows != 0) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: slice {} does not hold whole rows", what, slice));
    }
  }
  return {};
}

}  // namespace

void quantise(std::span<const Influence> row, std::vector<std::uint32_t>& by_index, std::vector<std::uint32_t>& units) {
  by_index.resize(row.size());
  units.resize(row.size());
  std::iota(by_index.begin(), by_index.end(), 0u);
  std::sort(by_index.begin(), by_index.end(),
            [&](std::uint32_t a, std::uint32_t b) { return row[a].index < row[b].index; });
  double sum = 0;
  for (const Influence& influence : row) sum += influence.weight;
  double passed = 0;
  std::int64_t given = 0;
  for (const std::uint32_t k : by_index) {
    passed += row[k].weight;
    const std::int64_t upto = std::llround(passed / sum * shared::kWeightUnits);
    units[k] = static_cast<std::uint32_t>(upto - given);
    given = upto;
  }
}

void order_by_row_length(std::span<const SparseRows> groups, std::span<const SlopeRows> slopes,
                         std::vector<std::uint32_t>& order) {
  const auto longer = [&](std::uint32_t a, std::uint32_t b) {
    const std::size_t length_a = row_length(groups, a);
    const std::size_t length_b = row_length(groups, b);
    return length_a != length_b ? length_a > length_b : slope_count(slopes, a) > slope_count(slopes, b);
  };
  for (std::size_t begin = 0; begin < order.size(); begin += kSortWindow) {
    const std::size_t end = std::min(begin + kSortWindow, order.size());
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.begin() + static_cast<std::ptrdiff_t>(end), longer);
  }
}

Result<PackedBinding> pack(std::span<const SparseRows> groups, const RestGeometry& rest,
                           std::span<const std::uint32_t> order, std::span<const SlopeRows> slopes,
                           std::span<const std::vector<glm::vec4>> local_points) {
  assert(!groups.empty() && (slopes.empty() || slopes.size() == groups.size()));
  assert(local_points.empty() || local_points.size() == groups.size());
  const std::size_t count = groups[0].row_count();
  for (const SparseRows& rows : groups) {
    if (rows.row_count() != count) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("pack: groups of {} and of {} rows", count, rows.row_count()));
    }
  }
  for (const std::vector<glm::vec4>& points : local_points) {
    if (points.size() != count) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("pack: {} rows, but {} local points", count, points.size()));
    }
  }
  if (local_points.size() > kMostLocalGroups) {
    return fail(ErrorCode::kUnsupported, fmt::format("{} groups of influences with local points; a mesh can have {}",
                                                     local_points.size(), kMostLocalGroups));
  }
  if (!local_points.empty() && !slopes.empty()) {
    // Nothing to tell groups apart by: all are of the first.
    const auto none = [](const SlopeRows& rows) { return rows.slopes.empty(); };
    if (!std::all_of(slopes.begin() + 1, slopes.end(), none)) {
      return fail(ErrorCode::kInvalidArgument, "pack: slopes of another group than the first of those with points");
    }
    slopes = slopes.first(1);
  }
  bool has_slopes = false;
  for (const SlopeRows& rows : slopes) {
    if (rows.row_count() != 0 && rows.row_count() != count) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("pack: {} rows, but slopes of {}", count, rows.row_count()));
    }
    has_slopes |= !rows.slopes.empty();
  }
  if (rest.positions.size() != count || rest.normals.size() != count ||
      (!rest.tangents.empty() && rest.tangents.size() != count) || (!order.empty() && order.size() != count)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("pack: {} rows, {} positions, {} normals, {} tangents, {} in the order", count,
                            rest.positions.size(), rest.normals.size(), rest.tangents.size(), order.size()));
  }
  PackedBinding packed;
  packed.points.reserve(count);
  packed.directions.reserve(count);
  packed.slices.reserve(slice_count(count) + 1);
  packed.slices.push_back(0);
  const auto source_of = [&](std::size_t row) { return order.empty() ? row : order[row]; };

  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t source = source_of(row);
    if (source >= count) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("pack: the order names row {} of {}", source, count));
    }
    const glm::vec3 normal = rest.normals[source];
    const glm::vec3 across = std::abs(normal.x) < 0.6f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
    const glm::vec4 tangent = rest.tangents.empty()
                                  ? glm::vec4(shared::normalize_or(glm::cross(normal, across), glm::vec3(1, 0, 0)), 1)
                                  : rest.tangents[source];
    packed.points.push_back(rest.positions[source]);
    packed.directions.emplace_back(shared::pack_normal(normal), shared::pack_tangent(tangent));
  }

  std::size_t most_words = 0;
  for (std::size_t first = 0; first < count; first += shared::kSliceRows) {
    std::size_t length = 0;
    for (std::size_t row = first; row < std::min<std::size_t>(first + shared::kSliceRows, count); ++row) {
      length = std::max(length, row_length(groups, source_of(row)));
    }
    most_words += length * shared::kSliceRows;
  }
  packed.influences.reserve(most_words);

  std::vector<std::uint32_t> words[shared::kSliceRows];
  std::vector<std::uint32_t> by_index;
  std::vector<std::uint32_t> weights;
  for (std::size_t slice = 0; slice < slice_count(count); ++slice) {
    std::size_t length = 0;
    for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
      words[r].clear();
      const std::size_t row = slice * shared::kSliceRows + r;
      if (row >= count) continue;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        std::span<const Influence> source = groups[g].row(source_of(row));
        Influence entry{};
        if (source.empty()) {
          const float share = local_points.empty() ? 1.0f : local_points[g][source_of(row)].w;
          const Result<Influence> found = filler(groups, source_of(row), share);
          if (!found) return tl::unexpected(found.error());
          entry = *found;
          source = std::span(&entry, 1);
        }
        quantise(source, by_index, weights);
        for (std::size_t k = 0; k < source.size(); ++k) {
          if (weights[k] == 0) continue;
          if (source[k].index > 0xFFFFu) {
            return fail(ErrorCode::kUnsupported, fmt::format("row {} names palette entry {}; a mesh can use {}",
                                                             source_of(row), source[k].index, 0x10000));
          }
          words[r].push_back(source[k].index | weights[k] << 16u);
        }
      }
      length = std::max(length, words[r].size());
    }
    if (packed.influences.size() + length * shared::kSliceRows > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::kUnsupported, "pack: more influences than 32 bits count");
    }
    for (std::size_t k = 0; k < length; ++k) {
      for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
        // Padding repeats an entry of its own row, which is in the cache; rows past the end borrow the first row's.
        const std::uint32_t padding = shared::influence_index(words[words[r].empty() ? 0 : r].front());
        packed.influences.push_back(k < words[r].size() ? words[r][k] : padding);
      }
    }
    packed.slices.push_back(static_cast<std::uint32_t>(packed.influences.size()));
  }
  if (has_slopes) {
    const Result<void> done = pack_slopes(slopes, source_of, packed);
    if (!done) return tl::unexpected(done.error());
  }
  packed.local_points.reserve(local_points.size() * count);
  for (const std::vector<glm::vec4>& points : local_points) {
    for (std::size_t row = 0; row < count; ++row) packed.local_points.push_back(points[source_of(row)]);
  }
  return packed;
}

SparseRows unpack_rows(const PackedBinding& packed) {
  SparseRows rows;
  std::vector<Influence> row;
  for (std::size_t i = 0; i < packed.points.size(); ++i) {
    const std::size_t slice = i / shared::kSliceRows;
    row.clear();
    std::uint32_t units = 0;  // of the group
    std::size_t local = i;
    for (std::size_t at = packed.slices[slice] + i % shared::kSliceRows; at < packed.slices[slice + 1];
         at += shared::kSliceRows) {
      const std::uint32_t word = packed.influences[at];
      if (shared::influence_units(word) == 0) continue;
      const float share = packed.local_points.empty() ? 1.0f : packed.local_points[local].w;
      if (share != 0) row.push_back({shared::influence_index(word), share * shared::influence_weight(word)});
      units += shared::influence_units(word);
      if (units < shared::kWeightUnits) continue;
      units = 0;
      local += packed.points.size();
    }
    rows.append_row(row);
  }
  return rows;
}

SlopeRows unpack_slopes(const PackedBinding& packed) {
  SlopeRows rows;
  if (packed.slope_slices.empty()) return rows;
  std::vector<Slope> row;
  for (std::size_t i = 0; i < packed.points.size(); ++i) {
    const std::size_t slice = i / shared::kSliceRows;
    row.clear();
    for (std::size_t at = packed.slope_slices[slice] + i % shared::kSliceRows; at < packed.slope_slices[slice + 1];
         at += shared::kSliceRows) {
      const glm::uvec2 words = packed.slopes[at];
      if ((words.x & shared::kSlopeBits) != 0)
        row.push_back({shared::slope_slot(words), shared::slope_gradient(words)});
    }
    rows.append_row(row);
  }
  return rows;
}

Result<void> validate(const PackedBinding& packed, std::size_t palette_size, Groups groups, const std::string& what) {
  const std::size_t count = packed.points.size();
  const auto broken = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", what, why));
  };
  if (count > std::numeric_limits<std::uint32_t>::max()) return broken("more vertices than 32 bits count");
  if (packed.directions.size() != count) {
    return broken(fmt::format("{} points, but {} directions", count, packed.directions.size()));
  }
  Result<void> valid = validate_slices(packed.slices, count, packed.influences.size(), what + ", influences");
  if (!valid) return valid;
  valid = validate_local_points(packed, groups, what);
  if (!valid) return valid;
  if (!packed.slope_slices.empty() || !packed.slopes.empty()) {
    valid = validate_slices(packed.slope_slices, count, packed.slopes.size(), what + ", slopes");
    if (!valid) return valid;
  }
  for (std::size_t slice = 0; slice + 1 < packed.slices.size(); ++slice) {
    valid = validate_slice(packed, slice, palette_size, groups, what);
    if (valid && !packed.slopes.empty()) valid = validate_slope_slice(packed, slice, palette_size, groups, what);
    if (!valid) return valid;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_near(packed.points[i])) {
      return broken(fmt::format("the point of row {} is not finite, or beyond {:g}", i, kFarthest));
    }
  }
  return {};
}

}  // namespace pelt
