// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <pelt/finite.h>
#include <pelt/pack.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "engine/character/rows/local_frames.h"
#include "engine/character/rows/packed_row.h"
#include "shaders/blend/blend.h"

namespace pelt {
namespace {

constexpr std::size_t kSortWindow = 4096;  // rows: enough to fill slices, few enough to keep the mesh's locality

// Returns the number of words of a row; an empty group takes one.
std::size_t row_length(std::span<const SparseRows> groups, std::size_t row) {
  std::size_t sum = 0;
  for (const SparseRows& rows : groups) sum += std::max<std::size_t>(rows.row(row).size(), 1);
  return sum;
}

// Returns the influence that fills an empty group of share 0: the first palette entry of the row, in any group.
Result<Influence> filler(std::span<const SparseRows> groups, std::size_t row, float share) {
  for (const SparseRows& rows : groups) {
    if (share == 0 && !rows.row(row).empty()) return Influence{rows.row(row).front().index, 1.0f};
  }
  return invalid("row {} names no palette entry", row);
}

std::size_t slice_count(std::size_t rows) { return (rows + shared::kSliceRows - 1) / shared::kSliceRows; }

constexpr float kMaxGradient = 1e12f;                            // per metre
constexpr std::size_t kMaxRowInfluences = std::size_t{1} << 16;  // as many as palette entries that 16 bits can index
constexpr int kGradientSteps = 126;  // one less than fits, since the carried rounding may add one

// Influences of a row as they are packed, group after group.
struct PackedRow {
  std::vector<std::uint32_t> words;
  std::vector<glm::vec2> gradients;  // along e and f, 1/metres
  std::vector<std::size_t> group_end;

  void clear() {
    words.clear();
    gradients.clear();
    group_end.clear();
  }
};

// Converts gradients that sum to 0 to integers in units of `unit` that sum to 0. Rounds each, and carries the remainder
// to the next palette entry, as quantise does.
void quantise_gradients(const PackedRow& row, std::size_t begin, std::size_t end, float unit,
                        std::vector<std::size_t>& by_index, std::uint16_t* out, std::size_t stride) {
  by_index.resize(end - begin);
  std::iota(by_index.begin(), by_index.end(), begin);
  std::ranges::stable_sort(by_index, [&](std::size_t a, std::size_t b) {
    return shared::influence_index(row.words[a]) < shared::influence_index(row.words[b]);
  });
  glm::dvec2 left(0);
  for (const std::size_t k : by_index) left += glm::dvec2(row.gradients[k]);
  left /= static_cast<double>(by_index.size());  // rounding error of a sum that should be 0
  glm::dvec2 passed(0);
  glm::ivec2 given(0);
  for (const std::size_t k : by_index) {
    passed += glm::dvec2(row.gradients[k]) - left;
    const bool last = k == by_index.back();
    const glm::ivec2 upto = last || unit == 0 ? glm::ivec2(0) : glm::ivec2(glm::round(passed / double{unit}));
    const glm::ivec2 steps = glm::clamp(upto - given, -127, 127);
    given += steps;
    out[k * stride] = static_cast<std::uint16_t>((steps.x & 0xFF) | (steps.y & 0xFF) << 8);
  }
}

std::size_t source_row(std::span<const std::uint32_t> order, std::size_t row) {
  return order.empty() ? row : order[row];
}

Result<void> check_sizes(std::span<const SparseRows> groups, const RestGeometry& rest,
                         std::span<const std::uint32_t> order, std::span<const std::vector<glm::vec4>> local_points) {
  const std::size_t count = groups[0].row_count();
  for (const SparseRows& rows : groups) {
    if (rows.row_count() != count || (!rows.gradients.empty() && rows.gradients.size() != rows.influences.size())) {
      return invalid("pack: groups of {} and of {} rows, or gradients of others", count, rows.row_count());
    }
  }
  for (const std::vector<glm::vec4>& points : local_points) {
    if (points.size() != count) {
      return invalid("pack: {} rows, but {} local points", count, points.size());
    }
  }
  if (local_points.size() > kMaxLocalGroups) {
    return fail(ErrorCode::kUnsupported,
                formatted("{} groups of influences with local points; a mesh can have at most {}", local_points.size(),
                          kMaxLocalGroups));
  }
  if (rest.positions.size() != count || rest.normals.size() != count ||
      (!rest.tangents.empty() && rest.tangents.size() != count) || (!order.empty() && order.size() != count)) {
    return invalid("pack: {} rows, {} positions, {} normals, {} tangents, {} in the order", count,
                   rest.positions.size(), rest.normals.size(), rest.tangents.size(), order.size());
  }
  return {};
}

// Writes points and directions.
Result<void> pack_rest(const RestGeometry& rest, std::span<const std::uint32_t> order, PackedBinding& packed) {
  const std::size_t count = rest.positions.size();
  packed.points.reserve(count);
  packed.directions.reserve(count);
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t source = source_row(order, row);
    if (source >= count) {
      return invalid("pack: the order names row {}, but there are only {}", source, count);
    }
    const glm::vec3 normal = rest.normals[source];
    const glm::vec3 across = std::abs(normal.x) < 0.6f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
    const glm::vec4 tangent = rest.tangents.empty()
                                  ? glm::vec4(shared::normalize_or(glm::cross(normal, across), glm::vec3(1, 0, 0)), 1)
                                  : rest.tangents[source];
    packed.points.push_back(rest.positions[source]);
    packed.directions.emplace_back(shared::pack_normal(normal), shared::pack_tangent(tangent));
  }
  return {};
}

// Writes slices, influences, and gradients with their units. Precondition: the directions are packed.
class SlicePacker {
 public:
  SlicePacker(std::span<const SparseRows> groups, std::span<const std::uint32_t> order,
              std::span<const std::vector<glm::vec4>> local_points, PackedBinding& packed)
      : groups_(groups), order_(order), local_points_(local_points), packed_(packed) {}

