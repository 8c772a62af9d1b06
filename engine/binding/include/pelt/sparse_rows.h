// SPDX-License-Identifier: MIT
// The weights of the one equation: row i holds the palette elements that move vertex i, and how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// One element of a row. Weights of a finished row are >= 0 and sum to 1.
struct Influence {
  std::uint32_t index;
  float weight;
  friend bool operator==(const Influence&, const Influence&) = default;
};

// Compressed sparse rows: row i is influences[offsets[i] .. offsets[i + 1]).
struct SparseRows {
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  // Of each influence how its weight changes across the surface, by the rest position, model space, 1/metres: what
  // normals need (shaders/blend/blend.h), and positions do not depend on. Those of a row sum to 0. Or none: not known.
  std::vector<glm::vec3> gradients;

  std::size_t row_count() const { return offsets.size() - 1; }
  std::span<const Influence> row(std::size_t i) const {
    return std::span(influences).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // As row(i), or empty.
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

// How a row is cut to its K strongest elements (docs/mathematics.md section 1).
enum class Cut {
  kContinuous,  // the K largest, less the (K+1)-th: no jump when two elements change rank
  kHard,        // the K largest
};

// Every way in which rows can be unusable, as a kInvalidArgument error that names `what` and the row: offsets that do
// not ascend, indices >= column_count, weights that are not finite, negative, or do not sum to 1 within 1e-4, empty
// rows.
Result<void> validate(const SparseRows& rows, std::size_t column_count, const std::string& what);

// A raw element while a row is built: double, since raw weights may span many orders of magnitude.
struct WeightedElement {
  std::uint32_t index;
  double weight;
  glm::dvec3 gradient{0};  // where they are known
};

// Cuts one row of raw weights (>= 0, any scale) in place to at most K elements and normalises it; K = 0 keeps all.
// Order of the result: descending weight, ties to the lower index. `continuous`: a remainder <= 1e-12 K w_max means
// equal weights (docs/mathematics.md section 1). Returns how many elements were dropped.
std::size_t cut_row(std::vector<WeightedElement>& row, std::size_t k, Cut cut);

// Appends a cut, normalised row as floats, or an empty one; merges equal indices, drops weights below 1e-7 of the row's
// sum. kKnown: with gradients, and what has one stays whatever it weighs.
enum class Gradients { kNone, kKnown };
void append_row(SparseRows& rows, std::span<const WeightedElement> row, Gradients gradients = Gradients::kNone);

// The same for a row without equal indices, which it sorts in place.
void append_distinct_row(SparseRows& rows, std::span<WeightedElement> row, Gradients gradients = Gradients::kNone);

// Sums weights by index, for rows in which indices below a bound come often. Reused from row to row.
class WeightSums {
 public:
  explicit WeightSums(std::size_t index_count) : sums_(index_count, 0.0) {}

  void add(std::uint32_t index, double weight) {
    if (weight <= 0) return;
    if (sums_[index] == 0) touched_.push_back(index);
    sums_[index] += weight;
  }

  // Replaces `row` by the sums, indices raised by `first`, in no special order, and starts anew.
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
  std::vector<std::uint32_t> touched_;  // those that are not 0
};

// Each row cut to the `most` elements that weigh most (cut_row); what the others' gradients were goes to those that
// stay, as they weigh.
SparseRows cut_rows(const SparseRows& rows, std::size_t most, Cut cut);

// The rows of two layers, one over the other: (1 - mask_i) * below + mask_i * above. Both must index the same palette
// and have mask.size() rows; mask in [0, 1]. Where both have no element neither does the result. With gradients where
// one of them has any, and then with what the mask's own, one a row, adds to them; empty: it is even.
SparseRows merge_over(const SparseRows& below, const SparseRows& above, std::span<const float> mask,
                      std::span<const glm::vec3> mask_gradient = {});

// The same of rows whose gradients have been masked already: these are added up as they are.
SparseRows merge_faded(const SparseRows& below, const SparseRows& above, std::span<const float> mask);

// Figures for the bind report.
struct RowStatistics {
  double mean_influences = 0;
  std::uint32_t max_influences = 0;
};
RowStatistics statistics(const SparseRows& rows);

}  // namespace pelt
