// SPDX-License-Identifier: MIT
// Carries a rig over to another export of its model, or to a subdivided or simplified version of it.
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
  std::vector<std::string> notes;  // one sentence each: which numbers hold, what was carried over, and how far
};

// Returns the rig that `old` was bound by, adapted to `model`. It carries lists of vertices and triangles in groups
// (and so masks, exclusions and refinements), offsets in key poses, and offsets of drivers from a mesh of `old` to the
// mesh of the same name in `model`: by number if the topology is the same, else by the closest point, with values
// interpolated in its triangle. Names, boxes, joints and attributes stay as they are, and so do numbers of drivers that
// are defined by patches or a file. `directory`: where the rig's relative file names start; as a character may come
// from a stranger, bind reads no file that its rig names unless Rig::files is set to allow it. Errors: `old` keeps no
// rig; a listed group has no known mesh, its mesh is gone, or nothing of it is left; a driver is refined, welded, or
// made from the skin.
Result<Transferred> transfer_rig(const Character& old, const Model& model, const std::string& directory);

}  // namespace pelt
