// SPDX-License-Identifier: MIT
#include "samples/renderer/framing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

namespace pelt::samples {
namespace {

std::array<glm::vec3, 8> corners(const Bounds& box) {
  std::array<glm::vec3, 8> points;
  for (int i = 0; i < 8; ++i) {
    points[i] = {(i & 1) != 0 ? box.high.x : box.low.x, (i & 2) != 0 ? box.high.y : box.low.y,
                 (i & 4) != 0 ? box.high.z : box.low.z};
  }
  return points;
}

glm::vec3 right_of(float yaw) { return {std::cos(yaw), 0.0f, -std::sin(yaw)}; }

}  // namespace

void Bounds::add(glm::vec3 point) {
  low = glm::min(low, point);
  high = glm::max(high, point);
}

void Bounds::add(const Bounds& box) {
  low = glm::min(low, box.low);
  high = glm::max(high, box.high);
}

Bounds transform_bounds(const glm::mat4& world, const Bounds& box) {
  Bounds moved;
  if (box.empty()) return moved;
  for (const glm::vec3& corner : corners(box)) moved.add(glm::vec3(world * glm::vec4(corner, 1.0f)));
  return moved;
}

Camera frame_camera(std::span<const Bounds> boxes, float aspect, const View& view) {
  const glm::vec3 right = right_of(view.yaw);
  const glm::vec3 back(std::cos(view.pitch) * std::sin(view.yaw), std::sin(view.pitch),
                       std::cos(view.pitch) * std::cos(view.yaw));
  const glm::vec3 up = glm::cross(back, right);
  const float tan_y = std::tan(0.5f * view.vertical_fov) / view.margin;
  const float tan_x = tan_y * aspect;
  // With the camera at (cx, cy, d), a corner (x, y, z) in the camera's axes is visible if |x - cx| <= (d - z) tan_x,
  // and likewise for y. Each corner bounds cx - d tan_x and cx + d tan_x; at the smallest d, corners touch both sides.
  Bounds all;
  float diagonal = 1e-6f;
  for (const Bounds& box : boxes) {
    all.add(box);
    diagonal = std::max(diagonal, glm::length(box.size()));
  }
  float right_most = -1e30f;
  float left_most = 1e30f;
  float top_most = -1e30f;
  float bottom_most = 1e30f;
  for (const Bounds& box : boxes) {
    for (const glm::vec3& corner : corners(box)) {
      const glm::vec3 at = corner - all.center();
      const float x = glm::dot(at, right);
      const float y = glm::dot(at, up);
      const float z = glm::dot(at, back);
      right_most = std::max(right_most, x + z * tan_x);
      left_most = std::min(left_most, x - z * tan_x);
      top_most = std::max(top_most, y + z * tan_y);
      bottom_most = std::min(bottom_most, y - z * tan_y);
    }
  }
  const float distance =
      std::max({0.5f * (right_most - left_most) / tan_x, 0.5f * (top_most - bottom_most) / tan_y, diagonal});
  const glm::vec3 middle =
      all.center() + 0.5f * (right_most + left_most) * right + 0.5f * (top_most + bottom_most) * up;
  return {.eye = middle + distance * back, .target = middle, .up = up, .vertical_fov = view.vertical_fov};
}

std::vector<glm::mat4> side_by_side(const Bounds& bounds, std::uint32_t count, float yaw, float gap) {
  const glm::vec3 right = right_of(yaw);
  float low = 1e30f;
  float high = -1e30f;
  for (const glm::vec3& corner : corners(bounds)) {
    low = std::min(low, glm::dot(corner, right));
    high = std::max(high, glm::dot(corner, right));
  }
  const float step = (1.0f + gap) * (high - low);
  std::vector<glm::mat4> worlds;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float at = step * (static_cast<float>(i) - 0.5f * static_cast<float>(count - 1));
    worlds.push_back(glm::translate(glm::mat4(1.0f), at * right));
  }
  return worlds;
}

glm::mat4 clip_from_world(const Camera& camera, float aspect, const Bounds& bounds) {
  const glm::mat4 view = glm::lookAtRH(camera.eye, camera.target, camera.up);
  float nearest = 1e30f;
  float farthest = -1e30f;
  for (const glm::vec3& corner : corners(bounds)) {
    const float depth = -(view * glm::vec4(corner, 1.0f)).z;
    nearest = std::min(nearest, depth);
    farthest = std::max(farthest, depth);
  }
  farthest = std::max(1.01f * farthest, 1e-6f);
  nearest = std::clamp(0.99f * nearest, 1e-3f * farthest, 0.5f * farthest);
  glm::mat4 projection = glm::perspectiveRH_ZO(camera.vertical_fov, aspect, nearest, farthest);
  projection[1][1] = -projection[1][1];
  return projection * view;
}

glm::vec2 project(const Camera& camera, std::uint32_t width, std::uint32_t height, glm::vec3 point) {
  const glm::vec2 size(width, height);
  Bounds box;
  box.add(point);
  const glm::vec4 clip = clip_from_world(camera, size.x / size.y, box) * glm::vec4(point, 1.0f);
  return (0.5f * glm::vec2(clip) / clip.w + 0.5f) * size;
}

}  // namespace pelt::samples
