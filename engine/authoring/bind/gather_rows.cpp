// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/gather_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "engine/character/rows/morphs.h"
#include "shaders/blend/blend.h"

namespace pelt {
namespace {

constexpr std::size_t kRows = shared::kSliceRows;

std::size_t slices_of(std::size_t rows) { return (rows + kRows - 1) / kRows; }

// An influence of a row: its word, and its gradient in units of its slice.
struct Taken {
  std::uint32_t word;
  glm::ivec2 steps;
};

// Returns the influences of a row without the padding behind them.
template <class Binding>
std::vector<Taken> take_row(const Binding& binding, std::span<const std::uint32_t> gradients, std::size_t row) {
  std::vector<Taken> taken;
  std::size_t used = 0;
  const std::size_t slice = row / kRows;
  for (std::size_t at = binding.slices[slice] + row % kRows; at < binding.slices[slice + 1]; at += kRows) {
    glm::ivec2 steps(0);
    if (!gradients.empty()) {
      steps = glm::ivec2(shared::gradient_steps(gradients[at / 2], static_cast<std::uint32_t>(at)));
    }
    taken.push_back({binding.influences[at], steps});
    if (shared::influence_units(taken.back().word) != 0 || steps != glm::ivec2(0)) used = taken.size();
  }
  taken.resize(used);
  return taken;
}

// Scales the steps of influences, which sum to 0, to another unit. As in pack(), each is rounded, and the remainder is
// carried to the next palette entry: neighbours in the palette move alike, so that the errors cancel.
void scale_steps(std::span<Taken> row, double scale) {
  std::vector<Taken*> by_index;
  for (Taken& influence : row) by_index.push_back(&influence);
  std::ranges::stable_sort(by_index, {},
                           [](const Taken* influence) { return shared::influence_index(influence->word); });
  glm::dvec2 passed(0);
  glm::ivec2 given(0);
  for (Taken* influence : by_index) {
    passed += scale * glm::dvec2(influence->steps);
    const glm::ivec2 upto(glm::round(passed));
    influence->steps = upto - given;
    given = upto;
  }
}

// The same for each group of a row.
void scale_steps(std::span<Taken> row, Groups groups, double scale) {
  std::uint32_t units = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; groups == Groups::kSeveral && k < row.size(); ++k) {
    units += shared::influence_units(row[k].word);
    if (units < shared::kWeightUnits) continue;
    scale_steps(row.subspan(begin, k + 1 - begin), scale);
    begin = k + 1;
    units = 0;
  }
  scale_steps(row.subspan(begin), scale);
}

// Writes slices of rows: influences, and where `gradients` is not null, words of gradients, two influences a word.
void write_slices(std::span<const std::vector<Taken>> rows, std::vector<std::uint32_t>& slices,
                  std::vector<std::uint32_t>& influences, std::vector<std::uint32_t>* gradients) {
  slices.push_back(0);
  for (std::size_t first = 0; first < rows.size(); first += kRows) {
    const std::span<const std::vector<Taken>> slice = rows.subspan(first, std::min(kRows, rows.size() - first));
    std::size_t length = 0;
    for (const std::vector<Taken>& row : slice) length = std::max(length, row.size());
    for (std::size_t k = 0; k < length; ++k) {
      for (std::size_t r = 0; r < kRows; ++r) {
        const std::vector<Taken>& row = slice[r < slice.size() ? r : 0];
        const bool used = r < slice.size() && k < row.size();
        const Taken taken = used ? row[k] : Taken{shared::influence_index(row.front().word), glm::ivec2(0)};
        influences.push_back(taken.word);
        if (gradients == nullptr) continue;
        const auto half = static_cast<std::uint32_t>((taken.steps.x & 0xFF) | (taken.steps.y & 0xFF) << 8);
        if (r % 2 == 0) {
          gradients->push_back(half);
        } else {
          gradients->back() |= half << 16u;
        }
      }
    }
    slices.push_back(static_cast<std::uint32_t>(influences.size()));
  }
}

// What a target adds to the rows of a new slice.
struct Column {
  std::array<glm::ivec3, kRows> steps{};
  std::array<float, kRows> units{};  // metres that the steps of a row count
  std::array<std::array<std::uint32_t, 2>, kRows> directions{};
};

// Writes the words of a column in one unit, which it returns.
float write_column(const Column& column, std::size_t row_words, std::vector<std::uint32_t>& offsets) {
  constexpr float kSteps = 32767;
  float unit = 0;  // the rows' own, if they have the same
  bool same = true;
  float largest = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    if (column.steps[r] == glm::ivec3(0)) continue;
    same = same && (unit == 0 || unit == column.units[r]);
    unit = column.units[r];
    const glm::ivec3 size = glm::abs(column.steps[r]);
    largest = std::max(largest, column.units[r] * static_cast<float>(std::max({size.x, size.y, size.z})));
  }
  if (!same) unit = largest / kSteps;
  const std::size_t first = offsets.size();
  offsets.resize(first + row_words * kRows, 0);
  for (std::size_t r = 0; r < kRows; ++r) {
    glm::ivec3 steps = column.steps[r];
    if (!same && unit > 0) {
      const glm::vec3 scaled = glm::round(column.units[r] * glm::vec3(steps) / unit);
      steps = glm::clamp(glm::ivec3(scaled), -32767, 32767);
    }
    offsets[first + r] = (static_cast<std::uint32_t>(steps.x) & 0xFFFFu) | static_cast<std::uint32_t>(steps.y) << 16u;
    offsets[first + kRows + r] = static_cast<std::uint32_t>(steps.z) & 0xFFFFu;
    for (std::size_t k = shared::kMorphPositionWords; k < row_words; ++k) {
      offsets[first + k * kRows + r] = column.directions[r][k - shared::kMorphPositionWords];
    }
  }
  return unit;
}

