// SPDX-License-Identifier: MIT
// Places the camera and the characters so that a character of any size fills the picture.
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

// The pose of one instance: model-space joint matrices, and CharacterData::input_count inputs.
struct InstancePose {
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
};

// An axis-aligned box; empty until something is added.
struct Bounds {
  glm::vec3 low{1e30f};
  glm::vec3 high{-1e30f};

  bool empty() const { return low.x > high.x; }
  glm::vec3 center() const { return 0.5f * (low + high); }
  glm::vec3 size() const { return empty() ? glm::vec3(0.0f) : high - low; }
  void add(glm::vec3 point);
  void add(const Bounds& box);
};

Bounds transform_bounds(const glm::mat4& world, const Bounds& box);

// Computes the bounds of a character's skins in a pose (model-space joint matrices, as for Crowd::pose) on the CPU:
// model space, without control meshes.
Bounds posed_bounds(const Character& character, const InstancePose& pose);

// Returns the same for the posed positions of all meshes, in packed order.
Bounds skin_bounds(const CharacterData& character, std::span<const glm::vec3> positions);

struct View {
  float yaw = 0.45f;          // radians about +y, from a camera on the +z side looking at -z
  float pitch = 0.12f;        // radians above the horizon, within (-pi/2, pi/2)
  float vertical_fov = 0.4f;  // radians
  float margin = 1.12f;       // factor on the picture's size; 1: the box touches the edge
};

// Returns the nearest camera in that direction that sees all of the boxes, centred. Its distance is at least the
// longest diagonal of a box, so that a character seen end on keeps its shape. aspect: width / height. Precondition:
// there is a box, and none is empty.
Camera frame_camera(std::span<const Bounds> boxes, float aspect, const View& view = {});

// Returns the matrices of `count` copies of a character with these bounds (model space), in a row across the picture of
// a camera of this yaw, with gaps of `gap` times their width. The row is centred on the character's position.
std::vector<glm::mat4> side_by_side(const Bounds& bounds, std::uint32_t count, float yaw, float gap = 0.12f);

// Returns clip <- world with depth in [0, 1] and y down; near and far plane enclose `bounds`.
glm::mat4 clip_from_world(const Camera& camera, float aspect, const Bounds& bounds);

// Returns the pixel of a point, from the top left corner. Precondition: the point is in front of the camera.
glm::vec2 project(const Camera& camera, std::uint32_t width, std::uint32_t height, glm::vec3 point);

}  // namespace pelt::samples
