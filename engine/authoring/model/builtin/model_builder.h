// SPDX-License-Identifier: MIT
// Helpers for built-in characters made by code: joints, clips from functions of time, surfaces of revolution.
#pragma once

#include <functional>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <span>
#include <string>

#include <pelt/model.h>

namespace pelt {

// Appends a joint at `rest` in its parent's space and returns its index. `parent` is -1 or an index returned earlier.
std::uint32_t add_joint(Model& model, std::string name, std::int32_t parent, const Transform& rest);

// Fills bound_joints with every joint, in order, bound in the rest pose.
void bind_all_joints(Model& model);

// Adds a linear rotation channel of `joint` with `intervals` + 1 keys at even times over [0, clip.duration], each with
// the value of `rotation` (seconds to local rotation). Keys must be so close that the shorter arc is the right one.
void add_rotation_channel(Clip& clip, std::uint32_t joint, std::uint32_t intervals,
                          const std::function<glm::quat(float)>& rotation);

// 0 at x <= 0, 1 at x >= 1, slope 0 at both ends: 3 x^2 - 2 x^3.
float smooth_step(float x);

// A ring of a surface of revolution about +x: position along the axis, radius, and the normal's components along the
// axis and outward.
struct ProfilePoint {
  float x = 0;
  float radius = 0;
  float normal_x = 0;
  float normal_radius = 1;
};

// Makes a closed mesh without weights by revolving a profile about +x: the first and last points lie on the axis and
// become one vertex each, every other point becomes a ring of `around` vertices. x never descends along the profile;
// outward is to the left of its direction. Quads are all split along the same diagonal. Tangents run along the profile.
Mesh revolve(std::string name, std::span<const ProfilePoint> profile, std::uint32_t around);

}  // namespace pelt
