// SPDX-License-Identifier: MIT
// Tests crowds that take joints as matrices, as their upper rows, and as rotations, translations and scales.
#include <gmock/gmock.h>

#include <glm/gtc/quaternion.hpp>

#include <pelt/linear_blend.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/mistake.h>
#include <pelt/shaders/joints.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using shared::Affine;
using shared::JointTransform;
using test::gpu_device;

constexpr JointFormat kFormats[] = {JointFormat::kMatrix4, JointFormat::kMatrix3x4, JointFormat::kTransform};

class JointFormats : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    character_.emplace(test::judged_by(model_, "curve-skeleton").character);
    gpu_.emplace(upload_character(*character_));
    for (std::size_t j = 0; j < bind_joints_.size(); ++j) {
      JointTransform joint;
      const glm::quat turn = glm::angleAxis(0.4f + 0.5f * static_cast<float>(j), glm::normalize(glm::vec3(1, 2, -1)));
      joint.rotation = glm::vec4(turn.x, turn.y, turn.z, turn.w);
      joint.translation = glm::vec3(bind_joints_[j][3]) + glm::vec3(0.1f, -0.2f, 0.3f);
      joint.scale = glm::vec3(1.1f, 0.9f, 1.2f);
      transforms_.push_back(joint);
      matrices_.push_back(shared::matrix_of_transform(joint));
      rows_.emplace_back(glm::transpose(matrices_.back()));
    }
  }
  Crowd make(JointFormat format, BufferPlace joints = {}) {
    return make_crowd(*gpu_, {.instances = {2}, .joint_format = format, .joints = joints});
  }
  std::vector<glm::vec3> moved_by(Crowd& crowd, std::uint32_t instance = 1) {
    EXPECT_TRUE(run(*gpu_device(), crowd));
    return positions(crowd, instance);
  }
  float apart(const std::vector<glm::vec3>& a, const std::vector<glm::vec3>& b) const {
    float worst = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t v = 0; v < std::min(a.size(), b.size()); ++v) worst = std::max(worst, glm::distance(a[v], b[v]));
    return worst / character_->size();
  }

  std::optional<Character> character_;
  std::optional<GpuCharacters> gpu_;
  std::vector<JointTransform> transforms_;
  std::vector<glm::mat4> matrices_;
  std::vector<Affine> rows_;
};

TEST_F(JointFormats, MoveAlike) {
  Crowd expected = make(JointFormat::kMatrix4);
  const std::vector<glm::vec3> rest = moved_by(expected);
  expected.pose(1, matrices_);
  const std::vector<glm::vec3> wanted = moved_by(expected);
  EXPECT_GT(apart(rest, wanted), 0.1f);
  for (const JointFormat format : kFormats) {
    Crowd crowd = make(format);
    EXPECT_LT(apart(moved_by(crowd), rest), 1e-5f) << "the rest pose";
    crowd.pose(1, matrices_);
    EXPECT_LT(apart(moved_by(crowd), wanted), 1e-5f);
    crowd.pose(1, bind_joints_);
    EXPECT_LT(apart(moved_by(crowd), rest), 1e-5f);
    crowd.pose(1, rows_);
    EXPECT_LT(apart(moved_by(crowd), wanted), 1e-5f);
    crowd.pose(1, bind_joints_);
    moved_by(crowd);
    crowd.pose(1, transforms_);
    EXPECT_LT(apart(moved_by(crowd), wanted), 1e-5f);
    EXPECT_LT(apart(positions(crowd, 0), rest), 1e-5f) << "the other instance stands";
  }
}

template <class Joint>
std::span<const float> floats_of(const std::vector<Joint>& joints) {
  return {reinterpret_cast<const float*>(joints.data()), joints.size() * sizeof(Joint) / sizeof(float)};
}

TEST_F(JointFormats, AreReadFromBuffersOfTheCallers) {
  Crowd expected = make(JointFormat::kMatrix4);
  expected.pose(1, matrices_);
  const std::vector<glm::vec3> wanted = moved_by(expected);
  const std::span<const float> written[] = {floats_of(matrices_), floats_of(rows_), floats_of(transforms_)};
  for (const JointFormat format : kFormats) {
    const std::span<const float> joints = written[static_cast<std::size_t>(format)];
    const Buffer buffer = callers_buffer(2 * joints.size_bytes());
    Crowd crowd = make(format, {buffer.handle()});
    const std::size_t joint_bytes = joints.size_bytes() / matrices_.size();
    fill(buffer, joints, crowd.first_joint(1) * joint_bytes);
    EXPECT_LT(apart(moved_by(crowd), wanted), 1e-5f);
  }
}

// Helper joints are turned in whichever form of matrix they are kept; a turned helper is no rotation and scale.
TEST_F(JointFormats, TurnHelperJoints) {
  Model model = model_;
  model.skeleton.joints.push_back({.name = "source", .parent = 0});
  Rig rig = test::rig_of(LinearBlendParameters{});
  rig.helper_joints = {{.joint = "joint1", .source = "source", .twist = 0.5f, .swing = 0.5f}};
  const Character helped = test::bound(model, rig).character;
  transforms_.push_back(transforms_.front());
  matrices_.push_back(matrices_.front());
  rows_.push_back(rows_.front());
  ASSERT_FALSE(helped->skeleton.helpers.empty());
  const GpuCharacters gpu = upload_character(helped);
  std::vector<glm::vec3> wanted;
  for (const JointFormat format : {JointFormat::kMatrix4, JointFormat::kMatrix3x4}) {
    Crowd crowd = make_crowd(gpu, {.instances = {1}, .joint_format = format});
    for (int form = 0; form < 3; ++form) {
      if (form == 0) crowd.pose(0, matrices_);
      if (form == 1) crowd.pose(0, rows_);
      if (form == 2) crowd.pose(0, transforms_);
      const std::vector<glm::vec3> got = moved_by(crowd, 0);
      if (wanted.empty()) wanted = got;
      EXPECT_LT(apart(got, wanted), 1e-5f);
    }
  }
  EXPECT_THAT(Crowd::create(*gpu_device(), gpu, {.joint_format = JointFormat::kTransform}).error().message,
              testing::HasSubstr("has helper joints"));
}

}  // namespace
}  // namespace pelt::runtime
