// SPDX-License-Identifier: MIT
// Gradients along the surface of a mesh, for functions defined at its vertices.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// For each vertex, the gradient of a function f that is linear on every triangle: the mean over the triangles round the
// vertex, weighted by area; the sum over the vertex's ring of `rate` (f(vertex) - f(own)). It lies along the surface,
// in 1/metres. Vertices at the same position count as one. Triangles lower than the float rounding of positions do not
// count; a vertex without neighbours has no ring. A gradient is at most about 1000 times the change of f along the
// longest edge, over that edge, so it is too small at a vertex that has only slivers.
class SurfaceGradient {
 public:
  struct Term {
    std::uint32_t vertex;
    glm::vec3 rate;
  };

  SurfaceGradient(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);

  std::span<const Term> ring(std::uint32_t vertex) const {
    const std::uint32_t welded = welded_[vertex];
    return std::span(terms_).subspan(offsets_[welded], offsets_[welded + 1] - offsets_[welded]);
  }

  // Returns the unit mean of the triangles' normals, weighted by area; 0 if there is no triangle.
  glm::vec3 normal(std::uint32_t vertex) const { return normals_[welded_[vertex]]; }

  // Returns the gradient of a function at every vertex.
  std::vector<glm::vec3> of(std::span<const float> values) const;

 private:
  std::vector<std::uint32_t> welded_;
  std::vector<glm::vec3> normals_;
  std::vector<std::uint32_t> offsets_;
  std::vector<Term> terms_;
};

}  // namespace pelt
