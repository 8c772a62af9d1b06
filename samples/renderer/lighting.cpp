// SPDX-License-Identifier: MIT
#include "samples/renderer/lighting.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/finite.h>

#include "samples/renderer/framing.h"

namespace pelt::samples {
namespace {

constexpr float kLampRadius = 0.10f;  // angular radius of either lamp's disc, seen from the scene, radians
constexpr float kMapMargin = 1.02f;   // size of a shadow map / size of the scene
constexpr float kPixelReach = 1.2f;   // width of the pixel filter, pixels
constexpr float kGroundReach = 2.6f;  // floor radius in radii of the scene
constexpr float kGoldenRatio = 1.6180339887f;

float fraction(float x) { return x - std::floor(x); }

// Returns point i of a sequence that covers the unit square evenly with any number of points (Roberts 2018, R2
// sequence).
glm::vec2 square_point(std::uint32_t i) {
  const auto n = static_cast<float>(i);
  return {fraction(0.5f + 0.7548776662f * n), fraction(0.5f + 0.5698402910f * n)};
}

// Returns point i of n in the unit disc, on a spiral (Vogel 1979).
glm::vec2 disc_point(std::uint32_t i, std::uint32_t n) {
  const float radius = std::sqrt((static_cast<float>(i) + 0.5f) / static_cast<float>(n));
  const float angle = glm::two_pi<float>() * fraction(static_cast<float>(i) / kGoldenRatio);
  return radius * glm::vec2(std::cos(angle), std::sin(angle));
}

// Returns direction i of n over the sphere, on a spiral (Swinbank and Purser 2006).
glm::vec3 sphere_direction(std::uint32_t i, std::uint32_t n) {
  const float y = 1.0f - (2.0f * static_cast<float>(i) + 1.0f) / static_cast<float>(n);
  const float angle = glm::two_pi<float>() * fraction(static_cast<float>(i) / kGoldenRatio);
  const float radius = std::sqrt(std::max(0.0f, 1.0f - y * y));
  return {radius * std::cos(angle), y, radius * std::sin(angle)};
}

// Returns a unit vector perpendicular to a unit vector.
glm::vec3 across(glm::vec3 direction) {
  const glm::vec3 other = std::abs(direction.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
  return glm::normalize(glm::cross(other, direction));
}

// Returns a parallel view along -towards_light that just encloses the box, with a margin for the shader's filter.
shared::ShadowMap shadow_map(glm::vec3 towards_light, const Bounds& bounds, float spread) {
  const glm::vec3 x = across(towards_light);
  const glm::vec3 y = glm::cross(towards_light, x);
  const glm::mat3 light_from_world = glm::transpose(glm::mat3(x, y, -towards_light));
  const Bounds box = transform_bounds(glm::mat4(light_from_world), bounds);
  const float side = std::max({kMapMargin * box.size().x, kMapMargin * box.size().y, 1e-6f});
  const float depth = std::max(1.02f * box.size().z, 1e-6f);
  const glm::vec3 scale(1.0f / side, 1.0f / side, 1.0f / depth);
  const glm::vec3 offset = glm::vec3(0.5f) - scale * box.center();
  glm::mat4 map_from_light = glm::scale(glm::mat4(1.0f), scale);
  map_from_light[3] = glm::vec4(offset, 1.0f);
  return {.map_from_world = map_from_light * glm::mat4(light_from_world),
          .towards_light = towards_light,
          .width = side,
          .depth = depth,
          .spread = spread};
}

// Returns the horizontal direction from the scene to the camera.
glm::vec3 camera_side(const Camera& camera) {
  glm::vec3 back = camera.eye - camera.target;
  back.y = 0.0f;
  if (glm::length(back) < 1e-3f * glm::length(camera.eye - camera.target)) {
    back = glm::vec3(camera.up.x, 0.0f, camera.up.z) * (camera.eye.y > camera.target.y ? -1.0f : 1.0f);
  }
  return glm::normalize(back);
}

}  // namespace

Lighting make_lighting(const Scene& scene, const RendererOptions& options) {
  Bounds bounds;
  for (const DrawItem& item : scene.items) {
    bounds.add(transform_bounds(item.world, item.bounds));
    for (const glm::mat4& world : item.others) bounds.add(transform_bounds(world, item.bounds));
  }
  if (bounds.empty()) bounds.add(scene.camera.target);
  const float radius = std::max(0.5f * glm::length(bounds.size()), 1e-6f);
  const glm::vec3 back = camera_side(scene.camera);
  const glm::vec3 right(back.z, 0.0f, -back.x);
  const glm::vec3 up(0.0f, 1.0f, 0.0f);
  const glm::vec2 size(options.width, options.height);

  Lighting lighting;
  lighting.ground = scene.ground && scene.camera.eye.y > scene.ground_height;
  const float reach = kGroundReach * radius;
  const glm::vec3 center = bounds.center();
  Bounds seen = bounds;
  if (lighting.ground) {
    seen.add(glm::vec3(center.x - reach, scene.ground_height, center.z - reach));
    seen.add(glm::vec3(center.x + reach, scene.ground_height, center.z + reach));
  }
  const auto see = [&](glm::vec3 point) {
    if (is_finite(point)) seen.add(point);
  };
  for (const OverlayLine& line : scene.lines) see(line.from), see(line.to);
  for (const OverlayDot& dot : scene.dots) see(dot.at);
  glm::mat4 ground = glm::scale(glm::mat4(1.0f), glm::vec3(2.0f * reach, 1.0f, 2.0f * reach));
  ground[3] = glm::vec4(center.x - reach, scene.ground_height, center.z - reach, 1.0f);
  lighting.frame = {.ground_from_unit = ground,
                    .eye = scene.camera.eye,
                    .size = size,
                    .ground_center = {center.x, center.z},
                    .ground_fade = reach,
                    .sample_weight = 1.0f / static_cast<float>(options.samples)};

  const glm::mat4 clip = clip_from_world(scene.camera, size.x / size.y, seen);
  const glm::vec3 key = glm::normalize(-0.62f * right + 0.95f * up + 0.70f * back);
  const glm::vec3 rim = glm::normalize(0.75f * right + 0.45f * up - 0.8f * back);
  // Each direction represents an equal part of the lamp's disc or of the sphere.
  const auto count = static_cast<float>(options.samples);
  const float lamp_spread = kLampRadius / std::sqrt(count);
  const float sky_spread = std::sqrt(4.0f / (static_cast<float>(shared::kSkyMaps) * count));
  for (std::uint32_t i = 0; i < options.samples; ++i) {
    shared::Sample sample{};
    const glm::vec2 shift = kPixelReach * 2.0f * (square_point(i) - 0.5f) / size;
    sample.clip_from_world = glm::translate(glm::mat4(1.0f), glm::vec3(shift, 0.0f)) * clip;
    const glm::vec2 disc = kLampRadius * disc_point(i, options.samples);
    const auto lamp_map = [&](glm::vec3 towards_lamp) {
      const glm::vec3 x = across(towards_lamp);
      const glm::vec3 y = glm::cross(towards_lamp, x);
      return shadow_map(glm::normalize(towards_lamp + disc.x * x + disc.y * y), bounds, lamp_spread);
    };
    sample.maps[shared::kKeyMap] = lamp_map(key);
    sample.maps[shared::kRimMap] = lamp_map(rim);
    for (std::uint32_t m = 0; m < shared::kSkyMaps; ++m) {
      const glm::vec3 direction = sphere_direction(i + m * options.samples, shared::kSkyMaps * options.samples);
      sample.maps[shared::kFirstSky + m] = shadow_map(direction, bounds, sky_spread);
    }
    sample.noise = fraction(static_cast<float>(i) / kGoldenRatio);
    lighting.samples.push_back(sample);
  }
  return lighting;
}

}  // namespace pelt::samples
