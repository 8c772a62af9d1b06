// SPDX-License-Identifier: MIT
// Makes the character after every layer is bound, and checks it against linear blend.
#pragma once

#include <span>
#include <vector>

#include <pelt/bind.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/authoring/bind/bind_progress.h"
#include "engine/authoring/bind/layer_plan.h"
#include "engine/authoring/bind/merge_layers.h"
#include "engine/authoring/deformer/builder.h"

namespace pelt {

// The input of a bind, and what was planned from it.
struct BindInput {
  const Model& model;  // with the meshes of the muscles
  std::span<const LevelMapping> levels;
  std::span<const MuscleMeshes> muscles;
  const Rig& rig;
  const LayerPlan& plan;
  const BindOptions& options;
};

// Builds the character from the merged skins: one entry per mesh of the model, then one per level. If the rig asks for
// the check and a deformer other than linear blend moves skin, checks the character and falls back to linear blend at
// defects (CheckMode). `builder` has the drivers. `report` receives the figures of the meshes, the report of the check,
// and notes.
Result<Bound> build_skins(const BindInput& input, BindProgress& progress, BindReport report, CharacterBuilder builder,
                          std::vector<MergedLayers> skins);

}  // namespace pelt
