// SPDX-License-Identifier: MIT
#include "samples/crowd/march.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

namespace pelt::samples {
namespace {

// Lengths and distances are in heights of the tallest character.
constexpr float kFileSpacing = 0.66f;
constexpr float kRankSpacing = 0.72f;
constexpr float kStray = 0.11f;  // greatest distance from the grid along each axis
constexpr float kSpeed = 0.7f;   // a second
constexpr float kMaxTurn = 0.12f;
constexpr float kWidthOfDepth = 0.75f;  // width of the grid / its depth

// Returns a pseudo-random number in [0, 1) for each pair (PCG hash, Jarzynski and Olano 2020).
float chance(std::uint32_t cell, std::uint32_t what) {
  std::uint32_t state = (8 * cell + what) * 747796405u + 2891336453u;
  state = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return static_cast<float>(((state >> 22u) ^ state) >> 8u) * 0x1p-24f;
}

}  // namespace

std::vector<Walker> line_up(std::uint32_t count, std::uint32_t characters, float height) {
  const float wide = kWidthOfDepth * static_cast<float>(count) * kRankSpacing / kFileSpacing;
  const auto files = std::max(1u, static_cast<std::uint32_t>(std::lround(std::sqrt(wide))));
  std::vector<Walker> walkers;
  for (std::uint32_t cell = 0; cell < count; ++cell) {
    const glm::vec2 stray(chance(cell, 0) - 0.5f, chance(cell, 1) - 0.5f);
    const std::uint32_t rank = cell / files;
    const glm::vec2 grid(kFileSpacing * (static_cast<float>(cell % files) - 0.5f * static_cast<float>(files - 1)),
                         -kRankSpacing * static_cast<float>(rank));
    // Every group of neighbours has one of each character, in an order that differs from group to group.
    const auto shift =
        static_cast<std::uint32_t>(chance(cell / characters, 2) * static_cast<float>(characters)) % characters;
    walkers.push_back({.character = (cell + shift) % characters,
                       .place = height * (grid + 2.0f * kStray * stray),
                       .turn = kMaxTurn * (2.0f * chance(cell, 3) - 1.0f),
                       .pace = 0.9f + 0.2f * chance(cell, 4),
                       .phase = chance(cell, 5)});
  }
  std::stable_sort(walkers.begin(), walkers.end(),
                   [](const Walker& a, const Walker& b) { return a.character < b.character; });
  return walkers;
}

glm::mat4 world_of(const Walker& walker, float height, float seconds) {
  const glm::vec2 way(std::sin(walker.turn), std::cos(walker.turn));
  const glm::vec2 at = walker.place + kSpeed * height * walker.pace * seconds * way;
  const glm::mat4 moved = glm::translate(glm::mat4(1.0f), glm::vec3(at.x, 0.0f, at.y));
  return glm::rotate(moved, walker.turn, glm::vec3(0.0f, 1.0f, 0.0f));
}

SeenBy::SeenBy(const Camera& camera, float aspect) : eye_(camera.eye) {
  const glm::vec3 forward = glm::normalize(camera.target - camera.eye);
  const glm::vec3 right = glm::normalize(glm::cross(forward, camera.up));
  view_ = glm::transpose(glm::mat3(right, glm::cross(right, forward), forward));
  tangents_.y = std::tan(0.5f * camera.vertical_fov);
  tangents_.x = tangents_.y * aspect;
}

std::array<glm::vec4, 4> SeenBy::planes() const {
  std::array<glm::vec4, 4> made;
  for (int i = 0; i < 4; ++i) {
    const float side = i % 2 == 0 ? 1.0f : -1.0f;
    // In the camera's axes they go through the eye.
    const glm::vec3 inwards = glm::normalize(i < 2 ? glm::vec3(side, 0, tangents_.x) : glm::vec3(0, side, tangents_.y));
    const glm::vec3 in_world = glm::transpose(view_) * inwards;
    made[static_cast<std::size_t>(i)] = glm::vec4(in_world, -glm::dot(in_world, eye_));
  }
  return made;
}

float SeenBy::share_of_picture(glm::vec3 at, float length) const {
  const float depth = (view_ * (at - eye_)).z;
  return 0.5f * length / (tangents_.y * std::max(depth, length));
}

}  // namespace pelt::samples
