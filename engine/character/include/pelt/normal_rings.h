// SPDX-License-Identifier: MIT
// Normals found anew from the posed triangles of a skin (shaders/normals/normals.h), and the triangles round each
// vertex, from which they are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>

namespace pelt {

// Where normals and tangents of skins come from.
enum class NormalMode : std::uint32_t {
  kBlended = 0,     // those at rest, moved as the frame of the vertex moves
  kRecomputed = 1,  // of the posed triangles round the vertex, weighted by area; tangents made orthogonal to them
};

// The rings of a mesh as shaders/normals/normals.h reads them: where the ring of each vertex begins in this same array,
// or shared::kNoSlot where it has none, then the rings. Empty where no vertex has one.
//
// The ring of a vertex holds the triangles of all vertices at its very place whose rest normals are within a degree of
// each other, which share it: a seam of UVs stays smooth and a hard edge hard. Triangles may be wound either way, a
// triangle that is there twice counts once, one that names a vertex twice not at all. Where the normal of a ring at
// rest is more than 60 degrees off the vertex's own, as where triangles are wound either way round one vertex or lie on
// each other, there is no ring, and the blended normal stays.
std::vector<std::uint32_t> find_normal_rings(const CharacterMesh& mesh);

// Normals of the vertices begin, ..., end - 1 of a mesh from the positions of all of it; tangents along with them, or
// none (empty). Those of vertices without a ring, or whose triangles have no area in this pose, stay as they are.
void recompute_normals(std::span<const std::uint32_t> rings, std::size_t begin, std::size_t end,
                       std::span<const glm::vec3> positions, std::span<glm::vec3> normals,
                       std::span<glm::vec4> tangents);

}  // namespace pelt
