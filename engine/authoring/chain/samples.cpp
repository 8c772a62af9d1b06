// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <numeric>
#include <utility>

namespace pelt::chain {
namespace {

struct Turn {
  double bend;
  double twist;
};
constexpr std::array<Turn, kStrongPoses> kTurns{
    {{glm::radians(135.0), 0}, {glm::radians(135.0), glm::radians(180.0)}, {0, glm::radians(360.0)}}};
constexpr int kProbes = 96;               // points along a piece at which its motion is measured
constexpr std::size_t kMaxSamples = 512;  // per piece

glm::dmat4 matrix_of(const Affine& frame) {
  glm::dmat4 matrix{glm::dmat3(affine_axes(frame))};
  matrix[3] = glm::dvec4(affine_origin(frame), 1.0);
  return matrix;
}

// Returns the integral over a piece, up to each probe, of the samples that it needs in one pose.
std::array<double, kProbes + 1> samples_taken(const Sampled& sampled, std::size_t pose, std::size_t piece,
                                              float error) {
  std::array<Affine, kProbes + 1> places;
  std::array<glm::dmat4, kProbes + 1> entries;
  for (int p = 0; p <= kProbes; ++p) {
    const float at = static_cast<float>(p) / kProbes;
    places[p] = sampled.place(piece, at);
    entries[p] = matrix_of(sampled.posed(pose, piece, at)) * glm::inverse(matrix_of(sampled.rest(piece, at)));
  }
  const float reach = sampled.reach[piece];
  // The ends count the same as their neighbours.
  const auto taken_at = [&](int p) {
    const int k = std::clamp(p, 1, kProbes - 1);
    double largest = 0;
    for (const glm::vec3 local : {glm::vec3(0, 1, 0), glm::vec3(0, -1, 0), glm::vec3(0, 0, 1), glm::vec3(0, 0, -1)}) {
      const glm::vec3 point = transform_point(places[k], local * reach);
      const auto at = [&](int i) { return glm::dvec3(entries[i] * glm::dvec4(point, 1.0)); };
      const double second = glm::length(at(k + 1) - 2.0 * at(k) + at(k - 1)) * kProbes * kProbes;
      if (!std::isfinite(second)) return 0.0;  // a singular frame, which no vertex may follow
      largest = std::max(largest, second);
    }
    return std::sqrt(largest / (8 * double{error}));
  };
  std::array<double, kProbes + 1> integral{};
  for (int p = 0; p < kProbes; ++p) integral[p + 1] = integral[p] + (taken_at(p) + taken_at(p + 1)) / (2 * kProbes);
  return integral;
}

// Returns the fractions of `count` samples such that each step takes the same part of the integral. A tenth of them is
// spread evenly, so that stretches without measured motion have samples too.
std::vector<float> space_evenly(const std::array<double, kProbes + 1>& integral, std::size_t count) {
  constexpr double kEven = 0.1;
  const auto total = [&](int p) {
    const double even = static_cast<double>(p) / kProbes;
    return integral[kProbes] > 0 ? std::lerp(integral[p] / integral[kProbes], even, kEven) : even;
  };
  std::vector<float> lambdas;
  int p = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count - 1);
    while (p + 1 < kProbes && total(p + 1) < share) ++p;
    const double within = (share - total(p)) / (total(p + 1) - total(p));
    lambdas.push_back(static_cast<float>(std::clamp((p + within) / kProbes, 0.0, 1.0)));
  }
  lambdas.front() = 0;
  lambdas.back() = 1;
  return lambdas;
}

}  // namespace

