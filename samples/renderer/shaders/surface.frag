// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"
#include "color_ramp.h"
#include "lighting.glsl"

// For a separate pipeline: a shader that may discard cannot write depth early.
layout(constant_id = 0) const bool kMasked = false;

layout(push_constant, scalar) uniform Constants { DrawConstants draw; };
layout(set = 2, binding = kBindTexture) uniform sampler2D base_texture;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 vertex_normal;
layout(location = 2) in float weight;
layout(location = 3) in vec2 uv;
layout(location = 4) in vec4 vertex_color;
layout(location = 0) out vec4 color;

const float kRoughness = 0.48;
const float kF0 = 0.04;

// Returns the normal that faces the viewer, whichever way the triangle is wound, so that mirrored parts and insides are
// lit alike.
vec3 facing_normal(vec3 towards_eye) {
  vec3 geometric = cross(dFdx(position), dFdy(position));
  geometric *= dot(geometric, towards_eye) < 0.0 ? -1.0 : 1.0;
  vec3 normal = normalize(vertex_normal);
  normal *= dot(normal, geometric) < 0.0 ? -1.0 : 1.0;
  // Just inside the outline, interpolated normals turn away from the viewer: clamp them to a grazing angle.
  return normalize(normal + towards_eye * max(0.02 - dot(normal, towards_eye), 0.0));
}

// Returns Schlick's fifth power. The cosine of two unit vectors may round to more than 1, and pow is undefined below 0.
float fresnel_power(float cosine) { return pow(clamp(1.0 - cosine, 0.0, 1.0), 5.0); }

// Returns GGX with Smith's height-correlated shadowing (Heitz 2014) and Schlick's Fresnel term, times pi, times the
// cosine.
float specular(vec3 normal, vec3 towards_eye, vec3 towards_light) {
  float n_l = max(dot(normal, towards_light), 0.0);
  float n_v = max(dot(normal, towards_eye), 1e-3);
  vec3 halfway = normalize(towards_light + towards_eye);
  float n_h = max(dot(normal, halfway), 0.0);
  float a2 = kRoughness * kRoughness * kRoughness * kRoughness;
  float d = n_h * n_h * (a2 - 1.0) + 1.0;
  float smith = n_l * sqrt(n_v * n_v * (1.0 - a2) + a2) + n_v * sqrt(n_l * n_l * (1.0 - a2) + a2);
  float fresnel = kF0 + (1.0 - kF0) * fresnel_power(dot(halfway, towards_eye));
  return a2 / (d * d) * 0.5 / max(smith, 1e-5) * fresnel * n_l;
}

// Returns the fraction of uniform surrounding light that the coat mirrors: a fit of the integral of GGX (Karis 2014,
// "Physically Based Shading on Mobile").
float mirrored_surrounding(float n_v) {
  vec4 r = kRoughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
  float a = min(r.x * r.x, exp2(-9.28 * max(n_v, 0.0))) * r.x + r.y;
  vec2 scale_and_bias = vec2(-1.04, 1.04) * a + r.zw;
  return kF0 * scale_and_bias.x + scale_and_bias.y;
}

// Adds the light of a lamp with a shadow map: what the surface scatters, and what its coat mirrors.
void add_lamp(uint map, vec3 radiance, vec3 normal, vec3 towards_eye, inout vec3 light, inout vec3 mirrored) {
  vec3 towards_light = current.maps[map].towards_light;
  float cosine = dot(normal, towards_light);
  if (cosine <= 0.0) return;
  vec3 reaching = radiance * lamp_visibility(map, position, normal, kSurface, gl_FragCoord.xy);
  light += reaching * cosine;
  mirrored += reaching * specular(normal, towards_eye, towards_light);
}

void main() {
  vec4 material = draw.color * vertex_color;
  if ((draw.flags & kDrawTexture) != 0u) material *= texture(base_texture, uv);
  vec3 base = (draw.flags & kDrawHeat) != 0u ? linear_from_srgb(color_ramp(weight)) : material.rgb;
  vec3 towards_eye = normalize(frame.eye - position);
  vec3 normal = facing_normal(towards_eye);
  vec3 light = vec3(0.0);
  vec3 mirrored = vec3(0.0);
  add_lamp(kKeyMap, kKeyRadiance, normal, towards_eye, light, mirrored);
  add_lamp(kRimMap, kRimRadiance, normal, towards_eye, light, mirrored);

  // The character hides its own sky, and reflects some of the hidden light in its own colour.
  vec3 hidden = hidden_sky(position, normal, kSurface, gl_FragCoord.xy);
  vec3 open = sky_irradiance(normal);
  light += open - hidden * (1.0 - 0.45 * base);
  vec3 reflected = reflect(-towards_eye, normal);
  mirrored += sky_radiance(reflected) * mirrored_surrounding(dot(normal, towards_eye)) * (open - hidden) / open;

  // The discard comes last: a discarded pixel gives its neighbours no derivatives.
  if (kMasked && material.a < 0.5) discard;

  // Draw heat maps matt, so that their colours are legible.
  color = vec4(base * light + mirrored * ((draw.flags & kDrawHeat) != 0u ? 0.3 : 1.0), 1.0);
}
