// SPDX-License-Identifier: MIT
// Reusable set-ups: rigs that fit any model whose skeleton is of a kind.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// biped, limb, tail.
std::span<const std::string_view> preset_names();

// One layer of MOS over all meshes whose chains are all spelled out, none automatic, so that the rig, written out, can
// be edited chain by chain. Only joints that move skin count (all joints, where no mesh has weights), and one of
// several that stand together; a joint between such ones may be part of a biped where a role would be empty without it.
// A chain begins at the joint that it hangs on, so that chains meet.
//
// biped: spine (hips to head), left_arm, right_arm, left_leg, right_leg, left_thumb, ..., right_pinky, by the names of
//   the joints. Joints between two of a chain (twist helpers, metacarpals) belong to it.
// tail: the longest run of joints whose names say tail, else spine, else joint or bone, and differ by number; several
//   of the same length are tail, tail#2, ...; no such run: the longest way from the root down. Its points stand evenly
//   along the bones, so that it bends everywhere.
// limb: every way along the skeleton from one branch to the next, or to an end, whatever the names; named
// "first..last".
//
// Joints that no such chain takes get further ones, as in limb, but that these go on at branches.
//
// `model` is one that import_model or a builder gives. Errors: kNotFound for another preset, with the nearest, and
// where the preset finds no chain, with the names that it looked for and those that there are.
Result<Rig> rig_from_preset(const std::string& preset, const Model& model);

}  // namespace pelt
