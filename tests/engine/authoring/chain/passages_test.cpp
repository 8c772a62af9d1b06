// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/passages.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <pelt/builtin.h>
#include <pelt/pose.h>

#include "engine/authoring/chain/trust.h"
#include "tests/engine/authoring/chain/small_chains.h"
#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"

namespace pelt::chain {
namespace {

Curve measured(const Model& model, std::span<const std::span<const float>> masks = {}) {
  std::vector<Curve> curves{curve_over(chains_of(model).chains.at(0))};
  const std::uint32_t mesh = 0;
  measure_passages(model, std::span(&mesh, 1), masks, curves);
  return curves[0];
}

// The weights of a tube pass evenly, over `blend_length`.
TEST(Passages, AreAsLongAsPainted) {
  for (const float length : {0.5f, 1.0f, 1.9f}) {
    const Curve curve = measured(test::make_tube({.along = 400, .joints = 4, .blend_length = length}));
    ASSERT_EQ(curve.anchors.size(), 5u);
    for (const std::size_t i : {1u, 2u, 3u}) EXPECT_NEAR(curve.anchors[i].passage, length / 2, 0.02) << i;
    for (const std::size_t i : {0u, 4u}) EXPECT_EQ(curve.anchors[i].passage, 0) << i;
  }
}

// All bones are 1 long. A helper makes two of them one.
TEST(Passages, MeetIfTheyLeaveNoStraightPiece) {
  Model model = test::make_tube({.along = 300, .length = 5, .joints = 5, .blend_length = 1.1f});
  const auto meets = [&](std::size_t i) { return bends_meet(measured(model), i, joint_uses(model.skeleton)); };
  EXPECT_TRUE(meets(1) && meets(2) && meets(3) && meets(4));
  Curve shared = measured(model);
  shared.anchors.front().passage = shared.anchors.back().passage = 1;
  EXPECT_FALSE(bends_meet(shared, 0, joint_uses(model.skeleton)) || bends_meet(shared, 5, joint_uses(model.skeleton)));
  model.skeleton.joints[3].name = "arm_twist";
  EXPECT_TRUE(meets(1));
  EXPECT_FALSE(meets(2) || meets(3) || meets(4));
  model = test::make_tube({.along = 300, .length = 5, .joints = 5, .blend_length = 0.9f});
  EXPECT_FALSE(meets(2));
}

// Twist helpers do not bend, and the pieces of a bone between them count as one.
TEST(Passages, AreFollowedAsIfTwistHelpersWereAbsent) {
  Model model = test::make_tube({.along = 300, .length = 4, .joints = 4});
  const auto bends = [&] {
    std::vector<Curve> curves{measured(model)};
    for (CurveAnchor& anchor : curves[0].anchors) anchor.skin_distance = 0.8f;
    return Trust(model, curves).bends(0);
  };
  const std::vector<Trust::Bend> all = bends();
  ASSERT_EQ(all.size(), 3u);
  for (const std::size_t i : {1u, 3u}) model.skeleton.joints[i].name = "arm_twist";
  const std::vector<Trust::Bend> bend = bends();
  ASSERT_EQ(bend.size(), 1u);
  EXPECT_EQ(bend[0].anchor, 2u);
  EXPECT_NEAR(bend[0].off, 2 * all[1].off, 1e-6f);  // of bones twice as long, shorter than 2.6 skin distances
}

// If another layer moves the skin across a joint, its bend takes a sixteenth of the bone.
TEST(Passages, AreHiddenByMasks) {
  const Model model = test::make_tube({.along = 400, .joints = 4, .blend_length = 1});
  const float second = model.skeleton.joints[2].rest.translation.x;
  std::vector<float> mask(model.meshes[0].positions.size());
  for (std::size_t v = 0; v < mask.size(); ++v) {
    mask[v] = std::abs(model.meshes[0].positions[v].x - 2 * second) < second / 2 ? 0.0f : 1.0f;
  }
  const std::span<const float> masks[] = {mask};
  const Curve curve = measured(model, masks);
  EXPECT_EQ(curve.anchors[1].shown, 1);
  EXPECT_LT(curve.anchors[2].shown, 0.01f);
  EXPECT_EQ(curve.anchors[3].shown, 1);
  EXPECT_NEAR(step_reach(curve, 2).turning.x, curve.bone_length(1) / 16, 0.02f);
  EXPECT_EQ(step_reach(curve, 1).turning.x, curve.anchors[1].passage);
}

TEST(Passages, NeedWeights) {
  Model model = test::make_tube({.joints = 4});
  model.meshes[0].weights = {};
  EXPECT_EQ(measured(model).anchors[2].passage, 0);
}

// The angles between neighbouring triangles, degrees, above 0 if they bulge.
std::map<std::pair<std::uint32_t, std::uint32_t>, double> creases(const Mesh& mesh, std::span<const glm::vec3> at) {
  struct Side {
    glm::dvec3 normal, centre;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Side> first;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> found;
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::dvec3 a(at[t.x]), b(at[t.y]), c(at[t.z]);
    const Side side{glm::normalize(glm::cross(b - a, c - a)), (a + b + c) / 3.0};
    for (int k = 0; k < 3; ++k) {
      const auto edge = std::minmax(t[k], t[(k + 1) % 3]);
      const auto [other, is_new] = first.emplace(edge, side);
      if (is_new) continue;
      const double angle = std::acos(std::clamp(glm::dot(other->second.normal, side.normal), -1.0, 1.0));
      const bool hollow = glm::dot(side.centre - other->second.centre, other->second.normal) > 0;
      found[edge] = glm::degrees(hollow ? -angle : angle);
    }
  }
  return found;
}

// Returns the 99th percentile of what `joints` change about the creases of a skin.
double new_creases(const Model& model, const std::string& deformer, std::span<const glm::mat4> joints) {
  const Mesh& mesh = model.meshes[0];
  const auto before = creases(mesh, mesh.positions);
  std::vector<double> changes;
  for (const auto& [edge, angle] : creases(mesh, test::posed(test::bound_by(model, deformer), joints, mesh.name))) {
    changes.push_back(std::abs(angle - before.at(edge)));
  }
  std::ranges::sort(changes);
  return changes[changes.size() * 99 / 100];
}

// Linear blend has few creases there, since each joint bends little.
TEST(Passages, TailsAreRound) {
  const Model model = make_tail();
  for (const float seconds : {1.0f, 2.4f}) {
    const std::vector<glm::mat4> joints = test::clip_joints(model.skeleton, &model.clips[0], seconds);
    const double linear = new_creases(model, "linear-blend", joints);
    EXPECT_LE(new_creases(model, "curve-skeleton", joints), linear) << seconds;
    EXPECT_LE(new_creases(model, "mos", joints), linear) << seconds;
  }
}

}  // namespace
}  // namespace pelt::chain
