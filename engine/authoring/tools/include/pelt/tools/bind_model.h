// SPDX-License-Identifier: MIT
// Reads and binds a model like `pelt bind`, by the rig that its options name or by one that fits the model.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <pelt/bind.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// How to bind a model: by a rig, by a preset, or by one deformer for the whole model.
struct Binding {
  std::span<const std::byte> file;  // of a model in glTF, which is not read by its name then; empty: it is
  std::string rig;                  // file name; empty: the preset
  std::optional<Rig> given_rig;     // instead of the file
  std::string preset;               // empty: the deformer
  std::string deformer;             // empty: the rig in a glTF file, or bind_model's choice
  std::string body;                 // model of a body that drives a garment; without a rig, `deformer` is the body's
  std::string weights_of;           // model that provides skeleton, clips and weights, such as the body under a garment
  std::optional<CheckMode> check;   // instead of the rig's
  std::optional<PaintMode> paint;   // instead of the rig's
  NamedFiles files = NamedFiles::kFolder;  // files that models and rigs may name

  bool names_no_rig() const { return rig.empty() && !given_rig && preset.empty() && deformer.empty(); }

  // True if no option is set: a model's own rig applies.
  bool is_default() const { return names_no_rig() && body.empty() && weights_of.empty(); }
};
inline constexpr const char* kDefaultDeformer = "surface-ffd";

// A model that was read and bound.
struct BoundModel {
  Bound bound;
  Model model;
  Rig rig;               // the rig that bind used
  bool dressed = false;  // true if the model was joined from two files
  ImportReport import_report;
};

// Reads a model (a file or builtin:NAME) and binds it. Without a choice it binds by kDefaultDeformer, or by linear
// blend if more than a tenth of the skin would fall back to it anyway; a note explains which, and why.
Result<BoundModel> bind_model(const std::string& model, const Binding& binding, const BindOptions& options = {});

// Returns a note if no mesh of a model bends, because weights or a second joint are missing; it names the command that
// helps. Empty if one bends, or if a model with weights has clips.
std::string rigid_note(const Model& model);

}  // namespace pelt
