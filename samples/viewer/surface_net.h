// SPDX-License-Identifier: MIT
// The control nets of hierarchical B-splines: finds them in a character, and edits what their vertices follow and which
// are refined.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <pelt/bind.h>
#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/tools/surface_vertices.h>

#include "samples/viewer/handle.h"

namespace pelt::viewer {

// A refinement level of a surface.
struct NetLevel {
  std::uint32_t level = 0;
  const CharacterMesh* mesh = nullptr;                            // its control mesh, of the character
  std::span<const hierarchical_bspline::SurfaceVertex> vertices;  // the mesh's source vertices
};

struct Net {
  std::uint32_t layer = 0;  // of the rig
  hierarchical_bspline::SurfaceVertices surface;
  std::vector<NetLevel> levels;  // those that store vertices
};

// Returns surface_vertices of the parameters, cached for the next call, since pictures and panels ask every frame.
// Offsets of vertices do not change them.
std::shared_ptr<const Result<hierarchical_bspline::SurfaceVertices>> vertices_of(
    HierarchicalBsplineParameters parameters);

// Returns the surfaces of a character that was bound by `rig`. The rig may be newer: surfaces that now store other
// vertices are left out.
std::vector<Net> nets_of(const CharacterData& character, const BindReport& report, const Rig& rig);

// Returns the name of a control vertex as a handle; `mesh`: the control mesh of its level.
std::string net_vertex_name(const std::string& mesh, std::uint32_t number);
// Returns the name of a level's control mesh; `base`: that of level 0.
std::string net_level_name(const std::string& base, std::uint32_t level);

// Returns the level of a vertex. Adds level 0 to a rig without levels. Errors: the rig no longer has it.
Result<SurfaceLevel*> level_of(Rig& rig, const ControlVertex& place);

std::set<std::uint32_t> numbers_of(const std::vector<IndexRange>& ranges);
std::vector<IndexRange> ranges_of(const std::set<std::uint32_t>& numbers);

// Stores a vertex of a level above the base. An existing offset stays.
void store(SurfaceLevel& level, std::uint32_t number);

// Return the rig with changed control vertices; each has its level and layer. Errors: the rig no longer has such a
// surface, level or vertex.
//
// Attaches the vertices as in `to`, and detaches them from what they followed; to.vertices is ignored.
Result<Rig> with_attached(Rig rig, std::span<const ControlVertex> vertices, const SurfaceAttachment& to);
// Detaches the vertices: they follow the level before. They stay stored and can be dragged.
Result<Rig> with_detached(Rig rig, std::span<const ControlVertex> vertices);
// Stores the vertices of the next level around each vertex, without offsets; adds all of them to `round`.
Result<Rig> with_refined(Rig rig, std::span<const ControlVertex> vertices, std::vector<ControlVertex>& round);

}  // namespace pelt::viewer
