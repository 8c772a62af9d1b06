// SPDX-License-Identifier: MIT
// Checks the curves and parameters that points belong to, against a search through thousands of points of the curves.
#include "engine/authoring/chain/attach.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <random>

#include "tests/engine/authoring/chain/turned_curves.h"

namespace pelt::chain {
namespace {

using test::TestCurve;

const std::vector<glm::dvec3> kFiveCrookedJoints{
    {0, 0, 0}, {1, 0.1, 0}, {1.8, 0.9, 0.2}, {2.9, 0.8, 0.4}, {3.5, 1.7, 0.3}};

// Returns frames all along a curve.
std::vector<Affine> many_frames(const TestCurve& limb, const RestCurves& rest) {
  constexpr int kSteps = 2000;
  std::vector<Affine> frames;
  for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
    for (int k = 0; k <= kSteps; ++k) frames.push_back(rest.frame(0, bone, static_cast<float>(k) / kSteps));
  }
  return frames;
}

// Returns the least distance to the points at which (P - c).x passes from above 0 to below, and to the ends that P lies
// beyond.
double least_distance(std::span<const Affine> frames, const glm::dvec3& point) {
  double least = 1e9;
  double before = 0;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const glm::dvec3 away = point - glm::dvec3(affine_origin(frames[k]));
    const double along = glm::dot(away, glm::dvec3(affine_axes(frames[k])[0]));
    const bool beyond = (k == 0 && along <= 0) || (k + 1 == frames.size() && along >= 0);
    if (beyond || (k > 0 && before > 0 && along <= 0)) least = std::min(least, glm::length(away));
    before = along;
  }
  return least;
}

TEST(RestCurves, ClosestIsTheNearestOfAllRoots) {
  for (const CurveFrames frames_of : all_frames()) {
    TestCurve limb(kFiveCrookedJoints);
    limb.curve.frames = frames_of;
    const RestCurves rest = make_rest_curves(std::span(&limb.curve, 1), limb.at_bind());
    const std::vector<Affine> frames = many_frames(limb, rest);
    std::mt19937 random(3);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::size_t beyond = 0;
    for (int i = 0; i < 400; ++i) {
      const glm::vec3 point(1.7f + 2.6f * unit(random), 0.8f + 1.5f * unit(random), unit(random));
      const CurveLocation place = rest.closest(0, point);
      const double expected = least_distance(frames, point);
      EXPECT_NEAR(place.distance, expected, 2e-3 * expected) << point.x << ' ' << point.y << ' ' << point.z;
      EXPECT_NEAR(rest.distance(place, point), place.distance, 1e-6);
      const Affine frame = rest.frame(0, place.bone, place.lambda);
      const glm::dvec3 away = glm::dvec3(point) - glm::dvec3(affine_origin(frame));
      const double along = glm::dot(away, glm::dvec3(affine_axes(frame)[0]));
      const bool first = place.bone == 0 && place.lambda == 0;
      const bool last = place.bone + 1 == limb.curve.bone_count() && place.lambda == 1;
      beyond += first || last ? 1 : 0;
      EXPECT_TRUE(std::abs(along) < 2e-5 || (first && along < 0) || (last && along > 0)) << along;
    }
    EXPECT_GT(beyond, 10u);
    EXPECT_LT(beyond, 300u);
  }
}

TEST(RestCurves, PlacesHaveLengths) {
  const TestCurve limb(kFiveCrookedJoints);
  const RestCurves rest = make_rest_curves(std::span(&limb.curve, 1), limb.at_bind());
  const float whole = limb.curve.lengths.back();
  for (int k = 0; k <= 50; ++k) {
    const float s = whole * static_cast<float>(k) / 50;
    const CurveLocation place = rest.place_at(0, s);
    EXPECT_NEAR(rest.length_at(place), s, 1e-6 * whole);
    EXPECT_LT(place.bone, limb.curve.bone_count());
  }
  EXPECT_EQ(rest.place_at(0, -1).lambda, 0);
  EXPECT_EQ(rest.place_at(0, whole + 1).lambda, 1);
  EXPECT_EQ(rest.place_at(0, whole + 1).bone, limb.curve.bone_count() - 1);
}

