// SPDX-License-Identifier: MIT
// The shape of the built-in biped: the places of its joints, and the surface round them ("clay"). Metres; the left side
// is x > 0; the right side mirrors it.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>

#include "engine/authoring/model/builtin/implicit_surface.h"

namespace pelt {

// Places of the joints of the left side and the middle, shared by the skeleton, the clay and the weights.
namespace landmark {
inline constexpr glm::vec3 kHips{0.0f, 0.955f, -0.005f};
inline constexpr glm::vec3 kSpine{0.0f, 1.07f, 0.0f};
inline constexpr glm::vec3 kChest{0.0f, 1.23f, -0.01f};
inline constexpr glm::vec3 kNeck{0.0f, 1.475f, -0.04f};
inline constexpr glm::vec3 kHead{0.0f, 1.585f, -0.015f};
inline constexpr glm::vec3 kCrown{0.0f, 1.80f, -0.005f};
inline constexpr glm::vec3 kClavicle{0.022f, 1.445f, 0.01f};
inline constexpr glm::vec3 kShoulder{0.180f, 1.425f, -0.025f};
inline constexpr glm::vec3 kHip{0.092f, 0.925f, -0.005f};
inline constexpr glm::vec3 kKnee{0.118f, 0.505f, -0.004f};
inline constexpr glm::vec3 kAnkle{0.132f, 0.088f, -0.022f};
inline constexpr glm::vec3 kBall{0.146f, 0.018f, 0.113f};  // of the foot
inline constexpr glm::vec3 kToes{0.150f, 0.012f, 0.190f};
inline constexpr glm::vec3 kJaw{0.0f, 1.652f, 0.004f};  // between its two hinges
inline constexpr glm::vec3 kChin{0.0f, 1.586f, 0.084f};
inline constexpr glm::vec3 kMouth{0.0f, 1.6175f, 0.0945f};  // the middle of the slit between the lips
inline constexpr glm::vec3 kEye{0.0320f, 1.6830f, 0.0610f};
// Distances along the arm from the shoulder.
inline constexpr float kElbow = 0.300f;
inline constexpr float kWrist = 0.565f;
inline constexpr float kFingertips = 0.755f;
// Half the width of the mouth.
inline constexpr float kMouthCorner = 0.0235f;
inline constexpr float kEyeRadius = 0.0125f;
}  // namespace landmark

// Direction of the left arm, which lies in a plane of constant z, 45 degrees below horizontal: outward and down, with
// the palm facing back.
glm::vec3 arm_axis();
// Direction perpendicular to the arm in the same plane, away from the body: towards the little finger.
glm::vec3 arm_side();

// The clay of each finger of the left hand, from the thumb to the little finger. The first three balls of a chain are
// the finger's joints, the last one is its tip.
constexpr std::uint32_t kFingers = 5;
std::array<Chain, kFingers> finger_chains();

// The rims of the lids of the left eye at `sine`, a point's coordinate along the eye's x axis over its distance from
// the eye's middle. Angles about that axis, radians above straight ahead. At the corners of the eye and beyond, the
// rims meet.
struct LidRims {
  float upper = 0;
  float lower = 0;
  float closed = 0;  // where the two meet when closed
};
LidRims lid_rims(float sine);

class BipedShape {
 public:
  BipedShape();

  // Samples the whole figure. Takes x >= 0.
  FieldSample sample(const glm::vec3& p) const;

  // Distances to single parts, to tell which one a point belongs to. Take x >= 0.
  float trunk_distance(const glm::vec3& p) const { return trunk_.sample(p).distance; }
  float arm_distance(const glm::vec3& p) const { return arm(p).distance; }
  std::array<float, kFingers> finger_distances(const glm::vec3& p) const;
  const std::array<Chain, kFingers>& fingers() const { return fingers_; }

 private:
  FieldSample arm(const glm::vec3& p) const;

  std::array<Chain, kFingers> fingers_;
  ImplicitSurface trunk_;  // with neck and head
  ImplicitSurface arm_;    // with the palm
  ImplicitSurface hand_;   // the fingers
  ImplicitSurface leg_;
};

}  // namespace pelt
