// SPDX-License-Identifier: MIT
// A defect: skin that a deformer moves worse than linear blend does. Symbols are those of pelt/tools/check_figures.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pelt {

enum class DefectKind : std::uint8_t {
  kStretch,   // L'moved / max(L'linear, L'rest) of an edge; allowed: 1.95
  kStrain,    // |L'moved / L - 1| of an edge that linear blend keeps rigid; allowed: 0.55, without clip 0.95
  kDistance,  // distance from linear blend, over D; allowed: 0.2
  // These two are only reported.
  kCrease,   // degrees by which an edge folds more than at rest and in linear blend; allowed: 30
  kInverted  // degrees by which a triangle turns from linear blend's; allowed: 101.5, a cosine of -0.2
};

// The worst value of one kind at one location; a defect if its score is above 1.
struct Defect {
  DefectKind kind = DefectKind::kStretch;
  double value = 0;
  double score = 0;  // value over the kind's allowed value
  std::size_t frame = 0;
};

}  // namespace pelt
