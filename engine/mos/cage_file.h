// SPDX-License-Identifier: MIT
// Cages: polygons whose points control a Catmull-Clark surface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/result.h>

namespace pelt::mos {

// Model space at bind, metres.
struct CageMesh {
  std::vector<glm::dvec3> points;
  std::vector<std::vector<std::uint32_t>> faces;  // points, in order
  std::vector<std::uint32_t> source_vertex;       // of each point: a vertex of the mesh or file that it was made from
};

// Wavefront OBJ, its polygons as they are and its vertices in order. Errors: those of import_obj, and kInvalidFile
// without a face.
Result<CageMesh> load_cage(const std::filesystem::path& path);

// The mesh's triangles, of vertices at one position the first. Two consecutive triangles of a part are a quad again
// where they share an edge and together are convex and nearly flat. Left out: vertices of no triangle, triangles
// without three different corners.
CageMesh cage_of(const Mesh& mesh);

}  // namespace pelt::mos
