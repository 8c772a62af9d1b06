// SPDX-License-Identifier: MIT
// What is under the mouse.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>

#include "samples/renderer/framing.h"
#include "samples/viewer/overlay.h"
#include "samples/viewer/stage.h"

namespace pelt::viewer {

struct Ray {
  glm::vec3 origin{0.0f};
  glm::vec3 direction{0.0f, 0.0f, -1.0f};  // unit
};

// Through the middle of a pixel. `at`: pixels from the picture's top left corner.
Ray ray_through(const samples::Camera& camera, glm::vec2 size, glm::vec2 at);

// The pixel of a point, from the picture's top left corner; none: it is not in front of the camera.
std::optional<glm::vec2> pixel_of(const samples::Camera& camera, glm::vec2 size, glm::vec3 point);

// Metres, about a point, that a pixel is wide.
float metres_per_pixel(const samples::Camera& camera, glm::vec2 size, glm::vec3 point);

struct VertexHit {
  std::string mesh;
  std::uint32_t vertex = 0;  // of the model's mesh: the corner nearest to where the ray enters the skin
  glm::vec3 position{0.0f};  // world space
  float distance = 0;        // along the ray
};

// The nearest skin of the actor's first instance, as it is posed.
std::optional<VertexHit> pick_vertex(Stage& stage, const Actor& actor, const Ray& ray);

// The handle that is drawn nearest to `at`, at most `radius` pixels away.
const Handle* pick_handle(const Overlay& overlay, const samples::Camera& camera, glm::vec2 size, glm::vec2 at,
                          float radius);

// The joint that is drawn nearest to `at`, at most `radius` pixels away; empty: none.
std::string pick_joint(const Actor& actor, const samples::Camera& camera, glm::vec2 size, glm::vec2 at, float radius);

}  // namespace pelt::viewer
