// SPDX-License-Identifier: MIT
// Poses of a character, with the vertices that it shall have in them.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/evaluate.h>
#include <pelt/learn.h>
#include <pelt/result.h>

namespace pelt::learning {

struct Pose {
  std::uint32_t sequence = 0;  // index in LearnOptions::sequences
  std::uint32_t frame = 0;     // of its cache
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
};

struct Poses {
  std::vector<Pose> poses;
  std::size_t vertices = 0;
  std::vector<glm::vec3> truth;  // by pose, then by vertex of all skins
  std::size_t given = 0;         // poses, before those that kMaxLearntPoses leaves out

  std::span<const glm::vec3> truth_of(std::size_t pose) const {
    return std::span(truth).subspan(pose * vertices, vertices);
  }
};

// Reads caches and poses. Errors: those of learn_model.
Result<Poses> load_poses(const Character& character, const LearnOptions& options);

// Returns the offset at rest that moves a vertex by `wrong`, A^-1 wrong; A: the derivative of its position. Along
// directions that the deformer squeezes flat it stays short, since poses in between would not.
glm::vec3 at_rest(const glm::mat3& motion, glm::dvec3 wrong);

// Returns the mean of squared lengths of the skins' edges.
double edge_square(const CharacterData& data, std::span<const glm::vec3> positions);

// Moves the skins of a character, and finds how each of their vertices follows an offset at rest.
class Mover {
 public:
  // `threads`: 0: all CPUs. `follows`: whether follow() will be called.
  static Result<Mover> create(const Character& character, unsigned threads, bool follows);

  void pose(const Pose& pose);
  // The vertices of all skins, in the model's order, one mesh after the other.
  std::span<const glm::vec3> positions() const { return positions_; }
  // The derivatives of positions() by the vertices' rest positions. Valid after follow(), for that pose.
  void follow(const Pose& pose);
  std::span<const glm::mat3> motions() const { return motions_; }

 private:
  Mover(const Character& character, unsigned threads);
  void copy(const Evaluator& from, std::vector<glm::vec3>& to) const;

  Evaluator evaluator_;
  std::optional<Evaluator> probe_;
  std::vector<glm::vec3> positions_, moved_;
  std::vector<glm::mat3> motions_;
  float step_;  // of the probe's offsets, metres
};

}  // namespace pelt::learning
