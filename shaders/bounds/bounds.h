// SPDX-License-Identifier: MIT
// A box round an instance's skin, found from its palette alone, before the skin is moved. A vertex that palette entries
// j move with weights w_j >= 0 is within the hull of the points T_j p. Take the box of the rest positions that an entry
// moves: moved by the entry, it holds that entry's part of the hull.
//
// Dual quaternions leave that hull. With two, a screw motion carries T_1 p to T_2 p on an arc of at most half a turn,
// which lies within the ball that has the two points as ends of a diameter. Each further one adds such an arc from a
// point already found, at most sqrt(2) times as long. So each pair of entries has the box of the positions that both
// move, and that box grows by a multiple of the greatest distance between the two images of a corner: the distance
// between two affine maps is greatest at a corner.
#ifndef PELT_SHADERS_BOUNDS_BOUNDS_H
#define PELT_SHADERS_BOUNDS_BOUNDS_H

#include "../dual_quaternion/dual_quaternion.h"
#include "pelt/shaders/frame.h"
#include "pelt/shaders/jobs.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kBoundsWorkgroupSize = 64u;  // one instance

PELT_SHARED_CONST uint kBoundsBindRecords = 1u;  // BoundsRecord[]
PELT_SHARED_CONST uint kBoundsBindPalette = 2u;  // Affine[]
PELT_SHARED_CONST uint kBoundsBindBoxes = 3u;    // float[]: least, then greatest corner of each instance, written
PELT_SHARED_CONST uint kBoundsBindCount = 4u;

// A box of the rest positions, or local points, that a palette entry moves.
struct BoundsRecord {
  uint slot;   // palette entry of the character
  uint other;  // dual quaternions: the pair's other entry; else `slot` again
  uint dual;   // 1: the entries are dual quaternions with stretches
  float grow;  // multiple of the distance between the corners' two images
  vec3 least;
  vec3 greatest;
  // Morph targets of the mesh: the first palette entry of their weights and the number of such entries, 0 if it has
  // none, and the farthest that they move a position if no weight is beyond 1, metres.
  uint morph_slot;
  uint morph_slots;
  float morph_reach;
};
PELT_SHARED_SIZE(BoundsRecord, 52);

struct BoundsJob {
  uint first_record;
  uint record_count;      // records of the deformers' entries
  uint fit_record_count;  // records of the fitted linear blend's, which follow
  // Multiple of the box's diagonal by which the box grows: the sum of negative shares of local points.
  float grow;
};
PELT_SHARED_SIZE(BoundsJob, 16);

struct BoundsConstants {
  JobRange range;
  uint first_word;  // of box 0
  uint stride;      // words from one box to the next
};
PELT_SHARED_SIZE(BoundsConstants, 20);

PELT_SHARED_FN vec3 box_corner(vec3 least, vec3 greatest, uint i) {
  return vec3((i & 1u) != 0u ? greatest.x : least.x, (i & 2u) != 0u ? greatest.y : least.y,
              (i & 4u) != 0u ? greatest.z : least.z);
}

PELT_SHARED_END

#endif