  Result<void> run() {
    reserve();
    const bool has_gradients = std::ranges::any_of(groups_, [](const SparseRows& rows) {
      return std::ranges::any_of(rows.gradients, [](const glm::vec3& gradient) { return gradient != glm::vec3(0.0f); });
    });
    packed_.slices.push_back(0);
    for (std::size_t first_row = 0; first_row < packed_.points.size(); first_row += shared::kSliceRows) {
      const std::size_t first = packed_.influences.size();
      PELT_TRY(gather_rows(first_row));
      PELT_TRY(append_influences());
      if (has_gradients) append_gradients(first);
    }
    packed_.gradients.resize(gradients_.size() / 2);
    if (!gradients_.empty()) {
      std::memcpy(packed_.gradients.data(), gradients_.data(), gradients_.size() * sizeof gradients_[0]);
    }
    return {};
  }

 private:
  void reserve() {
    const std::size_t count = packed_.points.size();
    packed_.slices.reserve(slice_count(count) + 1);
    std::size_t words = 0;
    for (std::size_t first = 0; first < count; first += shared::kSliceRows) {
      std::size_t length = 0;
      for (std::size_t row = first; row < std::min<std::size_t>(first + shared::kSliceRows, count); ++row) {
        length = std::max(length, row_length(groups_, source_row(order_, row)));
      }
      words += padded(length) * shared::kSliceRows;
    }
    packed_.influences.reserve(words);
  }

  std::size_t padded(std::size_t length) const {
    if (groups_.size() != 1 || !local_points_.empty()) return length;
    return shared::padded_influences(static_cast<std::uint32_t>(length));
  }

