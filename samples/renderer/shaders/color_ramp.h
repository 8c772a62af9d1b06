// SPDX-License-Identifier: MIT
// The viridis colours (van der Walt and Smith 2015): from dark violet at 0 to yellow at 1, perceptually even, safe for
// the colour-blind. A signed scale goes from blue over grey to red.
#ifndef PELT_SAMPLES_RENDERER_COLOR_RAMP_H
#define PELT_SAMPLES_RENDERER_COLOR_RAMP_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kSignedRamp = 2.0f;  // added to a value of a signed scale

// Returns sRGB in [0, 1]; `value` is clamped to [0, 1], on a signed scale to [2, 3].
PELT_SHARED_FN vec3 color_ramp(float value) {
  if (value > 1.5f) {
    float from_middle = clamp(2.0f * (value - kSignedRamp) - 1.0f, -1.0f, 1.0f);
    vec3 end = from_middle < 0.0f ? vec3(20, 80, 200) : vec3(200, 25, 30);
    return mix(vec3(225, 225, 220), end, abs(from_middle)) * (1.0f / 255.0f);
  }
  const vec3 stops[10] = {vec3(68, 1, 84),    vec3(72, 40, 120),  vec3(62, 74, 137),  vec3(49, 104, 142),
                          vec3(38, 130, 142), vec3(31, 158, 137), vec3(53, 183, 121), vec3(109, 205, 89),
                          vec3(180, 222, 44), vec3(253, 231, 37)};
  float position = clamp(value, 0.0f, 1.0f) * 9.0f;
  int stop = min(int(position), 8);
  return mix(stops[stop], stops[stop + 1], position - float(stop)) * (1.0f / 255.0f);
}

PELT_SHARED_FN vec3 linear_from_srgb(vec3 c) {
  vec3 high = pow((c + 0.055f) * (1.0f / 1.055f), vec3(2.4f));
  return mix(high, c * (1.0f / 12.92f), vec3(lessThanEqual(c, vec3(0.04045f))));
}

PELT_SHARED_FN vec3 srgb_from_linear(vec3 c) {
  vec3 high = 1.055f * pow(c, vec3(1.0f / 2.4f)) - 0.055f;
  return mix(high, c * 12.92f, vec3(lessThanEqual(c, vec3(0.0031308f))));
}

PELT_SHARED_END

#endif
