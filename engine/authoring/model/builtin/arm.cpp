// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>

#include <pelt/builtin.h>

#include "engine/authoring/model/builtin/model_builder.h"

namespace pelt {
namespace {

constexpr float kElbow = 0.30f;  // metres from the shoulder
constexpr float kWrist = 0.56f;
constexpr float kStart = -0.05f;  // the rounded ends of the skin
constexpr float kEnd = 0.74f;
constexpr std::uint32_t kAround = 72;
constexpr std::uint32_t kRings = 140;

// Half the height and half the width of the section at positions along the arm, metres.
struct Section {
  float x;
  float height;
  float width;
};
constexpr std::array<Section, 10> kSections = {{{-0.05f, 0.056f, 0.056f},
                                                {0.02f, 0.054f, 0.053f},
                                                {0.14f, 0.045f, 0.041f},
                                                {0.26f, 0.038f, 0.037f},
                                                {0.31f, 0.036f, 0.039f},
                                                {0.38f, 0.042f, 0.044f},
                                                {0.46f, 0.036f, 0.037f},
                                                {0.56f, 0.023f, 0.029f},
                                                {0.63f, 0.020f, 0.042f},
                                                {0.74f, 0.015f, 0.036f}}};

// Interpolates between the sections (Catmull-Rom).
glm::vec2 section_at(float x) {
  std::size_t k = 0;
  while (k + 2 < kSections.size() && x > kSections[k + 1].x) ++k;
  const auto value = [](std::size_t i) { return glm::vec2(kSections[i].height, kSections[i].width); };
  const auto slope = [&](std::size_t i) {
    const std::size_t before = i == 0 ? 0 : i - 1;
    const std::size_t after = std::min(i + 1, kSections.size() - 1);
    return (value(after) - value(before)) / (kSections[after].x - kSections[before].x);
  };
  const float length = kSections[k + 1].x - kSections[k].x;
  const float u = (x - kSections[k].x) / length;
  const float v = 1 - u;
  return v * v * (1 + 2 * u) * value(k) + u * u * (1 + 2 * v) * value(k + 1) +
         length * u * v * (v * slope(k) - u * slope(k + 1));
}

// Returns how far the section has opened near the ends, which are quarter ellipses: 0 to 1.
float opening(float x) {
  constexpr float kStartEnd = 0.05f;
  constexpr float kTipEnd = 0.03f;
  const float start = std::clamp(1 - (x - kStart) / kStartEnd, 0.0f, 1.0f);
  const float tip = std::clamp(1 - (kEnd - x) / kTipEnd, 0.0f, 1.0f);
  return std::sqrt(1 - start * start) * std::sqrt(1 - tip * tip);
}

Mesh make_skin() {
  std::vector<ProfilePoint> profile;
  for (std::uint32_t i = 0; i <= kRings; ++i) {
    const float even = static_cast<float>(i) / static_cast<float>(kRings);
    const float s = glm::mix(0.5f - 0.5f * std::cos(glm::pi<float>() * even), even, 0.6f);
    const bool is_pole = i == 0 || i == kRings;
    profile.push_back({.x = glm::mix(kStart, kEnd, s), .radius = is_pole ? 0.0f : 1.0f});
  }
  Mesh skin = revolve("skin", profile, kAround);
  skin.parts.front().material = 0;
  skin.tangents.clear();
  for (glm::vec3& p : skin.positions) {
    const glm::vec2 half = section_at(p.x) * opening(p.x);
    p = {p.x, half.x * p.y, half.y * p.z};
  }
  skin.normals = vertex_normals(skin.positions, skin.triangles);
  return skin;
}

float passed(float x, float joint, float blend) { return smooth_step(0.5f + (x - joint) / blend); }

// Turns a joint about an axis by `degrees`: the elbow about its hinge, the wrist about the forearm.
Clip turn(std::string name, std::uint32_t joint, const glm::vec3& axis, float degrees) {
  Clip clip{.name = std::move(name), .duration = degrees / 60.0f};
  add_rotation_channel(clip, joint, static_cast<std::uint32_t>(degrees / 10),
                       [&](float time) { return glm::angleAxis(glm::radians(60.0f) * time, axis); });
  return clip;
}

}  // namespace

Model make_arm() {
  Model model;
  model.name = "builtin:arm";
  const std::uint32_t shoulder = add_joint(model, "shoulder", -1, {});
  const std::uint32_t elbow =
      add_joint(model, "elbow", static_cast<std::int32_t>(shoulder), {.translation = glm::vec3(kElbow, 0.0f, 0.0f)});
  const std::uint32_t wrist = add_joint(model, "wrist", static_cast<std::int32_t>(elbow),
                                        {.translation = glm::vec3(kWrist - kElbow, 0.0f, 0.0f)});
  bind_all_joints(model);

  Mesh skin = make_skin();
  for (const glm::vec3& p : skin.positions) {
    const double forearm = passed(p.x, kElbow, 0.10f);
    const double hand = passed(p.x, kWrist, 0.06f);
    const WeightedElement row[] = {{shoulder, 1 - forearm}, {elbow, forearm - hand}, {wrist, hand}};
    append_row(skin.weights, row);
  }
  model.meshes.push_back(std::move(skin));
  model.materials.push_back({.name = "clay", .base_color = glm::vec4(0.66f, 0.42f, 0.30f, 1.0f)});
  model.clips = {turn("flex", elbow, glm::vec3(0.0f, 0.0f, 1.0f), 130),
                 turn("twist", wrist, glm::vec3(1.0f, 0.0f, 0.0f), 150)};
  return model;
}

}  // namespace pelt
