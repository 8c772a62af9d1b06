// SPDX-License-Identifier: MIT
// Declarations that the drawing shaders share.
#extension GL_EXT_scalar_block_layout : require
#include "pelt/shaders/frame.h"
#include "records.h"

layout(set = 0, binding = kBindFrameRecord, scalar) uniform Frame { FrameRecord frame; };
layout(set = 0, binding = kBindWalkers, scalar) readonly buffer Walkers { WalkerRecord walkers[]; };
