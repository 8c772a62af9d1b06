// SPDX-License-Identifier: MIT
// Rings that turn a joint and arrows that move a handle: drawn as overlay lines, of one size on the screen.
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

// Of a joint of the first instance, about `pixels` large; none: there is no such joint.
std::optional<Gizmo> rotate_gizmo(const Actor& actor, const std::string& joint, const samples::Camera& camera,
                                  glm::vec2 size, float pixels = 70);
// Along the axes of the world.
Gizmo translate_gizmo(const Handle& handle, const samples::Camera& camera, glm::vec2 size, float pixels = 70);

// Adds its lines; `hot`: the part under the mouse, or that is dragged.
void draw_gizmo(const Gizmo& gizmo, const samples::Camera& camera, GizmoPart hot, Overlay& overlay);

// The part that is drawn nearest to `at`, at most `radius` pixels away. An arrow before the screen's own part.
GizmoPart hit_gizmo(const Gizmo& gizmo, const samples::Camera& camera, glm::vec2 size, glm::vec2 at, float radius);

// A drag from where it began to where the mouse is, pixels; the gizmo is as it was when the drag began.
struct GizmoDrag {
  Gizmo gizmo;
  GizmoPart part = GizmoPart::kNone;
  glm::vec2 from{0.0f};
  // Radians turned so far, for drags of more than half a turn: kept by drag_turn.
  float angle = 0;
};

// The turn about the ring's axis, world space: what the mouse turns about the gizmo's middle, counted through whole
// turns. A ring that is seen nearly edge on turns by the way along it.
glm::quat drag_turn(GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at);

// The way along the arrow, or in the picture's plane, world space.
glm::vec3 drag_offset(const GizmoDrag& drag, const samples::Camera& camera, glm::vec2 size, glm::vec2 at);

// JointTurn::rotation of a joint that had `before` when the drag began, turned by `turn` in world space. `joint`: the
// joint's matrix then, model space; `world`: of the instance.
glm::quat turned_joint(const glm::quat& before, const glm::mat4& joint, const glm::mat4& world, const glm::quat& turn);

// Sets the turn of a joint; one that is no turn is left out.
void set_turn(ViewState& state, const std::string& joint, const glm::quat& rotation);
// No turn where there is none.
glm::quat turn_of(const ViewState& state, const std::string& joint);

}  // namespace pelt::viewer
