// SPDX-License-Identifier: MIT
#include "engine/character/rows/morphs.h"

#include <cmath>
#include <numeric>
#include <utility>

#include <pelt/finite.h>

#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

constexpr std::size_t kRows = shared::kSliceRows;

std::uint32_t pack_direction(glm::vec3 offset) {
  // Clamps first: a larger float does not fit an integer.
  const glm::ivec3 steps(glm::clamp(glm::round(offset / shared::kMorphDirectionUnit), -511.0f, 511.0f));
  return (static_cast<std::uint32_t>(steps.x) & 0x3FFu) | (static_cast<std::uint32_t>(steps.y) & 0x3FFu) << 10u |
         (static_cast<std::uint32_t>(steps.z) & 0x3FFu) << 20u;
}

// Appends the column of a target unless it moves no row. `vertices`: those of the slice.
void append_column(const MorphOffsets& target, std::uint32_t number, std::span<const std::uint32_t> vertices,
                   PackedMorphs& packed) {
  constexpr float kSteps = 32767;
  float largest = 0;
  bool turns = false;
  for (const std::uint32_t v : vertices) {
    const glm::vec3 size = glm::abs(target.positions[v]);
    largest = std::max({largest, size.x, size.y, size.z});
    turns = turns || (!target.normals.empty() && target.normals[v] != glm::vec3(0.0f)) ||
            (!target.tangents.empty() && target.tangents[v] != glm::vec3(0.0f));
  }
  // A smaller unit has no exact multiples; such offsets are invisible.
  const float unit = largest / kSteps > 1e-30f ? largest / kSteps : 0.0f;
  if (unit == 0 && !turns) return;
  packed.columns.emplace_back(shared::morph_weight_place(number), std::bit_cast<std::uint32_t>(unit));
  const std::size_t first = packed.offsets.size();
  packed.offsets.resize(first + packed.row_words * kRows, 0);
  for (std::size_t r = 0; r < vertices.size(); ++r) {
    const std::uint32_t v = vertices[r];
    const glm::ivec3 steps =
        unit == 0 ? glm::ivec3(0) : glm::clamp(glm::ivec3(glm::round(target.positions[v] / unit)), -32767, 32767);
    packed.offsets[first + r] = (static_cast<std::uint32_t>(steps.x) & 0xFFFFu) | static_cast<std::uint32_t>(steps.y)
                                                                                      << 16u;
    packed.offsets[first + kRows + r] = static_cast<std::uint32_t>(steps.z) & 0xFFFFu;
    if (!target.normals.empty()) packed.offsets[first + 2 * kRows + r] = pack_direction(target.normals[v]);
    if (!target.tangents.empty()) packed.offsets[first + 3 * kRows + r] = pack_direction(target.tangents[v]);
  }
}

// Reorders the words of columns from column order to target order.
void order_by_target(PackedMorphs& packed) {
  const std::size_t column_words = packed.row_words * kRows;
  const std::vector<std::uint32_t> places = morph_places(packed);
  std::vector<std::uint32_t> ordered(packed.offsets.size());
  for (std::size_t c = 0; c < places.size(); ++c) {
    std::copy_n(&packed.offsets[c * column_words], column_words, &ordered[places[c] * column_words]);
  }
  packed.offsets = std::move(ordered);
}

}  // namespace

std::vector<std::uint32_t> morph_places(const PackedMorphs& morphs) {
  std::vector<std::uint32_t> next(morphs.target_count + 1, 0);
  for (const glm::uvec2& column : morphs.columns) ++next[shared::morph_weight_target(column.x) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> places;
  places.reserve(morphs.columns.size());
  for (const glm::uvec2& column : morphs.columns) places.push_back(next[shared::morph_weight_target(column.x)]++);
  return places;
}

std::uint32_t PackedMorphs::entry_count() const {
  return (target_count + shared::kMorphEntryTargets - 1) / shared::kMorphEntryTargets;
}

PackedMorphs pack_morphs(std::span<const MorphOffsets> targets, std::size_t vertex_count,
                         std::span<const std::uint32_t> order) {
  PackedMorphs packed;
  packed.target_count = static_cast<std::uint32_t>(targets.size());
  for (const MorphOffsets& target : targets) {
    const std::uint32_t words = !target.tangents.empty()  ? shared::kMorphTangentWords
                                : !target.normals.empty() ? shared::kMorphNormalWords
                                                          : shared::kMorphPositionWords;
    packed.row_words = std::max(packed.row_words, words);
  }
  packed.slices.push_back(0);
  std::vector<std::uint32_t> vertices;
  for (std::size_t first = 0; first < vertex_count; first += kRows) {
    vertices.clear();
    for (std::size_t row = first; row < std::min(first + kRows, vertex_count); ++row) {
      vertices.push_back(order.empty() ? static_cast<std::uint32_t>(row) : order[row]);
    }
    for (std::uint32_t t = 0; t < packed.target_count; ++t) append_column(targets[t], t, vertices, packed);
    packed.slices.push_back(static_cast<std::uint32_t>(packed.columns.size()));
  }
  order_by_target(packed);
  return packed;
}

Result<void> validate(const PackedMorphs& morphs, std::size_t vertex_count, const std::string& what) {
  if (morphs.target_count == 0) return invalid("{}: there are no morph targets", what);
  if (morphs.target_count > kMaxMorphTargets) {
    return invalid("{}: there are {} morph targets, and {} at most are possible", what, morphs.target_count,
                   kMaxMorphTargets);
  }
  if (morphs.row_words < shared::kMorphPositionWords || morphs.row_words > shared::kMorphTangentWords) {
    return invalid("{}: its morph targets have {} words per row", what, morphs.row_words);
  }
  const std::size_t slices = (vertex_count + kRows - 1) / kRows;
  if (morphs.slices.size() != slices + 1 || morphs.slices.front() != 0 ||
      morphs.slices.back() != morphs.columns.size() || !std::ranges::is_sorted(morphs.slices)) {
    return invalid("{}: the {} slices of its morph targets do not cover their {} columns", what, slices,
                   morphs.columns.size());
  }
  if (morphs.offsets.size() != morphs.columns.size() * morphs.row_words * kRows) {
    return invalid("{}: {} columns of morph targets, but {} words of offsets", what, morphs.columns.size(),
                   morphs.offsets.size());
  }
  for (std::size_t slice = 0; slice < slices; ++slice) {
    std::uint32_t last = 0;  // a weight's index is never 0
    for (std::size_t c = morphs.slices[slice]; c < morphs.slices[slice + 1]; ++c) {
      const std::uint32_t place = morphs.columns[c].x;
      const float unit = std::bit_cast<float>(morphs.columns[c].y);
      if (place <= last || place % shared::kMorphEntryFloats == 0 ||
          place > shared::morph_weight_place(morphs.target_count - 1)) {
        return invalid("{}: the morph targets of slice {} do not ascend or do not exist", what, slice);
      }
      last = place;
      if (!(std::isfinite(unit) && unit >= 0 && unit <= kMaxCoordinate)) {
        return invalid("{}: morph targets of slice {} count in {} m", what, slice, unit);
      }
    }
  }
  return {};
}

}  // namespace pelt
