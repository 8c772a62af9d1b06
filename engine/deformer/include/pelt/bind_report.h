// SPDX-License-Identifier: MIT
// What binding says of the meshes and points of a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pelt {

// How far the fit of a skin is from where its deformers move it: over all sample poses.
struct LinearFitError {
  std::string mesh;
  double rms = 0;                  // metres, over all vertices
  double worst = 0;                // metres
  std::uint32_t worst_vertex = 0;  // source vertex
};

// Flags: what had to be decided at a vertex that a driver moves.
using VertexRemarks = std::uint8_t;
inline constexpr VertexRemarks kFar = 1;  // so far from the driver that its nearest elements weigh nearly alike
inline constexpr VertexRemarks kBetweenSheets = 2;  // as near to another part of the driver, or to one that faces away
inline constexpr VertexRemarks kBeyondHops = 4;  // no element is within max_hops: it follows the nearest all the same

// How well one mesh was bound.
struct MeshReport {
  std::string mesh;
  std::string deformer;  // of the topmost layer; "a over b" where several are merged
  std::uint32_t vertices = 0;
  double mean_influences = 0;
  std::uint32_t max_influences = 0;
  double worst_distance = 0;                     // metres from a vertex to the closest point of its driver
  std::uint32_t worst_vertex = 0;                // source vertex
  std::uint64_t dropped_elements = 0;            // by the cut, summed over vertices
  std::vector<std::uint32_t> repaired_vertices;  // source vertices at which something had to be decided
  std::optional<double> cut_error;  // metres by which the cut moves a vertex at most: at samples, over sample poses
  // Of each source vertex, or empty where no driver moves the mesh: metres to the closest element that moves the
  // vertex, -1 where none does.
  std::vector<float> distances;
  std::vector<VertexRemarks> remarks;
  std::vector<std::uint32_t> drives;         // layers of the rig, counted from 0, whose driver the mesh is
  std::optional<LinearFitError> linear_fit;  // of skins, where BindOptions asks for it
  double bytes_per_vertex = 0;  // bind data read and vertex written by the blend, positions, normals, tangents
};

// A control point of MOS.
struct PointReport {
  std::size_t layer = 0;  // in Rig::layers
  std::string name;       // as MosEdit::points says it; empty: the rig gives it none
  bool placed = false;    // along a chain, by parameters
  std::uint32_t joint = 0;
  glm::vec3 rest{0.0f};  // model space at bind, metres, before edits
  // In MosParameters::chains and MosChain::points; none: the rig does not list it.
  std::optional<glm::uvec2> listed;
};

}  // namespace pelt
