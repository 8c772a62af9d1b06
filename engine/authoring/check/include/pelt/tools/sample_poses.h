// SPDX-License-Identifier: MIT
// Makes poses without clips: turns joints that move skin as far as joints of their kind usually turn.
#pragma once

#include <vector>

#include <pelt/character.h>
#include <pelt/check_pose.h>

namespace pelt {

// Joints turn from the rest pose about their own origins, in model space, with +y up. Joints without skin of their own
// are left out, and so are those that carry all skin, because their turns move it rigidly, and those whose turns would
// tear a part off that hangs elsewhere in the skeleton, such as a foot below the root that inverse kinematics moves.
//
// A hinge is bent until its bones make 90 and 135 degrees, a finger only 90. The angle is absolute, since many
// characters have bent elbows, knees and hocks in the rest pose. A hinge that is at such an angle already is
// straightened. It bends the way it is bent in the rest pose. If an elbow or knee is bent by less than 20 degrees and
// its name disagrees, the name decides, since some characters stand overstretched: elbows bend to the front, knees to
// the back. A finger's first joint bends like its second, since its own angle also shows how the hand spreads the
// fingers. If neither pose nor name decides, a hinge is turned like a joint of unknown kind. The front is the direction
// of the head if the trunk lies, else that of the feet, else +z.
//
// A ball joint swings its bone towards each of front, back, up, down, out and in (away from and towards the other side
// of the body; left and right if the joint belongs to no side) and twists it. It swings by the usual angle of its role,
// but not beyond that direction, except for a thigh to the front. An animal on four legs, whose trunk lies, swings its
// limbs half as far. More than four joints of no kind in a row, as in a tail, turn less: by 180 degrees together, but
// at least 15 each. Directions within 25 degrees of the bone's line are left out, and so are turns of less than 10
// degrees.
//
//   degrees           front  back   up  down  out  in  twist
//   hips, spine          30    20    -     -   20  20     20    chest too
//   neck, head           40    40    -     -   30  30     60
//   clavicle             20    20   30    10    -   -      -
//   upper arm            90    45  140    90   90  30     60
//   hand                 60    60   80    80   80  80    120
//   thigh               115    30   90    30   45  20     40
//   foot                 30    30   30    45   20  20     20
//   no kind              45    45   45    45   45  45     45
//   patch of skin         -     -   15    15    -   -      -
//   jaw                   -     -   15    30    -   -      -
//   twist helper          -     -    -     -    -   -     60
//
// A bone points to the child joint that has the most joints below it, in the trunk to one of the trunk. At the end of a
// chain it points to the centre of the skin that the joint moves.
//
// `linear_blend`: a character bound by linear blend only; its skin in the rest pose shows where bones end. Poses are in
// the order of the joints. Empty: no joint moves a part of the skin.
std::vector<CheckPose> sample_poses(const Character& linear_blend);

// Returns the turns of sample_poses for each joint.
std::vector<std::vector<TurnFromRest>> turns_of_joints(const Character& linear_blend);

// Returns at most `most` poses that together have all turns of sample_poses: each turns as many joints as possible of
// which no two deform one vertex. Before these, it turns the fingers of each hand together; elbows and knees with the
// limb's first joint; and other joints with the next one above, if both deform one vertex.
std::vector<CheckPose> combined_poses(const Character& linear_blend, std::size_t most);

}  // namespace pelt
