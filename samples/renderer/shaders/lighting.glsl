// SPDX-License-Identifier: MIT
// The studio: a soft key light, a sky that darkens towards the floor, and a rim light.
#extension GL_EXT_control_flow_attributes : require

layout(set = 0, binding = kBindMaps) uniform sampler2DArrayShadow shadow_maps;
layout(set = 0, binding = kBindDepths) uniform sampler2DArray shadow_depths;

const float kPi = 3.14159265;
const vec3 kKeyRadiance = vec3(1.0, 0.94, 0.86) * 1.55;  // irradiance at normal incidence / pi: albedo scales it
const vec3 kRimRadiance = vec3(0.82, 0.91, 1.0) * 0.8;

// Radiance of the sky in direction d: mean + slope * d.y, whose irradiance is known exactly.
const vec3 kSkyMean = vec3(0.27, 0.285, 0.31);
const vec3 kSkySlope = vec3(0.16, 0.175, 0.20);

vec3 sky_radiance(vec3 direction) { return kSkyMean + kSkySlope * direction.y; }

// Returns the irradiance / pi on a surface under the open sky: the cosine lobe keeps 2/3 of a linear term.
vec3 sky_irradiance(vec3 normal) { return kSkyMean + kSkySlope * (2.0 / 3.0 * normal.y); }

// Returns interleaved gradient noise (Jimenez 2014), which differs from sample to sample.
float pixel_noise(vec2 pixel, float offset) {
  return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))) + offset);
}

// Filter radii, in widths of the map: from a texel and a half to the largest that four taps can smooth; larger on the
// floor.
const float kMinFilter = 1.5 / 1024.0;
struct Receiver {
  float largest;  // greatest filter radius
  float lift;     // 1: lifted off its own depth in the map; 0: the floor, which is in no map: feet touch their shadows
};
const Receiver kSurface = Receiver(0.012, 1.0);
const Receiver kGround = Receiver(0.035, 0.0);

// Returns the fraction of the light of map `index` that reaches `position`: percentage-closer soft shadows (Fernando
// 2005). The light is a cone; the distance to the occluder gives the width of the shadow's edge. The taps are on a ring
// that turns with each pixel and sample, and are compared on the surface's tangent plane, so that a slope does not
// shade itself.
float light_visibility(uint index, vec3 position, vec3 normal, Receiver receiver, float angle) {
  ShadowMap map = current.maps[index];
  vec3 at = (map.map_from_world * vec4(position, 1.0)).xyz;
  vec2 edge = abs(at.xy - 0.5);
  if (max(edge.x, edge.y) > 0.5 + receiver.largest) return 1.0;

  // Change of depth along the tangent plane for one width of the map, in depths of the map.
  float aspect = map.width / map.depth;
  vec3 across = mat3(map.map_from_world) * normal;
  float cosine = max(dot(normal, map.towards_light), 0.12);
  vec2 slope = across.xy * (map.width * aspect / cosine);
  float lift = receiver.lift * (2.0 * kMinFilter + 0.5 * kMinFilter * length(slope) / aspect) * aspect;
  float depth = clamp(at.z - lift, 0.0, 1.0);

  vec2 x = vec2(cos(angle), sin(angle));
  vec2 y = vec2(-x.y, x.x);
  float search = clamp(map.spread * 0.15, 4.0 * kMinFilter, receiver.largest);
  float found = 0.0;
  float distance = 0.0;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    vec2 offset = search * (i < 2 ? x : y) * ((i & 1) == 0 ? 1.0 : -1.0) * (i < 2 ? 1.0 : 0.5);
    float gap = depth + dot(slope, offset) - textureLod(shadow_depths, vec3(at.xy + offset, float(index)), 0.0).r;
    found += gap > 0.0 ? 1.0 : 0.0;
    distance += max(gap, 0.0);
  }
  if (found == 0.0) return 1.0;
  float radius = clamp(map.spread * distance / (found * aspect), kMinFilter, receiver.largest);
  float sum = 0.0;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    vec2 offset = radius * (i < 2 ? x : y) * ((i & 1) == 0 ? 1.0 : -1.0) * (i < 2 ? 1.0 : 0.6);
    sum += texture(shadow_maps, vec4(at.xy + offset, float(index), clamp(depth + dot(slope, offset), 0.0, 1.0)));
  }
  return 0.25 * sum;
}

// Returns the fraction of the key or rim light that reaches `position`.
float lamp_visibility(uint index, vec3 position, vec3 normal, Receiver receiver, vec2 pixel) {
  float angle = 2.0 * kPi * pixel_noise(pixel, current.noise);
  return light_visibility(index, position, normal, receiver, angle);
}

// Estimates, in this sample, the irradiance / pi of the hidden part of the sky. Directions are uniform on the sphere,
// 4 pi / kSkyMaps each. Only the hidden part is estimated; the light of the open sky is exact.
vec3 hidden_sky(vec3 position, vec3 normal, Receiver receiver, vec2 pixel) {
  float angle = 2.0 * kPi * pixel_noise(pixel, current.noise);
  vec3 hidden = vec3(0.0);
  [[unroll]] for (uint i = kFirstSky; i < kMaps; ++i) {
    vec3 direction = current.maps[i].towards_light;
    float cosine = dot(normal, direction);
    if (cosine > 0.0) {
      float visible = light_visibility(i, position, normal, receiver, angle);
      hidden += sky_radiance(direction) * (cosine * (1.0 - visible));
    }
  }
  return hidden * (4.0 / float(kSkyMaps));
}
