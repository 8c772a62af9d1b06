// SPDX-License-Identifier: MIT
// Weights of control points at a place (US 2013/0088497; docs/mathematics.md section 3, "Strategies"): all but the
// B-spline's. Model space at bind, metres. Weights sum to 1.
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
#include <pelt/rig.h>
#include <pelt/sparse_rows.h>

namespace pelt::mos {

// 1 / d^power of the `nearest` points (0: all), cut continuously or hard, normalised. A point at the place itself
// has all of the weight, several share it. Ties go to the lower index. Replaces `row`.
void inverse_distance(glm::dvec3 place, std::span<const glm::dvec3> points, double power, std::uint32_t nearest,
                      Cut cut, std::vector<WeightedElement>& row);

// Cardinal weights of radial basis functions with a constant term. May be negative.
class RadialBasis {
 public:
  // Errors: kInvalidArgument where two points coincide (names them by index), no points, a width not above 0.
  static Result<RadialBasis> create(std::span<const glm::dvec3> points, MosKernel kernel, std::optional<float> width);

  // Replaces `row`: a weight a point.
  void weights(glm::dvec3 place, std::vector<WeightedElement>& row) const;

  // Of the Gaussian: as given, or the mean distance of each point to its nearest.
  double width() const { return width_; }

 private:
  std::vector<glm::dvec3> points_;
  MosKernel kernel_ = MosKernel::kBiharmonic;
  double width_ = 0;
  std::vector<double> inverse_;  // (n + 1) x (n + 1), row by row
};

// A Catmull-Clark surface whose control points are the vertices of a cage.
class CageSurface {
 public:
  // Boundary edges and their corners are sharp, so that the surface spans an open cage. Points of no face have no
  // weight anywhere. Errors, kInvalidArgument, named by face: no face, fewer than 3 corners, an index that is not
  // there, a point twice in a face, an edge of more than two faces or of two that wind opposite ways.
  static Result<CageSurface> create(std::span<const glm::dvec3> points,
                                    const std::vector<std::vector<std::uint32_t>>& faces);

  // The limit stencil of the point of the limit surface that is closest to the place. Replaces `row`. May be called
  // from several threads.
  void weights(glm::dvec3 place, std::vector<WeightedElement>& row) const;

 private:
  struct Surface;
  explicit CageSurface(std::shared_ptr<const Surface> surface) : surface_(std::move(surface)) {}
  std::shared_ptr<const Surface> surface_;
};

}  // namespace pelt::mos
