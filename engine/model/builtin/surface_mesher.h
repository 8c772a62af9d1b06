// SPDX-License-Identifier: MIT
// From a symmetric implicit surface to an even, closed triangle mesh.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/model/builtin/implicit_surface.h"

namespace pelt {

// Where the mesh is to be finer: within `inner` metres of `centre` its edges are 1 / `magnification` as long; the
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

// The half x >= 0 of the surface. Vertices on the plane of symmetry have x = 0 exactly.
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

// Which vertex of the whole mesh is the mirror image of a vertex of the half; vertices on the plane are their own.
struct Mirrored {
  std::vector<glm::vec3> positions;  // first the half's, then the images of those off the plane, in order
  std::vector<glm::vec3> normals;
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> source;  // per vertex: the vertex of the half that it is, or is the image of
};
Mirrored mirror(const HalfMesh& half);

}  // namespace pelt
