// SPDX-License-Identifier: MIT
#include "engine/authoring/model/builtin/model_builder.h"

#include <cmath>
#include <glm/gtc/constants.hpp>
#include <utility>

#include <pelt/pose.h>

#include "engine/authoring/model/closed_tube.h"

namespace pelt {
namespace {

std::vector<float> even_times(float duration, std::uint32_t intervals) {
  std::vector<float> times;
  for (std::uint32_t i = 0; i <= intervals; ++i) {
    times.push_back(duration * static_cast<float>(i) / static_cast<float>(intervals));
  }
  return times;
}

}  // namespace

std::uint32_t add_joint(Model& model, std::string name, std::int32_t parent, const Transform& rest) {
  model.skeleton.joints.push_back({.name = std::move(name), .parent = parent, .rest = rest, .matrix = std::nullopt});
  return static_cast<std::uint32_t>(model.skeleton.joints.size() - 1);
}

void bind_all_joints(Model& model) {
  std::vector<glm::mat4> matrices(model.skeleton.joints.size());
  rest_matrices(model.skeleton, matrices);
  model.bound_joints.clear();
  for (std::uint32_t j = 0; j < matrices.size(); ++j) {
    model.bound_joints.push_back({.joint = j, .inverse_bind = glm::inverse(matrices[j])});
  }
}

void add_rotation_channel(Clip& clip, std::uint32_t joint, std::uint32_t intervals,
                          const std::function<glm::quat(float)>& rotation) {
  Channel channel{.joint = joint, .path = ChannelPath::kRotation, .times = even_times(clip.duration, intervals)};
  for (float time : channel.times) {
    const glm::quat q = glm::normalize(rotation(time));
    channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
  }
  clip.channels.push_back(std::move(channel));
}

float smooth_step(float x) { return glm::smoothstep(0.0f, 1.0f, x); }

Mesh revolve(std::string name, std::span<const ProfilePoint> profile, std::uint32_t around) {
  Mesh mesh;
  mesh.name = std::move(name);
  const auto add_vertex = [&](const ProfilePoint& p, float angle, float radius) {
    const glm::vec3 outward{0.0f, std::cos(angle), std::sin(angle)};
    const glm::vec3 axis{1.0f, 0.0f, 0.0f};
    mesh.positions.push_back(p.x * axis + radius * outward);
    mesh.normals.push_back(glm::normalize(p.normal_x * axis + p.normal_radius * outward));
    mesh.tangents.emplace_back(glm::normalize(p.normal_radius * axis - p.normal_x * outward), 1.0f);
  };

  const auto rings = static_cast<std::uint32_t>(profile.size() - 2);
  add_vertex(profile.front(), 0.0f, 0.0f);
  for (const ProfilePoint& p : profile.subspan(1, rings)) {
    for (std::uint32_t k = 0; k < around; ++k) {
      add_vertex(p, glm::two_pi<float>() * static_cast<float>(k) / static_cast<float>(around), p.radius);
    }
  }
  add_vertex(profile.back(), 0.0f, 0.0f);
  mesh.triangles = closed_tube(rings, around);
  mesh.parts.push_back({.first_triangle = 0, .triangle_count = static_cast<std::uint32_t>(mesh.triangles.size())});
  return mesh;
}

}  // namespace pelt
