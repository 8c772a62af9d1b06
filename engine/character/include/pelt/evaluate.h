// SPDX-License-Identifier: MIT
// The CPU evaluation: the same palettes and the same blend as the shaders, for servers, tools and tests.
#pragma once

#include <glm/glm.hpp>
#include <memory>
#include <span>

#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/normal_rings.h>

namespace pelt {

// What moves the skins of a copy (docs/detail.md).
enum class Detail {
  kFull,       // the deformers
  kLinearFit,  // linear blend, fitted to them: CharacterMesh::fit. Control meshes stay where they were
};

// One posed copy of a character. All memory is taken on creation; pose and evaluate allocate nothing themselves.
class Evaluator {
 public:
  struct Options {
    unsigned threads = 0;  // 0: all cores
    bool normals = true;
    bool tangents = true;                           // only with normals
    NormalMode normal_mode = NormalMode::kBlended;  // of skins
    bool same_everywhere = false;  // slower, and the same bits on every processor (blend_linear_by_scalars)
  };
  explicit Evaluator(const Character& character, Options options);
  explicit Evaluator(const Character& character) : Evaluator(character, Options{}) {}
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  // joints: model-space matrices, one a joint of the skeleton, column-major, affine (their last row is not read).
  // Copied. What was never posed stands at rest.
  void pose(std::span<const glm::mat4> joints);

  // All inputs at once. Shape: CharacterData::input_count. Copied.
  void inputs(std::span<const float> values);

  // Where the vertices of a streamed control mesh are, model space, in the model's order. Copied. What was never
  // streamed stands at rest.
  void stream(std::size_t stream, std::span<const glm::vec3> positions);

  // The value of CharacterData::controls[control].
  void control(std::size_t control, float value);

  // From the next evaluate() on; kFull until it is called. The first call with kLinearFit allocates.
  // Precondition: the character has fits, or it is kFull.
  void set_detail(Detail detail);

  // Poses every palette and moves every mesh that the detail asks for, stage by stage.
  void evaluate();

  // Of all meshes one after the other, in packed order (CharacterMesh::first_vertex, CharacterMesh::source_vertex).
  // Model space.
  std::span<const glm::vec3> positions() const;
  std::span<const glm::vec3> normals() const;   // unit
  std::span<const glm::vec4> tangents() const;  // unit xyz, orthogonal to the normal; w = handedness
  std::span<const Affine> palette() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Values in packed order -> the order of the model's mesh: out[mesh.source_vertex[i]] = packed[mesh.first_vertex + i].
template <class T>
void to_source_order(const CharacterMesh& mesh, std::span<const T> packed, std::span<T> out) {
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) out[mesh.source_vertex[i]] = packed[mesh.first_vertex + i];
}

}  // namespace pelt
