// SPDX-License-Identifier: MIT
// model + rig -> character + report: the step that may fail, done once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/character/character.h"
#include "engine/core/result.h"
#include "engine/model/model.h"
#include "engine/rig/rig.h"

namespace pelt {

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
  double bytes_per_vertex = 0;  // bind data read and vertex written by the blend, positions, normals, tangents
};

struct BindReport {
  std::vector<MeshReport> meshes;
  std::vector<std::string> notes;  // one sentence each: degenerate driver triangles, K raised, ...
};

struct Bound {
  Character character;
  BindReport report;
};

struct BindOptions {
  unsigned threads = 0;            // 0: all cores; the result does not depend on it
  bool keep_vertex_order = false;  // source_vertex is the identity, at the price of longer slices
  std::function<void(double fraction, const std::string& what)>
      progress;  // called from the calling thread; may be empty
};

// Errors name the layer, mesh, vertex or driver: kInvalidArgument for a model or rig that makes no sense, kNotFound for
// a mesh, joint or file that the rig names in vain, kUnsupported where a mesh would need more than 65536 palette
// entries, and import_model's for a driver's file.
Result<Bound> bind(const Model& model, const Rig& rig, const BindOptions& options = {});

}  // namespace pelt
