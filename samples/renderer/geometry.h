// SPDX-License-Identifier: MIT
// What of characters is drawn: triangles and edges as index lists, and one record a draw.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>

#include "samples/renderer/gpu_objects.h"
#include "samples/renderer/renderer.h"

namespace pelt::samples {

// Where a mesh's triangles, edges and points begin in the lists of its character.
struct MeshGeometry {
  std::uint32_t first_index = 0;
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
  std::uint32_t first_point = 0;  // an edge of no length for each vertex that no triangle names
  std::uint32_t point_count = 0;
};

// What does not change from frame to frame. Indices and edges count from vertex 0 of their mesh.
struct Geometry {
  std::vector<std::uint32_t> indices;  // three a triangle of the skin
  std::vector<glm::uvec2> edges;
  std::vector<glm::vec2> uvs;        // one a vertex of the character; empty where no mesh has any
  std::vector<MeshGeometry> meshes;  // as CharacterData::meshes
};

Geometry make_geometry(const CharacterData& character);

// A mesh that is drawn: where its vertex 0 is.
struct DrawnMesh {
  std::uint32_t item = 0;
  std::uint32_t crowd_vertex = 0;      // among those that the crowd writes of an instance (Crowd::mesh_vertex)
  std::uint32_t character_vertex = 0;  // among all of the character, as weights and uvs (CharacterMesh::first_vertex)
};

// Triangles of one material: indices [first_index, first_index + index_count).
struct SurfaceDraw {
  DrawnMesh mesh;
  std::uint32_t first_index = 0;
  std::uint32_t index_count = 0;
  glm::vec4 color{1.0f};
  const Texture* texture = nullptr;
  bool alpha_mask = false;
};

// Edges [first_edge, first_edge + edge_count).
struct LineDraw {
  DrawnMesh mesh;
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
  bool control = false;
};

// Vertices of no triangle as dots of one colour: edges of no length, [first_edge, first_edge + count).
struct PointDraw {
  DrawnMesh mesh;
  std::uint32_t first_edge = 0;
  std::uint32_t count = 0;
  glm::vec4 color{1.0f};
};

struct Draws {
  std::vector<SurfaceDraw> surfaces;
  std::vector<LineDraw> lines;
  std::vector<PointDraw> points;
};

// Errors: as Renderer::set_scene, of what the scene names.
Result<void> check_scene(const Scene& scene);

// Adds what item `index` of a scene shows; `meshes` are its character's. Precondition: check_scene passes.
void append_draws(const DrawItem& item, std::uint32_t index, std::span<const MeshGeometry> meshes, Draws& draws);

// Every edge of the triangles once, ascending.
std::vector<glm::uvec2> unique_edges(std::span<const glm::uvec3> triangles);

}  // namespace pelt::samples
