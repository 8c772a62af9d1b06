// SPDX-License-Identifier: MIT
// The repulsive force field inside a surface (Cornea, Silver, Yuan, Balasubramanian 2005, "Computing hierarchical
// curve-skeletons of 3D objects").
//
// Idea: the surface is charged, and a point inside is pushed away from it. Far from the walls, along the middle of
// every limb, the pushes cancel; from anywhere else they lead there, and along the middle towards where it is wider.
//
//   F(p) = sum over surface points c of (p - c) / |p - c|^(m + 1),    m = 5
//
// So high an order needs no test of which walls are seen from p: what lies behind a wall adds next to nothing.
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include "engine/skeletonize/voxels.h"

namespace pelt::skeletonize {

struct ForceField {
  // Of every inside voxel. Forces are in units of what a flat wall as near as the nearest surface point exerts: about 1
  // at the surface, near 0 in the middle, however thick the limb. The scale moves no zero and turns no force.
  std::vector<glm::vec3> force;
  std::vector<float> depth;  // voxels to the nearest surface point
};

// Sums far surface points by groups (Barnes & Hut 1986). The same whatever the number of threads (0: all cores).
ForceField find_forces(const Voxels& voxels, unsigned threads);

// The force at a point, voxel units, between those of the inside voxels round it; none where no voxel round it is
// inside.
std::optional<glm::dvec3> sample(const ForceField& field, const Voxels& voxels, const glm::dvec3& point);

// Divergence of the direction of the force at every inside voxel, per voxel: about -1 on the middle sheet of a plate,
// -2 on the middle line of a limb, -3 at its end. Of the direction, since the length says only how thick the limb is.
// Outside voxels push inward.
std::vector<float> divergence(const ForceField& field, const Voxels& voxels, unsigned threads);

// Where the force vanishes.
struct CriticalPoint {
  glm::dvec3 position;                 // voxel units
  std::vector<glm::dvec3> directions;  // unit, in which the force leads away; none: it leads here from all sides
};

// In every cell of 8 inside voxels in which all parts of the force change sign. By ascending voxel.
std::vector<CriticalPoint> find_critical_points(const ForceField& field, const Voxels& voxels, unsigned threads);

}  // namespace pelt::skeletonize
