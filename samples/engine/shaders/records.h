// SPDX-License-Identifier: MIT
// Records and constants that the game and its shaders share. Lengths are in metres of the world, colours are linear.
#ifndef PELT_SAMPLES_ENGINE_RECORDS_H
#define PELT_SAMPLES_ENGINE_RECORDS_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kLevelCount = 3u;  // levels of detail that the game chooses from
PELT_SHARED_CONST uint kMaxParts = 8u;    // skins of a character
PELT_SHARED_CONST uint kNobody = 0xFFFFFFFFu;

// What a frame knows of an instance of the crowd; its number there is its index.
struct WalkerRecord {
  Affine world;           // world <- model space
  Affine previous_world;  // in the frame before
  vec3 color;
  uint character;     // its number in the crowd, or kNobody
  uint first_vertex;  // in the crowd's outputs
  uint from;          // levels of detail, as Crowd::shown_levels() says
  uint to;
  float share;  // of `to`
};
PELT_SHARED_SIZE(WalkerRecord, 128);

// A skin of a character at a level of detail, as it is drawn.
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

// VkDrawIndexedIndirectCommand. `instance` is 2 * the number of a walker, and 1 more for level WalkerRecord::to.
struct DrawRecord {
  uint index_count;
  uint instance_count;
  uint first_index;
  int vertex_offset;
  uint instance;
};
PELT_SHARED_SIZE(DrawRecord, 20);

// What culling counts. The first two are the counts of the indirect draws.
struct CullCounts {
  uint draws;               // for the picture
  uint casts;               // for the shadow map
  uint seen;                // instances in view
  uint shown[kLevelCount];  // of these, those at each level (WalkerRecord::to)
};
PELT_SHARED_SIZE(CullCounts, 24);

struct CullConstants {
  vec4 planes[6];  // of the view: dot(plane.xyz, point) + plane.w >= 0 inside
  vec3 sun;        // direction in which its light goes
  uint instances;  // of the crowd, with those that nobody has
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
  vec2 haze;     // distances from the eye at which the haze begins and hides all
  float ground;  // height of the ground
  float texel;   // width of a texel of the shadow map, metres
};
PELT_SHARED_SIZE(FrameRecord, 240);

// Set 0 of the drawing pipelines.
PELT_SHARED_CONST uint kBindFrameRecord = 0u;
PELT_SHARED_CONST uint kBindWalkers = 1u;
PELT_SHARED_CONST uint kBindShadow = 2u;

PELT_SHARED_END

#endif
