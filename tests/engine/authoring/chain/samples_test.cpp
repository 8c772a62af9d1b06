// SPDX-License-Identifier: MIT
// Compares tables of frames with the frames themselves.
#include "engine/authoring/chain/samples.h"

#include <algorithm>
#include <cmath>

#include "tests/engine/authoring/chain/turned_curves.h"

namespace pelt::chain {
namespace {

using test::TestCurve;
using test::turn;

constexpr float kReach = 0.3f;

std::vector<std::vector<float>> samples_of(const TestCurve& limb, float error) {
  return place_samples(limb.curve, std::vector<float>(limb.curve.bone_count(), kReach), error, limb.at_bind());
}

glm::dvec3 moved_with(const Affine& frame, const Affine& rest, const glm::dvec3& point) {
  const glm::dvec3 local = glm::inverse(glm::dmat3(affine_axes(rest))) * (point - glm::dvec3(affine_origin(rest)));
  return glm::dmat3(affine_axes(frame)) * local + glm::dvec3(affine_origin(frame));
}

// Returns the largest distance between skin moved by the tables and by the frames themselves, for skin kReach from the
// curve.
double worst_error(const TestCurve& limb, const std::vector<std::vector<float>>& samples, const PosedCurve& rest,
                   const PosedCurve& posed) {
  double worst = 0;
  for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
    for (std::size_t k = 1; k < samples[bone].size(); ++k) {
      const float from = samples[bone][k - 1];
      const float to = samples[bone][k];
      for (const float part : {0.25f, 0.5f, 0.75f}) {
        const float lambda = std::lerp(from, to, part);
        const Affine here = rest.frame(bone, lambda);
        for (int side = 0; side < 8; ++side) {
          const double angle = 0.7853981634 * side;
          const glm::dvec3 point(transform_point(
              here, kReach * glm::vec3(0, static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)))));
          const glm::dvec3 exact = moved_with(posed.frame(bone, lambda), here, point);
          const glm::dvec3 first = moved_with(posed.frame(bone, from), rest.frame(bone, from), point);
          const glm::dvec3 second = moved_with(posed.frame(bone, to), rest.frame(bone, to), point);
          worst = std::max(worst, glm::distance(exact, glm::mix(first, second, double{part})));
        }
      }
    }
  }
  return worst;
}

struct Pose {
  double bend;
  double twist;
};

// Returns the worst error over bends about two axes.
double worst_in_pose(const TestCurve& limb, const std::vector<std::vector<float>>& samples, const Pose& pose) {
  double worst = 0;
  const std::size_t count = limb.curve.chain.anchors.size();
  for (const glm::dvec3 about : {glm::dvec3(0, 0, 1), glm::dvec3(0, 1, 0.5)}) {
    const std::vector<glm::dquat> turns(count, turn(pose.bend, about) * turn(pose.twist, {1, 0, 0}));
    const std::vector<float> twists(count, static_cast<float>(glm::radians(pose.twist)));
    const std::vector<glm::mat4> rest(limb.at_bind().begin(), limb.at_bind().end());
    worst = std::max(worst, worst_error(limb, samples, limb.posed(rest), limb.posed(limb.posed_joints(turns), twists)));
  }
  return worst;
}

class Samples : public testing::TestWithParam<CurveFrames> {
 protected:
  static TestCurve make_limb() {
    TestCurve limb({{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {5.5, 0, 0}});
    limb.curve.frames = GetParam();
    for (CurveAnchor& anchor : limb.curve.anchors) {
      anchor.skin_distance = kReach;
      anchor.bulge.volume = GetParam() == CurveFrames::kAuto ? 1.0f : 0.0f;
    }
    return limb;
  }
};

INSTANTIATE_TEST_SUITE_P(Frames, Samples, testing::ValuesIn(all_frames()), name_of);

TEST_P(Samples, KeepTheError) {
  const TestCurve limb = make_limb();
  for (const float most : {2e-3f, 5e-4f}) {
    const std::vector<std::vector<float>> samples = samples_of(limb, most);
    double worst = 0;
    for (const Pose& pose : {Pose{45, 0}, Pose{90, 0}, Pose{135, 0}, Pose{45, 90}, Pose{90, 180}, Pose{135, 180},
                             Pose{0, 90}, Pose{0, 180}, Pose{0, 270}, Pose{0, 360}}) {
      SCOPED_TRACE(testing::Message() << "bend " << pose.bend << ", twist " << pose.twist);
      const double error = worst_in_pose(limb, samples, pose);
      EXPECT_LT(error, 1.3 * double{most});  // second differences may change quickly
      worst = std::max(worst, error);
    }
    EXPECT_GT(worst, 0.2 * double{most}) << "more samples than it takes";
  }
}

TEST_P(Samples, AscendFromEndToEnd) {
  const TestCurve limb = make_limb();
  for (const float error : {1e-12f, 1e-4f, 1e-2f, 1e3f}) {
    for (const std::vector<float>& bone : samples_of(limb, error)) {
      ASSERT_GE(bone.size(), shared::kCurveEntries);
      EXPECT_LE(bone.size(), 512u);
      EXPECT_EQ(bone.size() % shared::kCurveEntries, 0u);
      EXPECT_EQ(bone.front(), 0);
      EXPECT_EQ(bone.back(), 1);
      for (std::size_t k = 1; k < bone.size(); ++k) EXPECT_GT(bone[k], bone[k - 1]);
    }
  }
}

TEST_P(Samples, AreNoneWhereThereIsNoSkin) {
  const TestCurve limb = make_limb();
  const std::vector<std::vector<float>> samples =
      place_samples(limb.curve, std::vector<float>{kReach, 0.0f, kReach}, 1e-3f, limb.at_bind());
  EXPECT_FALSE(samples[0].empty());
  EXPECT_TRUE(samples[1].empty());
  EXPECT_FALSE(samples[2].empty());
}

}  // namespace
}  // namespace pelt::chain
