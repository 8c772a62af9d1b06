// SPDX-License-Identifier: MIT
// Evaluates characters on the CPU with the palettes and the blend of the shaders, for servers, tools and tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <glm/gtc/type_precision.hpp>
#include <memory>
#include <span>

#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/job_system.h>
#include <pelt/result.h>

namespace pelt {

// One posed copy of a character. The constructor allocates all memory; pose and evaluate do not allocate.
class Evaluator {
 public:
  struct Options {
    JobSystem jobs;  // run the loops over vertices and palette entries; none: they run on the calling thread
    bool normals = true;
    bool tangents = true;          // requires normals
    bool control_meshes = false;   // for tools: also writes normals and tangents of control meshes
    bool morphs = true;            // false: skins move without their morph targets
    bool tension = false;          // takes 0.1 us per vertex
    bool same_everywhere = false;  // slower; the same bits on every processor, without vector instructions
  };
  // Errors: kOutOfMemory.
  static Result<Evaluator> create(const Character& character, Options options);
  // The same; throws std::bad_alloc.
  explicit Evaluator(const Character& character, Options options);
  explicit Evaluator(const Character& character) : Evaluator(character, Options{}) {}
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  // Sets the joints: model-space matrices, one per joint of the skeleton, column-major, affine (the last row is not
  // read). Copies them and turns the helper joints (turn_helpers). Before the first call the character is in its rest
  // pose.
  void pose(std::span<const glm::mat4> joints);

  // Sets all inputs at once. Shape: CharacterData::input_count. Copies them.
  void inputs(std::span<const float> values);

  // Sets the vertices of a streamed control mesh, model space, in the model's order. Copies them. Before the first call
  // they are in the rest pose.
  void stream(std::size_t stream, std::span<const glm::vec3> positions);

  // Sets the value of CharacterData::controls[control].
  void control(std::size_t control, float value);

  // Advances the time of secondary action by `seconds`: call it once per frame, before evaluate(), with the time since
  // the last frame. The motion between two calls of evaluate() takes the time between them; if the poses lie on one
  // path, the result does not depend on the frame rate. A negative or non-finite time is ignored. Only motion in model
  // space makes masses swing, so motion of the whole model must be in the joint matrices. Has no effect on a character
  // without secondary action (CharacterData::clock_input()).
  void advance(float seconds);
  // Restarts secondary action at rest in the next evaluate(), as at first: for a pose that does not continue the one
  // before. This also happens if more than 64 steps of 1/240 s (0.27 s) have passed since the last evaluate().
  void teleport();

  // Sets the detail from the next evaluate() on; kFull at first. The first call with kLinearBlend allocates. A
  // character without CharacterData::has_linear_blend stays at kFull.
  void set_detail(Detail detail);

  // Poses the palettes and moves the meshes that the detail needs, stage by stage.
  void evaluate();
  // Does the same without moving the skins, whose positions() keep their last values: for vertex() and those who call
  // it, anchors (pelt/anchor.h) and queries (pelt/skin_query.h).
  void evaluate_controls();
  // Returns how often either was called.
  std::uint64_t evaluations() const;

  // A vertex as evaluate() moves it, up to rounding; the same bits with Options::same_everywhere.
  struct Vertex {
    glm::vec3 position;
    glm::vec3 normal;   // unit
    glm::vec4 tangent;  // unit xyz, orthogonal to the normal; w = handedness
  };
  // Moves one vertex of a skin by the last evaluation's palettes. `vertex`: in packed order, from 0 in each mesh.
  Vertex vertex(std::size_t mesh, std::size_t vertex) const;
  // The same without normal and tangent, in a third of the time.
  glm::vec3 position(std::size_t mesh, std::size_t vertex) const;

  const Character& character() const;
  Detail detail() const;  // of the last evaluation

  // Results of all meshes, one mesh after the other, in packed order (CharacterMesh::first_vertex,
  // CharacterMesh::source_vertex). Model space. Normals and tangents of control meshes are 0 without
  // Options::control_meshes.
  std::span<const glm::vec3> positions() const;
  std::span<const glm::vec3> normals() const;   // unit
  std::span<const glm::vec4> tangents() const;  // unit xyz, orthogonal to the normal; w = handedness
  // How much longer each skin is than at rest along its tangent (x) and bitangent (y): 127 log2(length / rest length),
  // rounded and clamped, from the triangles round each vertex (docs/outputs.md, Tension). 0: control meshes.
  std::span<const glm::i8vec2> tension() const;
  std::span<const Affine> palette() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Copies values from packed order to the model's order: out[mesh.source_vertex[i]] = packed[mesh.first_vertex + i].
template <class T>
void to_source_order(const CharacterMesh& mesh, std::span<const T> packed, std::span<T> out) {
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) out[mesh.source_vertex[i]] = packed[mesh.first_vertex + i];
}

}  // namespace pelt
