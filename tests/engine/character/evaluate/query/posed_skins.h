// SPDX-License-Identifier: MIT
// Characters of every deformer in poses, for the tests of queries and anchors.
#pragma once

#include <glm/gtc/matrix_transform.hpp>
#include <random>
#include <string>
#include <vector>

#include <pelt/evaluate.h>
#include <pelt/pose.h>

#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/graded.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt::test {

struct NamedCharacter {
  std::string name;
  Character character;
};

// Returns a tube with morph targets and triangles without area by every deformer, and skins of hand-made groups.
inline std::vector<NamedCharacter> every_skin() {
  Model tube = make_tube({.around = 12, .along = 33, .joints = 4});
  Mesh& mesh = tube.meshes[0];
  add_morph_targets(mesh, 3);
  for (const glm::uvec3& flat : {glm::uvec3(7, 7, 90), glm::uvec3(30, 30, 30)}) mesh.triangles.push_back(flat);
  if (!mesh.parts.empty()) mesh.parts.back().triangle_count += 2;
  std::vector<NamedCharacter> characters;
  for (const Deformer& deformer : deformers()) {
    const Subject subject = make_subject(deformer, tube, make_tube({.joints = 4}).meshes[0]);
    characters.push_back({deformer.name, must(bind(subject.model, subject.rig)).character});
  }
  for (const Graded kind : {Graded::kWires, Graded::kOffsets}) {
    CharacterData data = *make_graded(300, kind);
    CharacterMesh& skin = data.meshes[0];
    for (std::uint32_t v = 0; v + 2 < skin.vertex_count(); ++v) skin.triangles.emplace_back(v, v + 1, v + 2);
    skin.parts = {{.triangle_count = static_cast<std::uint32_t>(skin.triangles.size())}};
    characters.push_back({kind == Graded::kWires ? "groups" : "shares", must(Character::create(std::move(data)))});
  }
  return characters;
}

// Motions of a whole character: mirrored, large, far from the origin.
inline std::vector<glm::mat4> motions() {
  return {glm::mat4(1), glm::scale(rigid_motion(), glm::vec3(-1, 1, 1)), glm::scale(glm::mat4(1), glm::vec3(100)),
          glm::translate(rigid_motion(), glm::vec3(300, -2000, 100))};
}

// Turns every joint against its parent, by up to so many radians, and stretches it a little.
inline std::vector<glm::mat4> random_pose(const Skeleton& skeleton, std::mt19937& random, float turn = 1,
                                          float stretch = 0.2f) {
  std::uniform_real_distribution<float> number(-1, 1);
  Skeleton posed = skeleton;
  for (Joint& joint : posed.joints) {
    const glm::vec3 axis = glm::normalize(glm::vec3(number(random), number(random), number(random) + 1e-3f));
    joint.rest.rotation = joint.rest.rotation * glm::angleAxis(turn * number(random), axis);
    joint.rest.scale *= 1 + stretch * number(random);
  }
  std::vector<glm::mat4> joints(posed.joints.size());
  rest_matrices(posed, joints);
  return joints;
}

// Poses an evaluator at random, with morph targets, and moves it all.
inline void pose_at_random(Evaluator& evaluator, const glm::mat4& motion, std::mt19937& random) {
  const Character& character = evaluator.character();
  std::vector<glm::mat4> joints = random_pose(character->skeleton, random);
  for (glm::mat4& joint : joints) joint = motion * joint;
  evaluator.pose(joints);
  std::uniform_real_distribution<float> weight(-0.5f, 1.2f);
  for (std::size_t c = 0; c < character->controls.size(); ++c) {
    if (character->controls[c].kind == ControlKind::kMorphTarget) evaluator.control(c, weight(random));
  }
  for (std::size_t s = 0; s < character->streams.size(); ++s) {
    const std::string& name = character->meshes[character->streams[s].mesh].name;
    evaluator.stream(s, moved_points(character, name, by_matrix(motion)));
  }
}

// The box of the vertices of the skins.
struct SkinBox {
  glm::vec3 least{INFINITY};
  glm::vec3 greatest{-INFINITY};

  explicit SkinBox(const Evaluator& evaluator) {
    for (const CharacterMesh& mesh : evaluator.character()->meshes) {
      for (std::uint32_t v = 0; !mesh.control && v < mesh.vertex_count(); ++v) {
        least = glm::min(least, evaluator.positions()[mesh.first_vertex + v]);
        greatest = glm::max(greatest, evaluator.positions()[mesh.first_vertex + v]);
      }
    }
  }
  float size() const { return glm::distance(least, greatest); }
  // The rounding of a float at the farthest coordinate, and 1e-6 of the size.
  float rounding() const { return 1e-6f * (size() + glm::length(glm::max(glm::abs(least), glm::abs(greatest)))); }
  glm::vec3 random_point(std::mt19937& random, float grown = 1.5f) const {
    std::uniform_real_distribution<float> number(-0.5f * grown, 0.5f * grown);
    return 0.5f * (least + greatest) + (greatest - least) * glm::vec3(number(random), number(random), number(random));
  }
};

}  // namespace pelt::test
