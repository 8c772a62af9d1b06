// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/linear_comparison.h>
#include <pelt/tools/sample_poses.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using test::bound_by;

TEST(LinearComparison, FindsNothingInLinearBlend) {
  const Character linear = bound_by(make_arm(), "linear_blend");
  const LinearComparison comparison = test::must(LinearComparison::create(linear, sample_poses(linear)));
  const Figures figures = test::must(comparison.measure(linear));
  EXPECT_EQ(figures.far, 0);
  EXPECT_LE(figures.stretch, 1);
  EXPECT_EQ(figures.flips, 0);
  EXPECT_GT(figures.rigid_share, 0.3);
  EXPECT_LT(figures.rigid_share, 0.95);
}

TEST(LinearComparison, HasTheSameFiguresAndTellsItsProgressOnAnyNumberOfThreads) {
  const Model arm = make_arm();
  const Character linear = bound_by(arm, "linear_blend"), dual = bound_by(arm, "dual_quaternion");
  const LinearComparison comparison = test::must(LinearComparison::create(linear, clip_poses(*linear)));
  std::vector<double> on_one;
  for (const unsigned threads : {1u, 3u, 0u}) {
    double done = 0;
    const ComparisonOptions options{.threads = threads, .progress = [&](double fraction) {
                                      EXPECT_GT(fraction, done);
                                      done = fraction;
                                    }};
    const Figures f = test::must(comparison.measure(dual, options));
    EXPECT_GT(f.regained, 0);
    EXPECT_EQ(done, 1);
    const std::vector<double> figures{f.far, f.stretch, f.bad, f.rigid99, f.drift99, f.flips, f.regained};
    if (on_one.empty()) on_one = figures;
    EXPECT_EQ(figures, on_one);
  }
}

// Vertices count over all meshes, and each has the joint that moves it most.
TEST(LinearComparison, SaysWhereAVertexIs) {
  Model model = make_arm();
  const Mesh first = model.meshes.front();
  model.meshes.push_back(first);
  model.meshes.back().name = "second";
  const auto count = static_cast<std::uint32_t>(first.positions.size());
  const Character linear = bound_by(model, "linear_blend");
  const LinearComparison comparison = test::must(LinearComparison::create(linear, sample_poses(linear)));
  ASSERT_EQ(comparison.vertex_count(), 2 * count);
  for (std::uint32_t v = 0; v < 2 * count; v += 91) {
    const SkinLocation place = comparison.location_of(v);
    EXPECT_EQ(place.mesh, v < count ? "skin" : "second") << v;
    EXPECT_EQ(place.vertex, v % count);
    const std::span<const Influence> row = model.meshes.front().weights.row(v % count);
    const auto most = std::max_element(row.begin(), row.end(),
                                       [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
    EXPECT_EQ(place.joint, model.skeleton.joints[model.bound_joints[most->index].joint].name);
  }
}

TEST(LinearComparison, TakesCharactersOfTheSameSkins) {
  const Character linear = bound_by(make_arm(), "linear_blend");
  const LinearComparison comparison = test::must(LinearComparison::create(linear, sample_poses(linear)));
  EXPECT_TRUE(comparison.takes(bound_by(make_arm(), "mos")));
  Model two = make_arm();
  two.meshes.push_back(make_arm().meshes.front());
  two.meshes.back().name = "second";
  EXPECT_FALSE(comparison.takes(bound_by(two, "linear_blend")));
  const Character other = bound_by(make_limb(), "mos");
  EXPECT_FALSE(comparison.takes(other));
  EXPECT_TRUE(test::refused(comparison.measure(other), "other skins"));
}

TEST(LinearComparison, NamesWhatIsNotFinite) {
  Model model = test::make_tube({.around = 10, .along = 24, .joints = 5});
  // The scale at the clip's end is more than a float holds.
  model.clips = {{"burst", 1, {}, {}}};
  for (std::uint32_t joint = 0; joint < 5; ++joint) {
    const std::vector<float> values{1, 1, 1, kMaxCoordinate, kMaxCoordinate, kMaxCoordinate};
    model.clips[0].channels.push_back({joint, ChannelPath::kScale, Interpolation::kLinear, {0, 1}, values});
  }
  const Character linear = bound_by(model, "linear_blend");
  const Result<LinearComparison> comparison = LinearComparison::create(linear, clip_poses(*linear));
  ASSERT_FALSE(comparison);
  EXPECT_THAT(comparison.error().message,
              testing::ContainsRegex("mesh 'tube': vertex [0-9]+ is moved to a position that is not finite by "
                                     "linear_blend, in pose 'burst at [0-9.]+ s'"));
}

}  // namespace
}  // namespace pelt
