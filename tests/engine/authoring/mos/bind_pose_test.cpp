// SPDX-License-Identifier: MIT
// Tests twists, tables and neighbours of posed skin.
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/quaternion.hpp>

#include <pelt/builtin.h>
#include <pelt/clip_twists.h>
#include <pelt/pose.h>

#include "engine/authoring/geometry/segment.h"
#include "tests/engine/authoring/mos/bound_skin.h"
#include "tests/support/clip_joints.h"
#include "tests/support/posed_limb.h"

namespace pelt::mos {
namespace {

TEST(MosBind, TwistKeepsTheSection) { test::PosedLimb(by_mos()).expect_that_twist_keeps_the_section(); }

// The root is the third of four joints in a row, and the second turns about the row.
TEST(MosBind, TwistsOnBothSidesOfAnInnerTop) {
  Model model = test::make_tube({.around = 12, .along = 32, .joints = 4});
  std::vector<Joint> joints(4);
  const std::array<std::uint32_t, 4> place{2, 1, 0, 3};  // index of joint0 to joint3
  for (std::size_t j = 0; j < 4; ++j) {
    Joint& joint = joints[place[j]];
    joint.name = "joint" + std::to_string(j);
    joint.parent = j == 2 ? -1 : j == 0 ? 1 : 0;
    joint.rest.translation.x = j == 2 ? 4.0f : j == 3 ? 2.0f : -2.0f;
    model.bound_joints[j].joint = place[j];
  }
  model.skeleton.joints = joints;
  model.meshes[0].weights = {};  // these were painted for joints that carry the skin after them
  const Character character = test::bound(model, by_mos([](MosParameters& p) {
                                            p.automatic = false;
                                            p.chains = {{"row", {}, {"joint0", "joint1", "joint2", "joint3"}}};
                                          }))
                                  .character;
  std::vector<glm::mat4> turned = joints_at_bind(model);
  for (const std::size_t j : {1u, 2u}) {
    turned[j] = glm::rotate(glm::mat4(1), glm::radians(90.0f), glm::vec3(1, 0, 0)) * turned[j];
  }
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  const std::vector<glm::vec3> is = posed(model, character, turned);
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const float degrees =
        glm::degrees(std::atan2(rest[v].y * is[v].z - rest[v].z * is[v].y, rest[v].y * is[v].y + rest[v].z * is[v].z));
    // Half of the twist is on each of the two equally long bones at the joint.
    const float should = 90 * std::clamp((4 - rest[v].x) / 4, 0.0f, 1.0f);
    EXPECT_NEAR(degrees, should, 13) << v << ": the spline rounds 12.2 degrees off at the root";
    EXPECT_NEAR(glm::length(glm::vec2(is[v].y, is[v].z)), 1, 0.01) << v;
  }
}

// The points of the elbow (joint 2) reach past the helpers on both sides of it. The twist of each helper still passes
// evenly.
TEST(MosBind, TwistHelpersTwistEvenlyUnderThePointsOfAnElbow) {
  Model model = test::make_tube({.around = 12, .along = 48, .length = 12, .joints = 8});
  model.skeleton.joints[1].name = "upper_arm_twist";
  model.skeleton.joints[3].name = "forearm_twist";
  model.meshes[0].weights = {};
  const Character character = test::bound(model, by_mos()).character;
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  for (const std::size_t helper : {1u, 3u}) {
    SCOPED_TRACE(helper);
    std::vector<glm::mat4> joints = joints_at_bind(model);
    const float place = joints[helper][3].x;
    const glm::mat4 twist = glm::rotate(glm::mat4(1), glm::radians(90.0f), glm::vec3(1, 0, 0));
    for (std::size_t j = helper; j < joints.size(); ++j) joints[j] = twist * joints[j];
    const std::vector<glm::vec3> is = posed(model, character, joints);
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const float degrees = glm::degrees(
          std::atan2(rest[v].y * is[v].z - rest[v].z * is[v].y, rest[v].y * is[v].y + rest[v].z * is[v].z));
      EXPECT_NEAR(degrees, 90 * std::clamp(0.5f + (rest[v].x - place) / 3, 0.0f, 1.0f), 18) << rest[v].x;
      EXPECT_NEAR(glm::length(glm::vec2(is[v].y, is[v].z)), 1, 0.03) << rest[v].x;
    }
  }
}

