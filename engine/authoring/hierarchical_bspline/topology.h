// SPDX-License-Identifier: MIT
// Connectivity of a surface's control vertices on its levels: a tensor-product grid (grid.h), or a polygon mesh with
// Catmull-Clark subdivision (subdivision.h).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <utility>
#include <vector>

namespace pelt::hierarchical_bspline {

// The weight of a vertex in a point, and in the tangents at the point.
struct Share {
  std::uint32_t vertex;
  double weight;
  double along_u;
  double along_v;
};

// A point of the surface at bind, and its tangent-plane frame [S_u / |S_u|, n x e1, n], n along S_u x S_v.
struct SurfacePoint {
  glm::dvec3 position{0};
  glm::dvec3 tangent_u{0};
  glm::dvec3 tangent_v{0};

  void add(const Share& share, const glm::dvec3& vertex) {
    position += share.weight * vertex;
    tangent_u += share.along_u * vertex;
    tangent_v += share.along_v * vertex;
  }
  bool has_frame() const;
  glm::dmat3 axes() const;  // precondition: has_frame()
};

// Returns true if the point with these weights of control vertices has a tangent-plane frame.
bool has_frame(std::span<const Share> shares, std::span<const glm::dvec3> control);

inline constexpr std::uint32_t kMaxLevelVertices = 1u << 20;  // control vertices of a level, at most

using Polygons = std::vector<std::vector<std::uint32_t>>;

class Topology {
 public:
  virtual ~Topology() = default;

  virtual std::uint32_t size(std::uint32_t level) const = 0;  // control vertices

  // Returns the control vertices of a level, with weights, that refinement makes a vertex of the next level from.
  virtual std::vector<std::pair<std::uint32_t, double>> refinement(std::uint32_t level, std::uint32_t next) const = 0;

  // Returns the vertex of the next level that lies at a vertex, up to the smoothing.
  virtual std::uint32_t child(std::uint32_t level, std::uint32_t number) const = 0;

  // Returns the weights of a level's control vertices in the point of the surface that one of them influences most.
  // `control`: all of them. If the surface has no tangent plane there, as at a pole, the tangents are those of a point
  // nearby.
  virtual std::vector<Share> limit(std::uint32_t level, std::uint32_t number,
                                   std::span<const glm::dvec3> control) const = 0;

  // Returns the faces of a level's control mesh.
  virtual Polygons faces(std::uint32_t level) const = 0;

  // Returns the vertices of the next level that lie at a vertex and next to it, ascending.
  virtual std::vector<std::uint32_t> refined_round(std::uint32_t level, std::uint32_t number) const = 0;
};

}  // namespace pelt::hierarchical_bspline
