// SPDX-License-Identifier: MIT
// The anchors of a rig, and those that a model marks, on its skins.
#pragma once

#include <vector>

#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/rig.h>

#include "engine/authoring/bind/layer_plan.h"

namespace pelt {

// Returns the rig with an anchor for each mark of the model whose name it does not have.
Rig with_marks(const Rig& rig, const Model& model);

// Returns the anchors of a rig, whose meshes and vertices are those of the model. Errors name the anchor: kNotFound for
// a mesh or a node that does not exist; kInvalidArgument for two of one name, a mesh that is no skin, a vertex or a
// triangle that does not exist, shares whose sum is not 1, and if no skin has triangles.
Result<std::vector<SkinAnchor>> place_anchors(const Model& model, const Rig& rig, const LayerPlan& plan);

// Returns the character with such anchors.
Result<Character> add_anchors(const Character& character, const Model& model, std::vector<SkinAnchor> anchors);

}  // namespace pelt
