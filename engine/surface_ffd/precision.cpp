// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/precision.h"

#include <algorithm>
#include <cmath>

namespace pelt::surface_ffd {
namespace {

// Any two unit vectors that are at right angles to a third and to each other.
glm::dmat2x3 tangents_of(const glm::dvec3& normal) {
  const glm::dvec3 aside = std::abs(normal.x) < 0.5 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
  const glm::dvec3 e = glm::normalize(glm::cross(normal, aside));
  return {e, glm::cross(normal, e)};
}

}  // namespace

void make_linear_precise(std::span<WeightedElement> row, std::span<const glm::vec3> points, const glm::dvec3& point,
                         const glm::dvec3& normal) {
  constexpr double kLeast = 1e-3;  // of the covariance's trace, so that points in line have an inverse, too
  constexpr double kMost = 0.98;   // of a weight is taken away
  double sum = 0;
  for (const WeightedElement& own : row) sum += own.weight;
  for (WeightedElement& own : row) own.weight /= sum;
  if (normal == glm::dvec3(0)) return;

  // d_j = (x_j - P) in the plane, m their mean, C their covariance: s'_j = s_j (1 - lambda (d_j - m)^T C^-1 m).
  const glm::dmat2x3 tangents = tangents_of(normal);
  const auto offset = [&](const WeightedElement& own) { return (glm::dvec3(points[own.index]) - point) * tangents; };
  glm::dvec2 mean(0);
  for (const WeightedElement& own : row) mean += own.weight * offset(own);
  glm::dmat2 covariance(0.0);
  for (const WeightedElement& own : row) {
    const glm::dvec2 d = offset(own) - mean;
    covariance += own.weight * glm::outerProduct(d, d);
  }
  const double trace = covariance[0][0] + covariance[1][1];
  if (!(trace > 0)) return;
  covariance += glm::dmat2(kLeast * trace);
  const glm::dvec2 pull = glm::inverse(covariance) * mean;
  double largest = 0;
  for (const WeightedElement& own : row) largest = std::max(largest, glm::dot(offset(own) - mean, pull));
  const double lambda = largest > kMost ? kMost / largest : 1.0;
  for (WeightedElement& own : row) own.weight *= 1 - lambda * glm::dot(offset(own) - mean, pull);
}

}  // namespace pelt::surface_ffd
