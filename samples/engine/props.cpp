// SPDX-License-Identifier: MIT
#include "samples/engine/props.h"

#include <fmt/format.h>

#include <cmath>

#include <pelt/anchor.h>
#include <pelt/evaluate.h>
#include <pelt/frame.h>

namespace pelt::samples {
namespace {

constexpr glm::vec3 kHip(0.19f, 0.97f, 0.03f);
constexpr int kButtons = 4;
constexpr int kStrands = 13;  // of each of two rows

glm::vec3 button(int i) { return {0, 1.36f - 0.085f * static_cast<float>(i), 0.2f}; }

// Along the jaw, from ear to ear.
glm::vec3 strand(int i, int row) {
  const float angle = glm::radians(-72.0f + 144.0f * static_cast<float>(i) / (kStrands - 1));
  return {0.075f * std::sin(angle), 1.575f + 0.022f * static_cast<float>(row) + 0.03f * (1 - std::cos(angle)),
          0.01f + 0.105f * std::cos(angle)};
}

Affine inverse_of(const Affine& frame) {
  const glm::mat3 turn = glm::transpose(affine_axes(frame));
  return affine_from_axes(turn, -(turn * affine_origin(frame)));
}

// Returns the frame at `origin` whose axis z points along `z`.
Affine along(glm::vec3 origin, glm::vec3 z) {
  const glm::vec3 forward = glm::normalize(z);
  const glm::vec3 x = glm::normalize(glm::cross(glm::vec3(0.1f, 1, 0.2f), forward));
  return affine_from_axes(glm::mat3(x, glm::cross(forward, x), forward), origin);
}

}  // namespace

std::vector<RigAnchor> prop_anchors() {
  std::vector<RigAnchor> anchors{{.name = "sword", .near = kHip}};
  for (int i = 0; i < kButtons; ++i) anchors.push_back({.name = fmt::format("button {}", i), .near = button(i)});
  for (int i = 0; i < 2 * kStrands; ++i)
    anchors.push_back({.name = fmt::format("beard {}", i), .near = strand(i % kStrands, i / kStrands)});
  return anchors;
}

std::vector<shared::PropRecord> make_props(const Character& character) {
  std::vector<shared::PropRecord> props;
  Evaluator at_rest(character);
  at_rest.evaluate_controls();
  // A solid is placed in model space at rest; its anchor carries it from there.
  const auto add = [&](std::uint32_t anchor, const Affine& at, glm::vec2 radius, float length, float taper,
                       glm::vec3 color) {
    const Affine frame = Anchor(character->anchors[anchor]).frame(at_rest);
    const Affine anchor_from_prop = affine_compose(inverse_of(frame), at);
    props.push_back({anchor_from_prop, color, anchor, radius, length, taper});
  };
  std::uint32_t a = 0;
  const glm::vec3 down = glm::normalize(glm::vec3(0.12f, -0.7f, -0.7f));
  constexpr glm::vec3 kSteel(0.45f, 0.47f, 0.5f), kLeather(0.09f, 0.05f, 0.03f), kBrass(0.6f, 0.42f, 0.12f);
  add(a, along(kHip, down), {0.012f, 0.03f}, 0.75f, 0.5f, kLeather);
  add(a, along(kHip + glm::vec3(0, 0.06f, -0.06f), {0, 0.7f, -0.7f}), {0.012f, 0.012f}, -0.17f, 1, kBrass);
  add(a, along(kHip, -down), {0.013f, 0.016f}, 0.16f, 0.8f, kSteel);
  add(a, along(kHip - 0.16f * down, -down), {0.022f, 0.022f}, 0.03f, 0.7f, kBrass);
  for (int i = 0; i < kButtons; ++i) {
    const glm::vec3 on = affine_origin(Anchor(character->anchors[++a]).frame(at_rest));
    add(a, along(on - glm::vec3(0, 0, 0.004f), {0, 0, 1}), glm::vec2(0.014f), 0.012f, 0.75f, kBrass);
  }
  for (int i = 0; i < 2 * kStrands; ++i) {
    const glm::vec3 on = affine_origin(Anchor(character->anchors[++a]).frame(at_rest));
    const glm::vec3 hangs(0.25f * on.x / 0.075f, -1, 0.35f);
    add(a, along(on, hangs), glm::vec2(0.013f), i < kStrands ? 0.09f : 0.06f, 0.1f, {0.16f, 0.07f, 0.03f});
  }
  return props;
}

}  // namespace pelt::samples
