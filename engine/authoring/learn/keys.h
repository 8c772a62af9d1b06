// SPDX-License-Identifier: MIT
// Sets of keys over joint angles that may explain how a part of the skin moves.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <pelt/key_pose.h>
#include <pelt/model.h>

#include "engine/authoring/learn/cross_validation.h"
#include "engine/authoring/learn/poses.h"

namespace pelt::learning {

// Returns the weights of a set's keys (columns) in poses, by the kernel that ships; none if bind would refuse the set.
std::optional<Eigen::MatrixXd> weights_of(const KeyPoseSet& set, const Model& skeleton,
                                          std::span<const Pose* const> poses);

// An angle of a joint in the poses, radians.
struct Angle {
  KeyAngle of;
  Eigen::VectorXd values;
};

// Returns the angles of a joint that may explain a residual: about its own axes, the principal axes of its turns, and
// those that explain most of the residual. `turns`: rotation vectors by pose; `gram`: scalar products of the residual's
// poses. Angles that hardly change are left out.
std::vector<Angle> angles_of(const std::string& joint, const Eigen::MatrixX3d& turns, const Eigen::MatrixXd& gram);

// Returns sets of `count` hat functions, evenly over the angle's range, or nothing if the range is too short.
std::optional<KeyPoseSet> hats(const Angle& angle, int count);

// Returns a set of up to `count` radial basis functions over some angles: each next one is at the pose that is farthest
// from all so far and from rest.
std::optional<KeyPoseSet> radial(std::span<const Angle> angles, int count);

using ErrorOf = std::function<std::optional<CrossValidation::Error>(const KeyPoseSet&)>;
inline constexpr double kSimpler = 1.06;  // times the least error: fewer keys are chosen up to it

// Removes hat functions without which the error hardly grows, by no more than `slack`. Returns whether there were any.
bool remove_keys(KeyPoseSet& set, CrossValidation::Error& error, double slack, const ErrorOf& error_of);

// Moves hat functions to the angles with the least error, one by one, by ever smaller steps, degrees.
void move_keys(KeyPoseSet& set, CrossValidation::Error& error, float step, const ErrorOf& error_of);

}  // namespace pelt::learning
