// SPDX-License-Identifier: MIT
// Correctives of skins (Rig::correctives): morph targets whose weights follow angles of joints.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/authoring/key_weights/bind.h"

namespace pelt {

// The keys and morph targets that correctives add to one mesh.
struct SkinKeys {
  key_weights::WeightTable weights;                             // with keys, and without weights
  std::map<std::uint32_t, std::vector<std::uint32_t>> keys_of;  // the keys of each target that follows the joints
  std::vector<MorphTarget> added;                               // targets after those of the mesh, without controls
};
using Correctives = std::map<std::string, SkinKeys, std::less<>>;  // by mesh

// Makes the keys of all correctives of a rig. Errors name the corrective and the pose: a mesh or a morph target that
// does not exist, those of WeightTable::add_keys and listed_offsets. Correctives from `learnt` on turn no normals of
// vertices that they do not move: these would be columns of their own.
Result<Correctives> make_correctives(const Rig& rig, const Model& model,
                                     std::size_t learnt = std::numeric_limits<std::size_t>::max());

}  // namespace pelt
