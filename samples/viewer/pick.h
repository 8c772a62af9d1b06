// SPDX-License-Identifier: MIT
// Finds the object under the mouse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>

#include "samples/renderer/framing.h"
#include "samples/viewer/overlay.h"
#include "samples/viewer/stage.h"

namespace pelt::viewer {

struct Ray {
  glm::vec3 origin{0.0f};
  glm::vec3 direction{0.0f, 0.0f, -1.0f};  // unit
};

// Returns the ray through the centre of a pixel. `at`: pixels from the picture's top left corner.
Ray ray_through(const samples::Camera& camera, glm::vec2 size, glm::vec2 at);

// Returns the pixel of a point, from the picture's top left corner; none: the point is not in front of the camera.
std::optional<glm::vec2> pixel_of(const samples::Camera& camera, glm::vec2 size, glm::vec3 point);

// Returns the width of a pixel at a point, metres.
float metres_per_pixel(const samples::Camera& camera, glm::vec2 size, glm::vec3 point);

struct VertexHit {
  std::string mesh;
  std::uint32_t vertex = 0;  // of the model's mesh: the corner nearest to the point at which the ray enters the skin
  glm::vec3 position{0.0f};  // world space
  float distance = 0;        // along the ray
};

// Picks the nearest skin of the actor's first instance in its pose.
std::optional<VertexHit> pick_vertex(Stage& stage, const Actor& actor, const Ray& ray);

// Returns the index of the point that is drawn nearest to `at`, at most `radius` pixels away; none: no point.
std::optional<std::size_t> nearest_point(std::span<const glm::vec3> points, const samples::Camera& camera,
                                         glm::vec2 size, glm::vec2 at, float radius);

// Returns the handle that is drawn nearest to `at`, at most `radius` pixels away; nullptr: none.
const Handle* pick_handle(const Overlay& overlay, const samples::Camera& camera, glm::vec2 size, glm::vec2 at,
                          float radius);

// Returns the joint that is drawn nearest to `at`, at most `radius` pixels away; empty: none.
std::string pick_joint(const Actor& actor, const samples::Camera& camera, glm::vec2 size, glm::vec2 at, float radius);

}  // namespace pelt::viewer
