// SPDX-License-Identifier: MIT
// The report of bind on the meshes and points of a character.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pelt {

// Flags for difficult locations: vertices at which bind had to choose how a driver moves them.
using VertexRemarks = std::uint8_t;
inline constexpr VertexRemarks kFar = 1;  // so far from the driver that its nearest elements have nearly equal weights
inline constexpr VertexRemarks kBetweenSheets = 2;  // as near to another part of the driver, or to one that faces away
inline constexpr VertexRemarks kBeyondHops = 4;     // no element is within max_hops: the vertex follows the nearest

// Figures on the bind of one mesh.
struct MeshReport {
  std::string mesh;
  std::string deformer;  // of the topmost layer; "a over b" if several are merged
  std::uint32_t vertices = 0;
  double mean_influences = 0;
  std::uint32_t max_influences = 0;
  double worst_distance = 0;                     // metres from a vertex to the closest driver element that moves it
  std::uint32_t worst_vertex = 0;                // source vertex
  std::uint64_t dropped_elements = 0;            // elements dropped by the cut, summed over vertices
  std::vector<std::uint32_t> repaired_vertices;  // source vertices whose normal or tangent was repaired
  std::optional<double> cut_error;  // largest distance that the cut moves a vertex, metres: sampled vertices and poses
  // For each source vertex, metres to the closest driver element that moves it, or -1 if none does; empty if no driver
  // moves the mesh.
  std::vector<float> distances;
  std::vector<VertexRemarks> remarks;
  std::vector<std::uint32_t> drives;  // indices in Rig::layers of the layers that have the mesh as their driver
  std::uint32_t level_vertices = 0;   // total of the refinement level whose stored vertices the mesh has; 0: none
  double bytes_per_vertex = 0;        // bind data that the blend reads, and the vertex that it writes

  bool is_driver_of(std::uint32_t layer) const { return std::ranges::find(drives, layer) != drives.end(); }
};

// A control point.
struct PointReport {
  std::size_t layer = 0;  // index in Rig::layers
  std::string name;       // as in MosEdit::points; empty: it has no name
  bool placed = false;    // true if parameters placed it along a chain
  std::uint32_t joint = 0;
  glm::vec3 rest{0.0f};  // model space at bind, metres, before edits
  bool listed = false;   // true if the rig lists the point, with its own offset
  // JSON pointer from the layer's parameters to the value that moves the point: that offset, or the edits of all
  // points.
  std::string place;
};

}  // namespace pelt