// The elbow is bent at rest, and the upper arm twists: everything beyond the twist turns with it as one.
TEST(MosBind, ATwistCarriesABendOfTheRestAsItIs) {
  constexpr float kRadius = 0.5f;
  Model model = test::make_tube({.around = 12, .along = 48, .radius = kRadius, .joints = 4});
  const float bone = model.skeleton.joints[1].rest.translation.x;
  const glm::vec3 elbow(2 * bone, 0, 0);
  const glm::quat bend = glm::angleAxis(glm::radians(40.0f), glm::vec3(0, 0, 1));
  model.skeleton.joints[2].rest.rotation = bend;
  std::vector<glm::vec3>& rest = model.meshes[0].positions;
  std::vector<std::size_t> beyond;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (rest[v].x > elbow.x + kRadius) beyond.push_back(v);
    if (rest[v].x > elbow.x) rest[v] = elbow + bend * (rest[v] - elbow);
  }
  ASSERT_GT(beyond.size(), 100u);
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  for (std::size_t j = 0; j < 4; ++j) model.bound_joints[j].inverse_bind = glm::inverse(joints[j]);
  const glm::mat4 twist = glm::rotate(glm::mat4(1), glm::radians(90.0f), glm::vec3(1, 0, 0));
  for (std::size_t j = 1; j < 4; ++j) joints[j] = twist * joints[j];
  const std::vector<glm::vec3> is = posed(model, test::bound(model, by_mos()).character, joints);
  for (const std::size_t v : beyond) {
    EXPECT_LT(glm::distance(is[v], glm::vec3(twist * glm::vec4(rest[v], 1))), 0.05f * kRadius) << v;
  }
}

// The outside of a sharp bend is as far from the bones as at bind: no wedge, and not flattened.
TEST(MosBind, RoundsTheOutsideOfASharpBend) {
  const Model model = test::make_tube({.around = 24, .along = 128, .length = 16});
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  const Character character = test::bound(model, by_mos()).character;
  const std::vector<glm::vec3> is = posed(model, character, bent(model, 130));
  const glm::vec3 joint(8, 0, 0),
      end = joint + 8.0f * glm::vec3(std::cos(glm::radians(130.0f)), std::sin(glm::radians(130.0f)), 0);
  const auto from_bone = [&](glm::vec3 p, glm::vec3 tip) {
    return glm::distance(p, glm::mix(joint, tip, share_along(p, joint, tip)));
  };
  const std::vector<glm::vec3> folded = posed(model, character, bent(model, 172));
  for (std::size_t v = 0; v < rest.size(); ++v) {
    // Bones that fold back have no outside: skin keeps its distance from the joint.
    if (std::abs(rest[v].x - 8) < 0.5f) {
      EXPECT_NEAR(glm::distance(folded[v], joint), glm::distance(rest[v], joint), 0.12f) << rest[v].x;
    }
    if (rest[v].y > -0.999f || std::abs(rest[v].x - 8) > 4) continue;
    const float distance = std::min(from_bone(is[v], glm::vec3(0)), from_bone(is[v], end));
    EXPECT_GT(distance, 0.95f) << rest[v].x;
    EXPECT_LT(distance, 1.2f) << rest[v].x;
  }
}

