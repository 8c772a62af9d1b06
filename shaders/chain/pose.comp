// SPDX-License-Identifier: MIT
// An invocation poses an anchor; those of a block, neighbours in a workgroup, sum its twists.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { AnchorRecord records[]; };

shared float twists[kPoseWorkgroupSize];  // theta

void main() {
  PoseWork work = pose_item(kAnchorBlock);
  AnchorRecord record;
  Chain chain;
  TurnedAnchor anchor;
  uint i;
  if (work.inside) {
    record = records[work.record];
    chain = read_chain(work, record.chain);
    i = min(record.first + work.item, chain.anchor_count - 1u);
    anchor = pose_own_anchor(work, chain, i);
    twists[gl_LocalInvocationIndex] = anchor.twist_from_upper;
  }
  barrier();
  if (!work.inside) return;
  uint block = gl_LocalInvocationIndex - work.item;
  uint nearest = clamp(chain.top, record.first, min(record.first + kAnchorBlock, chain.anchor_count) - 1u);
  anchor.run = 0.0f;
  for (uint k = 0u; k < kAnchorBlock; ++k) {
    uint at = nearest < i ? nearest + k : nearest - k;
    float twist = twists[(block + at - record.first) % kPoseWorkgroupSize];
    if (k <= (nearest < i ? i - nearest : nearest - i)) anchor.run += twist;
  }
  palette[work.palette_first + work.record_index] = anchor_entry(anchor);
}