TEST(RestCurves, SlopeIsTheGradientOfLength) {
  const TestCurve limb(kFiveCrookedJoints);
  const RestCurves rest = make_rest_curves(std::span(&limb.curve, 1), limb.at_bind());
  std::mt19937 random(4);
  std::uniform_real_distribution<float> unit(-1, 1);
  int checked = 0;
  for (int i = 0; i < 300; ++i) {
    const auto bone = static_cast<std::size_t>(i % 4);
    const Affine frame = rest.frame(0, bone, 0.5f + 0.25f * unit(random));
    const glm::vec3 point = transform_point(frame, glm::vec3(0, 0.2f * unit(random), 0.2f * unit(random)));
    const CurveLocation place = rest.closest(0, point);
    glm::dvec3 expected;
    bool leaps = false;
    constexpr float kStep = 4e-3f;
    for (int c = 0; c < 3; ++c) {
      glm::vec3 step(0.0f);
      step[c] = kStep;
      const double after = rest.length_at(rest.closest(0, point + step));
      const double before = rest.length_at(rest.closest(0, point - step));
      expected[c] = (after - before) / (2.0 * kStep);
      leaps |= std::abs(after - before) > 0.1;
    }
    if (leaps) continue;
    ++checked;
    const glm::dvec3 slope(rest.slope(place, point));
    EXPECT_LT(glm::distance(slope, expected), 0.05 * glm::length(expected)) << bone << ' ' << place.lambda;
  }
  EXPECT_GT(checked, 200);
  EXPECT_EQ(rest.slope(rest.closest(0, {-1, 0, 0}), {-1, 0, 0}), glm::vec3(0.0f)) << "beyond an end";
}

// ------------------------------------------------------------------------------------------------------------ shares

// Curves through points; every curve has joints of its own.
struct Lines {
  explicit Lines(const std::vector<std::vector<glm::vec3>>& lines) {
    for (const std::vector<glm::vec3>& line : lines) {
      Curve& curve = curves.emplace_back();
      for (const glm::vec3 point : line) {
        curve.lengths.push_back(curve.lengths.empty()
                                    ? 0.0f
                                    : curve.lengths.back() + glm::distance(curve.chain.anchors.back().position, point));
        curve.chain.anchors.push_back({static_cast<std::uint32_t>(at_bind.size()), point});
        at_bind.push_back(glm::translate(glm::dmat4(1.0), glm::dvec3(point)));
      }
      curve.anchors.resize(line.size());
      curve.spans.resize(line.size() - 1);
    }
  }

  std::vector<double> weights(glm::vec3 point, const ShareSettings& settings,
                              std::span<const float> factors = {}) const {
    const RestCurves rest = make_rest_curves(curves, at_bind);
    std::vector<CurveOffer> offers;
    for (std::uint32_t c = 0; c < curves.size(); ++c) {
      const CurveLocation place = rest.closest(c, point);
      offers.push_back({place, place.distance});
    }
    std::vector<double> result(curves.size(), 0.0);
    weigh_offers(offers, settings.reach);
    multiply_offers(offers, factors);
    for (const CurveShare& share : merge_offers(rest, offers, settings.most)) {
      EXPECT_GE(share.weight, 0);
      result[share.place.curve] += share.weight;
    }
    return result;
  }

  std::vector<Curve> curves;
  std::vector<glm::dmat4> at_bind;
};

double sum(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  return total;
}

// Three limbs that meet, and a separate fourth.
const Lines& star() {
  static const Lines lines(
      {{{0, 0, 0}, {4, 0, 0}}, {{0, 0, 0}, {-2, 3, 0}}, {{0, 0, 0}, {-2, -3, 0}}, {{0, 0, 1.5f}, {0, 4, 1.5f}}});
  return lines;
}