// Skin that is painted to the upper joint up to 1.5 beyond the lower one hardly bends there.
TEST(MosBind, FollowsThePaintingBesideAJoint) {
  Model model = test::make_tube({.around = 12, .along = 32});
  const auto at_side = [&](const std::vector<glm::vec3>& posed) {
    const std::vector<glm::vec3>& rest = model.meshes[0].positions;
    float most = 0;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      if (std::abs(rest[v].x - 5) < 0.01f) most = std::max(most, glm::distance(posed[v], rest[v]));
    }
    return most;
  };
  const auto moved = [&] {
    const Character character = test::bound(model, by_mos()).character;
    return at_side(posed(model, character, bent(model, 60)));
  };
  const float even = moved();
  SparseRows rows;
  for (const glm::vec3 p : model.meshes[0].positions) {
    const float beyond = std::clamp((p.x - 5.5f) / 0.5f, 0.0f, 1.0f);
    const WeightedElement row[] = {{0, 1 - beyond}, {1, beyond}};
    append_row(rows, row);
  }
  model.meshes[0].weights = std::move(rows);
  EXPECT_LT(moved(), 0.75f * even);
}

TEST(MosBind, TablesKeepTheirError) {
  const float error = MosParameters{}.table_error;
  const test::PosedLimb coarse(by_mos());
  const test::PosedLimb fine(by_mos([&](MosParameters& p) { p.table_error = error / 100; }));
  EXPECT_LT(coarse.character->palette_size, fine.character->palette_size);
  for (const auto& [degrees, twist] : {std::pair(90.0f, 0.0f), {0.0f, 270.0f}, {60.0f, 180.0f}, {-90.0f, 90.0f}}) {
    const float radians = glm::radians(twist);
    const glm::mat4 motion = glm::rotate(glm::rotate(glm::mat4(1), glm::radians(degrees), glm::vec3(0, 0.6f, 0.8f)),
                                         radians, glm::vec3(1, 0, 0));
    EXPECT_LT(test::farthest(coarse.posed(motion, radians), fine.posed(motion, radians)), 1.2f * error * 8)
        << degrees << ' ' << twist << ": a limb 8 long";
  }
}

// Returns how far neighbouring vertices of the biped move apart at most while it flexes, relative to their edges.
float most_apart(const Rig& rig) {
  const Model model = make_biped();
  const Character character = test::bound(model, rig).character;
  const Clip& clip = *find_clip(model.clips, "flex");
  const ClipTwists twists(*character, clip);
  Evaluator evaluator(character);
  std::vector<float> inputs(character->input_count);
  const Mesh& mesh = model.meshes[0];
  float worst = 0;
  for (const float part : {0.25f, 0.5f, 0.75f}) {
    twists.sample(part * clip.duration, inputs);
    evaluator.pose(test::clip_joints(model.skeleton, &clip, part * clip.duration));
    evaluator.inputs(inputs);
    evaluator.evaluate();
    const std::vector<glm::vec3> posed = test::positions_of(evaluator, character, mesh.name);
    for (const glm::uvec3 t : mesh.triangles) {
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t a = t[k];
        const std::uint32_t b = t[(k + 1) % 3];
        const float edge = std::max(glm::distance(mesh.positions[a], mesh.positions[b]), 0.003f);
        worst = std::max(worst, glm::distance(posed[a] - mesh.positions[a], posed[b] - mesh.positions[b]) / edge);
      }
    }
  }
  return worst;
}

// If chains compete, above all at the hip and the shoulder, no vertex leaves its neighbours. Between the legs, skin
// that is as near to one as to the other stretches.
TEST(MosBind, NeighboursStayTogether) {
  Rig rig = by_mos();
  rig.layers[0].target = "body";  // or linear blend would move hips and shoulders
  EXPECT_LT(most_apart(rig), 8) << "edges; a turn by 180 degrees takes 2";
  rig = by_mos([](MosParameters& p) { p.chains_per_vertex = 1; });
  rig.layers[0].target = "body";
  EXPECT_GT(most_apart(rig), 8) << "no blend, so there are jumps";
}

}  // namespace
}  // namespace pelt::mos
