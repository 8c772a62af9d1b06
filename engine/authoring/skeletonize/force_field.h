// SPDX-License-Identifier: MIT
// The repulsive force field inside a surface (Cornea, Silver, Yuan, Balasubramanian 2005, "Computing hierarchical
// curve-skeletons of 3D objects").
//
// Idea: the surface is charged and repels every point inside. Along the middle of each limb the forces cancel. From
// anywhere else they lead to the middle, and along the middle to thicker parts of the limb.
//
//   F(p) = sum over surface points c of (p - c) / |p - c|^(m + 1),    m = 5
//
// The order is so high that visibility of walls from p need not be tested: charges beyond a wall add next to nothing.
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <vector>

#include "engine/authoring/skeletonize/voxels.h"

namespace pelt::skeletonize {

struct ForceField {
  // Force at every inside voxel, in units of the force of a flat wall at the distance of the nearest surface point:
  // about 1 at the surface, near 0 in the middle, for any thickness of the limb. This scale moves no zero and turns no
  // force.
  std::vector<glm::vec3> force;
  std::vector<float> depth;  // voxels to the nearest surface point
};

// Computes the forces. Far surface points act in groups (Barnes & Hut 1986). The result does not depend on `threads`
// (0: all cores).
ForceField find_forces(const Voxels& voxels, unsigned threads);

// Interpolates the force at a point, voxel units, between the inside voxels round it; none if there are none.
std::optional<glm::dvec3> sample(const ForceField& field, const Voxels& voxels, const glm::dvec3& point);

// Returns the divergence of the force's direction at every inside voxel, per voxel: about -1 on the middle sheet of a
// plate, -2 on the middle line of a limb, -3 at its end. It ignores lengths, which only depend on the limb's thickness.
// Outside voxels count as pushing inward.
std::vector<float> divergence(const ForceField& field, const Voxels& voxels, unsigned threads);

// A point with zero force.
struct CriticalPoint {
  glm::dvec3 position;                 // voxel units
  std::vector<glm::dvec3> directions;  // unit, along which the force leads away; empty: it leads here from all sides
};

// Finds the critical points in cells of 8 inside voxels in which every component of the force changes sign, in the
// order of voxels.
std::vector<CriticalPoint> find_critical_points(const ForceField& field, const Voxels& voxels, unsigned threads);

}  // namespace pelt::skeletonize
