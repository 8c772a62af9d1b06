// SPDX-License-Identifier: MIT
#pragma once

#include <tiny_gltf.h>

#include <optional>
#include <string>

#include <pelt/bendy_bone.h>

namespace pelt {

// Reads the properties of a bendy bone from the `extras` of a node, under Blender's names (bbone_segments,
// bbone_easein, ..) and in Blender's units; none if there are none, or if a value has the wrong type or is out of
// range: then `why` is the reason.
std::optional<BendyBone> read_bendy_bone(const tinygltf::Value& extras, std::string& why);

}  // namespace pelt