TEST(CurveShares, PassContinuouslyFromCurveToCurve) {
  for (const std::uint32_t most : {1u, 2u, 3u}) {
    for (const double reach : {1.2, 2.0, 5.0}) {
      SCOPED_TRACE(testing::Message() << "most " << most << ", reach " << reach);
      const ShareSettings settings{most, reach};
      std::optional<std::vector<double>> before;
      std::size_t seen = 0;
      bool on[4] = {};
      constexpr int kSteps = 2000;
      for (int k = 0; k <= kSteps; ++k) {
        const float angle = 6.2831853f * static_cast<float>(k) / kSteps;
        const glm::vec3 point(1.5f * std::cos(angle), 1.5f * std::sin(angle), 0.5f + 0.3f * std::sin(3 * angle));
        const std::vector<double> weights = star().weights(point, settings);
        EXPECT_NEAR(sum(weights), 1, 1e-12);
        const auto used = static_cast<std::size_t>(
            std::count_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; }));
        EXPECT_LE(used, most);
        seen = std::max(seen, used);
        for (std::size_t c = 0; c < 4; ++c) {
          on[c] |= weights[c] > 0.3;
          // The step is 5e-3 long. With one curve per vertex the weights cannot be continuous.
          if (before && most > 1) {
            EXPECT_LT(std::abs(weights[c] - (*before)[c]), 0.05) << k;
          }
        }
        before = weights;
      }
      EXPECT_EQ(seen, most);
      for (const bool each : on) EXPECT_TRUE(each);
    }
  }
}

TEST(CurveShares, FollowTheFormula) {
  // The curves are 1, 1.5 and 2.5 away.
  const Lines lines({{{-5, 1, 0}, {5, 1, 0}}, {{-5, -1.5f, 0}, {5, -1.5f, 0}}, {{-5, 0, 2.5f}, {5, 0, 2.5f}}});
  const std::vector<double> two = lines.weights(glm::vec3(0.0f), {3, 2.0});
  const double first = 1 - 0.5;
  const double second = 1 / 1.5 - 0.5;
  EXPECT_NEAR(two[0], first / (first + second), 1e-6);
  EXPECT_NEAR(two[1], second / (first + second), 1e-6);
  EXPECT_EQ(two[2], 0);
  const std::vector<float> factors{0.5f, 3.0f, 1.0f};
  const std::vector<double> weighed = lines.weights(glm::vec3(0.0f), {3, 2.0}, factors);
  EXPECT_NEAR(weighed[0], 0.5 * first / (0.5 * first + 3 * second), 1e-6);
  const std::vector<float> none{0.0f, 0.0f, 0.0f};
  EXPECT_EQ(lines.weights(glm::vec3(0.0f), {3, 2.0}, none), (std::vector<double>{1, 0, 0})) << "the nearest";
  EXPECT_EQ(lines.weights({0, 1, 0}, {3, 2.0}), (std::vector<double>{1, 0, 0})) << "on a curve";
  EXPECT_TRUE(merge_offers(make_rest_curves(lines.curves, lines.at_bind), {}, 3).empty());
}

// If two curves run along one bone, their weights there are added up.
TEST(CurveShares, OfABoneOfSeveralCurvesAreOne) {
  Lines lines({{{0, 0, 0}, {4, 0, 0}}, {{0, 0, 0}, {4, 0, 0}}, {{0, 3, 0}, {4, 3, 0}}});
  lines.curves[1].chain.anchors = lines.curves[0].chain.anchors;
  const RestCurves rest = make_rest_curves(lines.curves, lines.at_bind);
  EXPECT_EQ(rest.original({1, 0, 0.25f, 0, {}}).curve, 0u);
  EXPECT_EQ(rest.original({2, 0, 0.25f, 0, {}}).curve, 2u);
  const std::vector<double> weights = lines.weights({2, 1.3f, 0}, {3, 2.0});
  const double near = 2 * (1 / 1.3 - 0.5 / 1.3);
  const double far = 1 / 1.7 - 0.5 / 1.3;
  EXPECT_NEAR(weights[0], near / (near + far), 1e-6);
  EXPECT_EQ(weights[1], 0);
  EXPECT_NEAR(weights[2], far / (near + far), 1e-6);
}

