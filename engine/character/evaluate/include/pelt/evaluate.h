// SPDX-License-Identifier: MIT
// Evaluates characters on the CPU by the same palettes and the same blend as the shaders, for servers, tools and tests.
#pragma once

#include <glm/glm.hpp>
#include <memory>
#include <span>

#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/job_system.h>
#include <pelt/normal_rings.h>

namespace pelt {

// One posed copy of a character. The constructor takes all memory; pose and evaluate allocate nothing themselves.
class Evaluator {
 public:
  struct Options {
    JobSystem jobs;  // what loops over vertices and palette entries run on; none: the thread that calls evaluate()
    bool normals = true;
    bool tangents = true;                           // only with normals
    NormalMode normal_mode = NormalMode::kBlended;  // applies to skins
    bool morphs = true;                             // false: skins are moved without their morph targets
    bool same_everywhere = false;  // slower; gives the same bits on every processor, without vector instructions
  };
  explicit Evaluator(const Character& character, Options options);
  explicit Evaluator(const Character& character) : Evaluator(character, Options{}) {}
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  // Sets the joints: model-space matrices, one for each joint of the skeleton, column-major, affine (the last row is
  // not read). Copies them, and turns the helper joints (turn_helpers). Before the first call the character is in its
  // rest pose.
  void pose(std::span<const glm::mat4> joints);

  // Sets all inputs at once. Shape: CharacterData::input_count. Copies them.
  void inputs(std::span<const float> values);

  // Sets the vertices of a streamed control mesh, model space, in the model's order. Copies them. Before the first call
  // they are in the rest pose.
  void stream(std::size_t stream, std::span<const glm::vec3> positions);

  // Sets the value of CharacterData::controls[control].
  void control(std::size_t control, float value);

  // Adds to the time in which secondary action goes on, seconds: call it once a frame, before evaluate(), with the time
  // since the last frame. The motion from one evaluate() to the next takes the time between them, and the result is the
  // same however that is divided into frames, as far as the poses lie on one path. A time that is negative or not
  // finite adds nothing. Only motion in model space counts: what moves the whole model must be in the joint matrices to
  // swing anything. A character without secondary action takes no notice (CharacterData::clock_input()).
  void advance(float seconds);
  // Has secondary action start at rest in the next evaluate(), as at first: for a pose that does not go on from the one
  // before. So it does where more than 64 steps of 1/240 s (0.27 s) passed since the evaluate() before.
  void teleport();

  // Sets the detail from the next evaluate() on; it is kFull at first. The first call with kLinearBlend allocates. A
  // character without CharacterData::has_linear_blend stays at kFull.
  void set_detail(Detail detail);

  // Poses the palettes and moves the meshes that the detail needs, stage by stage.
  void evaluate();

  // Results of all meshes, one mesh after the other, in packed order (CharacterMesh::first_vertex,
  // CharacterMesh::source_vertex). Model space.
  std::span<const glm::vec3> positions() const;
  std::span<const glm::vec3> normals() const;   // unit
  std::span<const glm::vec4> tangents() const;  // unit xyz, orthogonal to the normal; w = handedness
  std::span<const Affine> palette() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Copies values from packed order to the order of the model's mesh: out[mesh.source_vertex[i]] =
// packed[mesh.first_vertex + i].
template <class T>
void to_source_order(const CharacterMesh& mesh, std::span<const T> packed, std::span<T> out) {
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) out[mesh.source_vertex[i]] = packed[mesh.first_vertex + i];
}

}  // namespace pelt
