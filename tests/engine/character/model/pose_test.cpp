// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <pelt/pose.h>

namespace pelt {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

Clip clip_of(ChannelPath path, Interpolation interpolation, std::vector<float> times, std::vector<float> values) {
  Clip clip{.name = "clip", .duration = times.back()};
  clip.channels.push_back({0, path, interpolation, std::move(times), std::move(values)});
  return clip;
}

Transform sampled(const Clip& clip, float time) {
  Transform local;
  sample_clip(clip, time, {&local, 1});
  return local;
}

glm::quat about_z(float angle) { return glm::angleAxis(angle, glm::vec3(0, 0, 1)); }

std::vector<float> keys_of(std::initializer_list<glm::quat> rotations) {
  std::vector<float> values;
  for (const glm::quat& q : rotations) values.insert(values.end(), {q.x, q.y, q.z, q.w});
  return values;
}

float angle_between(const glm::quat& a, const glm::quat& b) {
  return 2.0f * std::acos(std::min(1.0f, std::abs(glm::dot(a, b))));
}

TEST(SampleClip, ClampsToTheFirstAndLastKey) {
  for (const Interpolation interpolation : {Interpolation::kStep, Interpolation::kLinear}) {
    const Clip clip = clip_of(ChannelPath::kTranslation, interpolation, {1, 3}, {1, 2, 3, 5, 6, 7});
    EXPECT_EQ(sampled(clip, -10).translation, glm::vec3(1, 2, 3));
    EXPECT_EQ(sampled(clip, 1).translation, glm::vec3(1, 2, 3));
    EXPECT_EQ(sampled(clip, 3).translation, glm::vec3(5, 6, 7));
    EXPECT_EQ(sampled(clip, 10).translation, glm::vec3(5, 6, 7));
  }
}

TEST(SampleClip, OneKeyIsAConstant) {
  const Clip clip = clip_of(ChannelPath::kScale, Interpolation::kCubicSpline, {0}, {9, 9, 9, 1, 2, 3, 9, 9, 9});
  for (const float time : {-1.0f, 0.0f, 1.0f}) EXPECT_EQ(sampled(clip, time).scale, glm::vec3(1, 2, 3));
}

TEST(SampleClip, StepHoldsTheKeyBefore) {
  const Clip clip = clip_of(ChannelPath::kScale, Interpolation::kStep, {0, 1, 2}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
  EXPECT_EQ(sampled(clip, 0.999f).scale.x, 1);
  EXPECT_EQ(sampled(clip, 1).scale.x, 2);
  EXPECT_EQ(sampled(clip, 1.999f).scale.x, 2);
}

TEST(SampleMorphChannel, FollowsItsKeys) {
  MorphChannel channel{.interpolation = Interpolation::kLinear, .times = {1, 3}, .values = {0.5f, 1.5f}};
  EXPECT_EQ(sample(channel, 0), 0.5f);
  EXPECT_EQ(sample(channel, 1.5f), 0.75f);
  EXPECT_EQ(sample(channel, 4), 1.5f);
  channel.interpolation = Interpolation::kStep;
  EXPECT_EQ(sample(channel, 2.9f), 0.5f);
  // Flat at both ends: halfway in the middle, and slower before it.
  channel.interpolation = Interpolation::kCubicSpline;
  channel.values = {9, 0, 0, 0, 1, 9};
  EXPECT_FLOAT_EQ(sample(channel, 2), 0.5f);
  EXPECT_FLOAT_EQ(sample(channel, 1.5f), 0.15625f);
  EXPECT_EQ(sample(channel, 3), 1);
}

TEST(SampleClip, RotationsTurnEvenlyOnTheShorterArc) {
  // The second key is the farther of the two quaternions of a quarter turn.
  const Clip clip =
      clip_of(ChannelPath::kRotation, Interpolation::kLinear, {0, 1}, keys_of({about_z(0), -about_z(kPi / 2)}));
  for (const float t : {0.0f, 0.25f, 0.5f, 1.0f}) {
    EXPECT_NEAR(angle_between(sampled(clip, t).rotation, about_z(t * kPi / 2)), 0.0f, 2e-3f) << t;
  }
}

TEST(SampleClip, CubicSplineMeetsKeysAndTangents) {
  // One component each of an in-tangent, a value and an out-tangent; two keys two seconds apart.
  const std::vector<float> values{0, 0, 0, 1, 1, 1, 3, 3, 3,  //
                                  5, 5, 5, 2, 2, 2, 0, 0, 0};
  const Clip clip = clip_of(ChannelPath::kTranslation, Interpolation::kCubicSpline, {1, 3}, values);
  const auto at = [&](float time) { return sampled(clip, time).translation.x; };
  EXPECT_EQ(at(1), 1);
  EXPECT_EQ(at(3), 2);
  const float step = 1e-3f;
  EXPECT_NEAR((at(1 + step) - at(1)) / step, 3, 0.02f);
  EXPECT_NEAR((at(3) - at(3 - step)) / step, 5, 0.02f);
  // Hermite in the middle: (a + b) / 2 + t_d (m_0 - m_1) / 8.
  EXPECT_NEAR(at(2), 1.5f + 2.0f * (3 - 5) / 8, 1e-6f);
}

TEST(SampleClip, CubicSplineRotationsAreUnit) {
  std::vector<float> values;
  for (const glm::quat& q : {about_z(0), about_z(2)}) {
    values.insert(values.end(), {0.5f, 0, 0, 0});
    values.insert(values.end(), {q.x, q.y, q.z, q.w});
    values.insert(values.end(), {0, 0.5f, 0, 0});
  }
  const Clip clip = clip_of(ChannelPath::kRotation, Interpolation::kCubicSpline, {0, 1}, values);
  for (const float t : {0.1f, 0.5f, 0.9f}) EXPECT_NEAR(glm::length(sampled(clip, t).rotation), 1, 1e-6f);
}

TEST(SampleClip, LeavesWhatItDoesNotKey) {
  Transform local{.translation = {1, 2, 3}, .rotation = about_z(1), .scale = {4, 5, 6}};
  const Transform before = local;
  sample_clip(clip_of(ChannelPath::kScale, Interpolation::kStep, {0}, {7, 7, 7}), 0, {&local, 1});
  EXPECT_EQ(local.translation, before.translation);
  EXPECT_EQ(local.rotation, before.rotation);
  EXPECT_EQ(local.scale, glm::vec3(7));
}

Skeleton chain() {
  Skeleton skeleton;
  skeleton.joints.push_back({.name = "a", .rest = {.translation = {1, 0, 0}, .rotation = about_z(kPi / 2)}});
  skeleton.joints.push_back({.name = "b", .parent = 0, .rest = {.translation = {2, 0, 0}, .scale = {1, 2, 3}}});
  skeleton.joints.push_back({.name = "c", .parent = 1, .rest = {.translation = {0, 1, 0}}});
  return skeleton;
}

TEST(ModelMatrices, AreTranslationRotationScaleFromTheRoot) {
  const Skeleton skeleton = chain();
  std::vector<glm::mat4> matrices(3);
  rest_matrices(skeleton, matrices);
  // c's origin: (0, 1, 0), scaled to (0, 2, 0), moved to (2, 2, 0), turned to (-2, 2, 0), moved to (-1, 2, 0).
  const glm::vec4 origin = matrices[2] * glm::vec4(0, 0, 0, 1);
  EXPECT_NEAR(glm::distance(glm::vec3(origin), glm::vec3(-1, 2, 0)), 0, 1e-6f);
  EXPECT_EQ(origin.w, 1);

  std::vector<Transform> local(3);
  rest_pose(skeleton, local);
  std::vector<glm::mat4> posed(3);
  model_matrices(skeleton, local, posed);
  EXPECT_EQ(posed, matrices);
}

TEST(ModelMatrices, AMatrixTakesTheTransformsPlace) {
  Skeleton skeleton = chain();
  glm::mat4 shear(1.0f);
  shear[1][0] = 0.5f;
  skeleton.joints[1].matrix = shear;
  std::vector<glm::mat4> matrices(3);
  rest_matrices(skeleton, matrices);
  EXPECT_EQ(matrices[1], matrices[0] * shear);
  EXPECT_EQ(matrices[2][3], matrices[1] * glm::vec4(0, 1, 0, 1));
}

}  // namespace
}  // namespace pelt
