// SPDX-License-Identifier: MIT
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include <pelt/mos.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/mos/strategies.h"
#include "engine/character/base/invalid.h"

namespace pelt::mos {
namespace {

constexpr double kCoincident = 1e-9;         // fraction of the points' extent
constexpr double kWorstReproduction = 1e-6;  // largest error of a weight at a control point, which should be 0 or 1

double kernel(MosKernel kind, double distance, double width) {
  const double ratio = distance / width;
  return kind == MosKernel::kGaussian ? std::exp(-ratio * ratio) : ratio;
}

// Returns the gradient of the kernel by the position at `offset` from the point.
glm::dvec3 kernel_gradient(MosKernel kind, glm::dvec3 offset, double width) {
  const double distance = glm::length(offset);
  if (kind == MosKernel::kGaussian) return -2 / (width * width) * kernel(kind, distance, width) * offset;
  return distance > 0 ? offset / (distance * width) : glm::dvec3(0);
}

}  // namespace

// The weights w of the points and a multiplier m solve sum_k w_k kernel(p_j, p_k) + m = kernel(p_j, place) for every j,
// and sum_k w_k = 1. At p_k the solution is w = e_k. Any field sum_k a_k kernel(p_k, .) + c with sum a = 0 is
// reproduced from its values at the points. The matrix does not depend on `place`, so it is inverted only once.
Result<RadialBasis> RadialBasis::create(std::span<const glm::dvec3> points, MosKernel kernel_kind,
                                        std::optional<float> width) {
  if (points.empty()) return invalid("radial basis: no control points");
  if (width && !(*width > 0 && std::isfinite(*width)))
    return invalid("radial basis: the width is {}; it must be above 0", *width);

  const double extent = glm::length(bounds_of<glm::dvec3>(points).size());
  double mean_nearest = 0;
  for (std::size_t j = 0; j < points.size(); ++j) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (k == j) continue;
      const double distance = glm::distance(points[j], points[k]);
      if (distance <= kCoincident * extent) {
        return invalid("radial basis: control points {} and {} coincide", j, k);
      }
      nearest = std::min(nearest, distance);
    }
    mean_nearest += nearest / static_cast<double>(points.size());
  }
  if (points.size() == 1) mean_nearest = 1;  // a single point has all of the weight at any width

  RadialBasis result;
  result.points_.assign(points.begin(), points.end());
  result.kernel_ = kernel_kind;
  // The weights of the biharmonic kernel do not depend on the unit. This one keeps the matrix well conditioned.
  result.width_ = kernel_kind == MosKernel::kGaussian && width ? *width : mean_nearest;

  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd system = Eigen::MatrixXd::Ones(n + 1, n + 1);
  system(n, n) = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index k = 0; k < n; ++k) {
      const double distance = glm::distance(points[static_cast<std::size_t>(j)], points[static_cast<std::size_t>(k)]);
      system(j, k) = kernel(kernel_kind, distance, result.width_);
    }
  }
  const Eigen::MatrixXd inverse = system.partialPivLu().inverse();
  const double error = (inverse * system - Eigen::MatrixXd::Identity(n + 1, n + 1)).cwiseAbs().maxCoeff();
  if (!(error <= kWorstReproduction)) {
    return invalid("radial basis: a width of {:g} is too large to separate the {} control points", result.width_, n);
  }
  result.inverse_.assign(inverse.data(), inverse.data() + inverse.size());
  return result;
}

void RadialBasis::weights(glm::dvec3 place, std::vector<WeightedElement>& row) const {
  const auto n = static_cast<Eigen::Index>(points_.size());
  Eigen::MatrixX4d values(n + 1, 4);  // and their gradients
  for (std::size_t j = 0; j < points_.size(); ++j) {
    const glm::dvec3 gradient = kernel_gradient(kernel_, place - points_[j], width_);
    values.row(static_cast<Eigen::Index>(j)) << kernel(kernel_, glm::distance(place, points_[j]), width_), gradient.x,
        gradient.y, gradient.z;
  }
  values.row(n) << 1, 0, 0, 0;
  const Eigen::Map<const Eigen::MatrixXd> inverse(inverse_.data(), n + 1, n + 1);
  const Eigen::MatrixX4d result = inverse * values;
  row.clear();
  for (std::uint32_t j = 0; j < points_.size(); ++j)
    row.push_back({j, result(j, 0), {result(j, 1), result(j, 2), result(j, 3)}});
}

}  // namespace pelt::mos
