// SPDX-License-Identifier: MIT
// Cages: polygons whose points control a Catmull-Clark surface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/result.h>

namespace pelt {

// A cage in model space at bind, metres.
struct CageMesh {
  std::vector<glm::dvec3> points;
  std::vector<std::vector<std::uint32_t>> faces;  // points of each face, in order
  std::vector<std::uint32_t> source_vertex;  // for each point, the vertex of the mesh or file from which it was made
};

// Reads a cage from a Wavefront OBJ file, with its polygons and the order of its vertices. Errors: those of import_obj,
// and kInvalidFile if there is no face.
Result<CageMesh> load_cage(const std::filesystem::path& path);

// Makes a cage from the triangles of a mesh. The first of several vertices at one position counts. Two consecutive
// triangles of a part become a quad again if they share an edge and together are convex and nearly flat. Vertices
// without triangles and triangles without three different corners are left out.
CageMesh cage_of(const Mesh& mesh);

}  // namespace pelt
