// SPDX-License-Identifier: MIT
#include "samples/viewer/gizmo.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <vector>

#include <pelt/frame.h>

#include "samples/viewer/pick.h"

namespace pelt::viewer {
namespace {

constexpr int kRingSteps = 64;
constexpr float kScreenRadius = 1.18f;  // radius of the screen's ring / radius of the others
constexpr float kHeadLength = 0.16f;    // length of an arrow's head / radius
constexpr float kSquare = 0.12f;        // half the side of the square that moves in the picture's plane / radius
constexpr float kEdgeOn = 0.25f;        // cosine of view and ring's axis; below it the ring is dragged along its line

glm::vec3 towards_eye(const samples::Camera& camera) { return glm::normalize(camera.eye - camera.target); }

// Returns a unit vector perpendicular to `axis`.
glm::vec3 across(glm::vec3 axis) {
  const glm::vec3 other = std::abs(axis.y) < 0.8f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
  return glm::normalize(glm::cross(axis, other));
}

int axis_number(GizmoPart part) { return static_cast<int>(part) - static_cast<int>(GizmoPart::kX); }

glm::vec3 axis_of(const Gizmo& gizmo, GizmoPart part, const samples::Camera& camera) {
  return part == GizmoPart::kScreen ? towards_eye(camera) : gizmo.axes[axis_number(part)];
}

// Returns the points of the line that a part is drawn as.
std::vector<glm::vec3> outline(const Gizmo& gizmo, GizmoPart part, const samples::Camera& camera) {
  const glm::vec3 axis = axis_of(gizmo, part, camera);
  const glm::vec3 x = across(axis);
  const glm::vec3 y = glm::cross(axis, x);
  std::vector<glm::vec3> points;
  if (gizmo.kind == Gizmo::Kind::kTranslate && part != GizmoPart::kScreen) {
    return {gizmo.position + kSquare * gizmo.radius * axis, gizmo.position + gizmo.radius * axis};
  }
  if (gizmo.kind == Gizmo::Kind::kTranslate) {
    for (const glm::vec2 corner : {glm::vec2(1, 1), {-1, 1}, {-1, -1}, {1, -1}, {1, 1}}) {
      points.push_back(gizmo.position + kSquare * gizmo.radius * (corner.x * x + corner.y * y));
    }
    return points;
  }
  const float radius = gizmo.radius * (part == GizmoPart::kScreen ? kScreenRadius : 1.0f);
  for (int k = 0; k <= kRingSteps; ++k) {
    const float angle = glm::two_pi<float>() * static_cast<float>(k) / static_cast<float>(kRingSteps);
    points.push_back(gizmo.position + radius * (std::cos(angle) * x + std::sin(angle) * y));
  }
  return points;
}

// Returns true if a point of a ring is on the half that faces the eye: only that half is drawn and hit.
bool faces(const Gizmo& gizmo, GizmoPart part, const samples::Camera& camera, glm::vec3 point) {
  if (gizmo.kind == Gizmo::Kind::kTranslate || part == GizmoPart::kScreen) return true;
  return glm::dot(point - gizmo.position, towards_eye(camera)) > -0.06f * gizmo.radius;
}

float distance_to_segment(glm::vec2 at, glm::vec2 a, glm::vec2 b) {
  const glm::vec2 along = b - a;
  const float squared = glm::dot(along, along);
  const float u = squared > 0 ? std::clamp(glm::dot(at - a, along) / squared, 0.0f, 1.0f) : 0.0f;
  return glm::distance(at, a + u * along);
}

// Returns the index of the line's point that is drawn nearest to `at`; none: no point is in front of the camera.
std::optional<std::size_t> nearest_point(std::span<const glm::vec3> points, const samples::Camera& camera,
                                         glm::vec2 size, glm::vec2 at) {
  std::optional<std::size_t> nearest;
  float least = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::optional<glm::vec2> pixel = pixel_of(camera, size, points[k]);
    if (!pixel || (nearest && glm::distance(*pixel, at) >= least)) continue;
    least = glm::distance(*pixel, at);
    nearest = k;
  }
  return nearest;
}

// Returns the point in which a ray meets a plane; none: the plane is parallel or behind the ray.
std::optional<glm::vec3> meets(const Ray& ray, glm::vec3 point, glm::vec3 normal) {
  const float speed = glm::dot(ray.direction, normal);
  const float distance = speed == 0 ? -1.0f : glm::dot(point - ray.origin, normal) / speed;
  if (!(distance > 0)) return std::nullopt;
  return ray.origin + distance * ray.direction;
}

// Returns the angle from one direction to another about `axis`, radians in (-pi, pi].
float angle_about(glm::vec3 axis, glm::vec3 from, glm::vec3 to) {
  return std::atan2(glm::dot(axis, glm::cross(from, to)), glm::dot(from, to));
}

float ring_angle(const GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at) {
  const Gizmo& gizmo = drag.gizmo;
  const glm::vec3 axis = axis_of(gizmo, drag.part, camera);
  const glm::vec3 view = glm::normalize(camera.eye - gizmo.position);
  if (std::abs(glm::dot(axis, view)) > kEdgeOn) {
    const auto from = meets(ray_through(camera, size, drag.from), gizmo.position, axis);
    const auto to = meets(ray_through(camera, size, at), gizmo.position, axis);
    if (from && to) return angle_about(axis, *from - gizmo.position, *to - gizmo.position);
  }
  const std::vector<glm::vec3> ring = outline(gizmo, drag.part, camera);
  const std::optional<std::size_t> begin = nearest_point(ring, camera, size, drag.from);
  if (!begin) return drag.angle;
  const glm::vec3 along = glm::normalize(glm::cross(axis, ring[*begin] - gizmo.position));
  const std::optional<glm::vec2> here = pixel_of(camera, size, ring[*begin]);
  const std::optional<glm::vec2> next = pixel_of(camera, size, ring[*begin] + 0.1f * gizmo.radius * along);
  if (!here || !next || *here == *next) return drag.angle;
  const glm::vec2 step = *next - *here;
  return 0.1f * glm::dot(at - drag.from, step) / glm::dot(step, step);
}

}  // namespace

