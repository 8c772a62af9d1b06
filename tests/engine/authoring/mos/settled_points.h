// SPDX-License-Identifier: MIT
// Control points of small skeletons.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <pelt/mos.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/mos/control_points.h"
#include "tests/support/skeleton.h"

namespace pelt::mos {

// Returns joints a, b, c, d along x, 2 apart.
inline Model row() {
  return test::skeleton_of({{"a", -1, {0, 0, 0}}, {"b", 0, {2, 0, 0}}, {"c", 1, {4, 0, 0}}, {"d", 2, {6, 0, 0}}});
}

// Returns two bent limbs that leave a root.
inline Model limbs() {
  return test::skeleton_of({{"root", -1, {0, 0, 0}},
                            {"l1", 0, {-2, 1, 0}},
                            {"l2", 1, {-4, 1, 1}},
                            {"r1", 0, {3, 1, 0}},
                            {"r2", 3, {4, 0, 2}}});
}

using Change = std::function<void(MosParameters&)>;

inline Result<ControlPoints> settled(const Model& model, const Change& change, bool angles) {
  MosParameters parameters;
  change(parameters);
  return settle_points(parameters, model, {}, chain::matrices_at_bind(model, {}), angles, "layer 0 (mos)");
}

inline ControlPoints settle(
    const Model& model, const Change& change = [](MosParameters&) {}, bool angles = true) {
  Result<ControlPoints> points = settled(model, change, angles);
  EXPECT_TRUE(points) << points.error().message;
  return points ? *std::move(points) : ControlPoints{};
}

inline std::string refusal(const Model& model, const Change& change) {
  const Result<ControlPoints> points = settled(model, change, true);
  return points ? "settled" : points.error().message;
}

// Makes one chain along each of these lists of joints, and no others.
inline Change along(const std::vector<std::vector<std::string>>& chains) {
  return [chains](MosParameters& p) {
    p.automatic = false;
    for (const auto& joints : chains) p.chains.push_back({"chain" + std::to_string(p.chains.size()), {}, joints});
  };
}

// The properties of a point that do not depend on the direction of its chain.
struct Seen {
  glm::vec3 at{0};
  std::string joint;
  std::string far;  // joint
  float swing = 0;
  float twist = 0;
  glm::vec3 axis{0};
};

inline std::vector<Seen> seen(const ControlPoints& points, const Model& model, std::size_t chain = 0) {
  std::vector<Seen> result;
  for (const std::uint32_t p : points.chains.at(chain).points) {
    const ControlPoint& point = points.points.at(p);
    Seen& last = result.emplace_back();
    last.at = glm::vec3(point.position);
    last.joint = model.skeleton.joints.at(point.joint).name;
    if (!point.turn) continue;
    const PointTurn& turn = *point.turn;
    last.far = model.skeleton.joints.at(points.turning.at(turn.chain).anchors.at(turn.far).joint).name;
    last.swing = turn.swing;
    last.twist = turn.twist;
    last.axis = turn.axis;
  }
  return result;
}

}  // namespace pelt::mos