  // Fills rows_ with the rows of a slice.
  Result<void> gather_rows(std::size_t first_row) {
    for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
      rows_[r].clear();
      if (first_row + r >= packed_.points.size()) continue;
      const std::size_t source = source_row(order_, first_row + r);
      const shared::TangentBasis basis = shared::tangent_basis(packed_.directions[first_row + r].x);
      const double scale = gradient_scale(source);
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        PELT_TRY(append_group(g, source, basis, scale, rows_[r]));
      }
    }
    return {};
  }

  // Returns the factor that brings the gradients of a row into the range of the format, 0 if one is not finite. All
  // gradients of a row are scaled alike, since they sum to 0.
  double gradient_scale(std::size_t source) const {
    double steepest = 0;
    for (const SparseRows& rows : groups_) {
      for (const glm::vec3& gradient : rows.row_gradients(source)) {
        const double length = glm::length(glm::dvec3(gradient));
        if (!std::isfinite(length)) return 0;
        steepest = std::max(steepest, length);
      }
    }
    return steepest > kMaxGradient ? kMaxGradient / steepest : 1;
  }

  // `scale`: gradient_scale() of the row.
  Result<void> append_group(std::size_t group, std::size_t source, const shared::TangentBasis& basis, double scale,
                            PackedRow& row) {
    std::span<const Influence> influences = groups_[group].row(source);
    std::span<const glm::vec3> changes = groups_[group].row_gradients(source);
    if (scale != 1) {
      scaled_.assign(changes.size(), glm::vec3(0.0f));
      for (std::size_t k = 0; k < changes.size() && scale > 0; ++k)
        scaled_[k] = glm::vec3(glm::dvec3(changes[k]) * scale);
      changes = scaled_;
    }
    Influence alone{};
    if (influences.empty()) {
      const float share = local_points_.empty() ? 1.0f : local_points_[group][source].w;
      PELT_ASSIGN(const auto found, filler(groups_, source, share));
      alone = found;
      influences = std::span(&alone, 1);
      changes = {};
    }
    quantise(influences, by_index_, weights_);
    if (groups_.size() > 1 || !local_points_.empty()) keep_in_group(changes, weights_);
    for (std::size_t k = 0; k < influences.size(); ++k) {
      const glm::vec3 change = changes.empty() ? glm::vec3(0.0f) : changes[k];
      const glm::vec2 gradient(glm::dot(change, basis.e), glm::dot(change, basis.f));
      if (weights_[k] == 0 && gradient == glm::vec2(0)) continue;
      if (influences[k].index > 0xFFFFu) {
        return fail(ErrorCode::kUnsupported, formatted("row {} names palette entry {}; a mesh can use {}", source,
                                                       influences[k].index, 0x10000));
      }
      row.words.push_back(influences[k].index | weights_[k] << 16u);
      row.gradients.push_back(gradient);
    }
    row.group_end.push_back(row.words.size());
    return {};
  }

  Result<void> append_influences() {
    std::size_t longest = 0;
    for (const PackedRow& row : rows_) longest = std::max(longest, row.words.size());
    const std::size_t length = padded(longest);
    if (packed_.influences.size() + length * shared::kSliceRows > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::kUnsupported, "pack: more influences than 32 bits count");
    }
    for (std::size_t k = 0; k < length; ++k) {
      for (const PackedRow& row : rows_) {
        // Padding repeats a palette entry of its own row, which is in the cache; rows past the end use the first row's.
        const std::uint32_t padding = shared::influence_index((row.words.empty() ? rows_[0].words : row.words).front());
        packed_.influences.push_back(k < row.words.size() ? row.words[k] : padding);
      }
    }
    packed_.slices.push_back(static_cast<std::uint32_t>(packed_.influences.size()));
    return {};
  }

  // `first`: the slice's first influence.
  void append_gradients(std::size_t first) {
    float steepest = 0;
    for (const PackedRow& row : rows_) {
      for (const glm::vec2& gradient : row.gradients) {
        steepest = std::max({steepest, std::abs(gradient.x), std::abs(gradient.y)});
      }
    }
    packed_.gradient_units.push_back(steepest / kGradientSteps);
    gradients_.resize(packed_.influences.size(), 0);
    for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
      std::size_t begin = 0;
      for (const std::size_t end : rows_[r].group_end) {
        if (!local_points_.empty() && end != rows_[r].group_end.back()) continue;  // they sum to 0 over the row
        quantise_gradients(rows_[r], begin, end, packed_.gradient_units.back(), places_, &gradients_[first + r],
                           shared::kSliceRows);
        begin = end;
      }
    }
  }

  std::span<const SparseRows> groups_;
  std::span<const std::uint32_t> order_;
  std::span<const std::vector<glm::vec4>> local_points_;
  PackedBinding& packed_;
  std::vector<std::uint16_t> gradients_;  // of all slices so far
  PackedRow rows_[shared::kSliceRows];    // of the current slice
  std::vector<std::uint32_t> by_index_;   // reused from group to group, as are the next three
  std::vector<std::uint32_t> weights_;
  std::vector<std::size_t> places_;
  std::vector<glm::vec3> scaled_;
};

