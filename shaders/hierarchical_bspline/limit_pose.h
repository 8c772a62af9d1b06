// SPDX-License-Identifier: MIT
// Limits of posed control vertices (Forsey 1994, "Future work": distance to the skeleton, bisection planes, separation
// of vertices). The palette entry is the shift that brings a vertex back within its limits.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_LIMIT_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_LIMIT_POSE_H

#include "segment_pose.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kLimitBisector = 0u;
PELT_SHARED_CONST uint kLimitDistance = 1u;
PELT_SHARED_CONST uint kLimitSeparation = 2u;

PELT_SHARED_CONST float kShortLimit = 0.1f;  // posed length over that at bind below which limits fade

struct LimitRecord {
  uint vertex;  // of the instance, posed without the limit
  uint kind;
  uint joint;         // kLimitSeparation: the other vertex, of the instance
  uint parent;        // the joint itself if it is a root; kLimitSeparation: the vertex's joint, with its bone
  PackedVec3 rest;    // the vertex at bind
  PackedVec3 origin;  // the joint's, or the other vertex's, model space at bind
  PackedVec3 before;  // unit direction of the bone that ends at the joint, at bind
  PackedVec3 bone;    // to the end of the joint's own bone, metres, at bind
  float side;         // kLimitBisector: 1 if the vertex lies on the side of the joint's bone at bind, else -1
  float distance;     // least distance, metres
  PackedAffine joint_inverse_bind;
  PackedAffine parent_inverse_bind;
};
PELT_SHARED_SIZE(LimitRecord, 168);

// The normal of the plane that bisects the angle at a joint, towards its own bone. `before`: direction of the bone that
// ends there.
PELT_SHARED_FN vec3 bisector_normal(vec3 before, vec3 bone) {
  vec3 along = normalize_or(bone, vec3(0.0f));
  return normalize_or(normalize_or(before, along) + along, along);
}

// The point of a bone that is closest to `point`, both relative to the bone's joint.
PELT_SHARED_FN vec3 foot_on_bone(vec3 point, vec3 bone) {
  float length = dot(bone, bone);
  return bone * (length > 0.0f ? clamp(dot(point, bone) / length, 0.0f, 1.0f) : 0.0f);
}

PELT_SHARED_FN vec3 limited_point(LimitRecord record, vec3 posed, PoseWork work) {
  bool separates = record.kind == kLimitSeparation;
  Affine joint = joint_motion(work, separates ? record.parent : record.joint, unpacked(record.joint_inverse_bind));
  vec3 origin = transform_point(joint, unpacked(record.origin));
  vec3 rest_bone = unpacked(record.bone);
  vec3 bone = transform_vector(joint, rest_bone);
  // Limits end as the joint is scaled to nothing, whose bone then has no direction.
  float at_bind = dot(rest_bone, rest_bone);
  float shown = at_bind > 0.0f ? smoothstep(0.0f, kShortLimit, sqrt(dot(bone, bone) / at_bind)) : 1.0f;
  if (record.kind == kLimitBisector) {
    Affine parent = joint_motion(work, record.parent, unpacked(record.parent_inverse_bind));
    vec3 normal = bisector_normal(transform_vector(parent, unpacked(record.before)), bone) * record.side;
    float above = dot(posed - origin, normal);
    return above < record.distance ? posed + normal * ((record.distance - above) * shown) : posed;
  }
  vec3 foot = separates ? posed_vertex(work, record.joint) : origin + foot_on_bone(posed - origin, bone);
  vec3 away = posed - foot;
  // A vertex on the bone or the other vertex itself moves in its direction at bind.
  vec3 at_rest = unpacked(record.rest) - unpacked(record.origin);
  vec3 outward = normalize_or(away, normalize_or(transform_vector(joint, at_rest), vec3(0, 1, 0)));
  float distance = record.distance * shown;
  return dot(away, away) < distance * distance ? foot + outward * distance : posed;
}

PELT_SHARED_FN Affine pose_limit(LimitRecord record, PoseWork work) {
  vec3 point = limited_point(record, posed_vertex(work, record.vertex), work);
  return affine_from_axes(mat3(1.0f), point - unpacked(record.rest));
}

PELT_SHARED_END

#endif
