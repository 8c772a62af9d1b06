// SPDX-License-Identifier: MIT
// The forms in which a crowd takes the motions of joints: model space, metres.
#ifndef PELT_SHADERS_JOINTS_H
#define PELT_SHADERS_JOINTS_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kJointsMatrix4 = 0u;    // mat4, column-major: 64 bytes
PELT_SHARED_CONST uint kJointsMatrix3x4 = 1u;  // Affine, the upper three rows of the matrix: 48 bytes
PELT_SHARED_CONST uint kJointsTransform = 2u;  // JointTransform: 40 bytes

// A joint's matrix in parts: translation * rotation * scale.
struct JointTransform {
  vec4 rotation;  // unit quaternion x, y, z, w
  vec3 translation;
  vec3 scale;  // along the joint's axes
};
PELT_SHARED_SIZE(JointTransform, 40);

PELT_SHARED_CONST uint kJointTransformFloats = 10u;

PELT_SHARED_FN mat4 matrix_of_rows(Affine rows) {
  return mat4(vec4(rows[0].x, rows[1].x, rows[2].x, 0.0f), vec4(rows[0].y, rows[1].y, rows[2].y, 0.0f),
              vec4(rows[0].z, rows[1].z, rows[2].z, 0.0f), vec4(rows[0].w, rows[1].w, rows[2].w, 1.0f));
}

PELT_SHARED_FN mat4 matrix_of_transform(JointTransform joint) {
  vec4 q = joint.rotation;
  vec3 s = joint.scale;
  vec3 t = joint.translation;
  vec3 twice = vec3(q.x, q.y, q.z) * 2.0f;
  float xx = q.x * twice.x, yy = q.y * twice.y, zz = q.z * twice.z;
  float xy = q.x * twice.y, xz = q.x * twice.z, yz = q.y * twice.z;
  vec3 w = twice * q.w;
  return mat4(vec4((1.0f - yy - zz) * s.x, (xy + w.z) * s.x, (xz - w.y) * s.x, 0.0f),
              vec4((xy - w.z) * s.y, (1.0f - xx - zz) * s.y, (yz + w.x) * s.y, 0.0f),
              vec4((xz + w.y) * s.z, (yz - w.x) * s.z, (1.0f - xx - yy) * s.z, 0.0f), vec4(t.x, t.y, t.z, 1.0f));
}

PELT_SHARED_END

#endif