// `local_groups`: the groups of each row with local points.
Result<void> validate_slice(const PackedBinding& packed, std::size_t slice, std::size_t palette_size, Groups groups,
                            std::size_t local_groups, const std::string& what) {
  const std::size_t begin = packed.slices[slice];
  const std::size_t length = (packed.slices[slice + 1] - begin) / shared::kSliceRows;
  // One shader invocation processes a whole row, so a small file must not make it run for long.
  if (length > kMaxRowInfluences) {
    return fail(ErrorCode::kUnsupported, formatted("{}: a row of slice {} has {} influences, more than {}", what, slice,
                                                   length, kMaxRowInfluences));
  }
  if (groups == Groups::kOne && length != shared::padded_influences(static_cast<std::uint32_t>(length))) {
    return invalid("{}: rows of slice {} have {} influences, not 2 or a multiple of 4", what, slice, length);
  }
  for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
    const std::size_t row = slice * shared::kSliceRows + r;
    std::uint32_t sum = 0;
    std::size_t ended = 0;  // number of complete groups
    glm::vec2 gradients(0);
    bool even = true;  // true if gradients of each group sum to 0, and weights of 0 have none
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t at = begin + k * shared::kSliceRows + r;
      const std::uint32_t word = packed.influences[at];
      if (!packed.gradients.empty()) {
        const glm::vec2 steps = shared::gradient_steps(packed.gradients[at / 2], static_cast<std::uint32_t>(at));
        gradients += steps;
        even &= groups == Groups::kOne || shared::influence_units(word) > 0 || steps == glm::vec2(0);
      }
      if (shared::influence_index(word) >= palette_size) {
        return invalid("{}: row {} names palette entry {}, but there are only {}", what, row,
                       shared::influence_index(word), palette_size);
      }
      sum += shared::influence_units(word);
      if (sum > shared::kWeightUnits) break;
      if (sum < shared::kWeightUnits) continue;
      ++ended;
      if (groups != Groups::kOne) sum = 0;
      if (groups != Groups::kSeveral) continue;
      even &= gradients == glm::vec2(0);
      gradients = glm::vec2(0);
    }
    const bool padding = row >= packed.points.size();
    const bool right =
        padding ? sum == 0 && ended == 0 : ended > 0 && sum == (groups == Groups::kOne ? shared::kWeightUnits : 0);
    if (!right) {
      return invalid("{}: the weights of row {} do not sum to {}", what, row, padding ? 0 : shared::kWeightUnits);
    }
    if (!even || gradients != glm::vec2(0)) {
      return invalid("{}: the gradients of row {} do not sum to 0, or are of a weight of 0", what, row);
    }
    if (groups == Groups::kWithPoints && !padding && ended != local_groups) {
      return invalid("{}: row {} holds {} groups, but has {} local points", what, row, ended, local_groups);
    }
  }
  return {};
}

