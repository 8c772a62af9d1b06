// SPDX-License-Identifier: MIT
// Draws only the shadows on a floor, so that it has no horizon.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"
#include "lighting.glsl"

layout(location = 0) in vec3 position;
layout(location = 0) out vec4 color;

void main() {
  vec3 normal = vec3(0.0, 1.0, 0.0);
  vec3 key = kKeyRadiance * max(current.maps[kKeyMap].towards_light.y, 0.0);
  vec3 sky = sky_irradiance(normal);
  vec3 received = key * lamp_visibility(kKeyMap, position, normal, kGround, gl_FragCoord.xy) + sky -
                  hidden_sky(position, normal, kGround, gl_FragCoord.xy);
  float fade = smoothstep(frame.ground_fade, 0.4 * frame.ground_fade, distance(position.xz, frame.ground_center));
  // Reduce the shadow of a coloured light to its luminance: it becomes an opacity of black.
  const vec3 kLuminance = vec3(0.2126, 0.7152, 0.0722);
  float shade = dot(received, kLuminance) / dot(key + sky, kLuminance);
  color = vec4(0.0, 0.0, 0.0, (1.0 - shade) * fade);
}
