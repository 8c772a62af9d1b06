// SPDX-License-Identifier: MIT
// model + rig -> character + report: the step that may fail, done once.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/linear_fit.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/verdict.h>

namespace pelt {

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
