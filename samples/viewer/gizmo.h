// SPDX-License-Identifier: MIT
// Rings that turn a joint and arrows that move a handle, drawn as overlay lines with a constant size on the screen.
#pragma once

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <string>

#include "samples/renderer/framing.h"
#include "samples/viewer/handle.h"
#include "samples/viewer/overlay.h"
#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

enum class GizmoPart { kNone, kX, kY, kZ, kScreen };

struct Gizmo {
  enum class Kind { kRotate, kTranslate };
  Kind kind = Kind::kRotate;
  glm::vec3 position{0.0f};  // world space
  glm::mat3 axes{1.0f};      // unit, world space
  float radius = 1;          // metres
};

// Makes a gizmo for a joint of the first instance, with a radius of `pixels`; none: there is no such joint.
std::optional<Gizmo> rotate_gizmo(const Actor& actor, const std::string& joint, const samples::Camera& camera,
                                  glm::vec2 size, float pixels = 70);
// Makes arrows along the axes of the world.
Gizmo translate_gizmo(const Handle& handle, const samples::Camera& camera, glm::vec2 size, float pixels = 70);

// Adds the gizmo's lines; `hot`: the part under the mouse, or being dragged.
void draw_gizmo(const Gizmo& gizmo, const samples::Camera& camera, GizmoPart hot, Overlay& overlay);

// Returns the part that is drawn nearest to `at`, at most `radius` pixels away. An arrow wins over the screen's own
// part.
GizmoPart hit_gizmo(const Gizmo& gizmo, const samples::Camera& camera, glm::vec2 size, glm::vec2 at, float radius);

// A drag, from its start to the mouse, pixels; `gizmo` stays as it was at the start.
struct GizmoDrag {
  Gizmo gizmo;
  GizmoPart part = GizmoPart::kNone;
  glm::vec2 from{0.0f};
  // Radians turned so far, kept by drag_turn for drags of more than half a turn.
  float angle = 0;
};

// Returns the turn about the ring's axis, world space: the mouse's turn about the gizmo's centre, counted beyond whole
// turns. If the ring is seen nearly edge on, the mouse's way along it counts instead.
glm::quat drag_turn(GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at);

// Returns the way along the arrow, or in the picture's plane, world space.
glm::vec3 drag_offset(const GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at);

// Returns JointTurn::rotation for a joint that had `before` at the start of the drag, turned by `turn` in world space.
// `joint`: the joint's matrix at the start, model space; `world`: the instance's.
glm::quat turned_joint(const glm::quat& before, const glm::mat4& joint, const glm::mat4& world, const glm::quat& turn);

// Sets the turn of a joint; an identity turn is removed.
void set_turn(ViewState& state, const std::string& joint, const glm::quat& rotation);
// Returns the turn of a joint; the identity if it has none.
glm::quat turn_of(const ViewState& state, const std::string& joint);

}  // namespace pelt::viewer
