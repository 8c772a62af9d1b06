// SPDX-License-Identifier: MIT
// A rig carried over to another export of its model, or to a subdivided or simplified one.
#pragma once

#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

struct Transferred {
  Rig rig;
  std::vector<std::string> notes;  // one sentence each: what was the same, what was carried, how far
};

// The rig that `old` was bound by, for `model`. Groups that list vertices or triangles (and with them masks, exclusions
// and refinements), key poses that list offsets and offsets of drivers are carried from a mesh to the model's of the
// same name: by number where the topology is the same, else by the closest point, values between the corners of its
// triangle. Names, boxes, joints and attributes stay as they are, and so do numbers of drivers that the rig gives or
// names a file for. `directory`: where the rig's file names start. Errors: `old` keeps no rig, a listed group whose
// mesh cannot be told or is gone or of which nothing is left, a driver that is refined or welded, or that was made from
// the skin.
Result<Transferred> transfer_rig(const Character& old, const Model& model, const std::string& directory);

}  // namespace pelt
