// SPDX-License-Identifier: MIT
// The control nets of hierarchical B-splines: where a character has them, and edits of what their vertices follow and
// of where they are refined.
#pragma once

#include <cstdint>
#include <memory>
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

// A level of a surface.
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

// Returns surface_vertices of the parameters, which it keeps for the next call: pictures and panels ask in every frame.
// How far vertices are moved changes nothing of them.
std::shared_ptr<const Result<hierarchical_bspline::SurfaceVertices>> vertices_of(
    HierarchicalBsplineParameters parameters);

// Returns the surfaces of a character that was bound by `rig`. The rig may be newer: a surface that stores other
// vertices by now is left out.
std::vector<Net> nets_of(const CharacterData& character, const BindReport& report, const Rig& rig);

// Returns the name of a control vertex as a handle; `mesh`: the control mesh of its level.
std::string net_vertex_name(const std::string& mesh, std::uint32_t number);
// Returns the name of a level's control mesh; `base`: that of level 0.
std::string net_level_name(const std::string& base, std::uint32_t level);

// Return the rig with changed control vertices; level and layer of each are its own. Errors: the rig has no such
// surface, level or vertex any more.
//
// Attaches the vertices as `to` says, and detaches them from what they followed; to.vertices are not used.
Result<Rig> with_attached(Rig rig, std::span<const SurfacePlace> vertices, const SurfaceAttachment& to);
// Detaches the vertices: they follow the level before. They stay stored, so that they can be dragged.
Result<Rig> with_detached(Rig rig, std::span<const SurfacePlace> vertices);
// Stores the vertices of the next level round each vertex, without an offset; adds all of them to `round`.
Result<Rig> with_refined(Rig rig, std::span<const SurfacePlace> vertices, std::vector<SurfacePlace>& round);

}  // namespace pelt::viewer
