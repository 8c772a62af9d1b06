// SPDX-License-Identifier: MIT
// Where a deformer does worse than linear blend, vertex by vertex, and how much of the skin to leave to linear blend so
// that it does not. Symbols are those of figures.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/fault.h>

#include "engine/judge/figures.h"

namespace pelt {

struct Faults {
  std::vector<Fault> vertices;  // of each vertex its worst
  std::vector<float> apart;     // of each vertex the largest distance from linear blend, metres
};

// Takes the frames of one deformer one after the other.
class FaultMeter {
 public:
  // The reference outlives the meter. `threads`: 0 for all cores; results do not depend on it.
  explicit FaultMeter(const LinearReference& reference, unsigned threads = 0);

  // The next frame: where linear blend and where the deformer has the vertices. Precondition: finite.
  void add(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved);

  Faults faults() const;

 private:
  struct Worst {
    float score = 0;
    float value = 0;
    std::uint32_t frame = 0;
    FaultKind kind = FaultKind::kStretch;
    void see(FaultKind other, double other_value, std::uint32_t other_frame);
  };
  const LinearReference& reference_;
  unsigned threads_;
  std::uint32_t frame_ = 0;
  std::vector<Worst> edges_;
  std::vector<float> apart_;
  std::vector<std::uint32_t> apart_frames_;
};

// Of each vertex how much of it is to be left, in [0, 1]: more and more up to a score of 1.8, and from there outwards
// less and less, so slowly that passing from the one to the other stretches no edge by more than a quarter. 0
// everywhere where no score is above 1. `welded`: vertices that are one (weld_within).
std::vector<float> left_to_linear_blend(const Faults& faults, const LinearReference& reference,
                                        std::span<const std::uint32_t> welded);

}  // namespace pelt
