// SPDX-License-Identifier: MIT
// Poses the anchors of chains once for everything that turns with them: one entry per anchor, one block per record. The
// device poses each by itself (pose_own_anchor), the CPU one after the other (pose_anchors). Only the twist from the
// top depends on the whole chain; readers sum it (anchor_twist).
#ifndef PELT_SHADERS_CHAIN_POSE_H
#define PELT_SHADERS_CHAIN_POSE_H

#include "chain.h"

PELT_SHARED_BEGIN

struct AnchorRecord {
  uint chain;  // word
  uint first;  // anchor, a multiple of kAnchorBlock; entries beyond the chain's end repeat the last anchor
};
PELT_SHARED_SIZE(AnchorRecord, 8);

struct AnchorEntries {
  Affine entries[kAnchorBlock];
};

// Turns anchor i as its joint poses it with `upper`, the next one towards the top, which has the motion of an anchor
// that is not lost.
PELT_SHARED_FN TurnedAnchor turned_anchor(PoseWork work, Chain chain, uint i, AnchorPose pose, TurnedAnchor upper) {
  TurnedAnchor anchor = TurnedAnchor(pose, 0.0f, upper.run);
  if (anchor_is_lost(pose)) {
    anchor.pose.motion = upper.pose.motion;
  } else {
    anchor.twist_from_upper = twist_between(work, chain, i, upper.pose.motion, pose.motion);
    anchor.run += anchor.twist_from_upper;
  }
  return anchor;
}

// Poses anchor i from `upper`.
PELT_SHARED_FN TurnedAnchor pose_next_anchor(PoseWork work, Chain chain, uint i, TurnedAnchor upper) {
  return turned_anchor(work, chain, i, anchor_pose(work, chain, i), upper);
}

// Poses anchor i without others of its block, whose twists its run lacks: searches towards the top for one that is not
// lost.
PELT_SHARED_FN TurnedAnchor pose_own_anchor(PoseWork work, Chain chain, uint i) {
  AnchorPose pose = anchor_pose(work, chain, i);
  if (i == chain.top) return TurnedAnchor(pose, 0.0f, 0.0f);
  uint above = upper_anchor(chain, i);
  while (!anchor_turns(work, chain, above)) above = upper_anchor(chain, above);
  return turned_anchor(work, chain, i, pose, TurnedAnchor(anchor_pose(work, chain, above), 0.0f, 0.0f));
}

// Returns the entries of a block: poses the anchor nearest to the top, then the others away from it on both sides.
PELT_SHARED_FN AnchorEntries pose_anchors(AnchorRecord record, PoseWork work) {
  Chain chain = read_chain(work, record.chain);
  uint last = min(record.first + kAnchorBlock, chain.anchor_count) - 1u;
  uint nearest = clamp(chain.top, record.first, last);
  AnchorEntries block;
  TurnedAnchor start = pose_own_anchor(work, chain, nearest);
  block.entries[nearest - record.first] = anchor_entry(start);
  TurnedAnchor upper = start;
  for (uint i = nearest; i > record.first; --i) {
    upper = pose_next_anchor(work, chain, i - 1u, upper);
    block.entries[i - 1u - record.first] = anchor_entry(upper);
  }
  upper = start;
  for (uint i = nearest + 1u; i <= last; ++i) {
    upper = pose_next_anchor(work, chain, i, upper);
    block.entries[i - record.first] = anchor_entry(upper);
  }
  for (uint k = last + 1u - record.first; k < kAnchorBlock; ++k) block.entries[k] = block.entries[last - record.first];
  return block;
}

PELT_SHARED_END

#endif
