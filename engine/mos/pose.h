// SPDX-License-Identifier: MIT
// The pose kernels of multipoint offset sampling (shaders/mos/point_pose.h, shaders/mos/table_pose.h): what their
// records must hold, and posing on the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/character/pose_kernels.h"
#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"

namespace pelt::mos {

// Errors: words past the table or that overlap, a joint or an input that is not there, a number that is not finite, an
// unknown operation or kind of point, too many edits or keys, a slide outward at no joint, keys that do not ascend, a
// turn beside its bone, a sample beside its window, records that take too long for their size.
Result<void> validate_point_records(const PalettePass& pass, const CharacterData& data);
Result<void> validate_table_records(const PalettePass& pass, const CharacterData& data);

// A record shares the control points that it has in common with the one before it.
void pose_table_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context);

// Append the words of the chains that record i turns by, in order of its points.
void append_point_chains(const PalettePass& pass, std::size_t i, std::vector<std::uint32_t>& chains);
void append_table_chains(const PalettePass& pass, std::size_t i, std::vector<std::uint32_t>& chains);

}  // namespace pelt::mos
