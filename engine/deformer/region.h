// SPDX-License-Identifier: MIT
// What a rig selects, on a mesh.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// One value in [0, 1] a vertex. `what` begins the errors: "layer 2 (surface_ffd): the mask". Errors: a joint, group or
// attribute that is not there, joints on a mesh without weights, a box whose min is above its max, a radius or falloff
// that is negative or not finite, a mesh to be near to that is not there or has no surface.
Result<std::vector<float>> region_values(const Region& region, const Mesh& mesh, const Model& model, const Rig& rig,
                                         const std::string& what);

// One flag a triangle: whether all its corners have at least half, and, where the region names a group, whether it is
// in the group. Errors: the same.
Result<std::vector<std::uint8_t>> region_triangles(const Region& region, const Mesh& mesh, const Model& model,
                                                   const Rig& rig, const std::string& what);

// The same of a group, by its name. Errors also: a group of another mesh, a vertex that the mesh does not have.
Result<std::vector<float>> group_values(const std::string& group, const Mesh& mesh, const Model& model, const Rig& rig,
                                        const std::string& what);

// One flag a triangle: whether it is in the group. Errors: the same, a triangle that the mesh does not have.
Result<std::vector<std::uint8_t>> group_triangles(const std::string& group, const Mesh& mesh, const Model& model,
                                                  const Rig& rig, const std::string& what);

}  // namespace pelt
