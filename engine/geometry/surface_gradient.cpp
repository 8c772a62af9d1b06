// SPDX-License-Identifier: MIT
#include "engine/geometry/surface_gradient.h"

#include <algorithm>

#include <pelt/tools/weld.h>

namespace pelt {
namespace {

// A triangle's contribution to the gradient at one of its corners, times its area.
struct Share {
  std::uint32_t own;
  std::uint32_t other;
  glm::dvec3 rate;
};

}  // namespace

SurfaceGradient::SurfaceGradient(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles)
    : welded_(weld_by_position(positions)) {
  std::vector<double> areas(positions.size(), 0.0);
  std::vector<glm::dvec3> normals(positions.size(), glm::dvec3(0));
  std::vector<Share> shares;
  shares.reserve(6 * triangles.size());
  for (const glm::uvec3& triangle : triangles) {
    std::uint32_t corners[3];
    glm::dvec3 places[3];
    for (int c = 0; c < 3; ++c) {
      corners[c] = welded_[triangle[c]];
      places[c] = positions[corners[c]];
    }
    const glm::dvec3 across = glm::cross(places[1] - places[0], places[2] - places[0]);
    const double twice_area = glm::length(across);
    if (!(twice_area > 0)) continue;
    for (int c = 0; c < 3; ++c) {
      // The gradient of the function that is 1 at this corner and 0 at the others is n x (the opposite edge) / (2
      // area).
      const glm::dvec3 rate = 0.5 * glm::cross(across / twice_area, places[(c + 2) % 3] - places[(c + 1) % 3]);
      areas[corners[c]] += 0.5 * twice_area;
      normals[corners[c]] += across;
      shares.push_back({corners[(c + 1) % 3], corners[c], rate});
      shares.push_back({corners[(c + 2) % 3], corners[c], rate});
    }
  }
  std::ranges::stable_sort(
      shares, [](const Share& a, const Share& b) { return a.own != b.own ? a.own < b.own : a.other < b.other; });
  offsets_.assign(positions.size() + 1, 0);
  for (std::size_t i = 0; i < shares.size();) {
    const std::uint32_t own = shares[i].own;
    const std::uint32_t other = shares[i].other;
    glm::dvec3 sum(0);
    for (; i < shares.size() && shares[i].own == own && shares[i].other == other; ++i) sum += shares[i].rate;
    terms_.push_back({other, glm::vec3(sum / areas[own])});
    ++offsets_[own + 1];
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    offsets_[v + 1] += offsets_[v];
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
