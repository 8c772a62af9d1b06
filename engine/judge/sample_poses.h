// SPDX-License-Identifier: MIT
// Poses for characters without clips: each joint that moves skin turned alone, as far as its kind usually turns.
#pragma once

#include <vector>

#include <pelt/character.h>

#include "engine/judge/poses.h"

namespace pelt {

// Turns from rest about where the joint stands, in model space, +y up. Left out are joints that no skin is painted for,
// and those that carry all skin, whose turns are rigid motions of it.
//
// A hinge is bent to 90 and 135 degrees between its bones, fingers to 90 alone: to, not by, since many characters rest
// with elbows, knees and hocks bent already; one that rests there is straightened. It bends the way it is bent at rest.
// An elbow or knee that is bent by less than 20 degrees is taken at its name instead where the two disagree, since some
// rest overstretched: elbows bend to the front, knees to the back. A finger's first joint bends like its second, as the
// hand spreads fingers too. Where neither tells, a hinge is turned like a joint of no kind. The front is where the head
// of a lying trunk is, or else where the feet point, or +z.
//
// A ball swings its bone towards each of front, back, up, down, out and in (away from and towards the other side of the
// body; left and right where the joint is of no side), by what is usual for its role and no further than that
// direction, and twists. An animal that walks on four legs, its trunk lying, swings its limbs half as far. Directions
// within 25 degrees of the bone's line are left out, as are turns of less than 10.
//
//   degrees           front  back   up  down  out  in  twist
//   hips, spine          30    20    -     -   20  20     20    chest too
//   neck, head           40    40    -     -   30  30     60
//   clavicle             20    20   30    10    -   -      -
//   upper arm            90    45  140    90   90  30     60
//   hand                 60    60   60    60   60  60     90
//   thigh                90    30   90    30   45  20     40
//   foot                 30    30   30    45   20  20     20
//   no kind              45    45   45    45   45  45     45
//   patch of skin         -     -   15    15    -   -      -
//   twist helper          -     -    -     -    -   -     60
//
// A bone goes on to the joint below that has most joints below itself, in the trunk to one of the trunk, and at the end
// of a chain to the middle of the skin that the joint moves.
//
// `linear_blend`: a character bound by linear blend alone, whose skin at rest says where bones end. The order is the
// joints'. Empty: no joint moves skin alone.
std::vector<JudgedPose> sample_poses(const Character& linear_blend);

}  // namespace pelt
