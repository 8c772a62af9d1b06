// SPDX-License-Identifier: MIT
#include "tests/soak/soak_cast.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/bind.h>
#include <pelt/pose.h>

#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/swinging.h"

namespace pelt::test {
namespace {

// GPU and CPU differ by rounding, of which thin drivers magnify some; what is stale, torn or another's is off by far
// more. Relative to the reach.
constexpr float kTolerance = 3e-4f;

float between(std::mt19937& random, float least, float most) {
  return least + (most - least) * static_cast<float>(random() % 4096) / 4095;
}

glm::vec3 any_vector(std::mt19937& random, float most) {
  const float x = between(random, -most, most);
  const float y = between(random, -most, most);
  return {x, y, between(random, -most, most)};
}

// Returns where the crowd has the first vertex of what a skin is shown by at a level.
std::uint32_t first_shown_vertex(const Character& character, const runtime::Crowd& crowd, std::uint32_t number,
                                 std::uint32_t mesh, std::uint32_t level) {
  std::uint32_t first = *crowd.mesh_vertex(number, mesh);
  for (std::uint32_t l = 0; l < character->levels.size(); ++l) {
    const SkinLevel& coarser = character->levels[l];
    if (coarser.of == mesh && coarser.level <= level) first = crowd.level_vertex(number, l);
  }
  return first;
}

}  // namespace

std::vector<Character> soak_cast() {
  Model levelled = make_tube({.joints = 3});
  for (std::uint32_t level = 1; level <= 2; ++level) {
    levelled.levels.push_back(
        {0, level, make_tube_mesh({.around = 12 - 4 * level, .along = 12 - 4 * level, .joints = 3})});
    levelled.levels.back().mesh.name = "tube_LOD" + std::to_string(level);
  }
  std::vector<Character> cast;
  for (const std::string_view deformer : deformer_names()) {
    cast.push_back(judged_by(levelled, std::string(deformer)).character);
  }
  Model morphing = make_tube({.around = 10, .along = 13});
  add_morph_targets(morphing.meshes[0], 3);
  cast.push_back(bound_by(morphing, "linear-blend"));
  cast.push_back(bound(make_tubes_in_two_cages(), two_cages()).character);
  cast.push_back(swinging_tube());
  return cast;
}

void pose_at_rest(const Character& character, InstanceState& state) {
  state.joints.resize(character->skeleton.joints.size());
  rest_matrices(character->skeleton, state.joints);
  state.inputs.resize(character->input_count);
  rest_inputs(*character, state.inputs);
}

void pose_at_random(std::mt19937& random, const Character& character, InstanceState& state) {
  const Skeleton& skeleton = character->skeleton;
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  local[0].translation += any_vector(random, 5);
  for (Transform& joint : local)
    joint.rotation *=
        glm::angleAxis(between(random, -0.7f, 0.7f), glm::normalize(any_vector(random, 1) + glm::vec3(0, 0, 1.1f)));
  pose_at_rest(character, state);
  model_matrices(skeleton, local, state.joints);
  if (character->clock_input()) return;
  for (float& input : state.inputs) input += between(random, -0.2f, 0.2f);
}

std::string fault_of(const Character& character, const InstanceState& state, const runtime::Crowd& crowd,
                     std::uint32_t number, const runtime::InstanceVertices& vertices, const runtime::Box& box,
                     bool exact) {
  const Character shown = character.at_level(state.level);
  Evaluator evaluator(shown);
  evaluator.set_detail(state.detail);
  evaluator.pose(state.joints);
  evaluator.inputs(state.inputs);
  evaluator.evaluate();
  float reach = character.size();
  for (const glm::vec3& position : evaluator.positions()) reach = std::max(reach, glm::length(position));
  for (std::uint32_t m = 0; m < shown->meshes.size(); ++m) {
    const CharacterMesh& mesh = shown->meshes[m];
    if (mesh.control) continue;
    const std::uint32_t first = first_shown_vertex(character, crowd, number, m, state.level);
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const glm::vec3 position = vertices.positions[first + v];
      const std::string where = "'" + mesh.name + "', vertex " + std::to_string(v);
      const float slack = 1e-5f * reach;
      if (!glm::all(glm::greaterThanEqual(position, box.least - slack)) ||
          !glm::all(glm::lessThanEqual(position, box.greatest + slack)))
        return where + " is not within the box";
      if (!(std::abs(glm::length(vertices.normals[first + v]) - 1) < 1e-3f)) return where + " has no unit normal";
      const float off = glm::distance(position, evaluator.positions()[mesh.first_vertex + v]) / reach;
      if (exact && !(off < kTolerance)) return where + " is off by " + std::to_string(off) + " of the reach";
    }
  }
  return {};
}

}  // namespace pelt::test
