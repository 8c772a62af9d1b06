// SPDX-License-Identifier: MIT
// Records, constants and bindings that the renderer and its shaders share. Lengths in metres of the scene, colours
// linear.
//
// A picture is the mean of many cheap ones (Haeberli and Akeley 1990, "The Accumulation Buffer"): each sample moves the
// camera within a pixel, the key light within its area, and takes other directions of the sky. Edges, the penumbra of
// the key light and the occlusion of the sky are then one and the same sum.
#ifndef PELT_SAMPLES_RENDERER_SCENE_H
#define PELT_SAMPLES_RENDERER_SCENE_H

#include "../../../shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kMaps = 3u;  // shadow maps a sample: 0 the key light, then directions of the sky
PELT_SHARED_CONST uint kKeyMap = 0u;

// Set 0: of the scene.
PELT_SHARED_CONST uint kBindFrame = 0u;   // Frame
PELT_SHARED_CONST uint kBindSample = 1u;  // Sample, at a dynamic offset
PELT_SHARED_CONST uint kBindMaps = 2u;    // shadow maps, kMaps layers, compared
PELT_SHARED_CONST uint kBindDepths = 3u;  // the same, as depths
PELT_SHARED_CONST uint kBindColor = 4u;   // the sample just drawn, or the mean of all

// Set 1: of an item.
PELT_SHARED_CONST uint kBindPositions = 0u;   // float[], three a vertex
PELT_SHARED_CONST uint kBindDirections = 1u;  // uint[], packed normal and tangent
PELT_SHARED_CONST uint kBindWeights = 2u;     // float[], one a vertex
PELT_SHARED_CONST uint kBindEdges = 3u;       // uint[], two vertices an edge

struct ShadowMap {
  mat4 map_from_world;  // xy in [0, 1] over the map, z its depth
  vec3 towards_light;   // unit
  float width;          // of the map, metres
  float depth;          // from its near to its far plane, metres
  float spread;         // tangent of the half angle of the cone of light that the direction stands for
};
PELT_SHARED_SIZE(ShadowMap, 88);

struct Sample {
  mat4 clip_from_world;
  ShadowMap maps[kMaps];
  float noise;  // [0, 1), turns the filters of this sample
};
PELT_SHARED_SIZE(Sample, 332);

struct Frame {
  mat4 ground_from_unit;  // the unit square to the floor
  vec3 eye;
  vec3 towards_rim;    // unit, towards the light behind
  vec2 size;           // of the picture, pixels
  vec2 ground_center;  // x and z
  float ground_fade;   // distance from ground_center at which the floor has become background
  float sample_weight;
};
PELT_SHARED_SIZE(Frame, 112);

PELT_SHARED_CONST uint kDrawHeat = 1u;  // colour from the weights

struct DrawConstants {
  mat3x4 world;       // rows of world from model
  vec4 color;         // base colour; lines: with opacity
  uint first_word;    // of vertex 0 of the instance in positions
  uint first_packed;  // the same in directions
  uint first_vertex;  // of the mesh: what edges count from
  uint flags;
  float line_width;  // pixels
  float line_lift;   // lines move towards the eye by this part of their distance
};
PELT_SHARED_SIZE(DrawConstants, 88);

// Instead of DrawConstants where a shadow map is drawn.
struct ShadowConstants {
  mat4 map_from_model;
  uint first_word;
};
PELT_SHARED_SIZE(ShadowConstants, 68);

PELT_SHARED_END

#endif
