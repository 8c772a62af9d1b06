// SPDX-License-Identifier: MIT
// Makes control points from a rig and a skeleton (US 2013/0088497, figures 3 and 7; docs/mathematics.md section 3.5).
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

#include "engine/authoring/chain/curve.h"
#include "engine/authoring/mos/points.h"

namespace pelt::mos {

// Control points in the order of a chain.
struct PointChain {
  // The name of the chain, its anchors and their lengths, by which chain::Attacher locates a vertex. The anchors are
  // the joints, or the points themselves if the rig lists them.
  chain::Curve curve;
  std::vector<std::uint32_t> points;  // indices in ControlPoints::points, at least two: a single point appears twice
  std::vector<float> lengths;         // length of each point along `curve`, ascending
  std::vector<float> bends;  // bends of anchors before each point, with the fraction of the next one; empty if the
                             // rig lists the points
};

struct ControlPoints {
  std::vector<ControlPoint> points;  // placed points with the same joint, position and turn are one
  std::vector<PointChain> chains;
  std::vector<chain::Chain> turning;  // chains that PointTurn::chain counts
  std::vector<std::string> notes;     // one sentence each
};

// Returns the fraction of the twist of inner anchor i, 0 to 1, that goes to the bone after it, away from the top,
// instead of the bone before it. If empty, it is 0 everywhere.
using TwistAfter = std::function<float(const chain::Curve& curve, std::size_t i)>;

// Returns the points of all chains: those that the rig lists, and those placed along automatic and named chains. Placed
// points are of two kinds. points_per_bone of them are about the middle of every bone and move with the joint at its
// upper end. points_per_joint of them are about every inner joint but twist helpers (joint_uses) and make part of its
// turn. The thicker the skin there, the farther apart these are; they slide outward as it bends. With joint_fraction,
// about hubs, and without skin, they are spread over a fraction of the shorter bone instead, closer than requested
// rather than beyond the points of the bones. The twist of placed points is linear along every bone, from the first
// point beyond the joint nearer the top of the chain. Placed points are named after their chain and their number along
// it, from 1: "left_arm.5". A shared point is named after the first of its chains. If a joint or a point of the rig has
// that name, it is "left_arm.5.2", or the next free one. `angles`: whether twists are blended as angles. `at_bind`: the
// result of chain::matrices_at_bind. `masks`: as for chain::measure_passages. Errors begin with `what`: those of
// chain::find_chains; a missing joint; a chain whose points all coincide.
Result<ControlPoints> settle_points(const MosParameters& parameters, const Model& model,
                                    std::span<const std::uint32_t> meshes, std::span<const glm::dmat4> at_bind,
                                    bool angles, const std::string& what, const TwistAfter& twist_after = {},
                                    std::span<const std::span<const float>> masks = {});

}  // namespace pelt::mos
