// SPDX-License-Identifier: MIT
// Control points of multipoint offset sampling (US 2013/0088497; docs/mathematics.md section 3), posed.
//
// Control point j moves rigidly with its joint, p_j = J p_local. Its frame is F_j = B_j F_j^R. F_j^R is the frame at
// bind (I, or the joint's axes); B_j is the motion from rest of its joint, or of the bone with which it turns:
//     B = A A_rest^-1                         A: 3x3 part of J, with its scale and shear
//     B = s S                                 a point that turns: s is the joint's scale relative to rest, S is between
//                                             the motions D of the two ends of a bone (shaders/chain/chain.h)
//     B = s S Rot(axis, theta)                the same with separate twist, S between the untwisted motions U:
//                                             blends of points blend theta, not matrices
// Edits in order, each with a share, which is 1 or keyed over the turn of a joint:
//     bulge    p <- c + f (p - c), c moves with the point's joint, f = 1 + share (factor - 1)
//     slide    p <- p + share (distance * unit direction from one joint to another, and an offset in the joint's axes)
//     scale    B <- B R0 diag(1 + share (scale - 1)) R0^-1, R0: the joint's rotation at rest
//     motion   B <- f B + (1 - f) A_G, p <- f p + (1 - f) G(p^R): claim 11, G the root joint's motion from rest
//     twist    theta <- theta + share * angle; without separate twist,
//              B <- B Rot(bone's direction at bind, share * angle)
//     outward  p <- p + distance (u - w), u and w the unit directions of the chain's bones that arrive at and
//              leave the point's anchor: a shift of 2 distance sin(bend / 2), away from the inside of the bend.
//              Before it, p goes 0.45 around of the way to p_a + B o, o from the anchor to p at rest, p_a the posed
//              anchor, B without own twist: at the end of that way it is as far from the joint as at rest. So the
//              outside of a sharp bend is round, not a wedge. Between nearly opposite bones it goes all of that way
//              and is not shifted
//     roll     theta <- theta + part * theta_a, the own twist of an anchor of the chain
#ifndef PELT_SHADERS_MOS_H
#define PELT_SHADERS_MOS_H

#include "../chain/chain.h"
#include "../pose_pass.h"
#include "../swing_twist.h"
#include "../table.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

// Layout of the table, besides chain.h's:
//   header   root joint, its inverse bind matrix row by row: at word 0
//   point    joint, p in the joint's space, A_rest^-1 column by column, 1 / scale of the joint at rest, F^R column by
//            column, p^R in model space, chain (word) or kMosNoWord, far anchor, swing, twist, axis along the chain,
//            kind, edits, first edit (word)
//   edit     operation, driver (word) or kMosNoWord, then
//     bulge    factor - 1, 0, 0, pivot in the joint's space
//     slide    metres, from joint, to joint, offset in the joint's space
//     scale    the symmetric matrix R0 diag(scale - 1) R0^-1: xx, yy, zz, xy, xz, yz
//     motion   factor - 1
//     twist    radians, 0, 0, direction of the bone
//     outward  metres, around, 0, o in model space
//     roll     part, anchor
//   driver   keys (2 or more), angle (shaders/swing_twist.h), keys
//   key      radians, share, slope
PELT_SHARED_CONST uint kMosHeaderWords = 1u + kTableAffineWords;
PELT_SHARED_CONST uint kMosNoWord = 0xFFFFFFFFu;

PELT_SHARED_CONST uint kMosPointPosition = 1u;
PELT_SHARED_CONST uint kMosPointMotion = 4u;
PELT_SHARED_CONST uint kMosPointScale = 13u;
PELT_SHARED_CONST uint kMosPointFrame = 14u;
PELT_SHARED_CONST uint kMosPointRest = 23u;
PELT_SHARED_CONST uint kMosPointChain = 26u;
PELT_SHARED_CONST uint kMosPointFar = 27u;
PELT_SHARED_CONST uint kMosPointSwing = 28u;
PELT_SHARED_CONST uint kMosPointTwist = 29u;
PELT_SHARED_CONST uint kMosPointAxis = 30u;
PELT_SHARED_CONST uint kMosPointKind = 33u;
PELT_SHARED_CONST uint kMosPointEdits = 34u;  // count, word
PELT_SHARED_CONST uint kMosPointWords = 36u;

PELT_SHARED_CONST uint kMosWhole = 0u;   // theta, if any, is part of the frame
PELT_SHARED_CONST uint kMosAngles = 1u;  // theta is stored separately from the frame

