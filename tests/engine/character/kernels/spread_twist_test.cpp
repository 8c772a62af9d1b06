// SPDX-License-Identifier: MIT
#include <bit>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/spread_twist/pose.h"
#include "tests/support/breakage.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::HasSubstr;

// A bone from (1, 0, 0) to (3, 0, 0) along x: joint 0 above it, joint 1 at its start, joint 2 at its end. All stand as
// model space at bind.
struct Bone {
  PalettePass twists, step;
  CharacterData data;
  std::vector<glm::mat4> joints;

  explicit Bone(float own_part, float child_part, float swing = 100) {
    const Model model = test::make_tube({.joints = 3});
    data.skeleton = model.skeleton;
    joints = {glm::mat4(1), at(1), at(3)};
    twists.kernel = PoseKernel::kBoneTwist;
    twists.record_count = step.record_count = step.first_entry = 1;
    for (const std::uint32_t joint : {1u, 2u}) {
      const float numbers[] = {1, 0, 0, 0, 0, 0, 1, joint == 1 ? swing : 100};
      twists.table.insert(twists.table.end(), {joint, joint - 1});
      for (const float number : numbers) twists.table.push_back(std::bit_cast<std::uint32_t>(number));
    }
    const shared::JointRecord joint{1, affine_from_mat4(glm::inverse(at(1)))};
    append_record(twists.records, shared::BoneTwistRecord{joint, 0, shared::kTwistWords});
    append_record(step.records, shared::SpreadRecord{joint, 0, own_part, child_part, {1, 0, 0}, {1, 0, 0}});
  }
  static glm::mat4 at(float x) { return glm::translate(glm::mat4(1), glm::vec3(x, 0, 0)); }

  // Poses the bone, then a step of one of the kernels; returns the entries.
  std::vector<Affine> posed(PoseKernel kernel) {
    step.kernel = kernel;
    std::vector<Affine> palette(3);
    for (const PalettePass* pass : {&twists, &step}) {
      pose_kernel(pass->kernel).pose(*pass, 0, 1, {joints, {}, {}, palette});
    }
    return palette;
  }
  Affine linear() { return posed(PoseKernel::kSpreadJoint)[1]; }
  Affine rigid() {
    const std::vector<Affine> palette = posed(PoseKernel::kSpreadDualQuaternion);
    const shared::DualQuaternion rigid{palette[1][0], palette[1][1]};
    return affine_compose(shared::rigid_from_dual_quaternion(rigid, rigid), palette[2]);
  }
  // Fails unless both kernels move some points as `expected` does.
  void expect(const glm::mat4& expected) {
    for (const Affine& moved : {linear(), rigid()}) {
      for (const glm::vec3 p : {glm::vec3(1, 0, 0), glm::vec3(2, 1, 0), glm::vec3(2, 0, 1)}) {
        EXPECT_LT(glm::distance(transform_point(moved, p), glm::vec3(expected * glm::vec4(p, 1))), 1e-5f);
      }
    }
  }
};

glm::mat4 turned(float degrees, glm::vec3 axis = {1, 0, 0}) { return test::turn_about({1, 0, 0}, degrees, axis); }

TEST(SpreadTwist, TakesAPartOfTheTwistBehind) {
  Bone bone(0, 0.25f);
  bone.joints[2] = turned(120) * bone.joints[2];
  bone.expect(turned(30));
  bone.joints[2] = turned(120) * turned(50, {0, 0, 1}) * Bone::at(3);  // a swing is no twist
  bone.joints[2][3] = glm::vec4(3, 0, 0, 1);
  bone.expect(turned(30));
}

TEST(SpreadTwist, GivesBackAPartOfItsOwn) {
  Bone bone(0.75f, 0);
  for (const std::size_t j : {1, 2}) bone.joints[j] = turned(80) * bone.joints[j];
  bone.expect(turned(20));
}

TEST(SpreadTwist, MovesWithItsJoint) {
  Bone bone(0.5f, 0.5f);
  const glm::mat4 motion = glm::translate(glm::mat4(1), {1, 2, 3}) * turned(70, {0.6f, 0, 0.8f});
  for (glm::mat4& joint : bone.joints) joint = motion * joint;
  bone.expect(motion);
  bone.joints[2] = motion * turned(40) * Bone::at(3);
  bone.expect(motion * turned(20));
}

// 45 degrees are below half of the swing at which a twist has faded, 90 are halfway, 120 beyond it.
TEST(SpreadTwist, FadesWithSwing) {
  for (const auto& [swing, left] : {std::pair(45.0f, 1.0f), {90.0f, 0.5f}, {120.0f, 0.0f}}) {
    Bone bone(1, 0, glm::radians(120.0f));
    const glm::mat4 pose = turned(swing, {0, 0, 1}) * turned(60);
    for (const std::size_t j : {1, 2}) bone.joints[j] = pose * bone.joints[j];
    bone.expect(pose * turned(-60 * left));
  }
}

