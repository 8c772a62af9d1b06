// SPDX-License-Identifier: MIT
// What a Coarsener knows of a surface that it makes coarser.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/geometry/coarsen.h"

namespace pelt {

// A squared sum of N products: x -> sum of (a . x)^2, of vectors `a` with their weights.
template <int N>
class Quadric {
 public:
  void add(const std::array<double, N>& a, double weight) {
    int at = 0;
    for (int i = 0; i < N; ++i) {
      for (int j = i; j < N; ++j) sums_[at++] += weight * a[i] * a[j];
    }
  }
  void add(const Quadric& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  }
  double at(const std::array<double, N>& x) const {
    double sum = 0;
    int at = 0;
    for (int i = 0; i < N; ++i) {
      sum += sums_[at++] * x[i] * x[i];
      for (int j = i + 1; j < N; ++j) sum += 2 * sums_[at++] * x[i] * x[j];
    }
    return std::max(sum, 0.0);
  }

 private:
  std::array<double, N*(N + 1) / 2> sums_{};
};

// Texture coordinates and normals, which are to be at a point what a triangle says there.
inline constexpr int kTextures = 2;
inline constexpr int kAttributes = kTextures + 3;
using Attributes = std::array<double, kAttributes>;
using AttributeQuadrics = std::array<Quadric<5>, kAttributes>;

// The corner that takes the place of another.
struct Replaced {
  std::uint32_t by;
  std::uint32_t corner;
};

// Corners are vertices in one part: a vertex in two parts is two corners.
struct Coarsener::State {
  const PosedSurface& surface;
  std::vector<std::uint32_t> vertex_of;          // for each corner
  std::vector<std::uint32_t> place_of;           // for each corner
  std::vector<std::uint32_t> part_of;            // for each corner
  std::vector<glm::uvec3> triangles;             // of corners
  std::vector<bool> alive;                       // for each triangle
  std::vector<std::vector<std::uint32_t>> star;  // for each place, its triangles; empty: nothing is there
  std::vector<std::uint32_t> piece_of;           // for each place
  std::vector<std::size_t> piece_size;           // triangles at first
  std::vector<std::size_t> piece_left;           // triangles now
  std::vector<std::size_t> piece_least;          // triangles that must be left now
  std::vector<glm::dvec3> direction;             // of each triangle at first, at rest; unit, or 0
  std::vector<Quadric<4>> quadrics;              // for each corner and pose, those of a corner side by side
  std::vector<glm::dvec3> positions;             // the same: from the centre
  std::vector<std::uint32_t> sheet_of;           // for each corner; the same: but for normals they are one vertex
  std::vector<AttributeQuadrics> attributes;     // for each corner
  double extent = 0;          // of the surface at rest, from its centre to its farthest corner, doubled
  std::vector<double> areas;  // for each corner, that its quadrics are weighted by
  glm::dvec3 centre{0};       // of the rest pose, from which all is measured
  std::size_t first_count = 0;
  std::size_t left = 0;
  // Reused from step to step.
  std::vector<Replaced> replaced;
  std::vector<std::uint32_t> near_from;
  std::vector<std::uint32_t> near_to;
  std::vector<std::uint32_t> thirds;

  std::size_t poses() const { return surface.poses.size(); }

  const glm::dvec3& position(std::size_t pose, std::uint32_t corner) const {
    return positions[corner * surface.poses.size() + pose];
  }

  Quadric<4>& quadric(std::size_t pose, std::uint32_t corner) { return quadrics[corner * surface.poses.size() + pose]; }

  glm::vec2 uv_of(std::uint32_t corner) const { return surface.uvs[vertex_of[corner]]; }

  Attributes attributes_of(std::uint32_t corner) const {
    const glm::dvec2 uv(uv_of(corner));
    const glm::dvec3 normal(surface.normals[vertex_of[corner]]);
    return {uv.x, uv.y, normal.x, normal.y, normal.z};
  }

  std::uint32_t place(std::uint32_t triangle, int c) const { return place_of[triangles[triangle][c]]; }

  // Returns the number of the triangle's corner that is at a place; 3: none.
  int corner_at(std::uint32_t triangle, std::uint32_t where) const {
    for (int c = 0; c < 3; ++c) {
      if (place(triangle, c) == where) return c;
    }
    return 3;
  }

  void neighbours(std::uint32_t of, std::vector<std::uint32_t>& result) const {
    result.clear();
    for (const std::uint32_t t : star[of]) {
      for (int c = 0; c < 3; ++c) {
        if (place(t, c) != of) result.push_back(place(t, c));
      }
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
  }

  // Returns by how many triangles more the edge from a to b is used in that direction than in the other.
  int openness(std::uint32_t a, std::uint32_t b) const {
    int sum = 0;
    for (const std::uint32_t t : star[a]) {
      const int c = corner_at(t, a);
      if (place(t, (c + 1) % 3) == b) ++sum;
      if (place(t, (c + 2) % 3) == b) --sum;
    }
    return sum;
  }

  glm::dvec3 cross_of(std::size_t pose, glm::uvec3 t) const {
    const glm::dvec3 a = position(pose, t.x);
    return glm::cross(position(pose, t.y) - a, position(pose, t.z) - a);
  }

  void make_corners();
  void make_sheets();
  void make_pieces();
  void add_planes();
  void add_edges();
  // Returns the cosine between a corner's normal and a direction of any length.
  double shade_of(std::uint32_t corner, const glm::dvec3& across) const {
    const double length = glm::length(across);
    return length > 0 ? glm::dot(glm::dvec3(surface.normals[vertex_of[corner]]), across) / length : 1.0;
  }

  // Returns the squared length of the difference of two corners' normals.
  double turn(std::uint32_t a, std::uint32_t b) const {
    const glm::dvec3 off(surface.normals[vertex_of[a]] - surface.normals[vertex_of[b]]);
    return glm::dot(off, off);
  }

  bool replace(std::uint32_t from, std::uint32_t to);
  std::uint32_t nearest_normal(std::uint32_t corner, std::uint32_t to, std::span<const Replaced> sure) const;
  std::uint32_t replacement(std::uint32_t corner) const;
  double cost() const;
  bool may_step(std::uint32_t from, std::uint32_t to);
  bool keeps_sides(std::uint32_t from, std::uint32_t to) const;
  void step(std::uint32_t from, std::uint32_t to);
};

}  // namespace pelt
