// SPDX-License-Identifier: MIT
#include "tests/support/test_curve.h"

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <numeric>
#include <random>

namespace pelt::test {

using chain::Curve;
using chain::CurveAnchor;
using chain::PosedCurve;

TestCurve::TestCurve(const std::vector<glm::dvec3>& points, std::size_t top, const glm::dvec3& z) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> angle(-3, 3);
  curve.chain.name = "curve";
  curve.chain.top = top;
  curve.frames = CurveFrames::kTangent;
  const glm::dvec3 other = glm::normalize(glm::cross(z, glm::dvec3(0.3, 0.8, 0.5)));
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const glm::dquat about = glm::angleAxis(angle(random), z);
    const glm::dvec3 x = about * other;
    at_bind_.emplace_back(glm::dvec4(x, 0), glm::dvec4(glm::cross(z, x), 0), glm::dvec4(z, 0),
                          glm::dvec4(points[i], 1));
    curve.chain.anchors.push_back({i, points[i]});
    curve.lengths.push_back(
        i == 0 ? 0.0f : curve.lengths.back() + static_cast<float>(glm::distance(points[i], points[i - 1])));
  }
  curve.anchors.resize(points.size());
  for (CurveAnchor& anchor : curve.anchors) anchor.bulge.volume = 0;
  curve.spans.resize(points.size() - 1);
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const float shorter = std::min(curve.bone_length(i - 1), curve.bone_length(i));
    curve.anchors[i].skin_distance = 0.3f;
    curve.anchors[i].float_min = shorter / 8;
    curve.anchors[i].float_max = shorter / 2;
  }
}

std::vector<glm::mat4> TestCurve::posed_joints(std::span<const glm::dquat> turns, const glm::dmat4& motion) const {
  std::vector<glm::dmat4> motions(at_bind_.size(), motion);
  const auto pose = [&](std::size_t i, const glm::dmat4& upper) {
    const glm::dvec3 place = curve.chain.anchors[i].position;
    const glm::dmat4 there = glm::translate(glm::dmat4(1.0), place);
    const glm::dmat4 back = glm::translate(glm::dmat4(1.0), -place);
    motions[i] = upper * there * glm::mat4_cast(turns[i]) * back;
  };
  pose(curve.chain.top, motion);
  for (std::size_t i = curve.chain.top + 1; i < motions.size(); ++i) pose(i, motions[i - 1]);
  for (std::size_t i = curve.chain.top; i-- > 0;) pose(i, motions[i + 1]);
  std::vector<glm::mat4> joints;
  for (std::size_t i = 0; i < motions.size(); ++i) joints.emplace_back(motions[i] * at_bind_[i]);
  return joints;
}

PosedCurve TestCurve::posed(std::span<const glm::mat4> joints, std::span<const float> twists) const {
  std::vector<std::uint32_t> inputs(at_bind_.size(), shared::kNoInput);
  if (!twists.empty()) std::iota(inputs.begin(), inputs.end(), 0u);
  return {curve, at_bind_, inputs, joints, twists};
}

TestCurve TestCurve::reversed() const {
  TestCurve other = *this;
  Curve& result = other.curve;
  std::ranges::reverse(result.chain.anchors);
  result.chain.top = result.chain.anchors.size() - 1 - curve.chain.top;
  for (float& length : result.lengths) length = curve.lengths.back() - length;
  std::ranges::reverse(result.lengths);
  std::ranges::reverse(result.anchors);
  for (CurveAnchor& anchor : result.anchors) std::swap(anchor.before, anchor.after);
  std::ranges::reverse(result.spans);
  for (chain::CurveSpan& span : result.spans) {
    std::ranges::reverse(span.twist);
    for (CurveKey& key : span.twist) key = {1 - key.at, 1 - key.value};
  }
  return other;
}

glm::dquat turn(double degrees, const glm::dvec3& axis) {
  return glm::angleAxis(glm::radians(degrees), glm::normalize(axis));
}

}  // namespace pelt::test
