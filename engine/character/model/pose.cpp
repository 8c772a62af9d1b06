// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <glm/gtc/constants.hpp>

#include <pelt/pose.h>

#include "engine/character/model/skeleton_walk.h"
#include "shaders/swing_twist.h"

namespace pelt {
namespace {

// Up to four components; unused ones are 0.
using Value = std::array<float, 4>;

// The keys of a channel of either kind.
struct Keys {
  Interpolation interpolation = Interpolation::kLinear;
  std::span<const float> times;
  std::span<const float> values;
  std::size_t width = 1;  // floats per value
  bool rotations = false;

  Value operator[](std::size_t index) const {
    Value value{};
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(index * width), width, value.begin());
    return value;
  }
};

glm::quat to_quat(const Value& v) { return glm::quat(v[3], v[0], v[1], v[2]); }

// The sine of 0 to a quarter of a turn, radians, by the polynomials of Arm's optimized routines: C libraries differ in
// the last digit, and characters are bound by poses of clips.
float sine(float angle) {
  constexpr float kHalf = 0.785398163f;
  const double x = angle < kHalf ? angle : angle - glm::half_pi<double>();
  const double square = x * x;
  if (angle < kHalf) {
    const double sum = 0x1.1107605230bc4p-7 - square * 0x1.994eb3774cf24p-13;
    return static_cast<float>(x + x * square * (square * sum - 0x1.555545995a603p-3));
  }
  double sum = square * 0x1.99343027bf8c3p-16 - 0x1.6c087e89a359dp-10;
  sum = square * sum + 0x1.55553e1068f19p-5;
  return static_cast<float>(1 + square * (square * sum - 0x1.ffffffd0c621cp-2));
}

// As glm::slerp, the same bits with every C library.
glm::quat slerp(const glm::quat& start, glm::quat end, float t) {
  float cosine = glm::dot(start, end);
  if (cosine < 0) {  // the shorter arc
    end = -end;
    cosine = -cosine;
  }
  if (cosine > 1 - glm::epsilon<float>()) return glm::lerp(start, end, t);
  const auto angle = static_cast<float>(std::acos(static_cast<double>(cosine)));
  return (sine((1 - t) * angle) * start + sine(t * angle) * end) / sine(angle);
}

// Returns the value at `time` (glTF 2.0, Appendix C).
Value interpolate(const Keys& keys, float time) {
  const bool cubic = keys.interpolation == Interpolation::kCubicSpline;
  const auto value_of_key = [&](std::size_t key) { return keys[cubic ? 3 * key + 1 : key]; };

  const std::size_t after =
      static_cast<std::size_t>(std::upper_bound(keys.times.begin(), keys.times.end(), time) - keys.times.begin());
  if (after == 0) return value_of_key(0);
  const std::size_t key = after - 1;
  if (after == keys.times.size() || keys.interpolation == Interpolation::kStep) return value_of_key(key);

  const float interval = keys.times[after] - keys.times[key];
  const float t = (time - keys.times[key]) / interval;
  const Value start = value_of_key(key);
  const Value end = value_of_key(after);
  Value result{};
  if (cubic) {
    // C.5: v(t) = (2t^3 - 3t^2 + 1) v_k + t_d (t^3 - 2t^2 + t) b_k + (-2t^3 + 3t^2) v_k+1 + t_d (t^3 - t^2) a_k+1,
    // a: in-tangent, b: out-tangent, t_d: length of the interval.
    const Value out_tangent = keys[3 * key + 2];
    const Value in_tangent = keys[3 * after];
    const float t2 = t * t;
    const float t3 = t2 * t;
    for (std::size_t c = 0; c < keys.width; ++c) {
      result[c] = (2 * t3 - 3 * t2 + 1) * start[c] + interval * (t3 - 2 * t2 + t) * out_tangent[c] +
                  (-2 * t3 + 3 * t2) * end[c] + interval * (t3 - t2) * in_tangent[c];
    }
  } else if (keys.rotations) {
    const glm::quat q = slerp(to_quat(start), to_quat(end), t);
    result = {q.x, q.y, q.z, q.w};
  } else {
    for (std::size_t c = 0; c < keys.width; ++c) result[c] = start[c] + t * (end[c] - start[c]);
  }
  return result;
}

// The scale, large enough to keep the rotation if it is 0. A single axis without length gets almost none, so that the
// joints below do not see its rounding.
glm::vec3 turning_scale(const glm::vec3& scale) {
  const float least = scale == glm::vec3(0.0f) ? 1e-6f : 1e-12f;
  return glm::mix(scale, glm::vec3(least), glm::equal(scale, glm::vec3(0.0f)));
}

glm::mat4 local_matrix(const Transform& transform) {
  glm::mat4 matrix = glm::mat4_cast(transform.rotation);
  for (int axis = 0; axis < 3; ++axis) matrix[axis] *= transform.scale[axis];
  matrix[3] = glm::vec4(transform.translation, 1.0f);
  return matrix;
}

void place(const Skeleton& skeleton, std::size_t j, const Transform& local, std::span<glm::mat4> matrices) {
  const Joint& joint = skeleton.joints[j];
  const glm::mat4 matrix = joint.matrix ? *joint.matrix : local_matrix(local);
  const auto parent = skeleton.parent_of(j);
  matrices[j] = parent ? matrices[*parent] * matrix : matrix;
}

// Returns the rotation of a helper joint from rest, in its own space.
glm::vec4 turn_of(const HelperJoint& helper, std::uint32_t source_parent, std::span<const glm::mat4> matrices) {
  const shared::PoseWork work{nullptr, matrices.data(), nullptr, nullptr, nullptr};
  const glm::vec4 turn = shared::joint_turn(work, helper.source, source_parent, helper.source_rest);
  const float angle = shared::twist_angle(turn, helper.axis);
  const auto about_axis = [&](float part) {
    const float half = 0.5f * part * angle;
    return glm::vec4(helper.axis * std::sin(half), std::cos(half));
  };
  const glm::vec4 swing = shared::quaternion_product(turn, shared::quaternion_conjugate(about_axis(1)));
  const glm::vec4 shares =
      shared::quaternion_product(shared::partial_turn(swing, helper.swing), about_axis(helper.twist));
  return shared::quaternion_product(shared::quaternion_product(helper.source_to_joint, shares),
                                    shared::quaternion_conjugate(helper.source_to_joint));
}

// Moves the joints below a joint after the joint has moved from `before` to its matrix. Joints below one that is scaled
// to nothing stay.
void move_below(const Skeleton& skeleton, const HelperJoint& helper, const glm::mat4& before,
                std::span<glm::mat4> matrices) {
  const glm::vec3 lengths = shared::axis_lengths(glm::mat3(before));
  const float longest = std::max({lengths.x, lengths.y, lengths.z});
  const float least = 1e-9f * longest * longest * longest;
  if (helper.last == helper.joint || !(std::abs(glm::determinant(glm::mat3(before))) > least)) return;
  const glm::mat4 moved = matrices[helper.joint] * glm::inverse(before);
  for (std::uint32_t j = helper.joint + 1; j <= helper.last; ++j) {
    if (hangs_below(skeleton, j, helper.joint)) matrices[j] = moved * matrices[j];
  }
}

}  // namespace