std::optional<Gizmo> rotate_gizmo(const Actor& actor, const std::string& joint, const samples::Camera& camera,
                                  glm::vec2 size, float pixels) {
  const std::optional<std::uint32_t> number = actor.character->skeleton.find(joint);
  if (!number) return std::nullopt;
  const glm::mat4 frame = actor.worlds.front() * actor.pose.joints[*number];
  Gizmo gizmo{.kind = Gizmo::Kind::kRotate, .position = glm::vec3(frame[3])};
  gizmo.axes[0] = normalize_or(glm::vec3(frame[0]), glm::vec3(1, 0, 0));
  gizmo.axes[1] = glm::vec3(frame[1]) - gizmo.axes[0] * glm::dot(gizmo.axes[0], glm::vec3(frame[1]));
  gizmo.axes[1] = normalize_or(gizmo.axes[1], across(gizmo.axes[0]));
  gizmo.axes[2] = glm::cross(gizmo.axes[0], gizmo.axes[1]);
  gizmo.radius = pixels * metres_per_pixel(camera, size, gizmo.position);
  return gizmo;
}

Gizmo translate_gizmo(const Handle& handle, const samples::Camera& camera, glm::vec2 size, float pixels) {
  return {.kind = Gizmo::Kind::kTranslate,
          .position = handle.position,
          .radius = pixels * metres_per_pixel(camera, size, handle.position)};
}

void draw_gizmo(const Gizmo& gizmo, const samples::Camera& camera, GizmoPart hot, Overlay& overlay) {
  const auto add = [&](glm::vec3 from, glm::vec3 to, glm::vec4 color, float width) {
    overlay.lines.push_back({from, to, color, width, true});
  };
  for (const GizmoPart part : {GizmoPart::kX, GizmoPart::kY, GizmoPart::kZ, GizmoPart::kScreen}) {
    const bool is_axis = part != GizmoPart::kScreen;
    const glm::vec3 cold = is_axis ? kAxisColors[axis_number(part)] : glm::vec3(0.75f);
    const glm::vec4 color(part == hot ? glm::vec3(1.0f, 0.85f, 0.1f) : cold, part == hot ? 1.0f
                                                                             : is_axis   ? 0.95f
                                                                                         : 0.6f);
    const float width = part == hot ? 4.0f : is_axis ? 2.6f : 1.6f;
    const std::vector<glm::vec3> points = outline(gizmo, part, camera);
    for (std::size_t k = 1; k < points.size(); ++k) {
      if (faces(gizmo, part, camera, points[k]) && faces(gizmo, part, camera, points[k - 1])) {
        add(points[k - 1], points[k], color, width);
      }
    }
    if (gizmo.kind != Gizmo::Kind::kTranslate || !is_axis) continue;
    const glm::vec3 axis = gizmo.axes[axis_number(part)];
    const glm::vec3 x = across(axis);
    const glm::vec3 neck = points.back() - kHeadLength * gizmo.radius * axis;
    for (const glm::vec3 side : {x, -x, glm::cross(axis, x), -glm::cross(axis, x)}) {
      add(points.back(), neck + 0.3f * kHeadLength * gizmo.radius * side, color, width);
    }
  }
}

