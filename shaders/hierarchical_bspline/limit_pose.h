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
  uint parent;        // the joint itself if it is a root
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

// The point moved away from `foot` to at least the distance; if it lies there, in the direction `otherwise`.
PELT_SHARED_FN vec3 kept_away(vec3 point, vec3 foot, float distance, vec3 otherwise) {
  vec3 away = point - foot;
  return dot(away, away) < distance * distance ? foot + normalize_or(away, otherwise) * distance : point;
}

PELT_SHARED_FN vec3 limited_point(LimitRecord record, vec3 posed, PoseWork work) {
  vec3 from_rest = unpacked(record.rest) - unpacked(record.origin);
  vec3 otherwise = normalize_or(from_rest, vec3(0, 1, 0));
  if (record.kind == kLimitSeparation) {
    return kept_away(posed, posed_vertex(work, record.joint), record.distance, otherwise);
  }
  Affine joint = joint_motion(work, record.joint, unpacked(record.joint_inverse_bind));
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
  vec3 foot = origin + foot_on_bone(posed - origin, bone);
  // A vertex on the bone itself moves in its direction at bind.
  return kept_away(posed, foot, record.distance * shown,
                   normalize_or(transform_vector(joint, from_rest), vec3(0, 1, 0)));
}

PELT_SHARED_FN Affine pose_limit(LimitRecord record, PoseWork work) {
  vec3 point = limited_point(record, posed_vertex(work, record.vertex), work);
  return affine_from_axes(mat3(1.0f), point - unpacked(record.rest));
}

PELT_SHARED_END

#endif
