// SPDX-License-Identifier: MIT
// How far the cut to K elements moves the skin from where all elements would: measured over sample poses.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/frame.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

#include "engine/deformer/builder.h"

namespace pelt::surface_ffd {

class CutProbe {
 public:
  // Poses every palette entry that the builder has so far at up to 24 times spread over the model's clips, or, where it
  // has none, with each bound joint in turn bent by 60 degrees about two axes. None where the skeleton does not move:
  // no pose, or a driver that is streamed.
  static Result<std::optional<CutProbe>> create(const Model& model, const CharacterBuilder& builder);

  // Largest distance over poses and points, metres. Shape: as many rows as points.
  double largest_difference(const SparseRows& a, const SparseRows& b, std::span<const glm::vec3> points) const;

 private:
  std::vector<std::vector<Affine>> palettes_;  // one a pose
};

}  // namespace pelt::surface_ffd
