// SPDX-License-Identifier: MIT
// Meshes a symmetric implicit surface with even triangles, closed.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/model/builtin/implicit_surface.h"

namespace pelt {

// A region in which the mesh is finer: within `inner` metres of `centre` its edges are 1 / `magnification` as long; the
// change fades out at `outer` > inner * magnification. A centre off the plane x = 0 stands for itself and its mirror
// image, and must be farther than `outer` from the plane.
struct Lens {
  glm::vec3 centre{0.0f};
  float magnification = 1.0f;
  float inner = 0.1f;
  float outer = 0.5f;
};

struct MesherOptions {
  glm::vec3 low{0.0f};  // bounds of the half x >= 0, with some room; low.x is not used
  glm::vec3 high{1.0f};
  float cell = 0.01f;  // edge length away from lenses, metres
  std::span<const Lens> lenses;
  std::uint32_t relaxation_rounds = 12;
};

// The half x >= 0 of the surface. Vertices on the plane of symmetry have exactly x = 0.
struct HalfMesh {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::uvec4> quads;                  // outward, counter-clockwise
  std::vector<std::vector<std::uint32_t>> rings;  // vertices that share an edge of a quad, ascending
};

// Dual marching cubes (Nielson 2004) on a grid that the lenses bend: one vertex for each sheet of the surface in a
// cell, one quad round each crossed edge. Then rounds of tangential smoothing, each followed by a Newton step back to
// the surface. `field` is called with x >= 0 only. Details should be thicker and farther apart than two cells.
HalfMesh mesh_half(const std::function<FieldSample(const glm::vec3&)>& field, const MesherOptions& options);

// The whole mesh, and for each of its vertices the vertex of the half that it is or mirrors; vertices on the plane
// occur once.
struct Mirrored {
  std::vector<glm::vec3> positions;  // first the half's, then the images of those off the plane, in order
  std::vector<glm::vec3> normals;
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> source;  // for each vertex: the vertex of the half that it is, or mirrors
};
Mirrored mirror(const HalfMesh& half);

}  // namespace pelt
