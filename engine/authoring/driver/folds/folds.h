// SPDX-License-Identifier: MIT
// Shapes of a driver in which the skin of bent elbows and knees touches instead of passing through itself.
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include <pelt/driver.h>
#include <pelt/key_pose.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::folds {

// The shapes of a driver along the bend of one hinge.
struct Fold {
  KeyPoseSet keys;                              // linear, without offsets
  std::vector<std::vector<glm::vec3>> offsets;  // of every vertex, per key
};

// Returns false if no joint is named as one at which skin folds.
bool may_fold(const Model& model);

// Returns the folds of a driver that is moved by `binding`, over entries of the builder, which is used up. Hinges are
// recognised by their names. `painting`: the driver's weights over the bound joints, before they were spread.
Result<std::vector<Fold>> find_folds(const Mesh& driver, const DriverParameters& parameters, MeshBinding binding,
                                     const SparseRows& painting, const Model& model, CharacterBuilder builder,
                                     unsigned threads);

}  // namespace pelt::folds
