// SPDX-License-Identifier: MIT
// What of a scene's characters is drawn: triangles and edges as index lists, and one record a draw.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include "engine/core/result.h"
#include "samples/renderer/renderer.h"

namespace pelt::samples {

// Triangles of one colour: indices [first_index, first_index + index_count), counted from vertex first_vertex.
struct SurfaceDraw {
  std::uint32_t item = 0;
  std::uint32_t first_vertex = 0;
  std::uint32_t first_index = 0;
  std::uint32_t index_count = 0;
  glm::vec4 color{1.0f};
};

// Edges [first_edge, first_edge + edge_count) of one mesh, counted from vertex first_vertex.
struct LineDraw {
  std::uint32_t item = 0;
  std::uint32_t first_vertex = 0;
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
  bool control = false;
};

// Vertices of no triangle as dots of one colour: edges of no length, [first_edge, first_edge + count), counted from
// vertex first_vertex.
struct PointDraw {
  std::uint32_t item = 0;
  std::uint32_t first_vertex = 0;
  std::uint32_t first_edge = 0;
  std::uint32_t count = 0;
  glm::vec4 color{1.0f};
};

struct Geometry {
  std::vector<std::uint32_t> indices;
  std::vector<glm::uvec2> edges;
  std::vector<SurfaceDraw> surfaces;
  std::vector<LineDraw> lines;
  std::vector<PointDraw> points;
};

// Characters that several items show are listed once. Errors: as Renderer::render.
Result<Geometry> make_geometry(const Scene& scene);

// Every edge of the triangles once, ascending.
std::vector<glm::uvec2> unique_edges(std::span<const glm::uvec3> triangles);

}  // namespace pelt::samples
