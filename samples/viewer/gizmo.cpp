// SPDX-License-Identifier: MIT
#include "samples/viewer/gizmo.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <limits>

#include <pelt/frame.h>

#include "samples/viewer/pick.h"

namespace pelt::viewer {
namespace {

constexpr int kRingSteps = 64;
constexpr float kScreenRadius = 1.18f;  // radius of the ring that faces the eye / radius of the others
constexpr float kBehind = 0.06f;        // how far a half ring extends past its centre, away from the eye / radius
constexpr float kHeadLength = 0.16f;    // length of an arrow's head / radius
constexpr float kSquare = 0.12f;        // half the side of the square for moves in the picture's plane / radius

glm::vec3 towards_eye(const samples::Camera& camera) { return glm::normalize(camera.eye - camera.target); }

// Returns a unit vector perpendicular to `axis`.
glm::vec3 across(glm::vec3 axis) {
  const glm::vec3 other = std::abs(axis.y) < 0.8f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
  return glm::normalize(glm::cross(axis, other));
}

// Returns the direction of the part of `v` that is perpendicular to `axis`, or any such direction if that part is 0.
glm::vec3 perpendicular(glm::vec3 v, glm::vec3 axis) {
  const glm::vec3 part = v - glm::dot(v, axis) * axis;
  return glm::length(part) > 1e-4f * glm::length(v) ? glm::normalize(part) : across(axis);
}

// Returns a little more than the half of a ring nearer to the eye, or the whole ring if its axis points at the eye.
std::vector<glm::vec3> ring(glm::vec3 centre, glm::vec3 axis, float radius, glm::vec3 view) {
  const float tilt = glm::length(glm::cross(axis, view));
  const float half = tilt > kBehind ? std::acos(-kBehind / tilt) : glm::pi<float>();
  const glm::vec3 x = perpendicular(view, axis);
  const glm::vec3 y = glm::cross(axis, x);
  std::vector<glm::vec3> points;
  for (int k = 0; k <= kRingSteps; ++k) {
    const float angle = half * (2 * static_cast<float>(k) / static_cast<float>(kRingSteps) - 1);
    points.push_back(centre + radius * (std::cos(angle) * x + std::sin(angle) * y));
  }
  return points;
}

std::vector<glm::vec3> arrow(glm::vec3 from, glm::vec3 axis, float length) {
  const glm::vec3 x = across(axis);
  const glm::vec3 y = glm::cross(axis, x);
  const glm::vec3 tip = from + length * axis;
  std::vector<glm::vec3> points{from + kSquare * length * axis, tip};
  for (const glm::vec3 side : {x, -x, y, -y}) {
    points.push_back(tip + kHeadLength * length * (0.3f * side - axis));
    points.push_back(tip);
  }
  return points;
}

std::vector<glm::vec3> square(glm::vec3 centre, glm::vec3 axis, float half) {
  const glm::vec3 x = across(axis);
  const glm::vec3 y = glm::cross(axis, x);
  std::vector<glm::vec3> points;
  for (const glm::vec2 corner : {glm::vec2(1, 1), {-1, 1}, {-1, -1}, {1, -1}, {1, 1}}) {
    points.push_back(centre + half * (corner.x * x + corner.y * y));
  }
  return points;
}

float distance_to_segment(glm::vec2 at, glm::vec2 a, glm::vec2 b) {
  const glm::vec2 along = b - a;
  const float squared = glm::dot(along, along);
  const float u = squared > 0 ? std::clamp(glm::dot(at - a, along) / squared, 0.0f, 1.0f) : 0.0f;
  return glm::distance(at, a + u * along);
}

// Returns the point in which a ray meets a plane; none: the ray is parallel or points away.
std::optional<glm::vec3> meets(const Ray& ray, glm::vec3 point, glm::vec3 normal) {
  const float speed = glm::dot(ray.direction, normal);
  const float distance = speed == 0 ? -1.0f : glm::dot(point - ray.origin, normal) / speed;
  if (!(distance > 0)) return std::nullopt;
  return ray.origin + distance * ray.direction;
}

}  // namespace

std::optional<Gizmo> rotate_gizmo(const Actor& actor, const std::string& joint, const samples::Camera& camera,
                                  glm::vec2 size, float pixels) {
  const std::optional<std::uint32_t> number = actor.character->skeleton.find(joint);
  if (!number) return std::nullopt;
  const glm::mat4 frame = actor.worlds.front() * actor.pose.joints[*number];
  const glm::vec3 x = normalize_or(glm::vec3(frame[0]), glm::vec3(1, 0, 0));
  const glm::vec3 y = perpendicular(glm::vec3(frame[1]), x);
  const glm::vec3 view = towards_eye(camera);
  Gizmo gizmo{.kind = Gizmo::Kind::kRotate, .position = glm::vec3(frame[3]), .parts = {}};
  gizmo.radius = pixels * metres_per_pixel(camera, size, gizmo.position);
  const std::array<glm::vec3, 4> axes{x, y, glm::cross(x, y), view};
  for (std::size_t part = 0; part < axes.size(); ++part) {
    const float radius = gizmo.radius * (part == Gizmo::kScreen ? kScreenRadius : 1.0f);
    gizmo.parts[part] = {axes[part], ring(gizmo.position, axes[part], radius, view)};
  }
  return gizmo;
}

Gizmo translate_gizmo(const Handle& handle, const samples::Camera& camera, glm::vec2 size, float pixels) {
  Gizmo gizmo{.kind = Gizmo::Kind::kTranslate, .position = handle.position, .parts = {}};
  gizmo.radius = pixels * metres_per_pixel(camera, size, handle.position);
  for (int k = 0; k < 3; ++k) {
    const glm::vec3 axis = glm::mat3(1.0f)[k];
    gizmo.parts[static_cast<std::size_t>(k)] = {axis, arrow(handle.position, axis, gizmo.radius)};
  }
  const glm::vec3 view = towards_eye(camera);
  gizmo.parts[Gizmo::kScreen] = {view, square(handle.position, view, kSquare * gizmo.radius)};
  return gizmo;
}

void draw_gizmo(const Gizmo& gizmo, std::optional<std::size_t> hot, Overlay& overlay) {
  for (std::size_t part = 0; part < gizmo.parts.size(); ++part) {
    const bool is_axis = part != Gizmo::kScreen;
    glm::vec4 color = is_axis ? glm::vec4(kAxisColors[part], 0.95f) : glm::vec4(glm::vec3(0.75f), 0.6f);
    float width = is_axis ? 2.6f : 1.6f;
    if (part == hot) {
      color = {1.0f, 0.85f, 0.1f, 1.0f};
      width = 4.0f;
    }
    const std::vector<glm::vec3>& line = gizmo.parts[part].line;
    for (std::size_t k = 1; k < line.size(); ++k) overlay.lines.push_back({line[k - 1], line[k], color, width, true});
  }
}

std::optional<std::size_t> hit_gizmo(const Gizmo& gizmo, const samples::Camera& camera, glm::vec2 size, glm::vec2 at,
                                     float radius) {
  std::optional<std::size_t> nearest;
  for (std::size_t part = 0; part < gizmo.parts.size(); ++part) {
    const std::vector<glm::vec3>& line = gizmo.parts[part].line;
    for (std::size_t k = 1; k < line.size(); ++k) {
      const std::optional<glm::vec2> a = pixel_of(camera, size, line[k - 1]);
      const std::optional<glm::vec2> b = pixel_of(camera, size, line[k]);
      const float distance = a && b ? distance_to_segment(at, *a, *b) : radius;
      if (distance >= radius) continue;
      radius = distance;
      nearest = part;
    }
  }
  return nearest;
}

glm::quat drag_turn(const GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at) {
  constexpr float kSmall = 0.1f;  // radians
  const glm::quat none(1, 0, 0, 0);
  const auto& [axis, line] = drag.gizmo.parts[drag.part];
  constexpr float kAnywhere = std::numeric_limits<float>::infinity();
  const std::optional<std::size_t> grabbed = nearest_point(line, camera, size, drag.from, kAnywhere);
  if (!grabbed) return none;
  const glm::vec3 begin = line[*grabbed];
  const std::optional<glm::vec2> here = pixel_of(camera, size, begin);
  const std::optional<glm::vec2> next =
      pixel_of(camera, size, begin + kSmall * glm::cross(axis, begin - drag.gizmo.position));
  if (!here || !next || *here == *next) return none;
  const glm::vec2 step = *next - *here;
  return glm::angleAxis(kSmall * glm::dot(at - drag.from, step) / glm::dot(step, step), axis);
}

glm::vec3 drag_offset(const GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at) {
  const glm::vec3 axis = drag.gizmo.parts[drag.part].axis;
  const bool in_plane = drag.part == Gizmo::kScreen;
  // The plane through the arrow that faces the camera most.
  const glm::vec3 normal = in_plane ? axis : perpendicular(towards_eye(camera), axis);
  const auto from = meets(ray_through(camera, size, drag.from), drag.gizmo.position, normal);
  const auto to = meets(ray_through(camera, size, at), drag.gizmo.position, normal);
  if (!from || !to) return glm::vec3(0.0f);
  return in_plane ? *to - *from : axis * glm::dot(*to - *from, axis);
}

glm::quat turned_joint(const glm::quat& before, const Gizmo& rings, const glm::quat& turn) {
  const glm::quat orientation =
      glm::quat_cast(glm::mat3(rings.parts[0].axis, rings.parts[1].axis, rings.parts[2].axis));
  return before * (glm::conjugate(orientation) * turn * orientation);
}

void set_turn(ViewState& state, const std::string& joint, const glm::quat& rotation) {
  std::erase_if(state.turns, [&](const JointTurn& turn) { return turn.joint == joint; });
  if (rotation != glm::quat(1, 0, 0, 0)) state.turns.push_back({joint, rotation});
}

glm::quat turn_of(const ViewState& state, const std::string& joint) {
  const auto known = std::ranges::find(state.turns, joint, &JointTurn::joint);
  return known == state.turns.end() ? glm::quat(1, 0, 0, 0) : known->rotation;
}

}  // namespace pelt::viewer
