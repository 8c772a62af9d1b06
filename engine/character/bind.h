// SPDX-License-Identifier: MIT
// model + rig -> character + report: the step that may fail, done once.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/character/character.h"
#include "engine/character/fit.h"
#include "engine/core/result.h"
#include "engine/judge/verdict.h"
#include "engine/model/model.h"
#include "engine/rig/rig.h"

namespace pelt {

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

// Of the skin's area, what was never a deformer's over all meshes but stayed on linear blend as it is: connected parts
// that follow one joint alone, and what else moves as one piece (heads, hands, feet, hips, faces).
struct PieceShares {
  double rigid_parts = 0;
  double cores = 0;
};

struct BindReport {
  std::vector<MeshReport> meshes;
  PieceShares pieces;
  std::vector<PointReport> points;
  // One sentence each: what the character does not carry of the model (not_carried), degenerate driver triangles, ...
  std::vector<std::string> notes;
  std::optional<Verdict> verdict;  // none: nothing was judged (Rig::judging)
};

struct Bound {
  Character character;
  BindReport report;
};

struct BindOptions {
  unsigned threads = 0;                        // 0: all cores; the result does not depend on it
  bool keep_vertex_order = false;              // source_vertex is the identity, at the price of longer slices
  std::optional<LinearFitOptions> linear_fit;  // adds CharacterMesh::fit to every skin; with `threads` of these options
  std::function<void(double fraction, const std::string& what)>
      progress;  // called from the calling thread; may be empty
};

// Errors name the layer, mesh, vertex or driver: kInvalidArgument for a model or rig that makes no sense, kNotFound for
// a mesh, joint or file that the rig names in vain, kUnsupported where a mesh would need more than 65536 palette
// entries, import_model's for a driver's file, and fit_linear_blend's.
Result<Bound> bind(const Model& model, const Rig& rig, const BindOptions& options = {});

}  // namespace pelt
