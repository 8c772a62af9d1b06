// SPDX-License-Identifier: MIT
// Merges the layers of a mesh into one binding.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <pelt/mesh.h>
#include <pelt/result.h>

#include "engine/authoring/bind/layer_plan.h"
#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/deformer/twist_spread.h"

namespace pelt {

// The layers of a mesh, merged from the bottom up.
struct MergedLayers {
  std::optional<MeshBinding> binding;  // none: no layer yet
  std::string deformer;                // names all of them, for the report
};

// Lays one more layer over those below, at vertices whose mask is above 0; the first layer acts everywhere. Errors name
// the layer and the mesh: blends that cannot be mixed, too many influences, no joint to measure displacements from.
Result<void> lay_over(MergedLayers& below, MeshBinding above, std::span<const float> mask, const PlannedLayer& layer,
                      const Mesh& mesh, CharacterBuilder& builder);

// Lays linear blend over the binding of a mesh, with `left` as its mask.
void lay_linear_over(MeshBinding& binding, const Mesh& mesh, std::span<const float> left, const TwistSpread& twists,
                     CharacterBuilder& builder);

}  // namespace pelt