GizmoPart hit_gizmo(const Gizmo& gizmo, const samples::Camera& camera, glm::vec2 size, glm::vec2 at, float radius) {
  GizmoPart nearest = GizmoPart::kNone;
  float least = radius;
  for (const GizmoPart part : {GizmoPart::kX, GizmoPart::kY, GizmoPart::kZ, GizmoPart::kScreen}) {
    const std::vector<glm::vec3> points = outline(gizmo, part, camera);
    for (std::size_t k = 1; k < points.size(); ++k) {
      if (!faces(gizmo, part, camera, points[k]) || !faces(gizmo, part, camera, points[k - 1])) continue;
      const std::optional<glm::vec2> a = pixel_of(camera, size, points[k - 1]);
      const std::optional<glm::vec2> b = pixel_of(camera, size, points[k]);
      if (!a || !b) continue;
      const float distance = distance_to_segment(at, *a, *b);
      if (distance < least || (distance == least && nearest == GizmoPart::kNone)) {
        least = distance;
        nearest = part;
      }
    }
  }
  return nearest;
}

glm::quat drag_turn(GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at) {
  const float now = ring_angle(drag, camera, size, at);
  drag.angle = now + glm::two_pi<float>() * std::round((drag.angle - now) / glm::two_pi<float>());
  return glm::angleAxis(drag.angle, axis_of(drag.gizmo, drag.part, camera));
}

glm::vec3 drag_offset(const GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at) {
  const Gizmo& gizmo = drag.gizmo;
  const glm::vec3 view = towards_eye(camera);
  // This plane contains the arrow and faces the camera most.
  const glm::vec3 axis = axis_of(gizmo, drag.part, camera);
  const bool in_plane = drag.part == GizmoPart::kScreen;
  const glm::vec3 normal = in_plane ? view : normalize_or(view - glm::dot(view, axis) * axis, across(axis));
  const auto from = meets(ray_through(camera, size, drag.from), gizmo.position, normal);
  const auto to = meets(ray_through(camera, size, at), gizmo.position, normal);
  if (!from || !to) return glm::vec3(0.0f);
  return in_plane ? *to - *from : axis * glm::dot(*to - *from, axis);
}

glm::quat turned_joint(const glm::quat& before, const glm::mat4& joint, const glm::mat4& world, const glm::quat& turn) {
  glm::mat3 axes = glm::mat3(world * joint);
  axes[0] = normalize_or(axes[0], glm::vec3(1, 0, 0));
  axes[1] = normalize_or(axes[1] - glm::dot(axes[0], axes[1]) * axes[0], across(axes[0]));
  axes[2] = glm::cross(axes[0], axes[1]);
  const glm::quat orientation = glm::quat_cast(axes);
  return before * (glm::conjugate(orientation) * turn * orientation);
}

void set_turn(ViewState& state, const std::string& joint, const glm::quat& rotation) {
  const auto known = std::ranges::find(state.turns, joint, &JointTurn::joint);
  const bool none = rotation == glm::quat(1, 0, 0, 0);
  if (known == state.turns.end()) {
    if (!none) state.turns.push_back({joint, rotation});
  } else if (none) {
    state.turns.erase(known);
  } else {
    known->rotation = rotation;
  }
}

glm::quat turn_of(const ViewState& state, const std::string& joint) {
  const auto known = std::ranges::find(state.turns, joint, &JointTurn::joint);
  return known == state.turns.end() ? glm::quat(1, 0, 0, 0) : known->rotation;
}

}  // namespace pelt::viewer
