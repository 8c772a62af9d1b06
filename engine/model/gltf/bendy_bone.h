// SPDX-License-Identifier: MIT
#pragma once

#include <tiny_gltf.h>

#include <optional>
#include <string>

#include <pelt/bendy_bone.h>

namespace pelt {

// What `extras` of a node say under Blender's names of a bone's properties (bbone_segments, bbone_easein, ..), in
// Blender's units; none where they say nothing. Where a value is not of its type or out of its range, `why` says so and
// none counts.
std::optional<BendyBone> read_bendy_bone(const tinygltf::Value& extras, std::string& why);

}  // namespace pelt
