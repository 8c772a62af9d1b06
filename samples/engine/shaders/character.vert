// SPDX-License-Identifier: MIT
// Draws the crowd's vertices, with their current and previous positions.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindings.glsl"
#include "pelt/shaders/crowd_table.h"
#include "pelt/shaders/octahedral.h"

layout(set = 0, binding = kBindTable, scalar) readonly buffer Table {
  TableHeader header;
  InstanceLocation instances[];
};
layout(set = 0, binding = kBindTable, scalar) readonly buffer Meshes { MeshLocation meshes[]; };

layout(set = 0, binding = kBindParts, scalar) readonly buffer Parts { PartRecord parts[]; };
layout(set = 0, binding = kBindRest, scalar) readonly buffer Rest { vec3 rest_positions[]; };

layout(location = 0) in vec3 position;  // CrowdOutputs::positions
layout(location = 1) in uint packed_normal;
layout(location = 2) in vec3 previous_position;  // undefined if the mesh has just appeared
layout(location = 3) in uint packed_tangent;
layout(location = 4) in vec2 vertex_tension;  // log2 of the change of length along tangent and bitangent

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out vec4 clip;
layout(location = 3) out vec4 previous_clip;
layout(location = 4) flat out vec3 color;
layout(location = 5) flat out vec2 kept;      // pixels with dither values from x to y are drawn
layout(location = 6) out vec4 world_tangent;  // w = handedness
layout(location = 7) out vec2 tension;
layout(location = 8) out vec3 rest_position;

void main() {
  uint i = uint(gl_InstanceIndex) / kMaxMeshes;
  WalkerRecord walker = walkers[i];
  uint state = instances[i].state;
  uint m = uint(gl_InstanceIndex) % kMaxMeshes;
  MeshLocation mesh = meshes[instances[i].first_mesh + m];
  world_position = transform_point(walker.world, position);
  world_normal = cofactor(affine_axes(walker.world)) * unpack_normal(packed_normal);
  clip = frame.clip_from_world * vec4(world_position, 1.0);
  vec3 before = previous_slot_of(header, state, mesh) == header.slot ? position : previous_position;
  previous_clip = frame.previous_clip_from_world * vec4(transform_point(walker.previous_world, before), 1.0);
  color = walker.color;
  kept = vec2(mesh_has_level(mesh, entry_other_level(state)) ? 0.0 : walker.share,
              mesh_has_level(mesh, entry_level(state)) ? 1.0 : walker.share);
  vec4 unpacked_tangent = unpack_tangent(packed_tangent);
  world_tangent = vec4(affine_axes(walker.world) * unpacked_tangent.xyz, unpacked_tangent.w);
  tension = vertex_tension;
  uint vertex = uint(gl_VertexIndex) - mesh_vertex(instances[i], mesh);
  rest_position = rest_positions[parts[kMaxMeshes * instances[i].character + m].first_vertex + vertex];
  gl_Position = clip;
}
