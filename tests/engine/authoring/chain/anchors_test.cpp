// SPDX-License-Identifier: MIT
// Anchors that a pass poses block by block have the twists that their joints add up to.
#include <gtest/gtest.h>

#include <glm/gtc/matrix_transform.hpp>
#include <set>

#include "engine/authoring/chain/chain_table.h"
#include "engine/character/pose_kernels.h"
#include "shaders/chain/pose.h"
#include "tests/support/test_curve.h"

namespace pelt::chain {
namespace {

using test::TestCurve;
using test::turn;

TestCurve straight_curve(std::size_t anchors, std::size_t top) {
  std::vector<glm::dvec3> points;
  for (std::size_t i = 0; i < anchors; ++i) points.emplace_back(static_cast<double>(i), 0, 0);
  return TestCurve(points, top);
}

// The anchors of a curve, posed. A table has another chain before it, so that no index is right by chance.
struct Posed {
  Posed(const TestCurve& limb, std::span<const glm::mat4> joints) {
    const std::vector<std::uint32_t> no_inputs(joints.size(), shared::kNoInput);
    ChainTable table(limb.at_bind(), no_inputs);
    table.put_chain(limb.curve.chain);
    const std::uint32_t word = table.put_chain(limb.curve.chain);
    table.place_anchors(3);
    PalettePass pass = table.anchor_pass();
    pass.first_entry = 3;
    palette.resize(3 + pass.record_count * shared::kAnchorBlock);
    pose_kernel(pass.kernel).pose(pass, 0, pass.record_count, {joints, {}, {}, palette});
    words = table.take_words();
    chain = shared::read_chain(table_work(words), word);
  }
  shared::TurnedAnchor anchor(std::size_t i) const {
    return shared::posed_anchor(table_work(words, palette), chain, static_cast<std::uint32_t>(i));
  }
  float twist(std::size_t i) const {
    return shared::anchor_twist(table_work(words, palette), chain, static_cast<std::uint32_t>(i), anchor(i));
  }

  std::vector<Affine> palette;
  std::vector<std::uint32_t> words;
  shared::Chain chain;
};

double degrees_of(std::size_t i) { return 5.0 + 11.0 * static_cast<double>(i % 4) - 20.0 * static_cast<double>(i % 3); }

// Tests every anchor of a chain whose joints turn by degrees_of() about it; `hidden` are scaled to nothing.
void expect_twists(std::size_t anchors, std::size_t top, const std::set<std::size_t>& hidden) {
  SCOPED_TRACE(testing::Message() << anchors << " anchors, top " << top);
  const TestCurve limb = straight_curve(anchors, top);
  std::vector<glm::dquat> turns;
  for (std::size_t i = 0; i < anchors; ++i) turns.push_back(turn(degrees_of(i), {1, 0, 0}));
  std::vector<glm::mat4> joints = limb.posed_joints(turns);
  for (const std::size_t i : hidden) joints[i] = glm::scale(joints[i], glm::vec3(0.0f));
  const Posed posed(limb, joints);
  for (const int step : {1, -1}) {
    double turned = 0, shown = 0;
    for (auto i = static_cast<std::ptrdiff_t>(top) + step; i >= 0 && i < static_cast<std::ptrdiff_t>(anchors);
         i += step) {
      const auto at = static_cast<std::size_t>(i);
      turned += step * glm::radians(degrees_of(at));  // about the bone that leaves the anchor away from the top
      if (!hidden.contains(at)) shown = turned;
      EXPECT_NEAR(posed.twist(at), shown, 1e-4) << "anchor " << i;
      EXPECT_NEAR(posed.anchor(at).pose.scale, hidden.contains(at) ? 0 : 1, 1e-5);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_EQ(posed.twist(top), 0);
}

TEST(Anchors, AddUpTheTwistsOfChainsOfAnyLength) {
  for (const std::size_t anchors : {2, 7, 8, 9, 16, 17, 40, 300}) {
    for (const std::size_t top : {std::size_t{0}, anchors / 2, anchors - 1, std::size_t{7}, std::size_t{8}}) {
      if (top < anchors) expect_twists(anchors, top, {});
    }
  }
}

TEST(Anchors, ThatAreHiddenFollowTheOnesAbove) {
  for (const std::size_t top : {0, 12, 29}) {
    expect_twists(30, top, {3});
    expect_twists(30, top, {7, 8, 9});
    expect_twists(30, top, {14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25});
    expect_twists(30, top, {1, 28});
  }
}

TEST(Anchors, HaveThePlacesAndMotionsOfTheirJoints) {
  const TestCurve limb = straight_curve(11, 4);
  const std::vector<glm::dquat> turns(11, turn(25, {0.2, 1, 0.5}));
  const std::vector<glm::mat4> joints = limb.posed_joints(turns);
  const Posed posed(limb, joints);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_LT(glm::distance(posed.anchor(i).pose.position, glm::vec3(joints[i][3])), 1e-5) << i;
    const glm::mat3 motion = glm::mat3(glm::dmat3(joints[i]) * glm::inverse(glm::dmat3(limb.at_bind()[i])));
    const glm::mat3 turned = shared::rotation_from_quaternion(posed.anchor(i).pose.motion);
    for (int c = 0; c < 3; ++c) EXPECT_LT(glm::distance(turned[c], motion[c]), 1e-5) << i;
  }
}

}  // namespace
}  // namespace pelt::chain
