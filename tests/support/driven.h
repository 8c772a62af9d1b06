// SPDX-License-Identifier: MIT
// Skins in cages, for the tests of drivers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/surface_ffd.h>

#include "tests/support/tube.h"

namespace pelt::test {

constexpr float kTubeTolerance = 2e-5f;  // in metres, for tubes of length 8

// Returns make_tube with a coarser tube round it, "cage", which has weights.
Model make_tube_in_cage(const TubeOptions& tube = {},
                        const TubeOptions& cage = {.around = 8, .along = 12, .radius = 1.2f});
constexpr std::uint32_t kLimbVertex = 80;  // a vertex of that cage, at x = 6.7, that only joint1 moves

// Returns a tube along x whose second joint is an upper arm by its name. Its armpit is on the side -y.
Model make_arm();

// Returns a tube along x whose joints are an upper arm, a forearm and a hand by their names, kForearm apart.
Model make_forearm(const TubeOptions& tube = {.around = 24, .along = 96, .length = 12, .joints = 3, .blend_length = 1});
constexpr float kForearm = 4;

// Returns parameters of a surface FFD by the mesh "cage".
SurfaceFfdParameters by_cage();

// Returns a tube in "cage", and another, "second", in "morphed", a cage that its morph target "lift" raises by 1 m.
Model make_tubes_in_two_cages();

// Returns a rig that moves the tube by its cage, streamed, and "second" by the other, which follows the joints.
Rig two_cages();

// Returns a rig with one layer over `target`; it is not checked.
Rig rig_of(DeformerParameters parameters, const std::string& target = "*");

// Bind a model, by a rig or by a deformer's name, without the check; fail the test if that is impossible.
Bound bound(const Model& model, const Rig& rig);
Character bound_by(const Model& model, const std::string& deformer);

// Binds a model by a deformer's name, checked as by default; fails the test if that is impossible.
Bound bound_with(const Model& model, const std::string& deformer);

// Returns the message of bind's error, or "bound".
std::string bind_error(const Model& model, const Rig& rig);

// Returns a mesh of the character by its name; fails the test without such a mesh.
const CharacterMesh& mesh_of(const Character& character, const std::string& name);

// Returns posed positions of one mesh, in the order of the model.
std::vector<glm::vec3> positions_of(const Evaluator& evaluator, const Character& character, const std::string& name);

// Returns posed normals of one mesh, in the order of the model.
std::vector<glm::vec3> normals_of(const Evaluator& evaluator, const Character& character, const std::string& name);

// Return posed positions and normals of a character that is posed by these joint matrices, or rests without any.
std::vector<glm::vec3> posed_normals(const Character& character, std::span<const glm::mat4> joints,
                                     const std::string& name);
std::vector<glm::vec3> posed(const Character& character, std::span<const glm::mat4> joints, const std::string& name);

// Returns the joint matrices of a model whose joint 1 is turned from its rest.
std::vector<glm::mat4> bent(const Model& model, float degrees, glm::vec3 axis = {0, 0, 1});

// Returns the rest positions of a control mesh, each moved, as a stream takes them.
std::vector<glm::vec3> moved_points(const Character& character, const std::string& name,
                                    const std::function<glm::vec3(glm::vec3)>& move);

// Returns the largest distance of `posed` from `move(rest)`; infinite if one is not finite.
float worst_distance(std::span<const glm::vec3> rest, std::span<const glm::vec3> posed,
                     const std::function<glm::vec3(glm::vec3)>& move);

// Returns the largest distance of two points of the same index; infinite if one is not finite.
float farthest(std::span<const glm::vec3> a, std::span<const glm::vec3> b);

// Returns the volume inside a closed mesh, cubic metres; positive if its triangles face outward.
double volume(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);

// Returns the character as a file's bytes, without the text of the rig.
std::vector<std::byte> bytes_without_rig(const Character& character);

// Returns the inputs of a character at rest.
std::vector<float> inputs_at_rest(const CharacterData& data);

// Returns a function that applies a matrix to points.
std::function<glm::vec3(glm::vec3)> by_matrix(const glm::mat4& matrix);

// Returns the point at a fraction of the way from one point to another along the screw motion with this turn.
glm::vec3 on_screw(glm::quat turn, glm::vec3 from, glm::vec3 to, float share);

// Returns a turn about a skew axis, with a shift.
glm::mat4 rigid_motion();

}  // namespace pelt::test
