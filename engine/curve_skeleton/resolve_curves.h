// SPDX-License-Identifier: MIT
// From chains and what the rig says of joints and bones to curves.
#pragma once

#include <string>
#include <vector>

#include <pelt/curve_skeleton.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/chain/curve.h"

namespace pelt::curve_skeleton {

// The chains that the rig's curves and the linkage rules give, control offsets of anchors in them. `what` begins the
// errors: those of find_chains, and control points that are not there.
Result<chain::Chains> resolve_chains(const CurveSkeletonParameters& parameters, const Model& model,
                                     std::span<const std::uint32_t> meshes, const std::string& what);

// Curves over the chains, with bendy bones laid over them. `at_bind`: matrices_at_bind; appends to `notes`. Skin
// distances that the rig does not give are 0, for measure_distances. Errors begin with `what`: a joint or bone that is
// on no curve, a float, twist or bendy bone that makes no sense, floats that overlap on a bone.
Result<std::vector<chain::Curve>> resolve_curves(const CurveSkeletonParameters& parameters,
                                                 std::span<const chain::Chain> chains, const Model& model,
                                                 std::span<const glm::dmat4> at_bind, const std::string& what,
                                                 std::vector<std::string>& notes);

// What the rig says of the joint of an anchor; nullptr: nothing, or the anchor is the tip of a joint that has its own.
const CurveJoint* joint_settings(const CurveSkeletonParameters& parameters, const Model& model,
                                 const chain::Chain& chain, std::size_t anchor);

}  // namespace pelt::curve_skeleton
