// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <glm/gtc/constants.hpp>

#include <pelt/builtin.h>

#include "engine/authoring/model/builtin/model_builder.h"

namespace pelt {
namespace {

// Radii of a cap's rings, relative to the limb's radius. The outermost ring is close to the rim, so that the shared rim
// normals shade only a narrow band and the side keeps a cylinder's exact normals.
constexpr std::array kCapRings = {0.4f, 0.75f, 0.96f};

std::vector<ProfilePoint> cylinder_profile(float radius, float length, std::uint32_t along) {
  std::vector<ProfilePoint> profile;
  profile.push_back({.x = 0, .radius = 0, .normal_x = -1, .normal_radius = 0});
  for (float r : kCapRings) profile.push_back({.x = 0, .radius = r * radius, .normal_x = -1, .normal_radius = 0});
  for (std::uint32_t i = 0; i <= along; ++i) {
    profile.push_back({.x = length * static_cast<float>(i) / static_cast<float>(along), .radius = radius});
  }
  for (std::size_t i = kCapRings.size(); i-- > 0;) {
    profile.push_back({.x = length, .radius = kCapRings[i] * radius, .normal_x = 1, .normal_radius = 0});
  }
  profile.push_back({.x = length, .radius = 0, .normal_x = 1, .normal_radius = 0});
  return profile;
}

// Turns the second joint about a local axis at 90 degrees per second; keys every 30 degrees.
Clip turn(std::string name, std::uint32_t joint, const glm::vec3& axis, std::uint32_t degrees) {
  Clip clip{.name = std::move(name), .duration = static_cast<float>(degrees) / 90.0f};
  add_rotation_channel(clip, joint, degrees / 30,
                       [&](float time) { return glm::angleAxis(time * glm::half_pi<float>(), axis); });
  return clip;
}

}  // namespace

Model make_limb(const LimbOptions& options) {
  Model model;
  model.name = "builtin:limb";
  const std::uint32_t root = add_joint(model, "root", -1, {});
  const std::uint32_t joint = add_joint(model, "joint", static_cast<std::int32_t>(root),
                                        {.translation = glm::vec3(0.5f * options.length, 0.0f, 0.0f)});
  bind_all_joints(model);

  Mesh mesh = revolve("limb", cylinder_profile(options.radius, options.length, std::max(options.along, 1u)),
                      std::max(options.around, 3u));
  mesh.parts.front().material = 0;
  for (const glm::vec3& p : mesh.positions) {
    const float from_joint = p.x - 0.5f * options.length;
    const float second = options.blend_length > 0 ? smooth_step(0.5f + from_joint / options.blend_length)
                                                  : (from_joint < 0 ? 0.0f : 1.0f);
    const WeightedElement row[] = {{root, 1.0 - second}, {joint, second}};
    append_row(mesh.weights, row);
  }
  model.meshes.push_back(std::move(mesh));
  model.materials.push_back({.name = "clay", .base_color = glm::vec4(0.66f, 0.42f, 0.30f, 1.0f)});
  model.clips = {turn("bend", joint, glm::vec3(0.0f, 0.0f, 1.0f), 150),
                 turn("twist", joint, glm::vec3(1.0f, 0.0f, 0.0f), 360)};
  return model;
}

}  // namespace pelt
