// SPDX-License-Identifier: MIT
#include "engine/binding/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "shaders/blend/blend.h"

namespace pelt {
namespace {

constexpr std::size_t kSortWindow = 4096;  // rows: far enough to fill slices, near enough to keep the mesh's locality

std::size_t row_length(std::span<const SparseRows> groups, std::size_t row) {
  std::size_t sum = 0;
  for (const SparseRows& rows : groups) sum += rows.row(row).size();
  return sum;
}

std::size_t slice_count(std::size_t rows) { return (rows + shared::kSliceRows - 1) / shared::kSliceRows; }

// Weights as multiples of 1/65535 that sum to exactly 1, in the row's order. Each is rounded, and what that leaves is
// carried to the next palette entry: neighbours in the palette move alike, so that the errors of a long row cancel
// where they would add up, and weights below one step do not vanish together.
// Precondition: weights are >= 0 and sum to about 1.
void quantise(std::span<const Influence> row, std::vector<std::uint32_t>& by_index,
              std::vector<std::uint32_t>& weights) {
  by_index.resize(row.size());
  weights.resize(row.size());
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
    weights[k] = static_cast<std::uint32_t>(upto - given);
    given = upto;
  }
}

Result<void> validate_slice(const PackedBinding& packed, std::size_t slice, std::size_t palette_size, Groups groups,
                            const std::string& what) {
  const std::size_t begin = packed.slices[slice];
  const std::size_t length = (packed.slices[slice + 1] - begin) / shared::kSliceRows;
  for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
    const std::size_t row = slice * shared::kSliceRows + r;
    std::uint32_t sum = 0;
    bool whole = false;  // a group has ended
    for (std::size_t k = 0; k < length; ++k) {
      const std::uint32_t word = packed.influences[begin + k * shared::kSliceRows + r];
      if (shared::influence_index(word) >= palette_size) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("{}: row {} names palette entry {} of {}", what, row,
                                                             shared::influence_index(word), palette_size));
      }
      sum += shared::influence_units(word);
      if (sum > shared::kWeightUnits) break;
      if (sum < shared::kWeightUnits) continue;
      whole = true;
      if (groups == Groups::kSeveral) sum = 0;
    }
    const bool padding = row >= packed.points.size();
    const bool right =
        padding ? sum == 0 && !whole : whole && sum == (groups == Groups::kOne ? shared::kWeightUnits : 0);
    if (!right) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: the weights of row {} do not sum to {}", what, row,
                                                           padding ? 0 : shared::kWeightUnits));
    }
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> order_by_row_length(std::span<const SparseRows> groups) {
  std::vector<std::uint32_t> order(groups[0].row_count());
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t begin = 0; begin < order.size(); begin += kSortWindow) {
    const std::size_t end = std::min(begin + kSortWindow, order.size());
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::uint32_t a, std::uint32_t b) { return row_length(groups, a) > row_length(groups, b); });
  }
  return order;
}

Result<PackedBinding> pack(std::span<const SparseRows> groups, const RestGeometry& rest,
                           std::span<const std::uint32_t> order) {
  assert(!groups.empty());
  const std::size_t count = groups[0].row_count();
  for (const SparseRows& rows : groups) {
    if (rows.row_count() != count) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("pack: groups of {} and of {} rows", count, rows.row_count()));
    }
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
      for (const SparseRows& rows : groups) {
        const std::span<const Influence> source = rows.row(source_of(row));
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
  return packed;
}

SparseRows unpack_rows(const PackedBinding& packed) {
  SparseRows rows;
  std::vector<Influence> row;
  for (std::size_t i = 0; i < packed.points.size(); ++i) {
    const std::size_t slice = i / shared::kSliceRows;
    row.clear();
    for (std::size_t at = packed.slices[slice] + i % shared::kSliceRows; at < packed.slices[slice + 1];
         at += shared::kSliceRows) {
      const std::uint32_t word = packed.influences[at];
      if (shared::influence_units(word) != 0)
        row.push_back({shared::influence_index(word), shared::influence_weight(word)});
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
  if (packed.slices.size() != slice_count(count) + 1) {
    return broken(fmt::format("{} slices for {} vertices", packed.slices.size(), count));
  }
  if (packed.slices.front() != 0 || packed.slices.back() != packed.influences.size()) {
    return broken("slices do not cover the influences");
  }
  for (std::size_t slice = 0; slice + 1 < packed.slices.size(); ++slice) {
    if (packed.slices[slice + 1] < packed.slices[slice] ||
        (packed.slices[slice + 1] - packed.slices[slice]) % shared::kSliceRows != 0) {
      return broken(fmt::format("slice {} does not hold whole rows", slice));
    }
  }
  for (std::size_t slice = 0; slice + 1 < packed.slices.size(); ++slice) {
    const Result<void> valid = validate_slice(packed, slice, palette_size, groups, what);
    if (!valid) return valid;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const glm::vec3 p = packed.points[i];
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) {
      return broken(fmt::format("the point of row {} is not finite", i));
    }
  }
  return {};
}

}  // namespace pelt
