// SPDX-License-Identifier: MIT
#include "samples/viewer/camera_control.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>

namespace pelt::viewer {
namespace {

constexpr float kSteepest = 1.55f;       // radians above or below the horizon
constexpr float kTurnsPerHeight = 0.5f;  // turns of the camera when the mouse crosses the picture
constexpr float kNotch = 0.88f;          // factor on the distance for one notch of the wheel

glm::vec3 backwards(const OrbitCamera& orbit) {
  return {std::cos(orbit.pitch) * std::sin(orbit.yaw), std::sin(orbit.pitch),
          std::cos(orbit.pitch) * std::cos(orbit.yaw)};
}

}  // namespace

samples::Camera camera_of(const OrbitCamera& orbit) {
  return {.eye = orbit.target + orbit.distance * backwards(orbit),
          .target = orbit.target,
          .vertical_fov = orbit.vertical_fov};
}

void orbit_by(OrbitCamera& orbit, glm::vec2 pixels, float height) {
  const float angle = kTurnsPerHeight * glm::two_pi<float>() / std::max(height, 1.0f);
  orbit.yaw = std::remainder(orbit.yaw - angle * pixels.x, glm::two_pi<float>());
  orbit.pitch = std::clamp(orbit.pitch + angle * pixels.y, -kSteepest, kSteepest);
}

void pan_by(OrbitCamera& orbit, glm::vec2 pixels, float height) {
  const float metres = 2 * orbit.distance * std::tan(0.5f * orbit.vertical_fov) / std::max(height, 1.0f);
  const glm::vec3 back = backwards(orbit);
  const glm::vec3 right = glm::normalize(glm::cross(glm::vec3(0, 1, 0), back));
  orbit.target += metres * (pixels.y * glm::cross(back, right) - pixels.x * right);
}

void zoom_by(OrbitCamera& orbit, float notches) {
  orbit.distance = std::clamp(orbit.distance * std::pow(kNotch, notches), 1e-4f, 1e6f);
}

void frame_on(OrbitCamera& orbit, std::span<const samples::Bounds> boxes, float aspect) {
  const samples::View view{.yaw = orbit.yaw, .pitch = orbit.pitch, .vertical_fov = orbit.vertical_fov};
  const samples::Camera camera = samples::frame_camera(boxes, aspect, view);
  orbit.target = camera.target;
  orbit.distance = std::max(glm::distance(camera.eye, camera.target), 1e-4f);
  orbit.framed = true;
}

}  // namespace pelt::viewer
