// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>

#include <pelt/builtin.h>

#include "engine/authoring/model/builtin/model_builder.h"

namespace pelt {
namespace {

constexpr std::uint32_t kJoints = 8;
constexpr float kLength = 1.6f;      // metres
constexpr float kBoneRatio = 0.88f;  // each bone over the one before: equal bends make a logarithmic spiral
constexpr std::uint32_t kAround = 48;
constexpr std::uint32_t kRings = 160;

// Returns the position along the tail of bone coordinate t: joint j is at t = j, the tip at t = 8. It is smooth between
// them, so that weights that are smooth in t are smooth in x.
float along_tail(float t) {
  return kLength * (1.0f - std::pow(kBoneRatio, t)) / (1.0f - std::pow(kBoneRatio, static_cast<float>(kJoints)));
}

float bone_coordinate(float x) {
  const float left = 1.0f - x / kLength * (1.0f - std::pow(kBoneRatio, static_cast<float>(kJoints)));
  return std::log(left) / std::log(kBoneRatio);
}

// Radius at fraction s of the length: a taper with a slight belly, rounded at both ends.
float tail_radius(float s) {
  const float taper = 0.022f + 0.098f * std::pow(1.0f - s, 1.25f) + 0.02f * std::sin(glm::pi<float>() * s) * (1.0f - s);
  constexpr float kBaseEnd = 0.055f;  // fractions of the length over which the ends close as quarter ellipses
  constexpr float kTipEnd = 0.016f;
  const float base = std::clamp(1.0f - s / kBaseEnd, 0.0f, 1.0f);
  const float tip = std::clamp(1.0f - (1.0f - s) / kTipEnd, 0.0f, 1.0f);
  return taper * std::sqrt(1.0f - base * base) * std::sqrt(1.0f - tip * tip);
}

std::vector<ProfilePoint> tail_profile() {
  // Even steps along the outline would need its arc length; a cosine near the ends also resolves the round parts.
  std::vector<ProfilePoint> profile;
  for (std::uint32_t i = 0; i <= kRings; ++i) {
    const float u = static_cast<float>(i) / static_cast<float>(kRings);
    const float s = glm::mix(0.5f - 0.5f * std::cos(glm::pi<float>() * u), u, 0.25f);
    profile.push_back({.x = s * kLength, .radius = tail_radius(s)});
  }
  profile.front() = {.x = 0, .radius = 0, .normal_x = -1, .normal_radius = 0};
  profile.back() = {.x = kLength, .radius = 0, .normal_x = 1, .normal_radius = 0};
  for (std::size_t i = 1; i + 1 < profile.size(); ++i) {
    const glm::vec2 direction(profile[i + 1].x - profile[i - 1].x, profile[i + 1].radius - profile[i - 1].radius);
    const glm::vec2 normal = glm::normalize(glm::vec2(-direction.y, direction.x));
    profile[i].normal_x = normal.x;
    profile[i].normal_radius = normal.y;
  }
  return profile;
}

// Appends the weights of a quadratic B-spline over the bones, centred on their middles: three influences, smooth.
// Weight beyond the first or last bone is added to that bone.
void append_tail_row(SparseRows& rows, float t) {
  const float centred = std::clamp(t, 0.0f, static_cast<float>(kJoints)) - 0.5f;
  const float nearest = std::round(centred);
  const float f = centred - nearest;
  const std::array<float, 3> weights = {0.5f * (0.5f - f) * (0.5f - f), 0.75f - f * f, 0.5f * (0.5f + f) * (0.5f + f)};
  std::array<WeightedElement, 3> row;
  for (std::uint32_t k = 0; k < 3; ++k) {
    const float bone = std::clamp(nearest + static_cast<float>(k) - 1.0f, 0.0f, static_cast<float>(kJoints - 1));
    row[k] = {static_cast<std::uint32_t>(bone), weights[k]};
  }
  append_row(rows, row);
}

// Bends in degrees of joints 1 to 7 in the two shapes of the clip, and the tilt out of the plane that separates the
// coils of the spiral. The base does not move.
constexpr std::array<float, kJoints> kSnake = {0, -20, -34, -26, 26, 44, 44, 36};
constexpr std::array<float, kJoints> kSpiral = {0, 22, 38, 52, 62, 68, 70, 66};
constexpr std::array<float, kJoints> kSpiralTilt = {0, 2, 4, 5, 6, 6, 5, 4};

// Returns the weights of the clip's two shapes at a time: rest pose, S, spiral (stays), S, rest pose.
glm::vec2 shape_shares(float time) {
  const float snake_in = smooth_step(time / 0.9f);
  const float spiral_in = smooth_step((time - 0.8f) / 1.1f);
  const float spiral_out = smooth_step((time - 2.4f) / 1.1f);
  const float snake_out = smooth_step((time - 3.2f) / 0.8f);
  const float spiral = spiral_in * (1.0f - spiral_out);
  return {snake_in * (1.0f - snake_out) * (1.0f - spiral), spiral};
}

Clip curl_clip() {
  Clip clip{.name = "curl", .duration = 4.0f};
  for (std::uint32_t j = 1; j < kJoints; ++j) {
    add_rotation_channel(clip, j, 48, [&](float time) {
      // The tip lags after the base, which makes a wave rather than a fold; the lag fades at the end so that the clip
      // loops.
      const float lag = 0.03f * static_cast<float>(j) * smooth_step((clip.duration - time) / 1.0f);
      const glm::vec2 share = shape_shares(time - lag);
      const float bend = share.x * kSnake[j] + share.y * kSpiral[j];
      return glm::angleAxis(glm::radians(share.y * kSpiralTilt[j]), glm::vec3(0.0f, 1.0f, 0.0f)) *
             glm::angleAxis(glm::radians(bend), glm::vec3(0.0f, 0.0f, 1.0f));
    });
  }
  return clip;
}

}  // namespace

Model make_tail() {
  Model model;
  model.name = "builtin:tail";
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    const float t = static_cast<float>(j);
    const float step = j == 0 ? 0.0f : along_tail(t) - along_tail(t - 1.0f);
    add_joint(model, "tail_" + std::to_string(j), static_cast<std::int32_t>(j) - 1,
              {.translation = glm::vec3(step, 0.0f, 0.0f)});
  }
  bind_all_joints(model);

  Mesh mesh = revolve("tail", tail_profile(), kAround);
  mesh.parts.front().material = 0;
  for (const glm::vec3& p : mesh.positions) append_tail_row(mesh.weights, bone_coordinate(p.x));
  model.meshes.push_back(std::move(mesh));
  model.materials.push_back({.name = "clay", .base_color = glm::vec4(0.42f, 0.52f, 0.36f, 1.0f)});
  model.clips.push_back(curl_clip());
  return model;
}

}  // namespace pelt
