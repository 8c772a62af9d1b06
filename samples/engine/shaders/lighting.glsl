// SPDX-License-Identifier: MIT
// A sun with a shadow map, light from the sky and from the ground, and haze.
#include "bindings.glsl"

layout(set = 0, binding = kBindShadow) uniform sampler2DShadow shadow_map;

const vec3 kSun = vec3(1.0, 0.93, 0.82) * 1.5;  // irradiance at normal incidence / pi: albedo scales it
const vec3 kSky = vec3(0.30, 0.37, 0.48);
const vec3 kBounce = vec3(0.19, 0.17, 0.15);
const vec3 kHaze = vec3(0.60, 0.68, 0.78);

// Returns the fraction of the sun that reaches a point: the mean of nine taps, each of which compares four texels. The
// point is lifted along its normal by the width of a texel and of the taps and, in grazing light, by the distance of a
// coarse skin's triangles from the round one that its normals describe.
float sun_visibility(vec3 position, vec3 normal) {
  float slope = 1.0 - clamp(-dot(normal, frame.sun), 0.0, 1.0);
  vec3 lifted = position + normal * (frame.texel * (0.8 + 2.0 * slope) + 0.03 * slope);
  vec4 at = frame.sun_from_world * vec4(lifted, 1.0);
  vec2 uv = 0.5 + 0.5 * at.xy;
  vec2 texel = 1.0 / vec2(textureSize(shadow_map, 0));
  float sum = 0.0;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) sum += textureLod(shadow_map, vec3(uv + vec2(x, y) * texel, at.z), 0.0);
  }
  return sum / 9.0;
}

vec3 surrounding_light(vec3 normal) { return mix(kBounce, kSky, 0.5 + 0.5 * normal.y); }

// Returns the light of a matt surface, with a little gloss.
vec3 lit(vec3 albedo, vec3 position, vec3 normal, float gloss) {
  vec3 towards_sun = -frame.sun;
  vec3 towards_eye = normalize(frame.eye - position);
  float cosine = max(dot(normal, towards_sun), 0.0);
  // Fade out grazing light, in which texels of the shadow map stretch to steps.
  float reaching = smoothstep(0.0, 0.35, cosine);
  vec3 sun = reaching > 0.0 ? kSun * (reaching * sun_visibility(position, normal)) : vec3(0.0);
  float shine = pow(max(dot(normal, normalize(towards_sun + towards_eye)), 0.0), 32.0);
  return albedo * (sun * cosine + surrounding_light(normal)) + sun * (gloss * shine * cosine);
}

vec3 with_haze(vec3 color, vec3 position) {
  return mix(color, kHaze, smoothstep(frame.haze.x, frame.haze.y, distance(position.xz, frame.eye.xz)));
}

// Returns the motion of a pixel since the previous frame, in pixels.
vec2 motion(vec4 clip, vec4 previous_clip) {
  return (clip.xy / clip.w - previous_clip.xy / previous_clip.w) * 0.5 * frame.size;
}