// Checks the first words of slices in a stream of `size` words.
Result<void> validate_slices(std::span<const std::uint32_t> slices, std::size_t vertex_count, std::size_t size,
                             const std::string& what) {
  if (slices.size() != slice_count(vertex_count) + 1) {
    return invalid("{}: {} slices for {} vertices", what, slices.size(), vertex_count);
  }
  if (slices.front() != 0 || slices.back() != size) return invalid("{}: slices do not cover their stream", what);
  for (std::size_t slice = 0; slice + 1 < slices.size(); ++slice) {
    if (slices[slice + 1] < slices[slice] || (slices[slice + 1] - slices[slice]) % shared::kSliceRows != 0) {
      return invalid("{}: slice {} does not hold whole rows", what, slice);
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

void keep_in_group(std::span<const glm::vec3> gradients, std::vector<std::uint32_t>& units) {
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    if (units[k] != 0 || gradients[k] == glm::vec3(0.0f)) continue;
    --*std::ranges::max_element(units);
    units[k] = 1;
  }
}

void order_by_row_length(std::span<const SparseRows> groups, std::vector<std::uint32_t>& order, RowOrder by) {
  const auto length = [&](std::uint32_t row) {
    const auto own = static_cast<std::uint32_t>(row_length(groups, row));
    return by == RowOrder::kPadded ? shared::padded_influences(own) : own;
  };
  const auto longer = [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); };
  const auto is_flat = [&](std::uint32_t row) {
    const auto is_zero = [](const glm::vec3& gradient) { return gradient == glm::vec3(0.0f); };
    return std::ranges::all_of(groups,
                               [&](auto& rows) { return std::ranges::all_of(rows.row_gradients(row), is_zero); });
  };
  const auto is_light = [&](std::uint32_t row) { return row_length(groups, row) <= kShortRow && is_flat(row); };
  const auto others = std::ranges::stable_partition(order, is_light);
  const auto steep = std::ranges::stable_partition(others, is_flat);
  for (const auto rows : {std::span(order.begin(), others.begin()), std::span(others.begin(), steep.begin()),
                          std::span(steep.begin(), order.end())}) {
    for (std::size_t begin = 0; begin < rows.size(); begin += kSortWindow)
      std::ranges::stable_sort(rows.subspan(begin, std::min(kSortWindow, rows.size() - begin)), longer);
  }
}

Result<PackedBinding> pack(std::span<const SparseRows> groups, const RestGeometry& rest,
                           std::span<const std::uint32_t> order, std::span<const std::vector<glm::vec4>> local_points,
                           std::span<const Affine> at_bind) {
  assert(!groups.empty());
  assert(local_points.empty() || local_points.size() == groups.size());
  PELT_TRY(check_sizes(groups, rest, order, local_points));
  PackedBinding packed;
  PELT_TRY(pack_rest(rest, order, packed));
  PELT_TRY(SlicePacker(groups, order, local_points, packed).run());
  const std::size_t count = packed.points.size();
  packed.local_points.reserve(local_points.size() * count);
  for (const std::vector<glm::vec4>& points : local_points) {
    for (std::size_t row = 0; row < count; ++row) packed.local_points.push_back(points[source_row(order, row)]);
  }
  append_local_frames(at_bind, packed);
  return packed;
}

SparseRows unpack_rows(const PackedBinding& packed) {
  SparseRows rows;
  std::vector<Influence> row;
  for (std::size_t i = 0; i < packed.points.size(); ++i) {
    row.clear();
    for_each_shared_influence(packed, i, [&](const Influence& influence, glm::vec3) { row.push_back(influence); });
    rows.append_row(row);
  }
  return rows;
}

glm::vec3 unpack_gradient(const PackedBinding& packed, std::size_t row, std::size_t at) {
  if (packed.gradients.empty()) return glm::vec3(0.0f);
  const shared::TangentBasis basis = shared::tangent_basis(packed.directions[row].x);
  const glm::vec2 steps = shared::gradient_steps(packed.gradients[at / 2], static_cast<std::uint32_t>(at));
  return (steps.x * basis.e + steps.y * basis.f) * packed.gradient_units[row / shared::kSliceRows];
}

Result<void> validate(const PackedBinding& packed, std::size_t palette_size, Groups groups, const std::string& what) {
  const std::size_t count = packed.points.size();
  if (count > std::numeric_limits<std::uint32_t>::max()) return invalid("{}: more vertices than 32 bits count", what);
  if (packed.directions.size() != count) {
    return invalid("{}: {} points, but {} directions", what, count, packed.directions.size());
  }
  PELT_TRY(validate_slices(packed.slices, count, packed.influences.size(), what + ", influences"));
  PELT_TRY(validate_local_points(packed, groups, what));
  const std::size_t units = packed.gradients.empty() ? 0 : slice_count(count);
  if (packed.gradient_units.size() != units || (units > 0 && 2 * packed.gradients.size() != packed.influences.size())) {
    return invalid("{}: {} words of gradients and {} units for {} influences", what, packed.gradients.size(),
                   packed.gradient_units.size(), packed.influences.size());
  }
  for (const float unit : packed.gradient_units) {
    if (!(unit >= 0 && unit <= kMaxGradient)) return invalid("{}: a unit of gradients is {}", what, unit);
  }
  const bool has_points = groups == Groups::kWithPoints && count > 0;
  const std::size_t local_groups = has_points ? group_points(packed).size() / count : 0;
  for (std::size_t slice = 0; slice + 1 < packed.slices.size(); ++slice) {
    PELT_TRY(validate_slice(packed, slice, palette_size, groups, local_groups, what));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_near(packed.points[i])) {
      return invalid("{}: the point of row {} is not finite, or beyond {:g}", what, i, kMaxCoordinate);
    }
  }
  return {};
}

}  // namespace pelt
