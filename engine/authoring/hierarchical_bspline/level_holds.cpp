// SPDX-License-Identifier: MIT
// Limits and secondary action of stored vertices.
#include <algorithm>
#include <cmath>

#include "engine/authoring/hierarchical_bspline/action_pull.h"
#include "engine/authoring/hierarchical_bspline/control_mesh.h"
#include "engine/authoring/hierarchical_bspline/level.h"
#include "engine/character/base/invalid.h"
#include "engine/character/records.h"
#include "shaders/hierarchical_bspline/action_pose.h"
#include "shaders/hierarchical_bspline/limit_pose.h"

namespace pelt::hierarchical_bspline {

Shift shift_limited(const Level& level) {
  Shift shift;
  shift.pass.kernel = PoseKernel::kLimit;
  const Joints& joints = level.joints;
  for (std::uint32_t v = level.first; v < level.last; ++v) {
    const SurfaceLimit* limit = level.plans[v].limit;
    if (limit == nullptr) continue;
    shift.vertices.push_back(v);
    const std::uint32_t joint = level.plans[v].limiting_joint;
    const std::uint32_t parent = joints.parent(joint);
    const bool bisects = limit->kind == SurfaceLimitKind::kBisector;
    const glm::vec3 rest = level.surface.vertices()[v].rest;
    const glm::vec3 from_joint = rest - joints.origin(joint);
    const glm::vec3 bone = joints.bone(joint);
    const glm::vec3 before =
        shared::normalize_or(joints.origin(joint) - joints.origin(parent), shared::normalize_or(bone, glm::vec3(0.0f)));
    const float above = glm::dot(from_joint, shared::bisector_normal(before, bone));
    const float at_bind = bisects ? std::abs(above) : glm::distance(from_joint, shared::foot_on_bone(from_joint, bone));
    append_record(shift.pass.records,
                  shared::LimitRecord{.vertex = level.posed[v].vertex,
                                      .kind = bisects ? shared::kLimitBisector : shared::kLimitDistance,
                                      .joint = joint,
                                      .parent = parent,
                                      .rest = rest,
                                      .origin = joints.origin(joint),
                                      .before = before,
                                      .bone = bone,
                                      .side = above < 0 ? -1.0f : 1.0f,
                                      // A vertex that is nearer at bind keeps its distance there.
                                      .distance = std::min(limit->distance, at_bind),
                                      .joint_inverse_bind = joints.inverse_bind(joint),
                                      .parent_inverse_bind = joints.inverse_bind(parent)});
  }
  return shift;
}

Shift shift_separated(const Level& level) {
  Shift shift;
  shift.pass.kernel = PoseKernel::kLimit;
  for (std::uint32_t v = level.first; v < level.last; ++v) {
    const SurfaceSeparation* separation = level.plans[v].separation;
    if (separation == nullptr) continue;
    shift.vertices.push_back(v);
    const StoredVertex& other = *level.surface.find(level.number, separation->from);
    const PosedVertex posed = level.posed[static_cast<std::size_t>(&other - level.surface.vertices().data())];
    const glm::vec3 rest = level.surface.vertices()[v].rest;
    const std::uint32_t joint = level.plans[v].joint;
    shift.pass.stage = std::max(shift.pass.stage, posed.stage);
    append_record(shift.pass.records,
                  shared::LimitRecord{.vertex = level.posed[v].vertex,
                                      .kind = shared::kLimitSeparation,
                                      .joint = posed.vertex,
                                      .parent = joint,
                                      .rest = rest,
                                      .origin = other.rest,
                                      .bone = level.joints.bone(joint),
                                      .side = 1,
                                      .distance = std::min(separation->distance, glm::distance(rest, other.rest)),
                                      .joint_inverse_bind = level.joints.inverse_bind(joint)});
  }
  return shift;
}

Result<Shift> shift_swinging(const Level& level) {
  Shift shift;
  shift.pass.kernel = PoseKernel::kSecondaryAction;
  shift.entries = shared::kActionEntries;
  for (std::uint32_t v = level.first; v < level.last; ++v) {
    const SecondaryAction* action = level.plans[v].action;
    if (action == nullptr) continue;
    const StoredVertex& vertex = level.surface.vertices()[v];
    const glm::vec3 root = level.reference(v);
    const float length = glm::distance(root, vertex.rest);
    if (!(length > 1e-6f)) {
      return invalid("{}: vertex {} cannot swing: it has no offset from its reference for a rod", level.what(),
                     vertex.number);
    }
    shift.vertices.push_back(v);
    // Motion stays along the reference surface: the coarser level, or on the base its own.
    const glm::dvec3 normal =
        level.number > 0 ? at_bind(level.surface, vertex.reference).axes()[2] : normal_at(level.surface, vertex);
    const double stiffness = 3.0 * action->rigidity / std::pow(length, 3) / action->mass;
    const ActionPull along = action_pull(stiffness, action->damping / action->mass);
    const ActionPull into = action_pull(stiffness, action->damping_into / action->mass);
    append_record(shift.pass.records,
                  shared::ActionRecord{.vertex = level.posed[v].vertex,
                                       .entry = level.entries[v - level.first],
                                       .clock = level.input.builder.clock_input(),
                                       .rest = vertex.rest,
                                       .root = root,
                                       .normal = glm::vec3(normal),
                                       .kept = along.kept,
                                       .pull = along.pull,
                                       .kept_into = into.kept,
                                       .pull_into = into.pull,
                                       .reach = (action->along ? -action->reach : action->reach) * length});
  }
  return shift;
}

}  // namespace pelt::hierarchical_bspline
