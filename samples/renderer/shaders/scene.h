// SPDX-License-Identifier: MIT
// Records, constants and bindings that the renderer and its shaders share. Lengths are in metres of the scene, colours
// are linear.
//
// A picture is the mean of many cheap ones (Haeberli and Akeley 1990, "The Accumulation Buffer"): each sample moves the
// camera within a pixel, the two lights within their areas, and uses other directions of the sky. One sum then gives
// the edges, the penumbras of the lights and the occlusion of the sky.
#ifndef PELT_SAMPLES_RENDERER_SCENE_H
#define PELT_SAMPLES_RENDERER_SCENE_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kKeyMap = 0u;    // shadow map of the key light
PELT_SHARED_CONST uint kRimMap = 1u;    // shadow map of the rim light
PELT_SHARED_CONST uint kFirstSky = 2u;  // first shadow map of a direction of the sky
PELT_SHARED_CONST uint kSkyMaps = 2u;
PELT_SHARED_CONST uint kMaps = kFirstSky + kSkyMaps;

// Set 0: the scene.
PELT_SHARED_CONST uint kBindFrame = 0u;     // Frame
PELT_SHARED_CONST uint kBindSample = 1u;    // Sample, at a dynamic offset
PELT_SHARED_CONST uint kBindMaps = 2u;      // shadow maps, kMaps layers, compared
PELT_SHARED_CONST uint kBindDepths = 3u;    // the same, as depths
PELT_SHARED_CONST uint kBindColor = 4u;     // the sample just drawn, or the sum of samples
PELT_SHARED_CONST uint kBindWorlds = 5u;    // Affine[], world from model, one per instance of an item
PELT_SHARED_CONST uint kBindWeights = 6u;   // float[], one per vertex of an item's character
PELT_SHARED_CONST uint kBindOverlays = 7u;  // Overlay[]

// Set 1: an item.
PELT_SHARED_CONST uint kBindPositions = 0u;   // float[], three per vertex
PELT_SHARED_CONST uint kBindDirections = 1u;  // uint[], packed normal and tangent
PELT_SHARED_CONST uint kBindEdges = 2u;       // uint[], two vertices of a mesh per edge
PELT_SHARED_CONST uint kBindUvs = 3u;         // vec2[], one per vertex of the character
PELT_SHARED_CONST uint kBindColors = 4u;      // vec4[], likewise

// Set 2: a material.
PELT_SHARED_CONST uint kBindTexture = 0u;

struct ShadowMap {
  mat4 map_from_world;  // xy in [0, 1] over the map, z its depth
  vec3 towards_light;   // unit
  float width;          // width of the map, metres
  float depth;          // from its near to its far plane, metres
  float spread;         // tangent of the half angle of the cone of light that the direction represents
};
PELT_SHARED_SIZE(ShadowMap, 88);

struct Sample {
  mat4 clip_from_world;
  ShadowMap maps[kMaps];
  float noise;  // [0, 1), turns the filters of this sample
};
PELT_SHARED_SIZE(Sample, 420);

struct Frame {
  mat4 ground_from_unit;  // maps the unit square to the floor
  vec3 eye;
  vec2 size;           // of the picture, pixels
  vec2 ground_center;  // x and z
  float ground_fade;   // distance from ground_center at which the floor has faded into the backdrop
  float sample_weight;
};
PELT_SHARED_SIZE(Frame, 100);

// A line in the scene's space; a dot if both ends are the same.
struct Overlay {
  vec3 from;
  vec3 to;
  vec4 color;
  float width;   // pixels
  uint through;  // 1: also drawn if it is hidden
};
PELT_SHARED_SIZE(Overlay, 48);

// DrawConstants::flags
PELT_SHARED_CONST uint kDrawHeat = 1u;     // colour from the weights
PELT_SHARED_CONST uint kDrawTexture = 2u;  // colour times the texture
PELT_SHARED_CONST uint kDrawOverlay = 4u;  // lines from the overlays rather than the edges
PELT_SHARED_CONST uint kDrawHidden = 8u;   // only the overlays that show through the skin
PELT_SHARED_CONST uint kDrawColors = 16u;  // colour times those of the vertices

struct DrawConstants {
  vec4 color;         // base colour; lines: with opacity; overlays: a factor on their own
  uint first_word;    // start of the mesh's vertex 0 of the first instance, in positions
  uint first_packed;  // the same in directions
  uint vertices;      // number of vertices from one instance to the next
  uint first_world;   // index of the first instance's world
  uint first_weight;  // index of the weight of the mesh's vertex 0
  uint first_uv;      // the same in uvs and colours
  uint flags;
  uint map;          // index of the shadow map that is drawn
  float line_width;  // pixels
  float line_lift;   // lines move towards the eye by this fraction of their distance
};
PELT_SHARED_SIZE(DrawConstants, 56);

// Push constants of the development, which replace DrawConstants.
struct DevelopConstants {
  float mean_from_sum;  // samples of a whole picture / samples summed so far
  float split;          // column of the line between the picture's sides
  float split_width;    // half the line's width, pixels; 0: no line
};
PELT_SHARED_SIZE(DevelopConstants, 12);

PELT_SHARED_END

#endif