StrongPose strong_pose(std::size_t pose, const Chain& chain, std::span<const glm::dmat4> at_bind) {
  const auto& [bend, twist] = kTurns[pose];
  std::vector<glm::mat4> joints(at_bind.begin(), at_bind.end());
  const std::vector<Anchor>& anchors = chain.anchors;
  const auto walk = [&](int step) {
    glm::dmat4 motion(1.0);  // motion of the bone that leaves the anchor away from the top
    glm::dvec3 side(0.0);    // the side that joints bend to, at bind
    for (auto i = static_cast<std::ptrdiff_t>(chain.top) + step;
         i >= 0 && i + (step < 0 ? 1 : 0) < static_cast<std::ptrdiff_t>(anchors.size()); i += step) {
      const Anchor& anchor = anchors[static_cast<std::size_t>(i)];
      const Anchor& upper = anchors[static_cast<std::size_t>(i - step)];
      if (anchor.joint == upper.joint) continue;  // a tip
      const glm::dvec3 place = glm::dvec3(motion * glm::dvec4(anchor.position, 1.0));
      const glm::dvec3 at_rest = glm::normalize(glm::dvec3(anchor.position - upper.position));
      // All joints bend to one side, so that the curve rolls up.
      side -= at_rest * glm::dot(side, at_rest);
      if (glm::length(side) < 0.1) {
        side = glm::cross(at_rest, std::abs(at_rest.x) < 0.6 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0));
      }
      side = glm::normalize(side);
      const glm::dvec3 bone = glm::dmat3(motion) * at_rest;
      glm::dmat4 turn = glm::translate(glm::dmat4(1.0), place);
      turn = glm::rotate(turn, bend, glm::dmat3(motion) * side);
      turn = glm::rotate(turn, twist, bone);
      motion = glm::translate(turn, -place) * motion;
      joints[anchor.joint] = glm::mat4(motion * at_bind[anchor.joint]);
    }
  };
  walk(1);
  walk(-1);
  return {std::move(joints), std::vector<float>(at_bind.size(), static_cast<float>(twist))};
}

std::vector<std::vector<float>> place_samples(const Sampled& sampled, float error) {
  std::vector<std::vector<float>> samples;
  for (std::size_t piece = 0; piece < sampled.reach.size(); ++piece) {
    samples.emplace_back();
    if (!(sampled.reach[piece] > 0)) continue;
    // At each probe the pose that needs the most samples counts.
    std::array<double, kProbes + 1> integral{};
    std::vector<std::array<double, kProbes + 1>> taken;
    for (std::size_t i = 0; i < sampled.poses; ++i) taken.push_back(samples_taken(sampled, i, piece, error));
    double largest = 0;
    for (int p = 0; p < kProbes; ++p) {
      double most = 0;
      for (const auto& of_pose : taken) most = std::max(most, of_pose[p + 1] - of_pose[p]);
      integral[p + 1] = integral[p] + most;
      largest = std::max(largest, most);
    }
    if (sampled.evenly) {
      for (int p = 0; p <= kProbes; ++p) integral[p] = largest * p;
    }
    const double wanted = std::min(integral[kProbes] / 0.9, 1e6);
    const std::size_t count = static_cast<std::size_t>(std::ceil(wanted)) + 1;
    const std::size_t records = (count + sampled.per_record - 1) / sampled.per_record;
    samples.back() = space_evenly(integral, std::min(records * sampled.per_record, kMaxSamples));
  }
  return samples;
}

std::vector<std::vector<float>> place_samples(const Curve& of_model, std::span<const float> reach, float error,
                                              std::span<const glm::dmat4> all_at_bind) {
  // Numbers only the joints of this curve, since a model may have many others.
  Curve curve = of_model;
  std::vector<std::uint32_t> own;
  std::vector<glm::dmat4> at_bind;
  for (Anchor& anchor : curve.chain.anchors) {
    const auto known = std::ranges::find(own, anchor.joint);
    const auto number = static_cast<std::uint32_t>(known - own.begin());
    if (known == own.end()) {
      own.push_back(anchor.joint);
      at_bind.push_back(all_at_bind[anchor.joint]);
    }
    anchor.joint = number;
  }
  std::vector<std::uint32_t> twist_inputs(at_bind.size());
  std::iota(twist_inputs.begin(), twist_inputs.end(), 0u);
  const std::vector<glm::mat4> joints(at_bind.begin(), at_bind.end());
  const PosedCurve rest(curve, at_bind, twist_inputs, joints, std::vector<float>(at_bind.size(), 0.0f));
  std::vector<PosedCurve> posed;
  for (std::size_t i = 0; i < kStrongPoses; ++i) {
    const StrongPose pose = strong_pose(i, curve.chain, at_bind);
    posed.emplace_back(curve, at_bind, twist_inputs, pose.joints, pose.twists);
  }
  const auto at_bind_frame = [&](std::size_t bone, float at) { return rest.frame(bone, at); };
  return place_samples(
      {.reach = reach,
       .per_record = shared::kCurveEntries,
       .poses = kStrongPoses,
       .evenly = false,
       .place = at_bind_frame,
       .rest = at_bind_frame,
       .posed = [&](std::size_t pose, std::size_t bone, float at) { return posed[pose].posed_frame(bone, at); }},
      error);
}

}  // namespace pelt::chain
