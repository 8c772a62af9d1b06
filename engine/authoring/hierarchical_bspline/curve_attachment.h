// SPDX-License-Identifier: MIT
// Control vertices that frames along a curve carry (Forsey 1994, "Future work").
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::hierarchical_bspline {

// Binds points to the curve through these joints, as skin of a curve skeleton that has this curve alone, and adds the
// passes that pose it. `what` says whose they are. Errors: those of the curve skeleton.
Result<MeshBinding> bind_to_curve(const std::vector<std::string>& joints, std::span<const glm::vec3> points,
                                  const std::string& what, const DeformerInput& input);

}  // namespace pelt::hierarchical_bspline
