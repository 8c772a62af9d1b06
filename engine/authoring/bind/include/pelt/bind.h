// SPDX-License-Identifier: MIT
// Binds a model by a rig and gives a character and a report. It is the step that may fail, done once.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/verdict.h>

namespace pelt {

// Shares of the skin's area that layers over * leave to linear blend: connected parts that follow one joint alone, and
// cores, which move as one piece (heads, hands, feet, hips, faces).
struct PieceShares {
  double rigid_parts = 0;
  double cores = 0;
};

struct BindReport {
  std::vector<MeshReport> meshes;
  PieceShares pieces;
  std::vector<PointReport> points;
  // One sentence each: the model's data that the character does not carry (not_carried), degenerate driver triangles,
  // ...
  std::vector<std::string> notes;
  std::optional<Verdict> verdict;  // none: nothing was judged (Rig::judging)
};

struct Bound {
  Character character;
  BindReport report;
};

struct BindOptions {
  unsigned threads = 0;            // 0: all cores; the result does not depend on it
  bool keep_vertex_order = false;  // source_vertex is the identity; slices become longer
  // Shows the fraction of the stages that is done, which rises from 0 to 1, and what is being done; on the calling
  // thread. May be empty.
  std::function<void(double fraction, const std::string& what)> progress;
  // Returns true to end the bind, which then fails with kStopped, as a rule within a tenth of a second. Called many
  // times a second on all threads, at once: it reads an atomic flag, or asks a std::stop_token. May be empty.
  std::function<bool()> stop;
};

// Binds a model by a rig. Errors name the layer, mesh, vertex or driver: kInvalidArgument for a model or rig that makes
// no sense, kNotFound for a mesh, joint or file that the rig names but that does not exist, kUnsupported if a mesh
// would need more than 65536 palette entries, kStopped if BindOptions::stop asked for it, and the errors of
// import_model for a driver's file.
Result<Bound> bind(const Model& model, const Rig& rig, const BindOptions& options = {});

}  // namespace pelt
