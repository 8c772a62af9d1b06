// SPDX-License-Identifier: MIT
#include "engine/authoring/learn/keys.h"

#include <algorithm>
#include <cmath>

#include <pelt/tools/inspect.h>

#include "engine/authoring/key_weights/bind.h"
#include "shaders/morph/morph.h"

namespace pelt::learning {
namespace {

constexpr double kMinRange = 0.05;     // radians that an angle must cover
constexpr double kMinStep = 1;         // degrees between keys
constexpr double kMinDistance = 0.12;  // radians between centres

float degrees_of(double radians) { return static_cast<float>(std::clamp(glm::degrees(radians), -179.5, 179.5)); }

}  // namespace

std::optional<Eigen::MatrixXd> weights_of(const KeyPoseSet& set, const Model& skeleton,
                                          std::span<const Pose* const> poses) {
  key_weights::WeightTable table;
  const Result<std::vector<std::uint32_t>> keys = table.add_keys(set, skeleton, "learn");
  if (!keys) return std::nullopt;
  for (const std::uint32_t key : *keys) table.add_weight({key});
  const PalettePass pass = table.finish();
  std::vector<Affine> palette(pass.record_count);
  Eigen::MatrixXd weights(poses.size(), keys->size());
  for (std::size_t p = 0; p < poses.size(); ++p) {
    pose_pass(pass, 0, pass.record_count, poses[p]->joints, {}, poses[p]->inputs, palette);
    for (std::uint32_t k = 0; k < keys->size(); ++k) {
      weights(static_cast<Eigen::Index>(p), k) = static_cast<double>((&palette[0][0].x)[shared::morph_weight_place(k)]);
    }
  }
  return weights;
}

std::vector<Angle> angles_of(const std::string& joint, const Eigen::MatrixX3d& turns, const Eigen::MatrixXd& gram) {
  const Eigen::Matrix3d spread = turns.transpose() * turns;
  const double most = spread.trace();
  if (!(most > 0)) return {};
  std::vector<Eigen::Vector3d> axes = {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(), Eigen::Vector3d::UnitZ()};
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(spread);
  for (int i = 2; i >= 0; --i) axes.push_back(principal.eigenvectors().col(i));
  // A displacement that grows with the turn about a: it explains a^T R^T G R a / a^T R^T R a of the residual's energy.
  const Eigen::Matrix3d explained = turns.transpose() * gram * turns;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix3d> best(
      explained, spread + 1e-3 * most * Eigen::Matrix3d::Identity());
  axes.push_back(best.eigenvectors().col(2).normalized());
  std::vector<Angle> angles;
  std::vector<Eigen::Vector3d> taken;
  for (Eigen::Vector3d axis : axes) {
    Eigen::Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    if (axis[largest] < 0) axis = -axis;
    if (std::ranges::any_of(taken, [&](const Eigen::Vector3d& other) { return std::abs(other.dot(axis)) > 0.998; }))
      continue;
    taken.push_back(axis);
    // As twist_angle (shaders/swing_twist.h) splits the turn.
    Eigen::VectorXd values(turns.rows());
    for (Eigen::Index p = 0; p < turns.rows(); ++p) {
      const double angle = turns.row(p).norm();
      const double along = angle > 0 ? turns.row(p).dot(axis) / angle * std::sin(angle / 2) : 0;
      values[p] = 2 * std::atan2(along, std::cos(angle / 2));
    }
    if (values.maxCoeff() - values.minCoeff() < kMinRange) continue;
    angles.push_back({{joint, glm::vec3(axis.x(), axis.y(), axis.z())}, std::move(values)});
  }
  return angles;
}

std::optional<KeyPoseSet> hats(const Angle& angle, int count) {
  const double above = std::max(0.0, angle.values.maxCoeff()), below = std::max(0.0, -angle.values.minCoeff());
  const auto up = static_cast<int>(std::lround(count * above / (above + below)));
  KeyPoseSet set{.angles = {angle.of}};
  for (int k = -(count - up); k <= up; ++k) {
    if (k != 0) set.poses.push_back({.degrees = {degrees_of(k < 0 ? below * k / (count - up) : above * k / up)}});
  }
  float last = -360;
  for (const KeyPose& pose : set.poses) {
    if (pose.degrees[0] - last < kMinStep || std::abs(pose.degrees[0]) < kMinStep) return std::nullopt;
    last = pose.degrees[0];
  }
  return set;
}

std::optional<KeyPoseSet> radial(std::span<const Angle> angles, int count) {
  const Eigen::Index poses = angles[0].values.size();
  Eigen::MatrixXd at(poses, angles.size());
  KeyPoseSet set{.interpolation = KeyInterpolation::kRbf};
  for (std::size_t a = 0; a < angles.size(); ++a) {
    at.col(static_cast<Eigen::Index>(a)) = angles[a].values;
    set.angles.push_back(angles[a].of);
  }
  Eigen::VectorXd distance = at.rowwise().norm();
  while (static_cast<int>(set.poses.size()) < count) {
    Eigen::Index farthest = 0;
    if (distance.maxCoeff(&farthest) < kMinDistance) break;
    KeyPose pose;
    for (Eigen::Index a = 0; a < at.cols(); ++a) pose.degrees.push_back(degrees_of(at(farthest, a)));
    set.poses.push_back(std::move(pose));
    distance = distance.cwiseMin((at.rowwise() - at.row(farthest).eval()).rowwise().norm());
  }
  if (set.poses.size() < 2) return std::nullopt;
  return set;
}

bool remove_keys(KeyPoseSet& set, CrossValidation::Error& error, double slack, const ErrorOf& error_of) {
  const double enough = error.squared * kSimpler + slack;
  bool removed = false;
  for (std::size_t k = set.poses.size(); k-- > 0 && set.poses.size() > 1;) {
    KeyPoseSet fewer = set;
    fewer.poses.erase(fewer.poses.begin() + static_cast<std::ptrdiff_t>(k));
    const auto found = error_of(fewer);
    if (!found || found->squared > enough) continue;
    set = std::move(fewer);
    error = *found;
    removed = true;
  }
  return removed;
}

void move_keys(KeyPoseSet& set, CrossValidation::Error& error, float step, const ErrorOf& error_of) {
  for (; step > 0.05f; step /= 2) {
    for (std::size_t k = 0; k < set.poses.size(); ++k) {
      for (const float by : {step, -step}) {
        for (int times = 0; times < 4; ++times) {
          KeyPoseSet moved = set;
          float& at = moved.poses[k].degrees[0];
          const float before = k > 0 ? set.poses[k - 1].degrees[0] : -180;
          const float after = k + 1 < set.poses.size() ? set.poses[k + 1].degrees[0] : 180;
          const bool positive = at > 0;
          at += by;
          if (at - before < 1 || after - at < 1 || std::abs(at) < 1 || (at > 0) != positive) break;
          const auto found = error_of(moved);
          if (!found || found->squared >= error.squared) break;
          set = std::move(moved);
          error = *found;
        }
      }
    }
  }
}

}  // namespace pelt::learning