void rest_pose(const Skeleton& skeleton, std::span<Transform> local) {
  assert(local.size() == skeleton.joints.size());
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) local[j] = skeleton.joints[j].rest;
}

void sample_clip(const Clip& clip, float time, std::span<Transform> local) {
  for (const Channel& channel : clip.channels) {
    Transform& joint = local[channel.joint];
    const bool rotations = channel.path == ChannelPath::kRotation;
    const std::size_t width = rotations ? 4 : 3;
    const Value value = interpolate({channel.interpolation, channel.times, channel.values, width, rotations}, time);
    switch (channel.path) {
      case ChannelPath::kTranslation:
        joint.translation = {value[0], value[1], value[2]};
        break;
      case ChannelPath::kRotation:
        joint.rotation = glm::normalize(to_quat(value));
        break;
      case ChannelPath::kScale:
        joint.scale = {value[0], value[1], value[2]};
        break;
    }
  }
}

float sample(const MorphChannel& channel, float time) {
  return interpolate({.interpolation = channel.interpolation, .times = channel.times, .values = channel.values},
                     time)[0];
}

void model_matrices(const Skeleton& skeleton, std::span<const Transform> local, std::span<glm::mat4> matrices) {
  assert(local.size() == skeleton.joints.size() && matrices.size() == skeleton.joints.size());
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    Transform turning = local[j];
    turning.scale = turning_scale(turning.scale);
    place(skeleton, j, turning, matrices);
  }
  turn_helpers(skeleton, matrices);
}

void turn_helpers(const Skeleton& skeleton, std::span<glm::mat4> matrices) {
  assert(matrices.size() == skeleton.joints.size());
  for (const HelperJoint& helper : skeleton.helpers) {
    const glm::mat4 before = matrices[helper.joint];
    const std::uint32_t parent = *skeleton.parent_of(helper.source);
    const glm::mat3 turn = shared::rotation_from_quaternion(turn_of(helper, parent, matrices));
    place(skeleton, helper.joint, skeleton.joints[helper.joint].rest, matrices);
    matrices[helper.joint] = matrices[helper.joint] * glm::mat4(turn);
    move_below(skeleton, helper, before, matrices);
  }
}

void rest_matrices(const Skeleton& skeleton, std::span<glm::mat4> matrices) {
  assert(matrices.size() == skeleton.joints.size());
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) place(skeleton, j, skeleton.joints[j].rest, matrices);
}

}  // namespace pelt
