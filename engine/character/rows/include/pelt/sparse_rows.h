// SPDX-License-Identifier: MIT
// The weights of the blend: row i holds the palette entries that move vertex i, and their weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// One palette entry and its weight in a row. In a finished row weights are >= 0 and sum to 1.
struct Influence {
  std::uint32_t index;
  float weight;
  friend bool operator==(const Influence&, const Influence&) = default;
};

// Compressed sparse rows: row i is influences[offsets[i] .. offsets[i + 1]).
struct SparseRows {
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  // Gradient of each influence's weight across the surface, with respect to the rest position, model space, 1/metres.
  // Only normals need it (shaders/blend/blend.h). The gradients of a row sum to 0. Empty: unknown.
  std::vector<glm::vec3> gradients;

  std::size_t row_count() const { return offsets.size() - 1; }
  std::span<const Influence> row(std::size_t i) const {
    return std::span(influences).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // Gradients of row(i), or empty.
  std::span<const glm::vec3> row_gradients(std::size_t i) const {
    return gradients.empty() ? std::span<const glm::vec3>()
                             : std::span(gradients).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  void append_row(std::span<const Influence> row, std::span<const glm::vec3> row_gradients = {}) {
    influences.insert(influences.end(), row.begin(), row.end());
    gradients.insert(gradients.end(), row_gradients.begin(), row_gradients.end());
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  friend bool operator==(const SparseRows&, const SparseRows&) = default;
};

// How to cut a row to its K strongest influences (docs/mathematics.md section 1).
enum class Cut {
  kContinuous,  // the K largest, less the (K+1)-th: no jump when two influences change rank
  kHard,        // the K largest
};

// Checks rows. Errors: kInvalidArgument, naming `what` and the row: offsets that do not ascend, indices >=
// column_count, weights that are not finite, are negative or do not sum to 1 within 1e-4, and empty rows.
Result<void> validate(const SparseRows& rows, std::size_t column_count, const std::string& what);

// An influence while its row is built; double, because raw weights may span many orders of magnitude.
struct WeightedElement {
  std::uint32_t index;
  double weight;
  glm::dvec3 gradient{0};  // 0 if unknown
};

// Cuts one row of raw weights (>= 0, any scale) to at most K influences and normalises it; K = 0 keeps all.
// The result is sorted by descending weight, ties by lower index. `kContinuous`: if at most 1e-12 K w_max remains,
// weights become equal (docs/mathematics.md section 1). Returns the number of dropped influences.
std::size_t cut_row(std::vector<WeightedElement>& row, std::size_t k, Cut cut);

// Appends a cut, normalised row as floats, or an empty one. Merges equal indices and drops weights below 1e-7 of the
// row's sum. kKnown: appends gradients, too, and keeps an influence with a gradient whatever its weight.
enum class Gradients { kNone, kKnown };
void append_row(SparseRows& rows, std::span<const WeightedElement> row, Gradients gradients = Gradients::kNone);

// Does the same for a row of distinct indices, which it sorts.
void append_distinct_row(SparseRows& rows, std::span<WeightedElement> row, Gradients gradients = Gradients::kNone);

// Sums weights by index, for rows that repeat indices below a known bound. Reused from row to row.
class WeightSums {
 public:
  explicit WeightSums(std::size_t index_count) : sums_(index_count, 0.0) {}

  void add(std::uint32_t index, double weight) {
    if (weight <= 0) return;
    if (sums_[index] == 0) touched_.push_back(index);
    sums_[index] += weight;
  }

  // Replaces `row` with the sums in no particular order, their indices raised by `first`, and restarts at 0.
  void take(std::uint32_t first, std::vector<WeightedElement>& row) {
    row.clear();
    for (const std::uint32_t index : touched_) {
      row.push_back({first + index, sums_[index]});
      sums_[index] = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<double> sums_;
  std::vector<std::uint32_t> touched_;  // indices whose sum is not 0
};

// Cuts each row to the `most` influences with the largest weights (cut_row). The gradients of the dropped influences
// are distributed to the kept ones in proportion to their weights.
SparseRows cut_rows(const SparseRows& rows, std::size_t most, Cut cut);

// Lays the rows of one layer over another: (1 - mask_i) * below + mask_i * above. Both must index the same palette and
// have mask.size() rows; mask is in [0, 1]. A row that is empty in both is empty in the result. The result has
// gradients if one of the layers has; they include `mask_gradient`, one per row (empty: the mask is constant).
SparseRows merge_over(const SparseRows& below, const SparseRows& above, std::span<const float> mask,
                      std::span<const glm::vec3> mask_gradient = {});

// Does the same for rows whose gradients already include the mask: adds them up unchanged.
SparseRows merge_faded(const SparseRows& below, const SparseRows& above, std::span<const float> mask);

// Figures for the bind report.
struct RowStatistics {
  double mean_influences = 0;
  std::uint32_t max_influences = 0;
};
RowStatistics statistics(const SparseRows& rows);

}  // namespace pelt
