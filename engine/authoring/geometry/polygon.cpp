// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/polygon.h"

#include <cassert>
#include <cmath>
#include <cstddef>

namespace pelt {
namespace {

// Returns twice the signed area of the triangle a b c, which is positive if the triangle turns left.
double turn(const glm::dvec2& a, const glm::dvec2& b, const glm::dvec2& c) {
  const glm::dvec2 ab = b - a;
  const glm::dvec2 ac = c - a;
  return ab.x * ac.y - ab.y * ac.x;
}

// Returns true if the corner turns left by more than rounding.
bool turns_left(const glm::dvec2& a, const glm::dvec2& b, const glm::dvec2& c) {
  return turn(a, b, c) > 1e-12 * (glm::dot(b - a, b - a) + glm::dot(c - b, c - b));
}

// Projects the corners to the plane of the polygon, so that it winds to the left. Newell's normal is exact for planar
// polygons, even concave ones, and a good mean for others.
std::vector<glm::dvec2> project(std::span<const glm::vec3> positions, std::span<const std::uint32_t> corners) {
  const glm::dvec3 origin = positions[corners[0]];
  glm::dvec3 normal(0.0);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const glm::dvec3 p = glm::dvec3(positions[corners[i]]) - origin;
    const glm::dvec3 q = glm::dvec3(positions[corners[(i + 1) % corners.size()]]) - origin;
    normal += glm::cross(p, q);
  }
  const double length = glm::length(normal);
  normal = length > 0 ? normal / length : glm::dvec3(0.0, 0.0, 1.0);
  const glm::dvec3 helper = std::abs(normal.x) < 0.7 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
  const glm::dvec3 x = glm::normalize(glm::cross(helper, normal));
  const glm::dvec3 y = glm::cross(normal, x);
  std::vector<glm::dvec2> flat;
  for (const std::uint32_t corner : corners) {
    const glm::dvec3 p = glm::dvec3(positions[corner]) - origin;
    flat.emplace_back(glm::dot(p, x), glm::dot(p, y));
  }
  return flat;
}

// Returns true if the diagonal from `a` to `c` can cut off the corner `b` of the remaining polygon: it turns left, and
// no other corner lies in the triangle or on its border. (Corners that coincide with a or c are other visits of a
// bridge.)
bool is_ear(std::span<const glm::dvec2> flat, std::span<const std::size_t> remaining, std::size_t a, std::size_t b,
            std::size_t c) {
  if (!turns_left(flat[a], flat[b], flat[c])) return false;
  for (const std::size_t other : remaining) {
    const glm::dvec2& p = flat[other];
    if (other == b || p == flat[a] || p == flat[c]) continue;
    if (turn(flat[a], flat[b], p) >= 0 && turn(flat[b], flat[c], p) >= 0 && turn(flat[c], flat[a], p) >= 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::uint64_t split_polygon(std::span<const glm::vec3> positions, std::span<const std::uint32_t> corners,
                            std::vector<glm::uvec3>& triangles) {
  assert(corners.size() >= 3);
  const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
    triangles.emplace_back(corners[a], corners[b], corners[c]);
  };
  if (corners.size() == 3) {
    add(0, 1, 2);
    return 1;
  }

  const std::vector<glm::dvec2> flat = project(positions, corners);
  const auto turns = [&](std::size_t a, std::size_t b, std::size_t c) { return turns_left(flat[a], flat[b], flat[c]); };
  if (corners.size() == 4) {
    const bool by_02 = turns(0, 1, 2) && turns(0, 2, 3);
    const bool by_13 = turns(0, 1, 3) && turns(1, 2, 3);
    const bool shorter_13 = glm::distance(flat[1], flat[3]) < glm::distance(flat[0], flat[2]);
    if (by_13 && (shorter_13 || !by_02)) {
      add(0, 1, 3);
      add(1, 2, 3);
    } else {
      add(0, 1, 2);
      add(0, 2, 3);
    }
    return 1;
  }

  // Ear clipping. Moving past each diagonal instead of starting over keeps a round polygon from becoming a fan.
  std::vector<std::size_t> remaining(corners.size());
  for (std::size_t i = 0; i < remaining.size(); ++i) remaining[i] = i;
  std::size_t at = 0;
  std::uint64_t steps = 0;
  while (remaining.size() > 3) {
    const std::size_t n = remaining.size();
    std::size_t tries = 0;
    while (tries < n && !is_ear(flat, remaining, remaining[(at + tries) % n], remaining[(at + tries + 1) % n],
                                remaining[(at + tries + 2) % n])) {
      ++tries;
    }
    steps += (tries + 1) * n;
    if (tries == n) break;
    at = (at + tries) % n;
    const std::size_t ear = (at + 1) % n;
    add(remaining[at], remaining[ear], remaining[(at + 2) % n]);
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(ear));
    if (ear > at) ++at;  // otherwise corner 0 was removed, and all later ones moved down
    at %= remaining.size();
  }
  for (std::size_t i = 1; i + 1 < remaining.size(); ++i) add(remaining[0], remaining[i], remaining[i + 1]);
  return steps;
}

bool is_even_quad(const std::array<glm::dvec3, 4>& corners, double min_cosine) {
  const auto across = [&](std::size_t i) {
    return glm::cross(corners[(i + 1) % 4] - corners[i], corners[(i + 3) % 4] - corners[i]);
  };
  const glm::dvec3 first = across(1);
  const glm::dvec3 second = across(3);
  if (!(glm::dot(first, second) > min_cosine * glm::length(first) * glm::length(second))) return false;
  for (std::size_t i = 0; i < 4; ++i) {
    if (!(glm::dot(across(i), first + second) > 0)) return false;
  }
  return true;
}

}  // namespace pelt
