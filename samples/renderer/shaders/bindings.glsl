// SPDX-License-Identifier: MIT
// Declarations that every shader of the picture shares.
#include "scene.h"

layout(set = 0, binding = kBindFrame, scalar) uniform FrameBuffer { Frame frame; };
layout(set = 0, binding = kBindSample, scalar) uniform SampleBuffer { Sample current; };
