// SPDX-License-Identifier: MIT
// Rings that turn a joint and arrows that move a handle, drawn as overlay lines of constant screen size.
#pragma once

#include <array>
#include <cstddef>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <string>
#include <vector>

#include "samples/renderer/framing.h"
#include "samples/viewer/handle.h"
#include "samples/viewer/overlay.h"
#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

struct Gizmo {
  enum class Kind { kRotate, kTranslate };
  // The half of a ring nearer to the eye, or an arrow.
  struct Part {
    glm::vec3 axis;  // unit, world space
    std::vector<glm::vec3> line;
  };
  static constexpr std::size_t kScreen = 3;  // the part with the line of sight as its axis

  Kind kind = Kind::kRotate;
  glm::vec3 position{0.0f};   // world space
  float radius = 1;           // metres
  std::array<Part, 4> parts;  // x, y, z, kScreen
};

// Makes a gizmo for a joint of the first instance, with a radius of `pixels`; none: there is no such joint.
std::optional<Gizmo> rotate_gizmo(const Actor& actor, const std::string& joint, const samples::Camera& camera,
                                  glm::vec2 size, float pixels = 70);
// Makes arrows along the axes of the world.
Gizmo translate_gizmo(const Handle& handle, const samples::Camera& camera, glm::vec2 size, float pixels = 70);

// Adds the gizmo's lines; `hot`: the part under the mouse, or being dragged.
void draw_gizmo(const Gizmo& gizmo, std::optional<std::size_t> hot, Overlay& overlay);

// Returns the part that is drawn nearest to `at`, less than `radius` pixels away; none: no part. Arrows win over the
// screen's own part.
std::optional<std::size_t> hit_gizmo(const Gizmo& gizmo, const samples::Camera& camera, glm::vec2 size, glm::vec2 at,
                                     float radius);

// A drag from its start to the mouse, pixels; `gizmo`: at the start.
struct GizmoDrag {
  Gizmo gizmo;
  std::size_t part = 0;
  glm::vec2 from{0.0f};
};

// Returns the turn about the ring's axis, world space: the motion along the ring's tangent at the grabbed point.
glm::quat drag_turn(const GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at);

// Returns the offset along the arrow, or in the picture's plane, world space.
glm::vec3 drag_offset(const GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at);

// Returns JointTurn::rotation for a joint that had `before` when `rings` were made, turned by `turn` in world
// space.
glm::quat turned_joint(const glm::quat& before, const Gizmo& rings, const glm::quat& turn);

// Sets the turn of a joint; an identity turn is removed.
void set_turn(ViewState& state, const std::string& joint, const glm::quat& rotation);
// Returns the turn of a joint; the identity if it has none.
glm::quat turn_of(const ViewState& state, const std::string& joint);

}  // namespace pelt::viewer
