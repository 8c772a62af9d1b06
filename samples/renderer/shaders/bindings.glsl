// SPDX-License-Identifier: MIT
// What every shader of the renderer declares.
#include "scene.h"

layout(set = 0, binding = kBindFrame, scalar) readonly buffer FrameBuffer { Frame frame; };
layout(set = 0, binding = kBindSamples, scalar) readonly buffer SampleBuffer { Sample samples[]; };
layout(push_constant, scalar) uniform Constants { DrawConstants draw; };
