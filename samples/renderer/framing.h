// SPDX-License-Identifier: MIT
// Where to put the camera and the characters, so that any character of any size fills the picture.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>

namespace pelt::samples {

struct Camera {
  glm::vec3 eye{0.0f, 1.0f, 4.0f};
  glm::vec3 target{0.0f, 1.0f, 0.0f};
  glm::vec3 up{0.0f, 1.0f, 0.0f};
  float vertical_fov = 0.45f;  // radians
};

// One instance at one time: model-space joint matrices, and CharacterData::input_count inputs.
struct InstancePose {
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
};

// A box along the axes; empty until something is added.
struct Bounds {
  glm::vec3 low{1e30f};
  glm::vec3 high{-1e30f};

  bool empty() const { return low.x > high.x; }
  glm::vec3 center() const { return 0.5f * (low + high); }
  glm::vec3 size() const { return empty() ? glm::vec3(0.0f) : high - low; }
  void add(glm::vec3 point);
  void add(const Bounds& box);
};

// The box around a box that is moved.
Bounds transform_bounds(const glm::mat4& world, const Bounds& box);

// The skin of a character in a pose (model-space joint matrices, as Crowd::pose takes them), found on the CPU: model
// space. Control meshes are left out.
Bounds posed_bounds(const Character& character, const InstancePose& pose);

struct View {
  float yaw = 0.45f;          // radians about +y, from a camera on the +z side looking at -z
  float pitch = 0.12f;        // radians above the horizon, within (-pi/2, pi/2)
  float vertical_fov = 0.4f;  // radians
  float margin = 1.12f;       // 1: the box touches the picture's edge
};

// The nearest camera in that direction that sees all of the boxes, with them in the middle, but never nearer than the
// longest diagonal of a box: what is seen end on keeps its shape. aspect: width / height.
// Precondition: there is a box, and none is empty.
Camera frame_camera(std::span<const Bounds> boxes, float aspect, const View& view = {});

// Moves `count` copies of a character of these bounds (model space) so that they stand in a row across the picture of a
// camera of this yaw, `gap` times their width apart, the row's middle where the character stands.
std::vector<glm::mat4> side_by_side(const Bounds& bounds, std::uint32_t count, float yaw, float gap = 0.12f);

// clip <- world with depth in [0, 1] and y down, for planes that hold `bounds`.
glm::mat4 clip_from_world(const Camera& camera, float aspect, const Bounds& bounds);

// Pixel of a point, from the top left corner. Precondition: the point is in front of the camera.
glm::vec2 project(const Camera& camera, std::uint32_t width, std::uint32_t height, glm::vec3 point);

}  // namespace pelt::samples
