// SPDX-License-Identifier: MIT
// The buffers from which vertices are moved, and what their meshes have (blend.h).
layout(binding = kBlendBindRest, std430) readonly buffer LocalPoints { vec4 local_points[]; };
layout(binding = kBlendBindRest, std430) readonly buffer Points { PackedVec3 points[]; };
layout(binding = kBlendBindRest, std430) readonly buffer Directions { uvec2 directions[]; };
layout(binding = kBlendBindRest, std430) readonly buffer Rows { uint rows[]; };
layout(binding = kBlendBindPalette, std430) readonly buffer Palette { Affine palette[]; };
layout(binding = kBlendBindPalette, std430) readonly buffer Weights { float morph_weights[]; };

bool has(uint what) { return (kContents & what) != 0u; }
