// SPDX-License-Identifier: MIT
// Weights of control points at a position (US 2013/0088497; docs/mathematics.md section 3.4), for all strategies but
// the B-spline. Model space at bind, metres. Weights sum to 1; rows have the gradients of the weights.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/mos.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

namespace pelt::mos {

// Replaces `row` by the weights 1 / d^power of the `nearest` points (0: all), cut continuously or hard, and normalised.
// A point at the position itself has all of the weight; several share it. Ties go to the lower index.
void inverse_distance(glm::dvec3 place, std::span<const glm::dvec3> points, double power, std::uint32_t nearest,
                      Cut cut, std::vector<WeightedElement>& row);

// Makes the gradients of a row sum to 0, as those of normalised weights do.
inline void sum_to_zero(std::vector<WeightedElement>& row) {
  glm::dvec3 sum(0);
  for (const WeightedElement& influence : row) sum += influence.gradient;
  for (WeightedElement& influence : row) influence.gradient -= influence.weight * sum;
}

// Cardinal weights of radial basis functions with a constant term. May be negative.
class RadialBasis {
 public:
  // Prepares the weights. Errors: kInvalidArgument if two points coincide (with their indices), there are no points,
  // the width is not above 0, or it is too large to separate the points.
  static Result<RadialBasis> create(std::span<const glm::dvec3> points, MosKernel kernel, std::optional<float> width);

  // Replaces `row` by one weight per point.
  void weights(glm::dvec3 place, std::vector<WeightedElement>& row) const;

  // Returns the width of the Gaussian: that of the rig, or the mean distance of a point to its nearest one.
  double width() const { return width_; }

 private:
  std::vector<glm::dvec3> points_;
  MosKernel kernel_ = MosKernel::kBiharmonic;
  double width_ = 0;
  std::vector<double> inverse_;  // (n + 1) x (n + 1), column by column
};

// A Catmull-Clark surface whose control points are the vertices of a cage.
class CageSurface {
 public:
  // Prepares the surface. Boundary edges and their corners are sharp, so that it spans an open cage. Points of no face
  // have no weight anywhere. Errors: kInvalidArgument if there is no face; the others name the face: fewer than 3
  // corners, an index that does not exist, a point twice in a face, an edge of more than two faces or of two with
  // opposite windings.
  static Result<CageSurface> create(std::span<const glm::dvec3> points,
                                    const std::vector<std::vector<std::uint32_t>>& faces);

  // Replaces `row` by the limit stencil of the point of the limit surface that is closest to `place`. Thread-safe.
  void weights(glm::dvec3 place, std::vector<WeightedElement>& row) const;

 private:
  struct Surface;
  explicit CageSurface(std::shared_ptr<const Surface> surface) : surface_(std::move(surface)) {}
  std::shared_ptr<const Surface> surface_;
};

}  // namespace pelt::mos
