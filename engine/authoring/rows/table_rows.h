// SPDX-License-Identifier: MIT
// Makes rows for vertices along a table of palette entries, which are samples of a curve.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/sparse_rows.h>

namespace pelt {

// A piece of a table: palette entry first_entry + k is the sample at parameter at[k]. The parameters ascend; there are
// at least two.
struct TablePiece {
  std::span<const float> at;
  std::uint32_t first_entry = 0;
};

// Appends the influences of the two palette entries next to `at`; their weights sum to `weight`. `gradient`: of `at`,
// by the rest position, 1/metres.
void append_between(const TablePiece& piece, float at, double weight, glm::dvec3 gradient,
                    std::vector<WeightedElement>& row);

}  // namespace pelt
