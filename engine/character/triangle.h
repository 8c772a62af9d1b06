// SPDX-License-Identifier: MIT
// Rays and nearest points on single triangles, in double precision.
#pragma once

#include <algorithm>
#include <glm/glm.hpp>
#include <optional>

namespace pelt {

struct Corners {
  glm::dvec3 a, b, c;

  glm::dvec3 point(const glm::dvec3& barycentric) const {
    return barycentric.x * a + barycentric.y * b + barycentric.z * c;
  }
};

// Intersects triangles as in Woop, Benthin & Wald 2013, "Watertight Ray/Triangle Intersection": neighbours compute the
// same number for their edge but for its sign, so no ray passes between them.
class TriangleRay {
 public:
  // `direction`: unit.
  TriangleRay(const glm::dvec3& origin, const glm::dvec3& direction) : origin_(origin) {
    const glm::dvec3 size = glm::abs(direction);
    const int z = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2);
    x_[(z + 1) % 3] = y_[(z + 2) % 3] = 1;
    x_[z] = -direction[(z + 1) % 3] / direction[z];
    y_[z] = -direction[(z + 2) % 3] / direction[z];
    z_[z] = 1 / direction[z];
  }

  // Returns a point after a shear and a shift that move the ray to the axis z, from 0 on.
  glm::dvec3 seen(const glm::dvec3& point) const {
    const glm::dvec3 p = point - origin_;
    return {glm::dot(x_, p), glm::dot(y_, p), glm::dot(z_, p)};
  }

  struct Hit {
    double distance;
    glm::dvec3 barycentric;
  };
  // The corners: as seen().
  static std::optional<Hit> meet(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
    const double of_a = c.x * b.y - c.y * b.x;
    const double of_b = a.x * c.y - a.y * c.x;
    if ((of_a < 0 && of_b > 0) || (of_a > 0 && of_b < 0)) return std::nullopt;
    const double of_c = b.x * a.y - b.y * a.x;
    if ((of_c < 0 && (of_a > 0 || of_b > 0)) || (of_c > 0 && (of_a < 0 || of_b < 0))) return std::nullopt;
    const double sum = of_a + of_b + of_c;
    if (sum == 0) return std::nullopt;
    const glm::dvec3 barycentric = glm::dvec3(of_a, of_b, of_c) / sum;
    const double distance = glm::dot(barycentric, glm::dvec3(a.z, b.z, c.z));
    if (!(distance >= 0)) return std::nullopt;
    return Hit{distance, barycentric};
  }

 private:
  glm::dvec3 origin_;
  glm::dvec3 x_{0}, y_{0}, z_{0};  // rows of the shear
};

// Returns the share of b at the point of the segment from a to b that is nearest to p.
inline double nearest_on_segment(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& p) {
  const double squared = glm::dot(b - a, b - a);
  return squared > 0 ? std::clamp(glm::dot(p - a, b - a) / squared, 0.0, 1.0) : 0.0;
}

// Returns the barycentric coordinates of the point of a triangle, which may have no area, that is nearest to p.
inline glm::dvec3 nearest_on_triangle(const Corners& corners, const glm::dvec3& p) {
  const auto& [a, b, c] = corners;
  const glm::dvec3 normal = glm::cross(b - a, c - a);
  const double squared = glm::dot(normal, normal);
  if (squared > 0) {
    const double of_b = glm::dot(glm::cross(p - a, c - a), normal) / squared;
    const double of_c = glm::dot(glm::cross(b - a, p - a), normal) / squared;
    if (of_b >= 0 && of_c >= 0 && of_b + of_c <= 1) return {1 - of_b - of_c, of_b, of_c};
  }
  const double ab = nearest_on_segment(a, b, p), bc = nearest_on_segment(b, c, p), ca = nearest_on_segment(c, a, p);
  glm::dvec3 best(0);
  double least = INFINITY;
  for (const glm::dvec3& on : {glm::dvec3(1 - ab, ab, 0), glm::dvec3(0, 1 - bc, bc), glm::dvec3(ca, 0, 1 - ca)}) {
    const double distance = glm::distance(corners.point(on), p);
    if (distance < least) best = on, least = distance;
  }
  return best;
}

}  // namespace pelt
