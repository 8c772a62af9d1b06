// SPDX-License-Identifier: MIT
// Draws the crowd's vertices into the shadow map.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindings.glsl"

layout(location = 0) in vec3 position;

void main() {
  Affine world = walkers[uint(gl_InstanceIndex) / kMaxMeshes].world;
  gl_Position = frame.sun_from_world * vec4(transform_point(world, position), 1.0);
}
