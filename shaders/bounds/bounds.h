// SPDX-License-Identifier: MIT
// A box round an instance's skin, found from its palette alone, before the skin is moved. A vertex that entries j move
// by weights is within the hull of T_j p: a box of the rest positions that an entry moves, moved by it, holds its part
// of that hull.
//
// Dual quaternions leave that hull. Of two, a screw motion carries T_1 p to T_2 p on an arc of at most half a turn,
// which is within the ball that has the two points as ends of a diameter. Of more, each further one is such an arc from
// a point already found, at most sqrt(2) times as long. So the box of a pair of entries, of the positions that both
// move, grows by a multiple of how far apart the two take its corners: an affine map is furthest from another at a
// corner.
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

// A box of rest positions, or local points, that palette entries move.
struct BoundsRecord {
  uint slot;   // of the character's palette
  uint other;  // of a dual quaternion: the other of a pair; else `slot` again
  uint dual;   // 1: the entries are dual quaternions with stretches
  float grow;  // times the distance that the pair's corners are apart
  vec3 least;
  vec3 greatest;
};
PELT_SHARED_SIZE(BoundsRecord, 40);

struct BoundsJob {
  uint list_first;  // of the instances: in the work, in units of two words
  uint first_record;
  uint record_count;      // of the deformers' entries
  uint fit_record_count;  // of the fitted linear blend's, behind them
  uint palette_first;
  uint palette_stride;
  uint output_first;  // box of instance 0
  float grow;         // of the box's diagonal: where shares of local points are negative, their sum
};
PELT_SHARED_SIZE(BoundsJob, 32);

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
