// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

namespace pelt::curve_skeleton {
namespace {

constexpr int kProbes = 96;                // places along a bone at which the curve's motion is measured
constexpr std::size_t kMostSamples = 256;  // of a bone

// The joints' matrices when every joint of the chain, counted from its top, bends and twists away from its bone.
std::vector<glm::mat4> strong_pose(const Chain& chain, std::span<const glm::dmat4> at_bind) {
  std::vector<glm::mat4> joints(at_bind.begin(), at_bind.end());
  const std::vector<Anchor>& anchors = chain.anchors;
  const auto walk = [&](int step) {
    glm::dmat4 motion(1.0);  // of the bone that leaves the anchor away from the top
    for (auto i = static_cast<std::ptrdiff_t>(chain.top) + step;
         i >= 0 && i + (step < 0 ? 1 : 0) < static_cast<std::ptrdiff_t>(anchors.size()); i += step) {
      const Anchor& anchor = anchors[static_cast<std::size_t>(i)];
      const Anchor& upper = anchors[static_cast<std::size_t>(i - step)];
      if (anchor.joint == upper.joint) continue;  // a tip
      const glm::dvec3 place = glm::dvec3(motion * glm::dvec4(anchor.position, 1.0));
      const glm::dvec3 bone = glm::normalize(glm::dmat3(motion) * glm::dvec3(anchor.position - upper.position));
      const glm::dvec3 other = std::abs(bone.x) < 0.6 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
      const glm::dvec3 side = glm::normalize(glm::cross(bone, other));
      glm::dmat4 turn = glm::translate(glm::dmat4(1.0), place);
      turn = glm::rotate(turn, glm::radians(135.0), side);
      turn = glm::rotate(turn, glm::radians(180.0) * 0.999, bone);
      motion = glm::translate(turn, -place) * motion;
      joints[anchor.joint] = glm::mat4(motion * at_bind[anchor.joint]);
    }
  };
  walk(1);
  walk(-1);
  return joints;
}

}  // namespace

std::vector<std::vector<float>> place_samples(const Curve& curve, std::span<const float> reach, float error,
                                              std::span<const glm::dmat4> at_bind) {
  const std::vector<std::uint32_t> no_inputs(at_bind.size(), shared::kNoInput);
  CurveTable table(at_bind, no_inputs);
  const std::uint32_t word = table.put(curve);
  const std::vector<glm::mat4> joints = strong_pose(curve.chain, at_bind);
  const PosedCurve posed(curve, table.words(), word, joints, {});

  std::vector<std::vector<float>> samples;
  for (std::size_t bone = 0; bone < curve.bone_count(); ++bone) {
    std::array<Affine, kProbes + 1> frames;
    for (int p = 0; p <= kProbes; ++p) frames[p] = posed.frame(bone, static_cast<float>(p) / kProbes);
    // The integral at the middle between the probes that it was measured around; the ends count like their neighbours.
    std::array<double, kProbes + 1> integral{};
    const auto steps_at = [&](int p) {
      const int k = std::clamp(p, 1, kProbes - 1);
      const glm::dvec3 first_axis = glm::dvec3(affine_axes(frames[k + 1])[0] - affine_axes(frames[k - 1])[0]) *
                                    (0.5 * kProbes * curve.bone_length(bone));
      double largest = 0;
      for (const glm::vec3 local : {glm::vec3(0, 1, 0), glm::vec3(0, -1, 0), glm::vec3(0, 0, 1), glm::vec3(0, 0, -1)}) {
        const auto at = [&](int i) { return glm::dvec3(transform_point(frames[i], local * reach[bone])); };
        const glm::dvec3 second = (at(k + 1) - 2.0 * at(k) + at(k - 1)) * double{kProbes} * double{kProbes};
        largest = std::max({largest, glm::length(second - 2.0 * first_axis), glm::length(second)});
      }
      return std::sqrt(largest / (8 * double{error}));
    };
    for (int p = 0; p < kProbes; ++p) integral[p + 1] = integral[p] + (steps_at(p) + steps_at(p + 1)) / (2 * kProbes);
    const double wanted = std::isfinite(integral[kProbes]) ? std::ceil(integral[kProbes]) + 1 : 0;
    const std::size_t slots = shared::kCurveSlots;
    const auto count = std::clamp<std::size_t>(
        (static_cast<std::size_t>(std::min(wanted, 1e6)) + slots - 1) / slots * slots, slots, kMostSamples);
    std::vector<float>& lambdas = samples.emplace_back();
    int p = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(count - 1);
      // A part goes evenly, so that no stretch is left without samples where the bound says nothing happens.
      const double even = 0.1;
      const auto total = [&](int i) {
        const double own = integral[kProbes] > 0 ? integral[i] / integral[kProbes] : static_cast<double>(i) / kProbes;
        return (1 - even) * own + even * static_cast<double>(i) / kProbes;
      };
      while (p + 1 < kProbes && total(p + 1) < share) ++p;
      const double within = (share - total(p)) / (total(p + 1) - total(p));
      lambdas.push_back(static_cast<float>(std::clamp((p + within) / kProbes, 0.0, 1.0)));
    }
    lambdas.front() = 0;
    lambdas.back() = 1;
  }
  return samples;
}

}  // namespace pelt::curve_skeleton
