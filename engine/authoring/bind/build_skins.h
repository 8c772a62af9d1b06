// SPDX-License-Identifier: MIT
// Makes the character once every layer is bound, and judges it against linear blend.
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

// All that a bind is asked for.
struct BindInput {
  const Model& model;  // with the meshes of the muscles
  std::span<const PlacedLevel> levels;
  std::span<const MuscleMeshes> muscles;
  const Rig& rig;
  const LayerPlan& plan;
  const BindOptions& options;
};

// Builds the character from the merged skins, one entry a mesh of the model, then one a level. If the rig asks for
// judging and a deformer other than linear blend moves skin, the character is judged, and linear blend takes over where
// it does better (Judging). `builder` has the drivers; `report` gets the figures of the meshes, the verdict and notes
// on it.
Result<Bound> build_skins(const BindInput& input, BindProgress& progress, BindReport report, CharacterBuilder builder,
                          std::vector<MergedLayers> skins);

}  // namespace pelt
