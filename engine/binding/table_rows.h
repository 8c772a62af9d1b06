// SPDX-License-Identifier: MIT
// Rows of vertices that pass along a table of palette entries: the samples of a curve.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/sparse_rows.h>

namespace pelt {

// A piece of a table: entry first_slot + k is of at[k]; ascending, two or more.
struct TablePiece {
  std::span<const float> at;
  std::uint32_t first_slot = 0;
};

// Appends the influences of the two entries beside `at`, `weight` in all. `gradient`: of `at`, by the rest position,
// 1/metres.
void append_between(const TablePiece& piece, float at, double weight, glm::dvec3 gradient,
                    std::vector<WeightedElement>& row);

}  // namespace pelt
