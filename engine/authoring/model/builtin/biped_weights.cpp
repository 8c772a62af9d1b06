// SPDX-License-Identifier: MIT
#include "engine/authoring/model/builtin/biped_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/authoring/core/stop.h"
#include "engine/authoring/model/builtin/biped_clips.h"
#include "engine/authoring/model/builtin/model_builder.h"

namespace pelt {
namespace {

using glm::vec3;

// Weights of one vertex of the left half, indexed by joint.
using JointWeights = std::array<float, kBipedJointCount>;

// Rises from 0 to 1 over `width` round `middle`.
float ramp(float x, float middle, float width) { return smooth_step((x - middle) / width + 0.5f); }

// Moves a share of one joint's weight to another.
void hand_over(JointWeights& w, std::uint32_t from, std::uint32_t to, float share) {
  const float weight = w[from] * share;
  w[to] += weight;
  w[from] -= weight;
}

// Returns how much of the skin of the skull follows the jaw. Between the lips the border is sharp; at the corners of
// the mouth each side follows by half; in the cheeks, and in the room behind the lips, the border is a band that widens
// backward.
float jaw_share(const vec3& p) {
  namespace at = landmark;
  const vec3 ahead = glm::normalize(at::kMouth - at::kJaw);
  const float below = glm::dot(p - at::kMouth, vec3(0.0f, -ahead.z, ahead.y));
  const float forward = glm::dot(p - at::kJaw, ahead);
  const float beside = std::max(p.x - at::kMouthCorner, 0.0f), behind = std::max(0.080f - forward, 0.0f);
  const float corner = smooth_step((p.x - 0.006f) / (at::kMouthCorner - 0.006f));
  const float soft = std::max(corner, ramp(behind, 0.004f, 0.012f));
  const float wide = 0.012f + 0.9f * beside + 0.5f * behind;
  return glm::mix(ramp(below, 0.0f, 0.002f), ramp(below, 0.0f, wide), soft) * ramp(forward, 0.012f, 0.050f);
}

// How much of the skin of the skull follows each lid. At its rim as much as it takes to meet the other lid, when the
// lids' joints turn by the angle that closes the eye in the middle; above and below, less and less up to the crease.
struct LidShares {
  float upper = 0;
  float lower = 0;
};
LidShares lid_shares(const vec3& p) {
  constexpr float kPlateau = 0.15f, kUpperCrease = 0.74f, kLowerCrease = 0.65f;  // radians from the rim
  const vec3 from_eye = p - landmark::kEye;
  const float distance = std::max(glm::length(from_eye), 1e-6f);
  const LidRims rims = lid_rims(from_eye.x / distance), middle = lid_rims(0.0f);
  const float angle = std::atan2(from_eye.y, from_eye.z);
  const float is_lid =
      (1.0f - ramp(distance, landmark::kEyeRadius + 0.008f, 0.006f)) * (1.0f - ramp(std::abs(angle), 1.4f, 0.3f));
  const auto share = [&](float beyond, float crease) {
    return is_lid * (1.0f - smooth_step((beyond - kPlateau) / (crease - kPlateau)));
  };
  if (angle > rims.closed) {
    return {.upper =
                share(angle - rims.upper, kUpperCrease) * (rims.upper - rims.closed) / (middle.upper - middle.closed)};
  }
  return {.lower =
              share(rims.lower - angle, kLowerCrease) * (rims.closed - rims.lower) / (middle.closed - middle.lower)};
}

void paint_face(const vec3& p, JointWeights& w) {
  const LidShares lids = lid_shares(p);
  hand_over(w, kHead, kLeftUpperLid, lids.upper);
  hand_over(w, kHead, kLeftLowerLid, lids.lower);
  hand_over(w, kHead, kJaw, jaw_share(p));
}

// Gives each finger the skin that is nearest to it: all of it on the finger itself and little on webs, which stay with
// the hand. The weights pass along the finger in bands at its joints.
void paint_fingers(const BipedShape& shape, const vec3& p, JointWeights& w) {
  const std::array<Chain, kFingers>& fingers = shape.fingers();
  const std::array<float, kFingers> distances = shape.finger_distances(p);
  const float all = w[kLeftHand];
  for (std::uint32_t f = 0; f < kFingers; ++f) {
    float other = 1.0f;
    for (std::uint32_t g = 0; g < kFingers; ++g) {
      if (g != f) other = std::min(other, distances[g]);
    }
    const float distance = std::max(distances[f], 0.0f);
    const float belongs = ramp(other - distances[f], 0.0015f + 0.4f * distance, 0.005f + distance) *
                          (1.0f - ramp(distance, 0.008f, 0.012f));
    const auto beyond = [&](std::size_t joint, float middle, float width) {
      const auto& balls = fingers[f].balls;
      const vec3 after = glm::normalize(balls[joint + 1].centre - balls[joint].centre);
      const vec3 before = joint > 0 ? glm::normalize(balls[joint].centre - balls[joint - 1].centre) : after;
      return ramp(glm::dot(p - balls[joint].centre, glm::normalize(before + after)), middle, width);
    };
    const float first = belongs * beyond(0, 0.006f, 0.026f), second = beyond(1, 0.0f, 0.017f),
                third = beyond(2, 0.0f, 0.014f);
    const std::uint32_t joint = kLeftThumb + 3 * f;
    w[joint] = all * first * (1.0f - second);
    w[joint + 1] = all * first * second * (1.0f - third);
    w[joint + 2] = all * first * second * third;
    w[kLeftHand] -= all * first;
  }
}

// Weights as a rigger would paint them: each bone of a chain takes over from the one before in a band round their
// joint, and a chain takes over from the trunk along the fold between them.
JointWeights painted_weights(const BipedShape& shape, const vec3& p) {
  JointWeights w{};

  // The trunk, from below. The band between neck and head slopes down to the front, since the chin belongs to the head.
  const float skull = p.y + 0.45f * p.z;
  const std::array<float, 4> above = {ramp(p.y, 1.075f, 0.13f), ramp(p.y, 1.225f, 0.14f),
                                      ramp(p.y + 0.3f * p.z, 1.480f, 0.07f), ramp(skull, 1.582f, 0.055f)};
  w[kHips] = 1.0f - above[0];
  w[kSpine] = above[0] * (1.0f - above[1]);
  w[kChest] = above[1] * (1.0f - above[2]);
  w[kNeck] = above[2] * (1.0f - above[3]);
  w[kHead] = above[3];

  // Collar bone and shoulder blade: the outer part of the chest's upper end.
  const float shoulder = ramp(p.x, 0.105f, 0.13f) * ramp(p.y, 1.365f, 0.15f) * (1.0f - ramp(p.y, 1.53f, 0.08f));
  w[kLeftShoulder] = w[kChest] * shoulder;
  w[kChest] -= w[kLeftShoulder];

  // The arm: along its axis, and only where the arm is nearer than the trunk.
  const float s = glm::dot(p - landmark::kShoulder, arm_axis());
  const float belongs = ramp(shape.trunk_distance(p) - shape.arm_distance(p), 0.005f, 0.07f);
  const float arm = belongs * ramp(s, 0.010f, 0.120f);
  const float forearm = ramp(s, landmark::kElbow, 0.095f);
  // A twist needs room: 40 % of the forearm, mostly above the wrist.
  const float hand = ramp(s, landmark::kWrist - 0.036f, 0.106f);
  // The leg: below the fold that runs from the hip bone to the crotch, further down at the back. Nothing on the plane
  // of symmetry, so that neither leg pulls at the other.
  const float fold = (p.y - landmark::kHip.y) - 0.55f * (p.x - landmark::kHip.x) - 0.20f * p.z;
  const float crotch = smooth_step(p.x / 0.065f + std::max(0.850f - p.y, 0.0f) / 0.130f);
  const float leg = p.y > 0.6f ? (1.0f - ramp(fold, 0.0f, 0.15f)) * crotch * (1.0f - arm) : 1.0f;
  const float shin = 1.0f - ramp(p.y, landmark::kKnee.y, 0.105f);
  const float foot = 1.0f - ramp(p.y - 0.25f * p.z, landmark::kAnkle.y + 0.005f, 0.055f);

  for (float& weight : w) weight *= (1.0f - arm) * (1.0f - leg);
  w[kLeftUpperArm] = arm * (1.0f - forearm);
  w[kLeftForearm] = arm * forearm * (1.0f - hand);
  w[kLeftHand] = arm * forearm * hand;
  w[kLeftThigh] = leg * (1.0f - shin);
  w[kLeftShin] = leg * shin * (1.0f - foot);
  w[kLeftFoot] = leg * shin * foot;

  // The balls of the foot lie on a line that runs backward to the little toe.
  const float toes = glm::dot(p - landmark::kBall, vec3(0.349f, 0.0f, 0.937f));
  hand_over(w, kLeftFoot, kLeftToes, ramp(toes, 0.004f, 0.034f));
  return w;
}

// Diffuses weights over the surface, which rounds off the bands. On the plane of symmetry the left side's weights stay
// 0, as the right side's do.
void smooth_weights(const HalfMesh& mesh, std::uint32_t rounds, std::vector<JointWeights>& weights) {
  std::vector<JointWeights> next(weights.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      stop_if_asked();
      JointWeights mean{};
      for (std::uint32_t n : mesh.rings[i]) {
        for (std::uint32_t j = 0; j < kBipedJointCount; ++j) mean[j] += weights[n][j];
      }
      float sum = 0;
      for (std::uint32_t j = 0; j < kBipedJointCount; ++j) {
        const float count = static_cast<float>(mesh.rings[i].size());
        const bool blocked = mesh.positions[i].x == 0.0f && is_left(j);
        next[i][j] = blocked ? 0.0f : glm::mix(weights[i][j], mean[j] / count, 0.6f);
        sum += next[i][j];
      }
      for (float& weight : next[i]) weight /= sum;
    }
    weights.swap(next);
  }
}

}  // namespace

SparseRows biped_weights(const BipedShape& shape, const HalfMesh& half, const Mirrored& whole) {
  std::vector<JointWeights> weights;
  for (const vec3& p : half.positions) weights.push_back(painted_weights(shape, p));
  smooth_weights(half, 10, weights);
  // Faces and fingers are too small for so much smoothing.
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i][kHead] > 0.0f) paint_face(half.positions[i], weights[i]);
    if (weights[i][kLeftHand] > 0.0f) paint_fingers(shape, half.positions[i], weights[i]);
  }
  smooth_weights(half, 3, weights);

  SparseRows rows;
  for (std::size_t i = 0; i < whole.source.size(); ++i) {
    const bool image = i >= half.positions.size();
    std::vector<WeightedElement> row;
    for (std::uint32_t j = 0; j < kBipedJointCount; ++j) {
      // Drops weights at the foot of the diffusion's slope: they move nothing visible.
      const float weight = weights[whole.source[i]][j];
      if (weight > 0.002f) row.push_back({image ? mirrored_joint(j) : j, weight});
    }
    cut_row(row, 4, Cut::kContinuous);
    append_row(rows, row);
  }
  return rows;
}

}  // namespace pelt
