// SPDX-License-Identifier: MIT
// Wrinkles of compressed skin (CrowdOutputs::tension): a procedural height, whose slope turns the normal only
// along the compressed directions. A game would read its artist's wrinkle map instead of the height.

const float kPerMetre = 90.0;       // wrinkles
const float kWrinkleDepth = 0.012;  // metres, of skin pressed to half of its length

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

// Returns a normal with wrinkles, from the normal, tangent and bitangent of the world, all unit vectors. `rest`: the
// position at rest, so that wrinkles stay on the skin. The slope of the height from its change from pixel to pixel:
// Mikkelsen 2010, "Bump Mapping Unparametrized Surfaces on the GPU".
vec3 wrinkled(vec3 normal, vec3 tangent, vec3 bitangent, vec2 tension, vec3 rest, vec3 position) {
  float height = abs(2.0 * noise(kPerMetre * rest) - 1.0);  // folds along the zeros of the noise
  vec3 x = dFdx(position);
  vec3 y = dFdy(position);
  vec3 slope = dFdx(height) * cross(y, normal) + dFdy(height) * cross(normal, x);
  slope /= dot(x, cross(y, normal));
  vec2 pressed = clamp(-tension, 0.0, 1.0) * kWrinkleDepth;
  return normalize(normal - pressed.x * dot(slope, tangent) * tangent - pressed.y * dot(slope, bitangent) * bitangent);
}
