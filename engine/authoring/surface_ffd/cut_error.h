// SPDX-License-Identifier: MIT
// Sample poses of a driver. They measure how far the cut to K elements moves the skin from its position with all
// elements, and what a row may do without.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/frame.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::surface_ffd {

class CutProbe {
 public:
  // Poses every palette entry of the builder so far, at up to 24 times spread over the clips of the model; without
  // clips, with bound joints bent one by one by 60 degrees about two axes. Then bends all joints at once, to show also
  // what no clip does. Returns nullopt if the skeleton does not move the driver: there is no pose, or the driver is
  // streamed.
  static Result<std::optional<CutProbe>> create(const Model& model, const CharacterBuilder& builder);

  // Returns the largest distance between the two results, over the poses in which not all joints are bent, and points,
  // metres. Both have one row per point.
  double largest_difference(const SparseRows& a, const SparseRows& b, std::span<const glm::vec3> points) const;

  std::span<const std::vector<Affine>> palettes() const { return palettes_; }  // one per pose

 private:
  std::vector<std::vector<Affine>> palettes_;
  std::size_t separate_ = 0;  // first poses, in which not all joints are bent
};

}  // namespace pelt::surface_ffd
