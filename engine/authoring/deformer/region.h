// SPDX-License-Identifier: MIT
// Evaluates the selections of a rig on a mesh.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

struct DeformerInput;
struct DeformerTarget;

// Returns one value in [0, 1] for each vertex. `what` begins the errors: "layer 1 (surface-ffd): the mask". Errors: a
// joint, group, attribute or mesh that does not exist, joints on a mesh without weights, a box whose min is above its
// max, a radius or falloff that is negative or not finite, a near mesh without triangles that have area.
Result<std::vector<float>> region_values(const Region& region, const Mesh& mesh, const Model& model, const Rig& rig,
                                         const std::string& what);

// Returns why a region is 0 at every vertex of a mesh: "mesh 'hair' is at least 0.3 m from the box, beyond the falloff
// of 0.1 m".
std::string why_nowhere(const Region& region, const Mesh& mesh, const Model& model, const Rig& rig);

// The same for a target. A level of detail has the values of the closest points of its mesh.
Result<std::vector<float>> region_values(const Region& region, const DeformerTarget& target, const DeformerInput& input,
                                         const std::string& what);

// Returns one flag per triangle: 1 if all its corners have at least a half and, if the region has a group, the triangle
// is in the group. Errors: the same.
Result<std::vector<std::uint8_t>> region_triangles(const Region& region, const Mesh& mesh, const Model& model,
                                                   const Rig& rig, const std::string& what);

// Returns the values of the group with this name. Further errors: a group of another mesh, a vertex that the mesh does
// not have.
Result<std::vector<float>> group_values(const std::string& group, const Mesh& mesh, const Model& model, const Rig& rig,
                                        const std::string& what);

// The same for a target, as in region_values().
Result<std::vector<float>> group_values(const std::string& group, const DeformerTarget& target,
                                        const DeformerInput& input, const std::string& what);

// Returns one flag per triangle: 1 if it is in the group. Further error: a triangle that the mesh does not have.
Result<std::vector<std::uint8_t>> group_triangles(const std::string& group, const Mesh& mesh, const Model& model,
                                                  const Rig& rig, const std::string& what);

}  // namespace pelt
