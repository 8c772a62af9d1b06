// SPDX-License-Identifier: MIT
// Skins in cages: what the tests of drivers are made of.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/surface_ffd.h>

#include "tests/support/tube.h"

namespace pelt::test {

// make_tube with a coarser tube round it, "cage", which has weights.
Model make_tube_in_cage(const TubeOptions& tube = {},
                        const TubeOptions& cage = {.around = 8, .along = 12, .radius = 1.2f});

// Surface FFD by the mesh "cage".
SurfaceFfdParameters by_cage();

// A tube in "cage", and another, "second", in "morphed", a cage that its morph target "lift" raises by 1 m.
Model make_tubes_in_two_cages();

// Moves the tube by its cage, streamed, and "second" by the other, which follows the joints.
Rig two_cages();

// One layer over `target`, which is not judged.
Rig rig_of(DeformerParameters parameters, const std::string& target = "*");

// Fails the test where it cannot be bound. By a deformer's name: not judged.
Bound bound(const Model& model, const Rig& rig);
Character bound_by(const Model& model, const std::string& deformer);

// The message of bind's error, or "bound".
std::string bind_error(const Model& model, const Rig& rig);

// A mesh of the character by its name; fails the test where there is none.
const CharacterMesh& mesh_of(const Character& character, const std::string& name);

// Posed positions of one mesh, in the order of the model.
std::vector<glm::vec3> positions_of(const Evaluator& evaluator, const Character& character, const std::string& name);

// Rest positions of a control mesh, each moved: what a stream is given.
std::vector<glm::vec3> moved_points(const Character& character, const std::string& name,
                                    const std::function<glm::vec3(glm::vec3)>& move);

// Largest distance of `posed` from where `move` takes `rest`; infinite where one is not finite.
float worst_distance(std::span<const glm::vec3> rest, std::span<const glm::vec3> posed,
                     const std::function<glm::vec3(glm::vec3)>& move);

// What a matrix does to points.
std::function<glm::vec3(glm::vec3)> by_matrix(const glm::mat4& matrix);

// A turn about a skew axis, and a shift.
glm::mat4 rigid_motion();

}  // namespace pelt::test
