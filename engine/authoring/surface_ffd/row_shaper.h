// SPDX-License-Identifier: MIT
// Applies weight similarity, the number of influences and the precision of the settings to a row of driver vertices
// (docs/mathematics.md section 1.3).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/sparse_rows.h>

#include "engine/authoring/surface_ffd/precision.h"
#include "engine/authoring/surface_ffd/rows.h"

namespace pelt::surface_ffd {

// Each thread has its own. Keeps references to its arguments.
class RowShaper {
 public:
  RowShaper(const Mesh& mesh, const RowSettings& settings, const Exclusions& exclusions)
      : mesh_(mesh), settings_(settings), exclusions_(exclusions) {}

  // Changes the row of a skin vertex at `point`. Input weights may have any scale; output weights sum to 1, and may be
  // below 0 with quadratic precision. Indices are driver vertices. `normal`: mean unit normal of the driver's elements
  // there; 0: their sheets cancel. `unit`: metres at which an element's weight is half.
  void shape(std::uint32_t vertex, const glm::dvec3& point, const glm::dvec3& normal, double unit,
             std::vector<WeightedElement>& row);

 private:
  bool is_same_joint(const Influence& a, const Influence& b) const;
  void scale_by_similarity(std::uint32_t vertex);
  void separate_parts(std::uint32_t vertex);
  void cut_fitted();
  void begin_fit(std::uint32_t vertex, const glm::dvec3& point, const glm::dvec3& normal, bool with_squares);
  void fit(std::uint32_t vertex, const glm::dvec3& point, const glm::dvec3& normal);
  void fit_quadratic(std::uint32_t vertex, const glm::dvec3& point, const glm::dvec3& normal);
  void keep_solved(const std::vector<double>& solved);

  const Mesh& mesh_;
  const RowSettings& settings_;
  const Exclusions& exclusions_;
  std::vector<WeightedElement> row_;
  std::vector<double> alike_;            // weight similarity of each entry of row_
  std::vector<WeightedElement> whole_;   // row_ before it was fitted
  std::vector<WeightedElement> fitted_;  // row_ before it was cut
  std::vector<double> quadratic_;
  RowFit fit_;
  double unit_ = 1;  // metres, for the current vertex
};

}  // namespace pelt::surface_ffd
