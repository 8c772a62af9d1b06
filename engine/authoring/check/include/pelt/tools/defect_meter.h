// SPDX-License-Identifier: MIT
// Finds the vertices at which a deformer does worse than linear blend, and the weight with which each should fall back
// to linear blend. Symbols are those of check_figures.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <span>
#include <vector>

#include <pelt/defect.h>
#include <pelt/tools/check_figures.h>

namespace pelt {

// Returns the value above which a vertex, edge or triangle has a defect.
double allowed_value(DefectKind kind);

// An edge that creases, or a triangle that linear blend does not turn inside out.
struct ShapeDefect {
  DefectKind kind = DefectKind::kCrease;
  std::uint32_t vertex = 0;
  std::uint32_t frame = 0;  // with the largest value
  float value = 0;          // degrees
  float size = 0;           // metres: length of the edge, or square root of the triangle's area
};

struct Defects {
  std::vector<Defect> vertices;  // for each vertex, its worst defect
  std::vector<float> apart;      // for each vertex, its largest distance from linear blend, metres
  std::vector<ShapeDefect> shapes;
};

// Measures the frames of one deformer, in sequence.
class DefectMeter {
 public:
  // The reference must outlive the meter. `clip_frames`: so many first frames are of clips. Creases and inverted
  // triangles of the others are found apart. In the others joints turn as far as they can, and rigid skin may be
  // strained as far as other skin may be stretched. `threads`: 0 for all cores; results do not depend on it.
  explicit DefectMeter(const LinearReference& reference,
                       std::size_t clip_frames = std::numeric_limits<std::size_t>::max(), unsigned threads = 0);

  // Adds the next frame, with the positions by linear blend and by the deformer. Precondition: all are finite.
  void add(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved);

  Defects defects() const;

 private:
  struct Worst {
    float score = 0;
    float value = 0;
    std::uint32_t frame = 0;
    DefectKind kind = DefectKind::kStretch;
    void see(DefectKind other, double other_value, double allowed, std::uint32_t other_frame);
  };
  void add_shapes(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved);

  const LinearReference& reference_;
  std::size_t clip_frames_;
  unsigned threads_;
  std::uint32_t frame_ = 0;
  std::vector<Worst> edges_;
  struct Shapes {
    std::vector<Worst> hinges, triangles;
  };
  Shapes of_clips_, of_others_;
  std::vector<glm::vec3> linear_normals_, normals_;  // of the triangles; 0: not measured
  std::vector<float> apart_;
  std::vector<std::uint32_t> apart_frames_;
};

// Returns for each vertex the weight in [0, 1] of linear blend. It rises from 0 at a score of 1 to 1 at a score of 1.8,
// and falls off around defects so slowly that the transition stretches no edge by more than a quarter. It is 0
// everywhere if no score is above 1. `welded`: vertices at one position (weld_within).
std::vector<float> fallback_weights(const Defects& defects, const LinearReference& reference,
                                    std::span<const std::uint32_t> welded);

}  // namespace pelt