// Half a turn has two ways. The skin between steps and joints is blended as dual quaternions.
TEST(SpreadTwist, GoesTheWayOfABlendAtHalfATurn) {
  for (int degrees = 0; degrees < 360; degrees += 30) {
    const glm::mat4 before = turned(static_cast<float>(degrees), {0.6f, 0.8f, 0});
    const glm::mat4 after = before * turned(20, {0, 0, 1}) * turned(180);
    for (const bool is_next : {false, true}) {
      Bone bone(is_next ? 0 : 0.5f, is_next ? 0.5f : 0);
      bone.joints = {before, (is_next ? before : after) * Bone::at(1), after * Bone::at(3)};
      const glm::vec4 near = shared::quaternion_from_rotation(glm::mat3(before));
      const auto on_side = [&](const glm::vec4& q) { return shared::side_of(q, near) < 0 ? -q : q; };
      const glm::vec4 step = bone.posed(PoseKernel::kSpreadDualQuaternion)[1][0];
      const glm::vec4 far = shared::quaternion_from_rotation(glm::mat3(after));
      EXPECT_GT(glm::dot(on_side(step), on_side(far)), 0.6f) << degrees << (is_next ? ", next" : ", own");
    }
  }
}

// A joint that stretches along the bone still moves as linear blend's.
TEST(SpreadTwist, KeepsTheStretchOfItsJoint) {
  Bone bone(0, 0.5f);
  const glm::mat4 stretch = glm::scale(glm::mat4(1), glm::vec3(2, 1, 1));
  bone.joints[1] = bone.joints[1] * stretch;
  bone.joints[2] = turned(40) * bone.joints[2];
  bone.expect(Bone::at(1) * stretch * turned(20) * Bone::at(-1));
}

TEST(SpreadTwist, RecordsWithAFaultAreRefused) {
  using Step = shared::SpreadRecord;
  using Bones = shared::BoneTwistRecord;
  const auto error = [](const auto& change) {
    Bone bone(0.5f, 0.5f);
    auto bones = read_record<Bones>(bone.twists.records, 0);
    auto step = read_record<Step>(bone.step.records, 0);
    change(step, bones, bone.twists);
    bone.step.kernel = PoseKernel::kSpreadJoint;
    bone.twists.records.clear(), bone.step.records.clear();
    append_record(bone.twists.records, bones), append_record(bone.step.records, step);
    bone.data.passes = {bone.twists, bone.step};
    for (PalettePass& pass : bone.data.passes) {
      const Result<void> valid = pose_kernel(pass.kernel).validate(pass, bone.data);
      if (!valid) return valid.error().message;
    }
    return std::string("valid");
  };
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error([](Step&, Bones&, PalettePass&) {}), "valid");
  EXPECT_THAT(error([](Step& r, auto&, auto&) { r.joint.joint = 3; }), HasSubstr("does not exist"));
  EXPECT_THAT(error([=](Step& r, auto&, auto&) { r.joint.inverse_bind[0].x = none; }), HasSubstr("not finite"));
  EXPECT_THAT(error([](Step& r, auto&, auto&) { r.own_part = 1.5f; }), HasSubstr("0 to 1"));
  EXPECT_THAT(error([](Step& r, auto&, auto&) { r.child_part = -0.5f; }), HasSubstr("0 to 1"));
  EXPECT_THAT(error([](Step& r, auto&, auto&) { r.twist = 1; }), HasSubstr("no earlier pass"));
  EXPECT_THAT(error([](auto&, auto&, PalettePass& twists) { twists.stage = 1; }), HasSubstr("no earlier pass"));

  EXPECT_EQ(error([](auto&, Bones& r, auto&) { r.own = shared::kNoIndex; }), "valid");
  EXPECT_THAT(error([](auto&, Bones& r, auto&) { r.joint.joint = 3; }), HasSubstr("does not exist"));
  EXPECT_THAT(error([](auto&, Bones& r, auto&) { r.child = 2 * shared::kTwistWords; }), HasSubstr("table"));
  EXPECT_THAT(error([](auto&, Bones& r, auto&) { r.child = 3; }), HasSubstr("two things"));
  EXPECT_THAT(error([](auto&, auto&, PalettePass& t) { t.table[1] = 3; }), HasSubstr("does not exist"));
  EXPECT_THAT(error([=](auto&, auto&, PalettePass& t) { t.table[4] = std::bit_cast<std::uint32_t>(none); }),
              HasSubstr("not finite"));
  EXPECT_THAT(error([](auto&, auto&, PalettePass& t) { t.table[9] = 0; }), HasSubstr("no swing"));
}

}  // namespace
}  // namespace pelt
