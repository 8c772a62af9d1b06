// SPDX-License-Identifier: MIT
// Makes curves from chains and from the rig's settings for joints and bones.
#pragma once

#include <string>
#include <vector>

#include <pelt/curve_skeleton.h>
#include <pelt/model.h>
#include <pelt/result.h>

#include "engine/authoring/chain/curve.h"

namespace pelt::curve_skeleton {

// Returns the chains by the curves of the rig and the linkage rules, on their drawn lines and with the control offsets
// of anchors applied. Errors begin with `what`: those of find_chains(), control points and lines that do not exist,
// offsets that are not finite, chains that are too long or have coincident joints.
Result<chain::Chains> resolve_chains(const CurveSkeletonParameters& parameters, const Model& model,
                                     std::span<const std::uint32_t> meshes, const std::string& what);

// Returns curves over the chains, with bendy bones laid over them. `at_bind` is the result of matrices_at_bind().
// Appends to `notes`. Skin distances that the rig does not set are 0, for bind() to measure. Errors begin with `what`:
// a joint, bone or curve that does not exist, a bendy bone of the model out of range, floats that overlap on a bone.
Result<std::vector<chain::Curve>> resolve_curves(const CurveSkeletonParameters& parameters,
                                                 std::span<const chain::Chain> chains, const Model& model,
                                                 std::span<const glm::dmat4> at_bind, const std::string& what,
                                                 std::vector<std::string>& notes);

// Moves the handles of tangent and endpoint frames to the lines of the rig's curves. Call it once the floats are
// settled and the skin distances measured. Precondition: the lines of resolve_chains().
void lay_on_lines(const CurveSkeletonParameters& parameters, const Model& model, std::span<const glm::dmat4> at_bind,
                  std::vector<chain::Curve>& curves);

// Returns the settings of the rig for the joint of an anchor; nullptr if there are none, or if the anchor is the tip of
// a joint that has its own anchor.
const CurveJoint* joint_settings(const CurveSkeletonParameters& parameters, const Model& model,
                                 const chain::Chain& chain, std::size_t anchor);

}  // namespace pelt::curve_skeleton