// Curves 0 and 1 meet at the origin, which is their top, and run on together, one up and one down.
TEST(RestCurves, KnowABoneThatAnotherCurveRunsAlongTheOtherWay) {
  Lines lines({{{-4, 0, 0}, {0, 0, 0}, {4, 0, 0}, {7, 1, 0}, {10, 1, 0}},
               {{10, 1, 0}, {7, 1, 0}, {4, 0, 0}, {0, 0, 0}, {-3, 2, 0}}});
  std::vector<Anchor>& first = lines.curves[0].chain.anchors;
  std::vector<Anchor>& second = lines.curves[1].chain.anchors;
  for (std::size_t i = 1; i < 5; ++i) second[4 - i].joint = first[i].joint;
  lines.curves[0].chain.top = 1;
  lines.curves[1].chain.top = 3;
  for (Curve& curve : lines.curves) {
    for (CurveAnchor& anchor : curve.anchors) anchor.skin_distance = 1;
  }
  lines.curves[0].anchors[3].skin_distance = 2;
  lines.curves[1].anchors[1].skin_distance = 2;
  const RestCurves rest = make_rest_curves(lines.curves, lines.at_bind);
  const CurveLocation place = rest.original({1, 0, 0.25f, 0, {1, 2, 3}});
  EXPECT_EQ(place.curve, 0u);
  EXPECT_EQ(place.bone, 3u);
  EXPECT_EQ(place.lambda, 0.75f);
  EXPECT_EQ(place.slope, glm::vec3(-1, -2, -3));
  EXPECT_EQ(rest.original({1, 1, 0.25f, 0, {}}).curve, 0u);
  EXPECT_EQ(rest.original({1, 2, 0.25f, 0, {}}).curve, 1u) << "what is beyond the top differs";
  // If steps reach from the top into the bone, the anchors beyond the top count.
  std::vector<Curve> wide = lines.curves;
  for (Curve& curve : wide) {
    for (CurveAnchor& anchor : curve.anchors) anchor.skin_distance = 2;
  }
  EXPECT_EQ(make_rest_curves(wide, lines.at_bind).original({1, 0, 0.5f, 0, {}}).curve, 1u);
  // Shared frames are the same on both curves.
  for (const float lambda : {0.0f, 0.3f, 1.0f}) {
    const Affine one = rest.frame(0, 3, lambda);
    const Affine other = rest.frame(1, 0, 1 - lambda);
    EXPECT_LT(glm::distance(affine_origin(one), affine_origin(other)), 1e-5f);
    EXPECT_LT(glm::distance(affine_axes(one)[0], -affine_axes(other)[0]), 1e-5f);
    const float sign = glm::dot(affine_axes(one)[1], affine_axes(other)[1]) < 0 ? -1.0f : 1.0f;
    EXPECT_LT(glm::distance(affine_axes(one)[1], sign * affine_axes(other)[1]), 1e-5f);
  }
  // All curves over a bone share the skin distance.
  std::vector<Curve> measured = lines.curves;
  measured[0].anchors[4].skin_distance = 3;
  share_distances(rest, measured);
  EXPECT_EQ(measured[1].anchors[0].skin_distance, 3);
  EXPECT_EQ(measured[1].anchors[1].skin_distance, 2);
  // The search ends at a NaN.
  measured[0].anchors[4].skin_distance = measured[1].anchors[0].skin_distance = std::numeric_limits<float>::quiet_NaN();
  share_distances(rest, measured);
  EXPECT_EQ(measured[1].anchors[1].skin_distance, 2);
}

}  // namespace
}  // namespace pelt::chain
