// SPDX-License-Identifier: MIT
// Binds a model by a rig, once per character, and returns the character and a report.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/check_report.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// Fractions of the skin's area that layers over * leave to linear blend: connected parts that follow one joint, and
// rigid regions, which move as one piece (heads, hands, feet, hips, faces).
struct PieceShares {
  double rigid_parts = 0;
  double rigid_regions = 0;
};

struct BindReport {
  std::vector<MeshReport> meshes;
  PieceShares pieces;
  std::vector<PointReport> points;
  // One sentence each: the model's data that the character does not carry (not_carried), degenerate driver triangles,
  // ...
  std::vector<std::string> notes;
  std::optional<CheckReport> check;  // none: not checked (Rig::check)
};

struct Bound {
  Character character;
  BindReport report;
};

struct BindOptions {
  unsigned threads = 0;            // 0: all CPUs; the result does not depend on it
  bool keep_vertex_order = false;  // source_vertex is the identity; slices become longer
  // Receives the finished fraction of the bind, which rises from 0 to 1, and the name of the current stage; on the
  // calling thread. May be empty.
  std::function<void(double fraction, const std::string& what)> progress;
  // Returns true to stop the bind, which then fails with kStopped, usually within a tenth of a second. Called often, on
  // all threads concurrently: read an atomic flag or a std::stop_token. May be empty.
  std::function<bool()> stop;
  // Returns correctives to add to the finished character, which the check does not see. They are not in the text of its
  // rig. May be empty.
  std::function<Result<std::vector<Corrective>>(const Bound& base)> correct;
};

// Binds a model by a rig. Errors name the layer, mesh, vertex or driver: kInvalidArgument for an invalid model or rig,
// kNotFound for a mesh, joint or file that the rig names but that does not exist, kUnsupported if a mesh would need
// more than 65536 palette entries, kStopped if BindOptions::stop returned true, and the errors of import_model for a
// driver's file.
Result<Bound> bind(const Model& model, const Rig& rig, const BindOptions& options = {});

}  // namespace pelt
