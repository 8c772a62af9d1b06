// SPDX-License-Identifier: MIT
// The shape of the built-in biped: where its joints are, and the clay on them. Metres; the left side is x > 0; the
// right side mirrors it.
#pragma once

#include <glm/glm.hpp>

#include "engine/model/implicit_surface.h"

namespace pelt {

// Places of the left side's joints and of the middle's, which the skeleton, the clay and the weights share.
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
inline constexpr glm::vec3 kToes{0.150f, 0.012f, 0.190f};
// Along the arm, from the shoulder.
inline constexpr float kElbow = 0.300f;
inline constexpr float kWrist = 0.565f;
inline constexpr float kFingertips = 0.755f;
}  // namespace landmark

// The left arm lies in a plane of constant z, 45 degrees below horizontal: outward and down, the palm facing back.
glm::vec3 arm_axis();
// Perpendicular to the axis in the same plane, away from the body: towards the little finger.
glm::vec3 arm_side();

class BipedShape {
 public:
  BipedShape();

  // The whole figure. Takes x >= 0.
  FieldSample sample(const glm::vec3& p) const;

  // Distances to its parts alone, to tell which one a point belongs to. Takes x >= 0.
  float trunk_distance(const glm::vec3& p) const { return trunk_.sample(p).distance; }
  float arm_distance(const glm::vec3& p) const { return arm_.sample(p).distance; }

 private:
  ImplicitSurface trunk_;  // with neck and head
  ImplicitSurface arm_;
  ImplicitSurface leg_;
};

}  // namespace pelt