PELT_SHARED_CONST uint kMosBulge = 0u;
PELT_SHARED_CONST uint kMosSlide = 1u;
PELT_SHARED_CONST uint kMosScale = 2u;
PELT_SHARED_CONST uint kMosMotion = 3u;
PELT_SHARED_CONST uint kMosTwist = 4u;
PELT_SHARED_CONST uint kMosOutward = 5u;     // for internal points, not for edits of a rig
PELT_SHARED_CONST uint kMosRoll = 6u;        // the same
PELT_SHARED_CONST float kMosAround = 0.45f;  // keeps the volume of a limb bent by 90 degrees
PELT_SHARED_CONST uint kMosEditDriver = 1u;
PELT_SHARED_CONST uint kMosEditValues = 2u;
PELT_SHARED_CONST uint kMosEditWords = 8u;
PELT_SHARED_CONST uint kMaxMosEdits = 64u;    // of a point, from the rig
PELT_SHARED_CONST uint kMaxMosOwnEdits = 2u;  // of a point, in addition

PELT_SHARED_CONST uint kMosDriverAngle = 1u;
PELT_SHARED_CONST uint kMosDriverKeys = kMosDriverAngle + kJointAngleWords;
PELT_SHARED_CONST uint kMosKeyWords = 3u;
PELT_SHARED_CONST uint kMinMosKeys = 2u;
PELT_SHARED_CONST uint kMaxMosKeys = 64u;

// A posed control point: F = still + cosine cos(theta) + sine sin(theta).
struct MosPoint {
  mat3 still, cosine, sine;
  vec3 position;
  float angle;  // theta
};

#include "mos.inl"

PELT_SHARED_CONST uint kMosPointEntries = 3u;

PELT_SHARED_FN MosEntries mos_entries(PELT_SHARED_IN(MosPoint) point) {
  return MosEntries(affine_from_axes(point.still, point.position),
                    affine_from_axes(point.cosine, vec3(point.angle, 0.0f, 0.0f)),
                    affine_from_axes(point.sine, vec3(0.0f)));
}

// Returns G.
PELT_SHARED_FN Affine mos_root_motion(PoseWork work) {
  return affine_compose(joint_frame(work, table_word(work, 0u)), table_affine(work, 1u));
}

PELT_SHARED_FN mat3 table_matrix(PoseWork work, uint word) {
  return mat3(table_vector(work, word), table_vector(work, word + 3u), table_vector(work, word + 6u));
}

// The cubic through the driver's keys, constant beyond them.
PELT_SHARED_FN float mos_share(PoseWork work, uint driver) {
  if (driver == kMosNoWord) return 1.0f;
  float angle = joint_angle(work, driver + kMosDriverAngle);
  uint key = driver + kMosDriverKeys;
  uint last = key + (table_word(work, driver) - 2u) * kMosKeyWords;
  while (key < last && angle > table_float(work, key + kMosKeyWords)) key += kMosKeyWords;
  vec3 from = table_vector(work, key);
  vec3 to = table_vector(work, key + kMosKeyWords);
  float width = to.x - from.x;
  float u = clamp((angle - from.x) / width, 0.0f, 1.0f);
  float v = 1.0f - u;
  return v * v * (1.0f + 2.0f * u) * from.y + u * u * (1.0f + 2.0f * v) * to.y +
         width * u * v * (v * from.z - u * to.z);
}

// B and theta of a point that turns with a bone of the chain at `chain_word`; `scale` is the scale of its joint
// relative to rest.
PELT_SHARED_FN MosPoint mos_turn(PoseWork work, uint word, uint chain_word, float scale, MosPoint point) {
  Chain chain = read_chain(work, chain_word);
  uint far = table_word(work, word + kMosPointFar);
  bool angles = table_word(work, word + kMosPointKind) == kMosAngles;
  uint near = upper_anchor(chain, far);
  TurnedAnchor upper = posed_anchor(work, chain, near);
  TurnedAnchor lower = posed_anchor(work, chain, far);
  float upper_twist = angles ? anchor_twist(work, chain, near, upper) : 0.0f;
  float lower_twist = upper_twist + lower.twist_from_upper;
  vec4 motion = angles ? untwisted_motion(work, chain, near, upper.pose.motion, upper_twist) : upper.pose.motion;
  vec4 next = angles ? untwisted_motion(work, chain, far, lower.pose.motion, lower_twist) : lower.pose.motion;
  vec4 between = quaternion_product(quaternion_conjugate(motion), next);
  vec4 part = partial_turn(between, table_float(work, word + kMosPointSwing));
  point.still = rotation_from_quaternion(quaternion_product(motion, part)) * scale;
  if (!angles) return point;
  float twist = mix(upper_twist, lower_twist, table_float(work, word + kMosPointTwist));
  point.angle = along_chain(chain, far, twist);
  // Rot(a, theta) = a a^T + cos(theta) (I - a a^T) + sin(theta) [a x]
  vec3 a = table_vector(work, word + kMosPointAxis);
  mat3 swing = point.still;
  point.still = swing * mat3(a * a.x, a * a.y, a * a.z);
  point.cosine = swing - point.still;
  point.sine = swing * mat3(vec3(0.0f, a.z, -a.y), vec3(-a.z, 0.0f, a.x), vec3(a.y, -a.x, 0.0f));
  return point;
}