// Returns the largest component of a row's gradients, 1/metres.
float steepest_of(const PackedBinding& binding, std::uint32_t row, std::span<const Taken> taken) {
  int steepest = 0;
  for (const Taken& influence : taken) {
    const glm::ivec2 size = glm::abs(influence.steps);
    steepest = std::max({steepest, size.x, size.y});
  }
  return binding.gradient_units[row / kRows] * static_cast<float>(steepest);
}

}  // namespace

PackedBinding gather_rows(const PackedBinding& binding, Groups groups, std::span<const std::uint32_t> rows) {
  PackedBinding result;
  std::vector<std::vector<Taken>> taken;
  for (const std::uint32_t row : rows) {
    result.points.push_back(binding.points[row]);
    result.directions.push_back(binding.directions[row]);
    taken.push_back(take_row(binding, binding.gradients, row));
  }
  for (std::size_t first = 0; first < binding.local_points.size(); first += binding.points.size()) {
    for (const std::uint32_t row : rows) result.local_points.push_back(binding.local_points[first + row]);
  }
  if (binding.gradients.empty()) {
    write_slices(taken, result.slices, result.influences, nullptr);
    return result;
  }
  for (std::size_t slice = 0; slice < slices_of(rows.size()); ++slice) {
    const std::size_t end = std::min((slice + 1) * kRows, rows.size());
    float coarsest = 0;
    float steepest = 0;
    for (std::size_t r = slice * kRows; r < end; ++r) {
      const float row_unit = binding.gradient_units[rows[r] / kRows];
      coarsest = std::max(coarsest, row_unit);
      steepest = std::max(steepest, steepest_of(binding, rows[r], taken[r]));
    }
    // One step less than 8 bits hold, since the carried rounding may add one; rows in units of their own stay exact.
    const float unit = std::min(coarsest, steepest / 126);
    for (std::size_t r = slice * kRows; r < end; ++r) {
      const float row_unit = binding.gradient_units[rows[r] / kRows];
      if (row_unit != unit && unit > 0) scale_steps(taken[r], groups, double{row_unit} / unit);
    }
    result.gradient_units.push_back(unit);
  }
  write_slices(taken, result.slices, result.influences, &result.gradients);
  return result;
}

LinearFit gather_rows(const LinearFit& fit, std::span<const std::uint32_t> rows) {
  LinearFit result{.first_slot = fit.first_slot, .slices = {}, .influences = {}, .rms = fit.rms, .worst = fit.worst};
  std::vector<std::vector<Taken>> taken;
  for (const std::uint32_t row : rows) taken.push_back(take_row(fit, {}, row));
  write_slices(taken, result.slices, result.influences, nullptr);
  return result;
}

PackedMorphs gather_rows(const PackedMorphs& morphs, std::span<const std::uint32_t> rows) {
  PackedMorphs result;
  result.target_count = morphs.target_count;
  result.first_slot = morphs.first_slot;
  result.row_words = morphs.row_words;
  result.slices.push_back(0);
  const std::vector<std::uint32_t> places = morph_places(morphs);
  for (std::size_t first = 0; first < rows.size(); first += kRows) {
    std::map<std::uint32_t, Column> columns;  // by the place of the target's weight
    for (std::size_t r = 0; r < std::min(kRows, rows.size() - first); ++r) {
      const std::uint32_t row = rows[first + r];
      for (std::size_t c = morphs.slices[row / kRows]; c < morphs.slices[row / kRows + 1]; ++c) {
        std::array<std::uint32_t, shared::kMorphTangentWords> words{};
        for (std::size_t k = 0; k < morphs.row_words; ++k) {
          words[k] = morphs.offsets[(places[c] * morphs.row_words + k) * kRows + row % kRows];
        }
        if (std::ranges::all_of(words, [](std::uint32_t word) { return word == 0; })) continue;
        Column& column = columns[morphs.columns[c].x];
        column.steps[r] = glm::ivec3(shared::morph_add_position(shared::morph_begin(), 1, words[0], words[1]).position);
        column.units[r] = std::bit_cast<float>(morphs.columns[c].y);
        column.directions[r] = {words[2], words[3]};
      }
    }
    for (const auto& [place, column] : columns) {
      const float unit = write_column(column, result.row_words, result.offsets);
      result.columns.emplace_back(place, std::bit_cast<std::uint32_t>(unit));
    }
    result.slices.push_back(static_cast<std::uint32_t>(result.columns.size()));
  }
  order_by_target(result);
  return result;
}

}  // namespace pelt
