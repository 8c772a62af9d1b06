// SPDX-License-Identifier: MIT
// The drawn geometry of characters: triangles and edges as index lists, and one record per draw.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>

#include "samples/renderer/gpu_objects.h"
#include "samples/renderer/renderer.h"

namespace pelt::samples {

// The starts of a mesh's triangles, edges and points in the lists of its character.
struct MeshGeometry {
  std::uint32_t first_index = 0;
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
  std::uint32_t first_point = 0;  // an edge of zero length per vertex without triangles
  std::uint32_t point_count = 0;
};

// The part of a character's geometry that does not change between frames. Indices and edges count from vertex 0 of
// their mesh.
struct Geometry {
  std::vector<std::uint32_t> indices;  // three per triangle of the skin
  std::vector<glm::uvec2> edges;
  std::vector<glm::vec2> uvs;        // one per vertex of the character; empty if no mesh has any
  std::vector<glm::vec4> colors;     // likewise, linear with alpha
  std::vector<MeshGeometry> meshes;  // as CharacterData::meshes
};

// `textures`: the vertex colours; may be null.
Geometry make_geometry(const CharacterData& character, const MaterialTextures* textures);

// A drawn mesh, and the index of its vertex 0.
struct DrawnMesh {
  std::uint32_t item = 0;
  std::uint32_t crowd_vertex = 0;      // among an instance's vertices in the crowd's outputs (mesh_vertices)
  std::uint32_t character_vertex = 0;  // among the character's vertices, like weights and uvs (first_vertex)
};

// Triangles of one material: indices [first_index, first_index + index_count).
struct SurfaceDraw {
  DrawnMesh mesh;
  std::uint32_t first_index = 0;
  std::uint32_t index_count = 0;
  glm::vec4 color{1.0f};
  const Texture* texture = nullptr;
  bool alpha_mask = false;
  bool vertex_colors = false;
};

// Edges [first_edge, first_edge + edge_count).
struct LineDraw {
  DrawnMesh mesh;
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
  bool control = false;
  bool muscle = false;
};

// Vertices without a triangle, as dots of one colour: edges of zero length, [first_edge, first_edge + count).
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

// Checks everything that a scene refers to. Errors: as for Renderer::set_scene.
Result<void> check_scene(const Scene& scene);

// Adds the draws of item `index` of a scene; `meshes` are its character's. Precondition: check_scene passes.
void append_draws(const DrawItem& item, std::uint32_t index, std::span<const MeshGeometry> meshes, Draws& draws);

// Returns every edge of the triangles once, ascending.
std::vector<glm::uvec2> unique_edges(std::span<const glm::uvec3> triangles);

}  // namespace pelt::samples
