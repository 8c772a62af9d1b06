// SPDX-License-Identifier: MIT
// What every shader of the picture declares.
#include "scene.h"

layout(set = 0, binding = kBindFrame, scalar) uniform FrameBuffer { Frame frame; };
layout(set = 0, binding = kBindSample, scalar) uniform SampleBuffer { Sample current; };
