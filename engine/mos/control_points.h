// SPDX-License-Identifier: MIT
// From a rig and a skeleton to control points (US 2013/0088497, figures 3 and 7; docs/mathematics.md section 3).
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/mos.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/chain/curve.h"
#include "engine/mos/points.h"

namespace pelt::mos {

// Control points in the order of a chain.
struct PointChain {
  // Its name, anchors and their lengths, by which a vertex finds its way (chain::Attacher): the joints, or the
  // points themselves where the rig gives them.
  chain::Curve curve;
  std::vector<std::uint32_t> points;  // in ControlPoints::points; two at least: one alone is there twice
  std::vector<float> lengths;         // of each, along `curve`; ascending
  std::vector<float> bends;  // how many of its anchors' bends are before each, parts of the next one, too; none where
                             // the rig lists the points
};

struct ControlPoints {
  std::vector<ControlPoint> points;  // no two of one joint at one place with the same turn
  std::vector<PointChain> chains;
  std::vector<chain::Chain> turning;  // what PointTurn::chain names
  std::vector<std::string> notes;     // one sentence each
};

// The part of the twist of inner anchor i that the bone leaving it, away from the top, takes instead of the one before
// it: 0 to 1. None: 0 everywhere.
using TwistAfter = std::function<float(const chain::Curve& curve, std::size_t i)>;

// The points of all chains: those that the rig gives, and those placed along automatic and named ones: points_per_bone
// about the middle of every bone, which move with the joint at its upper end, and points_per_joint about every inner
// joint but twist helpers (joint_uses), which take part of its turn. These are as far apart as the skin is thick there
// and slide outward as it bends, or, where the rig gives joint_spread, about hubs, and where there is no skin, spread
// over a part of the shorter bone, closer than asked rather than beyond the points of the bones. Their twist is linear
// along every bone, from the first point beyond the joint that is nearer the chain's top. Placed points are named after
// their chain and their number along it, from 1: "left_arm.5"; one that chains share after the first of them; where a
// joint or a point of the rig is called that, "left_arm.5.2" or the next that is free. `angles`: twists are to be
// blended as angles. `at_bind`: chain::matrices_at_bind. Errors begin with `what`: those of
// chain::find_chains; a joint that is not there; a chain of points that are all at one place.
Result<ControlPoints> settle_points(const MosParameters& parameters, const Model& model,
                                    std::span<const std::uint32_t> meshes, std::span<const glm::dmat4> at_bind,
                                    bool angles, const std::string& what, const TwistAfter& twist_after = {});

}  // namespace pelt::mos
