// SPDX-License-Identifier: MIT
// Presets: rigs of MOS for any model with a skeleton of a certain kind.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// Returns the names of the presets: biped, limb.
std::span<const std::string_view> preset_names();

// Returns a rig of a preset: one layer of MOS over all meshes. All of its chains are listed and none is automatic, so
// that the rig can be saved and edited chain by chain. Only joints that move skin count (all joints if no mesh has
// weights); of several at one position, only one. In a biped, a joint between such joints may fill a role that would be
// empty otherwise. A chain begins at a joint of its parent chain, so that chains meet.
//
// biped: spine (hips to head), left_arm, right_arm, left_leg, right_leg, left_thumb, ..., right_pinky, by the names of
//   the joints. Joints between two of a chain (twist helpers, metacarpals) belong to it.
// limb: every way along the skeleton from one branch to the next, or to an end, whatever the names; named
//   "first..last".
//
// Joints on no such chain get further chains, as in limb, but these continue through branches.
//
// `model` comes from import_model or a builder. `notes` receives a note that names the spine and the limbs that a biped
// lacks, since fewer than two of their joints have names that are known. Errors: kNotFound for an unknown preset, with
// the nearest name, and if the preset finds no chain, with the names that it looked for and those that exist.
Result<Rig> rig_from_preset(const std::string& preset, const Model& model, std::vector<std::string>* notes = nullptr);

}  // namespace pelt
