// SPDX-License-Identifier: MIT
#include "tests/support/driven.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>

#include <pelt/pelt_file.h>

#include "tests/support/must.h"

namespace pelt::test {

Model make_tube_in_cage(const TubeOptions& tube, const TubeOptions& cage) {
  Model model = make_tube(tube);
  TubeOptions same_joints = cage;
  same_joints.joints = tube.joints;
  model.meshes.push_back(make_tube_mesh(same_joints));
  model.meshes.back().name = "cage";
  return model;
}

Model make_arm() {
  Model model = make_tube({.around = 24, .along = 48, .joints = 3, .blend_length = 2.5f});
  std::vector<Joint>& joints = model.skeleton.joints;
  joints[1].name = "left_upper_arm";
  joints[2].name = "left_forearm";
  const glm::vec3 down(0, -5, 0);
  joints[0].rest.translation += down;
  joints[1].rest.translation -= down;
  model.bound_joints[0].inverse_bind = glm::translate(model.bound_joints[0].inverse_bind, -down);
  return model;
}

Model make_forearm(const TubeOptions& tube) {
  Model model = make_tube(tube);
  const char* names[] = {"left_upper_arm", "left_forearm", "left_hand"};
  for (std::size_t j = 0; j < 3; ++j) model.skeleton.joints[j].name = names[j];
  return model;
}

Model make_tubes_in_two_cages() {
  Model model = make_tube_in_cage();
  Mesh second = model.meshes[0];
  second.name = "second";
  model.meshes.push_back(second);
  Mesh morphed = model.meshes[1];
  morphed.name = "morphed";
  morphed.morph_targets = {{"lift", std::vector(morphed.positions.size(), glm::vec3(0, 1, 0)), 0.0f}};
  model.meshes.push_back(morphed);
  return model;
}

Rig two_cages() {
  SurfaceFfdParameters parameters = by_cage();
  parameters.driver.follow = Follow::kStreamed;
  Rig rig = rig_of(parameters, "tube");
  parameters.driver = {};
  parameters.driver.mesh = "morphed";
  rig.layers.push_back({"second", parameters, {}, {}});
  return rig;
}

SurfaceFfdParameters by_cage() {
  SurfaceFfdParameters parameters;
  parameters.driver.mesh = "cage";
  return parameters;
}

Rig rig_of(DeformerParameters parameters, const std::string& target) {
  Rig rig{.check = CheckMode::kNone};
  rig.layers.push_back({target, std::move(parameters), {}, {}});
  return rig;
}

Bound bound(const Model& model, const Rig& rig) { return must(bind(model, rig)); }

Character bound_by(const Model& model, const std::string& deformer) {
  Rig rig = rig_from_deformer_name(deformer).value();
  rig.check = CheckMode::kNone;
  return bound(model, rig).character;
}

Bound bound_with(const Model& model, const std::string& deformer) {
  return must(bind(model, must(rig_from_deformer_name(deformer))));
}

std::string bind_error(const Model& model, const Rig& rig) {
  const Result<Bound> result = bind(model, rig);
  return result ? "bound" : result.error().message;
}

const CharacterMesh& mesh_of(const Character& character, const std::string& name) {
  const auto found = std::ranges::find(character->meshes, name, &CharacterMesh::name);
  EXPECT_NE(found, character->meshes.end()) << name;
  return *found;
}

std::vector<glm::vec3> positions_of(const Evaluator& evaluator, const Character& character, const std::string& name) {
  const CharacterMesh& mesh = mesh_of(character, name);
  std::vector<glm::vec3> positions(mesh.vertex_count());
  to_source_order(mesh, evaluator.positions(), std::span(positions));
  return positions;
}

std::vector<glm::vec3> normals_of(const Evaluator& evaluator, const Character& character, const std::string& name) {
  const CharacterMesh& mesh = mesh_of(character, name);
  std::vector<glm::vec3> normals(mesh.vertex_count());
  to_source_order(mesh, evaluator.normals(), std::span(normals));
  return normals;
}

std::vector<glm::vec3> posed_normals(const Character& character, std::span<const glm::mat4> joints,
                                     const std::string& name) {
  Evaluator evaluator(character);
  if (!joints.empty()) evaluator.pose(joints);
  evaluator.evaluate();
  return normals_of(evaluator, character, name);
}

std::vector<glm::vec3> posed(const Character& character, std::span<const glm::mat4> joints, const std::string& name) {
  Evaluator evaluator(character);
  if (!joints.empty()) evaluator.pose(joints);
  evaluator.evaluate();
  return positions_of(evaluator, character, name);
}

std::vector<glm::mat4> bent(const Model& model, float degrees, glm::vec3 axis) {
  Model turned = model;
  glm::quat& rotation = turned.skeleton.joints[1].rest.rotation;
  rotation = rotation * glm::angleAxis(glm::radians(degrees), glm::normalize(axis));
  return bind_matrices(turned);
}

std::vector<glm::vec3> moved_points(const Character& character, const std::string& name,
                                    const std::function<glm::vec3(glm::vec3)>& move) {
  std::vector<glm::vec3> points = mesh_of(character, name).binding.points;
  for (glm::vec3& point : points) point = move(point);
  return points;
}

float worst_distance(std::span<const glm::vec3> rest, std::span<const glm::vec3> posed,
                     const std::function<glm::vec3(glm::vec3)>& move) {
  EXPECT_EQ(rest.size(), posed.size());
  float worst = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const float distance = glm::distance(move(rest[v]), posed[v]);
    if (!(distance <= worst)) worst = std::isnan(distance) ? std::numeric_limits<float>::infinity() : distance;
  }
  return worst;
}

float farthest(std::span<const glm::vec3> a, std::span<const glm::vec3> b) {
  return worst_distance(a, b, [](glm::vec3 p) { return p; });
}

double volume(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  double sum = 0;
  for (const glm::uvec3 t : triangles) {
    sum += glm::dot(glm::dvec3(positions[t.x]), glm::cross(glm::dvec3(positions[t.y]), glm::dvec3(positions[t.z]))) / 6;
  }
  return sum;
}

std::vector<std::byte> bytes_without_rig(const Character& character) {
  CharacterData data = *character;
  data.rig.clear();
  return serialize(must(Character::create(std::move(data))));
}

std::vector<float> inputs_at_rest(const CharacterData& data) {
  std::vector<float> inputs(data.input_count);
  rest_inputs(data, inputs);
  return inputs;
}

std::function<glm::vec3(glm::vec3)> by_matrix(const glm::mat4& matrix) {
  return [matrix](glm::vec3 point) { return glm::vec3(matrix * glm::vec4(point, 1)); };
}

glm::vec3 on_screw(glm::quat turn, glm::vec3 from, glm::vec3 to, float share) {
  if (turn.w < 0) turn = -turn;
  const float angle = glm::angle(turn);
  if (!(angle > 0)) return glm::mix(from, to, share);
  const glm::vec3 axis = glm::axis(turn);
  const glm::vec3 along = axis * glm::dot(axis, to - from);
  const glm::vec3 across = to - from - along;
  const glm::vec3 centre = from + 0.5f * across + glm::cross(axis, across) / (2 * std::tan(0.5f * angle));
  return centre + glm::angleAxis(share * angle, axis) * (from - centre) + share * along;
}

glm::mat4 rigid_motion() {
  return glm::rotate(glm::translate(glm::mat4(1), glm::vec3(0.5f, -1, 2)), 2.3f,
                     glm::normalize(glm::vec3(1, -0.5f, 0.8f)));
}

}  // namespace pelt::test
