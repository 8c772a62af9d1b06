// SPDX-License-Identifier: MIT
// Makes a surface coarser on some of its own vertices, as it looks in several poses: levels of detail of skins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <vector>

namespace pelt {

// A surface in several poses. Vertices at one position in the first pose are one place: they stay together, so that
// seams stay closed in every pose.
struct PosedSurface {
  std::vector<std::vector<glm::vec3>> poses;  // at least one; in each the position of every vertex, finite
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> parts;  // of each triangle; borders between parts stay
  std::vector<glm::vec2> uvs;        // of each vertex
  std::vector<glm::vec3> normals;    // of each vertex, at rest; unit
};

// Removes triangles, those first whose loss shows least.
//
// A step moves all that lies at place u to a neighbour, place v: the triangles between them vanish, and every vertex at
// u is replaced by the one at v beside which a vanished triangle had it. So vertices never move, seams of textures and
// of parts are shortened only along themselves, and every vertex that is left is one of the surface. Where vertices
// differ by their normals alone, as at creases and facets, one beside which no triangle vanished is replaced by that of
// the nearest normal. A step costs, after Garland & Heckbert 1997, "Surface Simplification Using Quadric Error
// Metrics",
//
//     E = max over poses s of  ( sum over vertices i at u of Q_is(x_s) ) / area,     x_s: posed place of v
//
// with Q_is the sum of squared distances from the posed planes of all triangles that vertex i has stood for, weighted
// by their area at rest: joints keep the rings that they bend by, though these lie on straight limbs at rest. Borders
// and seams have planes through their edges, too, textures count by how far they slide, and normals by how far they
// turn. No step turns a triangle over, in any pose, or far from its normals, and none joins or cuts what was apart or
// together. Where more than two sheets meet in an edge all stays.
class Coarsener {
 public:
  explicit Coarsener(const PosedSurface& surface);  // which must outlive it
  ~Coarsener();
  Coarsener(Coarsener&&) noexcept;
  Coarsener& operator=(Coarsener&&) noexcept;

  // Removes triangles until `count` are left at most, no step is left whose root of E is `most` metres or less, or
  // every connected piece of the surface is down to two fifths of its share of `count`. What is left goes on from what
  // was left before. Returns how many triangles are left.
  std::size_t reduce(std::size_t count, double most);

  // The triangles that are left, in the order of the surface's.
  struct Kept {
    std::uint32_t triangle;  // of the surface
    glm::uvec3 vertices;
  };
  std::vector<Kept> kept() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt
