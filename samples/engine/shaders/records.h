// SPDX-License-Identifier: MIT
// Records and constants that the game and its shaders share. Lengths are in metres of the world, colours are linear.
#ifndef PELT_SAMPLES_ENGINE_RECORDS_H
#define PELT_SAMPLES_ENGINE_RECORDS_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kLevelCount = 3u;  // levels of detail that the game chooses from
PELT_SHARED_CONST uint kMaxMeshes = 32u;  // meshes per character, with its coarser levels and drivers

// An instance of the crowd in a frame; its number in the crowd is its index.
struct WalkerRecord {
  Affine world;           // world <- model space
  Affine previous_world;  // in the previous frame
  vec3 color;
  float share;  // of the level that it fades to (CrowdLists::shown_levels)
};
PELT_SHARED_SIZE(WalkerRecord, 112);

// The triangles of a mesh; element kMaxMeshes * character + mesh, both as the crowd's table counts them.
struct PartRecord {
  uint first_index;
  uint index_count;
  uint first_vertex;  // of the positions at rest
};
PELT_SHARED_SIZE(PartRecord, 12);

// VkDrawIndexedIndirectCommand. `instance` is kMaxMeshes * the instance's number in the crowd + the mesh.
struct DrawRecord {
  uint index_count;
  uint instance_count;
  uint first_index;
  int vertex_offset;
  uint instance;
};
PELT_SHARED_SIZE(DrawRecord, 20);

// Counts that culling writes. The first two are those of the indirect draws.
struct CullCounts {
  uint draws;               // for the picture
  uint casts;               // for the shadow map
  uint drawn;               // instances that the crowd moves
  uint seen;                // instances in view
  uint shown[kLevelCount];  // of these, those at each level, or fading to it
};
PELT_SHARED_SIZE(CullCounts, 28);

struct CullConstants {
  vec4 planes[6];  // of the view: dot(plane.xyz, point) + plane.w >= 0 inside
  vec3 sun;        // direction in which its light goes
};
PELT_SHARED_SIZE(CullConstants, 108);

PELT_SHARED_CONST uint kCullGroup = 64u;  // threads of a workgroup

struct FrameRecord {
  mat4 clip_from_world;
  mat4 previous_clip_from_world;
  mat4 sun_from_world;  // clip space of the shadow map
  vec3 eye;
  vec3 sun;      // direction in which its light goes
  vec2 size;     // of the picture, pixels
  vec2 haze;     // distances from the eye at which the haze begins and is opaque
  float ground;  // height of the ground
  float texel;   // width of a texel of the shadow map, metres
};
PELT_SHARED_SIZE(FrameRecord, 240);

// A tapered cylinder at an anchor, along z of its space.
struct PropRecord {
  Affine anchor_from_prop;
  vec3 color;
  uint anchor;  // index in CharacterData::anchors
  vec2 radius;  // along x and y at z = 0
  float height;
  float taper;  // of the radius, at the far end
};
PELT_SHARED_SIZE(PropRecord, 80);

PELT_SHARED_CONST uint kPropSides = 12u;
PELT_SHARED_CONST uint kPropVertices = 12u * kPropSides;

// Set 0 of the drawing pipelines.
PELT_SHARED_CONST uint kBindFrameRecord = 0u;
PELT_SHARED_CONST uint kBindWalkers = 1u;
PELT_SHARED_CONST uint kBindShadow = 2u;
PELT_SHARED_CONST uint kBindTable = 3u;  // Crowd::table()
PELT_SHARED_CONST uint kBindParts = 4u;
PELT_SHARED_CONST uint kBindRest = 5u;
PELT_SHARED_CONST uint kBindAnchors = 6u;  // CrowdOutputs::anchors
PELT_SHARED_CONST uint kBindProps = 7u;

PELT_SHARED_END

#endif
