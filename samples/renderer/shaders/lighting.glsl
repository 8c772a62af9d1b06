// SPDX-License-Identifier: MIT
// The studio: a soft key light, a sky that darkens towards the floor, a light behind, and the backdrop.
#extension GL_EXT_control_flow_attributes : require

layout(set = 0, binding = kBindMaps) uniform sampler2DArrayShadow shadow_maps;

const float kPi = 3.14159265;
const vec3 kKeyRadiance = vec3(1.0, 0.94, 0.86) * 2.5;  // irradiance at normal incidence / pi: albedo scales it
const vec3 kRimRadiance = vec3(0.80, 0.90, 1.0) * 1.1;

// Radiance of the sky in direction d: mean + slope * d.y, so that its irradiance is known exactly.
const vec3 kSkyMean = vec3(0.52, 0.54, 0.58);
const vec3 kSkySlope = vec3(0.30, 0.34, 0.40);

vec3 sky_radiance(vec3 direction) { return kSkyMean + kSkySlope * direction.y; }

// Irradiance / pi on a surface that nothing hides: the cosine lobe keeps 2/3 of a linear term.
vec3 sky_irradiance(vec3 normal) { return kSkyMean + kSkySlope * (2.0 / 3.0 * normal.y); }

// Interleaved gradient noise (Jimenez 2014), another one each sample.
float pixel_noise(vec2 pixel, float offset) {
  return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))) + offset);
}

// Share of the light of map `index` that reaches `position`: four comparisons on a circle of `radius` texels, turned
// by `angle`. The point is moved off the surface by what the filter reaches across a slope, so that a surface does not
// shade itself, and no further, so that shadows stay attached.
float light_visibility(uint index, vec3 position, vec3 normal, float radius, float angle) {
  ShadowMap map = samples[draw.sample_index].maps[index];
  float cosine = clamp(dot(normal, map.towards_light), 0.0, 1.0);
  float sine = sqrt(1.0 - cosine * cosine);
  vec3 lifted = position + map.texel * ((radius + 1.0) * sine * normal + 1.0 * map.towards_light);
  vec3 at = (map.map_from_world * vec4(lifted, 1.0)).xyz;
  float depth = clamp(at.z, 0.0, 1.0);
  vec2 reach = vec2(cos(angle), sin(angle)) * radius / vec2(textureSize(shadow_maps, 0).xy);
  float sum = 0.0;
  sum += texture(shadow_maps, vec4(at.xy + reach, float(index), depth));
  sum += texture(shadow_maps, vec4(at.xy - reach, float(index), depth));
  sum += texture(shadow_maps, vec4(at.xy + vec2(-reach.y, reach.x), float(index), depth));
  sum += texture(shadow_maps, vec4(at.xy + vec2(reach.y, -reach.x), float(index), depth));
  return 0.25 * sum;
}

const float kKeyFilter = 1.5;  // texels
const float kSkyFilter = 8.0;

float key_visibility(vec3 position, vec3 normal, vec2 pixel) {
  float angle = 2.0 * kPi * pixel_noise(pixel, samples[draw.sample_index].noise);
  return light_visibility(kKeyMap, position, normal, kKeyFilter, angle);
}

// This sample's estimate of the irradiance / pi that the scene keeps from the surface. Uniform directions of the whole
// sphere: 4 pi / (kMaps - 1) a direction. Only what is hidden is estimated; what an open surface receives is exact.
vec3 hidden_sky(vec3 position, vec3 normal, vec2 pixel) {
  float angle = 2.0 * kPi * pixel_noise(pixel, samples[draw.sample_index].noise);
  vec3 hidden = vec3(0.0);
  [[unroll]] for (uint i = 1u; i < kMaps; ++i) {
    vec3 direction = samples[draw.sample_index].maps[i].towards_light;
    float cosine = dot(normal, direction);
    if (cosine > 0.0) {
      float visible = light_visibility(i, position, normal, kSkyFilter, angle);
      hidden += sky_radiance(direction) * (cosine * (1.0 - visible));
    }
  }
  return hidden * (4.0 / float(kMaps - 1u));
}

// The backdrop of a pixel: bright behind the character, darker towards the corners.
vec3 backdrop(vec2 pixel) {
  vec2 at = pixel / frame.size - vec2(0.5, 0.46);
  float falloff = smoothstep(0.0, 0.85, length(at * vec2(1.0, 0.9)));
  return mix(vec3(0.60, 0.61, 0.63), vec3(0.24, 0.25, 0.275), falloff);
}
