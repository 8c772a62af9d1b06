// SPDX-License-Identifier: MIT
#include "engine/character/rows/surface_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <pelt/tools/weld.h>

namespace pelt {
namespace {

// A triangle's contribution to the gradient at a corner from another corner, times its area.
struct Share {
  std::uint32_t other;
  glm::dvec3 rate;
};

// Sorts the few shares of a vertex by `other`; equal ones keep their order.
void sort_by_other(std::span<Share> shares) {
  for (std::size_t i = 1; i < shares.size(); ++i) {
    const Share moved = shares[i];
    std::size_t to = i;
    for (; to > 0 && moved.other < shares[to - 1].other; --to) shares[to] = shares[to - 1];
    shares[to] = moved;
  }
}

// Returns the smallest significant distance between positions, metres: the float rounding of the coordinate farthest
// from 0, since exporters compute all positions of a mesh with the same matrices.
double precision_of(std::span<const glm::vec3> positions) {
  float furthest = 0;
  for (const glm::vec3& p : positions) furthest = std::max({furthest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  return double{std::numeric_limits<float>::epsilon()} * furthest;
}

}  // namespace

SurfaceGradient::SurfaceGradient(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles)
    : welded_(weld_by_position(positions)) {
  // A vertex with only thin triangles counts as having at least this area, relative to the square of its longest edge:
  // otherwise its gradient would leave no steps for the vertices stored with it.
  constexpr double kLeastArea = 1e-3;
  std::vector<double> areas(positions.size(), 0.0), least_areas(positions.size(), 0.0);
  std::vector<glm::dvec3> normals(positions.size(), glm::dvec3(0));
  // The shares of each vertex, one after the other.
  std::vector<std::uint32_t> ends(positions.size() + 1, 0);
  for (const glm::uvec3& triangle : triangles) {
    for (int c = 0; c < 3; ++c) ends[welded_[triangle[c]] + 1] += 2;
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const std::vector<std::uint32_t> begins = ends;
  std::vector<Share> shares(ends.back());
  const double precision = precision_of(positions);
  for (const glm::uvec3& triangle : triangles) {
    std::uint32_t corners[3];
    glm::dvec3 places[3];
    for (int c = 0; c < 3; ++c) {
      corners[c] = welded_[triangle[c]];
      places[c] = positions[corners[c]];
    }
    const glm::dvec3 across = glm::cross(places[1] - places[0], places[2] - places[0]);
    const double twice_area = glm::length(across);
    double longest = 0;
    for (int c = 0; c < 3; ++c) longest = std::max(longest, glm::distance(places[c], places[(c + 1) % 3]));
    // Compares the least height. Across a sliver below the precision the rate of change is unbounded.
    if (!(twice_area > precision * longest)) continue;
    for (int c = 0; c < 3; ++c) {
      // The gradient of the function that is 1 at this corner and 0 at the others: n x (the opposite edge) / (2 area).
      const glm::dvec3 rate = 0.5 * glm::cross(across / twice_area, places[(c + 2) % 3] - places[(c + 1) % 3]);
      areas[corners[c]] += 0.5 * twice_area;
      least_areas[corners[c]] = std::max(least_areas[corners[c]], kLeastArea * longest * longest);
      normals[corners[c]] += across;
      for (const int end : {(c + 1) % 3, (c + 2) % 3}) shares[ends[corners[end]]++] = {corners[c], rate};
    }
  }
  offsets_.assign(positions.size() + 1, 0);
  terms_.reserve(shares.size() / 2);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const std::span<Share> of_vertex = std::span(shares).subspan(begins[v], ends[v] - begins[v]);
    sort_by_other(of_vertex);
    for (std::size_t i = 0; i < of_vertex.size();) {
      const std::uint32_t other = of_vertex[i].other;
      glm::dvec3 sum(0);
      for (; i < of_vertex.size() && of_vertex[i].other == other; ++i) sum += of_vertex[i].rate;
      terms_.push_back({other, glm::vec3(sum / std::max(areas[v], least_areas[v]))});
    }
    offsets_[v + 1] = static_cast<std::uint32_t>(terms_.size());
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const double length = glm::length(normals[v]);
    normals_.push_back(length > 0 ? glm::vec3(normals[v] / length) : glm::vec3(0.0f));
  }
}

std::vector<glm::vec3> SurfaceGradient::of(std::span<const float> values) const {
  std::vector<glm::vec3> gradients(values.size(), glm::vec3(0.0f));
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    for (const Term& term : ring(v)) gradients[v] += term.rate * (values[term.vertex] - values[v]);
  }
  return gradients;
}

}  // namespace pelt
