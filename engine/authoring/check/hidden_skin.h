// SPDX-License-Identifier: MIT
// Finds what garments hide of a skin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/check_pose.h>

namespace pelt {

// A character with clothes on, or a garment of its own, with the skeleton and clips of the first character.
struct Wearer {
  Character character;
  std::vector<bool> see_through;  // for each of its materials: hides nothing
};

// Whether the triangles of a part of a skin, of wearers[wearer], belong to the garments of a set.
using IsGarment = std::function<bool(std::size_t set, std::size_t wearer, const CharacterMesh& mesh, const MeshPart&)>;

// Returns for each set of garments, each mesh of the first character and each of its triangles whether the garments
// hide it: rays from the triangle in all directions end at a garment, or at the triangle's own mesh, in the rest pose
// and in all of `poses`; in the rest pose, most of those within 60 degrees of its normal end at another part first, and
// that is a garment. Rays start 0.1% of the character's size outside of the skin. Triangles closer than 0.5% of it,
// along the mesh, to one that fails are not hidden. Drivers and streams stay empty. The result does not depend on the
// number of threads (0: all CPUs). `progress`: called with the completed fraction.
std::vector<std::vector<std::vector<bool>>> hidden_triangles(std::span<const Wearer> wearers, std::size_t sets,
                                                             const IsGarment& is_garment,
                                                             std::span<const CheckPose> poses, unsigned threads,
                                                             const std::function<void(double)>& progress);

}  // namespace pelt