// Applies one edit to B (the frame at bind is applied later), theta and p.
PELT_SHARED_FN MosPoint mos_edited(PoseWork work, uint word, uint edit, Affine joint, float scale, MosPoint point) {
  uint operation = table_word(work, edit);
  float share = mos_share(work, table_word(work, edit + kMosEditDriver));
  uint value = edit + kMosEditValues;
  vec3 first = table_vector(work, value);
  vec3 second = table_vector(work, value + 3u);
  if (operation == kMosTwist) {
    if (table_word(work, word + kMosPointKind) == kMosAngles) {
      point.angle += share * first.x;
    } else {
      float half_angle = 0.5f * share * first.x;
      point.still = point.still * rotation_from_quaternion(vec4(second * sin_of(half_angle), cos_of(half_angle)));
    }
  } else if (operation == kMosRoll) {
    Chain chain = read_chain(work, table_word(work, word + kMosPointChain));
    uint i = table_word(work, value + 1u);
    point.angle += share * first.x * along_chain(chain, i, posed_anchor(work, chain, i).twist_from_upper);
  } else if (operation == kMosOutward) {
    Chain chain = read_chain(work, table_word(work, word + kMosPointChain));
    uint i = table_word(work, word + kMosPointFar);
    // If the direction of one of the bones is unknown, there is no bend.
    vec3 leaving = posed_direction(work, chain, i, vec3(0.0f));
    vec3 arriving = posed_direction(work, chain, i - 1u, leaving);
    vec3 turned = posed_position(work, chain, i) + (point.still + point.cosine) * second;
    float back = first.y > 0.0f ? folded_back(1.0f - dot(arriving, leaving)) : 0.0f;
    point.position = mix(point.position, turned, first.y * mix(kMosAround, 1.0f, back));
    point.position += (arriving - leaving) * (share * first.x * (1.0f - back) * scale);
  } else if (operation == kMosMotion) {
    float factor = 1.0f + share * first.x;
    Affine root = mos_root_motion(work);
    vec3 still = transform_point(root, table_vector(work, word + kMosPointRest));
    point.position = still * (1.0f - factor) + point.position * factor;
    point.still = affine_axes(root) * (1.0f - factor) + point.still * factor;
    point.cosine = point.cosine * factor;
    point.sine = point.sine * factor;
  } else if (operation == kMosBulge) {
    vec3 pivot = transform_point(joint, second);
    point.position += (point.position - pivot) * (share * first.x);
  } else if (operation == kMosSlide) {
    vec3 from = affine_origin(joint_frame(work, table_word(work, value + 1u)));
    vec3 to = affine_origin(joint_frame(work, table_word(work, value + 2u)));
    vec3 direction = normalize_or(to - from, vec3(0.0f));
    vec3 offset = transform_vector(joint, second);
    point.position += (direction * (first.x * scale) + offset) * share;
  } else {
    vec3 diagonal = first * share;
    vec3 mixed = second * share;
    mat3 factor = mat3(vec3(1.0f + diagonal.x, mixed.x, mixed.y), vec3(mixed.x, 1.0f + diagonal.y, mixed.z),
                       vec3(mixed.y, mixed.z, 1.0f + diagonal.z));
    point.still = point.still * factor;
    point.cosine = point.cosine * factor;
    point.sine = point.sine * factor;
  }
  return point;
}

// Returns the control point at `word`.
PELT_SHARED_FN MosPoint pose_mos_point(PoseWork work, uint word) {
  Affine joint = joint_frame(work, table_word(work, word));
  mat3 axes = affine_axes(joint);
  float scale = axes_scale(axes) * table_float(work, word + kMosPointScale);
  MosPoint point;
  point.still = mat3(0.0f);
  point.cosine = mat3(0.0f);
  point.sine = mat3(0.0f);
  point.position = transform_point(joint, table_vector(work, word + kMosPointPosition));
  point.angle = 0.0f;
  uint chain = table_word(work, word + kMosPointChain);
  if (chain != kMosNoWord) {
    point = mos_turn(work, word, chain, scale, point);
  } else {
    point.still = axes * table_matrix(work, word + kMosPointMotion);
  }
  uint edits = table_word(work, word + kMosPointEdits);
  uint edit = table_word(work, word + kMosPointEdits + 1u);
  for (uint e = 0u; e < edits; ++e) {
    point = mos_edited(work, word, edit + e * kMosEditWords, joint, scale, point);
  }
  mat3 frame = table_matrix(work, word + kMosPointFrame);
  point.still = point.still * frame;
  point.cosine = point.cosine * frame;
  point.sine = point.sine * frame;
  return point;
}

PELT_SHARED_END

#endif
