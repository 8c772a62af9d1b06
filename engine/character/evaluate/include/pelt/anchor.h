// SPDX-License-Identifier: MIT
// Points that stay on the skin: each gives a position and a frame in any pose, on the CPU, without moving the skin.
// Crowds write the frames of a character's own (CharacterData::anchors).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>
#include <pelt/evaluate.h>
#include <pelt/frame.h>
#include <pelt/result.h>

namespace pelt {

// A point on a triangle of a skin.
struct SkinPoint {
  std::uint32_t mesh = 0;          // index in CharacterData::meshes; not a control mesh
  std::uint32_t triangle = 0;      // index in CharacterMesh::triangles
  glm::vec3 barycentric{1, 0, 0};  // shares of the triangle's corners, 0 to 1, with the sum 1
};

// Returns the point of the skin that is nearest to a position, model space at bind, metres; the first if several are.
// Looks at every triangle. Errors: kInvalidArgument if the position is not finite or beyond kMaxCoordinate, or if no
// skin has triangles.
Result<SkinPoint> nearest_at_bind(const Character& character, glm::vec3 position);

class Anchor {
 public:
  // Errors: kInvalidArgument, for a mesh that does not exist or is a control mesh, a triangle or a vertex that does not
  // exist, and coordinates that are not shares.
  static Result<Anchor> at_point(const Character& character, const SkinPoint& point);
  // `vertex`: in packed order; also one without triangles.
  static Result<Anchor> at_vertex(const Character& character, std::uint32_t mesh, std::uint32_t vertex);

  // `point`: one of CharacterData::anchors.
  explicit Anchor(const SkinAnchor& point) : point_{"", point.mesh, point.vertices, point.shares} {}
  // The one of this name. Errors: kNotFound, with the nearest name.
  static Result<Anchor> named(const Character& character, std::string_view name);

  // Returns it with a name, for with_anchors().
  SkinAnchor with_name(std::string name) const;

  // Returns the anchor's frame in model space, metres: a rotation whose columns x, y and z are tangent, bitangent and
  // normal, and the position as its origin. The normal is the skin's, which shading uses. The tangent follows the
  // longest edge, at bind, of the triangle; at a vertex, the skin's tangent.
  // Moves three vertices at most, by the palettes of the evaluator's last evaluate() or evaluate_controls().
  // Precondition: there was one, of the same character.
  Affine frame(const Evaluator& evaluator) const;

 private:
  SkinAnchor point_;  // without a name
};

// Returns the character with these anchors instead of its own. Errors: those of Character::create.
Result<Character> with_anchors(const Character& character, std::vector<SkinAnchor> anchors);

}  // namespace pelt
