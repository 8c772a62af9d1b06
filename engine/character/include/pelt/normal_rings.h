// SPDX-License-Identifier: MIT
// Recomputes normals from the posed triangles of a skin (shaders/normals/normals.h): the ring of triangles round each
// vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/job_system.h>

namespace pelt {

// The source of a skin's normals and tangents.
enum class NormalMode : std::uint32_t {
  kBlended = 0,     // those of the bind pose, moved by the vertex's frame
  kRecomputed = 1,  // from the posed triangles round the vertex, weighted by area; tangents are made orthogonal to them
};

// Returns the rings of a mesh as shaders/normals/normals.h reads them: for each vertex the index of its ring in this
// array, or shared::kNoIndex if it has none, then the rings. Empty if no vertex has a ring.
//
// The ring of a vertex holds the triangles of all vertices at exactly its position whose rest normals are within a
// degree of each other; these vertices share the ring, so that a UV seam stays smooth and a hard edge stays hard.
// Triangles may be wound either way; duplicates count once, and a triangle that uses a vertex twice does not count. A
// vertex has no ring, and keeps its blended normal, if the ring's rest normal is more than 60 degrees off its own,
// because triangles round it are wound both ways or overlap, or if it is in more than 4096 triangles, since one shader
// invocation sums a ring. `jobs`: runs the search; the rings do not depend on it.
std::vector<std::uint32_t> find_normal_rings(const CharacterMesh& mesh, const JobSystem& jobs = {});

// Recomputes the normals of vertices begin, ..., end - 1 of a mesh from the positions of all its vertices, and makes
// their tangents (empty: none) orthogonal to them. A vertex without a ring, or whose posed triangles have no area,
// keeps its normal and tangent.
void recompute_normals(std::span<const std::uint32_t> rings, std::size_t begin, std::size_t end,
                       std::span<const glm::vec3> positions, std::span<glm::vec3> normals,
                       std::span<glm::vec4> tangents);

}  // namespace pelt
