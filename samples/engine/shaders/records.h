// SPDX-License-Identifier: MIT
// Records and constants that the game and its shaders share. Lengths are in metres of the world, colours are linear.
#ifndef PELT_SAMPLES_ENGINE_RECORDS_H
#define PELT_SAMPLES_ENGINE_RECORDS_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kLevelCount = 3u;  // levels of detail that the game chooses from
PELT_SHARED_CONST uint kMaxParts = 8u;    // skins per character
PELT_SHARED_CONST uint kNobody = 0xFFFFFFFFu;

// An instance of the crowd in a frame; its number in the crowd is its index.
struct WalkerRecord {
  Affine world;           // world <- model space
  Affine previous_world;  // in the previous frame
  vec3 color;
  uint character;     // its number in the crowd, or kNobody
  uint first_vertex;  // in the crowd's outputs
  uint from;          // levels of detail, from CrowdLists::shown_levels()
  uint to;
  float share;  // of `to`
};
PELT_SHARED_SIZE(WalkerRecord, 128);

// A drawn skin of a character at a level of detail.
struct PartRecord {
  uint first_index;
  uint index_count;
  uint first_vertex;  // from the instance's first vertex
};
PELT_SHARED_SIZE(PartRecord, 12);

// The parts of a character at a level of detail; element character * kLevelCount + level.
struct LevelRecord {
  uint first_part;
  uint part_count;
};
PELT_SHARED_SIZE(LevelRecord, 8);

// VkDrawIndexedIndirectCommand. `instance` is 2 * the walker's number, plus 1 for level WalkerRecord::to.
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
  uint shown[kLevelCount];  // of these, those at each level (WalkerRecord::to)
};
PELT_SHARED_SIZE(CullCounts, 28);

struct CullConstants {
  vec4 planes[6];  // of the view: dot(plane.xyz, point) + plane.w >= 0 inside
  vec3 sun;        // direction in which its light goes
  uint instances;  // of the crowd, including unused ones
};
PELT_SHARED_SIZE(CullConstants, 112);

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

// Set 0 of the drawing pipelines.
PELT_SHARED_CONST uint kBindFrameRecord = 0u;
PELT_SHARED_CONST uint kBindWalkers = 1u;
PELT_SHARED_CONST uint kBindShadow = 2u;
PELT_SHARED_CONST uint kBindTable = 3u;  // Crowd::table()

PELT_SHARED_END

#endif
