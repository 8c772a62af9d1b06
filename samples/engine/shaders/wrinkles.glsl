// SPDX-License-Identifier: MIT
// Wrinkles of compressed skin (CrowdOutputs::tension): folds across each compressed direction turn the normal along it. A
// game would read its artist's wrinkle map instead of the procedural height.

const float kPerMetre = 36.0;   // folds
const float kSteepness = 2.0;   // of folds in skin of half its length
const float kSmooth = 0.12;     // compression up to which skin has no folds: log2

float hash(vec3 p) { return fract(sin(dot(p, vec3(12.9898, 78.233, 37.719))) * 43758.5453); }

// Returns noise that is smooth between the points of a grid, in [0, 1].
float noise(vec3 p) {
  vec3 cell = floor(p);
  vec3 s = smoothstep(0.0, 1.0, p - cell);
  vec4 near, far;
  for (int i = 0; i < 4; ++i) {
    near[i] = hash(cell + vec3(i & 1, i >> 1, 0));
    far[i] = hash(cell + vec3(i & 1, i >> 1, 1));
  }
  vec4 slab = mix(near, far, s.z);
  vec2 line = mix(slab.xy, slab.zw, s.y);
  return mix(line.x, line.y, s.x);
}

// Returns the slope of folds that run along one unit direction, across them: noise is blurred along them.
float fold_slope(vec3 p, vec3 across, vec3 along) {
  float slope = 0.0;
  for (int k = -3; k <= 3; ++k) {
    vec3 at = p + 0.7 * float(k) * along;
    slope += noise(at + 0.25 * across) - noise(at - 0.25 * across);
  }
  return slope;
}

// Returns a normal with wrinkles, from the normal, tangent and bitangent of the world, all unit vectors. `rest`: the
// position at rest, which fixes the folds to the skin. The changes of both positions from pixel to pixel carry the
// tangents back to rest, as in Mikkelsen 2010, "Bump Mapping Unparametrized Surfaces on the GPU".
vec3 wrinkled(vec3 normal, vec3 tangent, vec3 bitangent, vec2 tension, vec3 rest, vec3 position) {
  vec3 x = dFdx(position);
  vec3 y = dFdy(position);
  mat2x3 by_pixel = mat2x3(dFdx(rest), dFdy(rest));
  mat2x3 dual = mat2x3(cross(y, normal), cross(normal, x)) * sign(dot(x, cross(y, normal)));
  // Folds run across the more compressed direction.
  vec2 compression = -tension * step(tension, tension.yx);
  vec2 steepness = kSteepness * smoothstep(kSmooth, 1.0, compression);
  if (max(steepness.x, steepness.y) < 0.01) return normal;
  vec3 rest_tangent = normalize(by_pixel * (tangent * dual));
  vec3 rest_bitangent = normalize(by_pixel * (bitangent * dual));
  vec3 p = kPerMetre * rest;
  vec2 slope = steepness * vec2(fold_slope(p, rest_tangent, rest_bitangent), fold_slope(p, rest_bitangent, rest_tangent));
  return normalize(normal - slope.x * tangent - slope.y * bitangent);
}
