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

// A bone from (1, 0, 0) to (3, 0, 0) along x: joint 0 above it, joint 1 at its start, joint 2 at its end. All stand as
// model space at bind.
struct Bone {
  PalettePass pass;
  CharacterData data;
  std::vector<glm::mat4> joints;

  explicit Bone(float own_part, float child_part, float swing = 100) {
    const Model model = test::make_tube({.joints = 3});
    data.skeleton = model.skeleton;
    joints = {glm::mat4(1), at(1), at(3)};
    pass.record_count = 1;
    for (const std::uint32_t joint : {1u, 2u}) {
      const float numbers[] = {1, 0, 0, 0, 0, 0, 1, joint == 1 ? swing : 100};
      pass.table.insert(pass.table.end(), {joint, joint - 1});
      for (const float number : numbers) pass.table.push_back(std::bit_cast<std::uint32_t>(number));
    }
    append_record(pass.records, shared::SpreadRecord{{1, affine_from_mat4(glm::inverse(at(1)))},
                                                     0,
                                                     shared::kTwistWords,
                                                     own_part,
                                                     child_part,
                                                     {1, 0, 0},
                                                     {1, 0, 0}});
  }
  static glm::mat4 at(float x) { return glm::translate(glm::mat4(1), glm::vec3(x, 0, 0)); }

  Affine linear() {
    pass.kernel = PoseKernel::kSpreadJoint;
    std::vector<Affine> palette(1);
    pose_kernel(pass.kernel).pose(pass, 0, 1, {joints, {}, {}, palette});
    return palette[0];
  }
  Affine rigid() {
    pass.kernel = PoseKernel::kSpreadDualQuaternion;
    std::vector<Affine> palette(2);
    pose_kernel(pass.kernel).pose(pass, 0, 1, {joints, {}, {}, palette});
    const shared::DualQuaternion rigid{palette[0][0], palette[0][1]};
    return affine_compose(shared::rigid_from_dual_quaternion(rigid, rigid), palette[1]);
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

TEST(SpreadTwist, RecordsWithAFaultAreRefused) {
  const auto refusal = [](const auto& change) {
    Bone bone(0.5f, 0.5f);
    auto record = read_record<shared::SpreadRecord>(bone.pass.records, 0);
    change(record, bone.pass.table);
    bone.pass.records.clear();
    append_record(bone.pass.records, record);
    const Result<void> valid = pose_kernel(PoseKernel::kSpreadJoint).validate(bone.pass, bone.data);
    return valid ? "valid" : valid.error().message;
  };
  using Record = shared::SpreadRecord;
  using Table = std::vector<std::uint32_t>;
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal([](Record&, Table&) {}), "valid");
  EXPECT_EQ(refusal([](Record& r, Table&) { r.own = shared::kNoIndex; }), "valid");
  EXPECT_THAT(refusal([](Record& r, Table&) { r.joint.joint = 3; }), testing::HasSubstr("does not exist"));
  EXPECT_THAT(refusal([=](Record& r, Table&) { r.joint.inverse_bind[0].x = none; }), testing::HasSubstr("not finite"));
  EXPECT_THAT(refusal([](Record& r, Table&) { r.own_part = 1.5f; }), testing::HasSubstr("0 to 1"));
  EXPECT_THAT(refusal([](Record& r, Table&) { r.child_part = -0.5f; }), testing::HasSubstr("0 to 1"));
  EXPECT_THAT(refusal([=](Record& r, Table&) { r.axis.x = none; }), testing::HasSubstr("not finite"));
  EXPECT_THAT(refusal([](Record& r, Table&) { r.child = 2 * shared::kTwistWords; }), testing::HasSubstr("table"));
  EXPECT_THAT(refusal([](Record& r, Table&) { r.child = 3; }), testing::HasSubstr("two things"));
  EXPECT_THAT(refusal([](Record&, Table& t) { t[1] = 3; }), testing::HasSubstr("does not exist"));
  EXPECT_THAT(refusal([=](Record&, Table& t) { t[4] = std::bit_cast<std::uint32_t>(none); }),
              testing::HasSubstr("not finite"));
  EXPECT_THAT(refusal([](Record&, Table& t) { t[9] = 0; }), testing::HasSubstr("no swing"));
}

}  // namespace
}  // namespace pelt
