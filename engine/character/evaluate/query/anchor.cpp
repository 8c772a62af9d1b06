// SPDX-License-Identifier: MIT
#include <cassert>
#include <cmath>

#include <pelt/anchor.h>
#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/character/base/invalid.h"
#include "engine/character/evaluate/query/triangle.h"
#include "shaders/blend/blend.h"

namespace pelt {
namespace {

Result<void> check_skin(const Character& character, std::uint32_t mesh) {
  const std::size_t count = character->meshes.size();
  if (mesh >= count) return invalid("mesh {} does not exist: there are {}", mesh, count);
  if (character->meshes[mesh].control)
    return invalid("mesh '{}' is a control mesh, and anchors are on skins", character->meshes[mesh].name);
  return {};
}

}  // namespace

Result<SkinPoint> nearest_at_bind(const Character& character, glm::vec3 position) {
  if (!is_near(position)) return invalid("the position is not finite, or beyond {:g}", kMaxCoordinate);
  const glm::dvec3 p(position);
  SkinPoint nearest;
  double least = INFINITY;
  for (std::uint32_t m = 0; m < character->meshes.size(); ++m) {
    const CharacterMesh& mesh = character->meshes[m];
    if (mesh.control) continue;
    const std::vector<glm::vec3>& points = mesh.binding.points;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      const glm::uvec3& v = mesh.triangles[t];
      const Corners corners{points[v.x], points[v.y], points[v.z]};
      const glm::dvec3 on = nearest_on_triangle(corners, p);
      const double distance = glm::distance(corners.point(on), p);
      if (distance < least) nearest = {m, t, glm::vec3(on)}, least = distance;
    }
  }
  if (least == INFINITY) return invalid("no skin of '{}' has triangles", character->name);
  return nearest;
}

Result<Anchor> Anchor::at_point(const Character& character, const SkinPoint& point) {
  PELT_TRY(check_skin(character, point.mesh));
  const CharacterMesh& mesh = character->meshes[point.mesh];
  if (mesh.triangles.empty()) return invalid("mesh '{}' has no triangles", mesh.name);
  if (point.triangle >= mesh.triangles.size()) {
    return invalid("triangle {} of mesh '{}' does not exist: there are {}", point.triangle, mesh.name,
                   mesh.triangles.size());
  }
  constexpr float kRounding = 1e-4f;
  const glm::vec3 shares = point.barycentric;
  const bool are_shares = glm::all(glm::greaterThanEqual(shares, glm::vec3(-kRounding))) &&
                          std::abs(shares.x + shares.y + shares.z - 1) <= kRounding;
  if (!are_shares) {
    return invalid("the barycentric coordinates {}, {}, {} are not shares from 0 to 1 with the sum 1", shares.x,
                   shares.y, shares.z);
  }
  Anchor anchor;
  anchor.mesh_ = point.mesh;
  float longest = -1;
  for (int i = 0; i < 3; ++i) {
    const glm::ivec3 corner(i, (i + 1) % 3, (i + 2) % 3);
    const glm::uvec3& v = mesh.triangles[point.triangle];
    const float length = glm::distance(mesh.binding.points[v[corner.x]], mesh.binding.points[v[corner.y]]);
    if (length <= longest) continue;
    longest = length;
    anchor.vertices_ = {v[corner.x], v[corner.y], v[corner.z]};
    anchor.shares_ = {shares[corner.x], shares[corner.y], shares[corner.z]};
  }
  if (longest == 0) return at_vertex(character, point.mesh, anchor.vertices_.x);
  return anchor;
}

Result<Anchor> Anchor::at_vertex(const Character& character, std::uint32_t mesh, std::uint32_t vertex) {
  PELT_TRY(check_skin(character, mesh));
  const CharacterMesh& skin = character->meshes[mesh];
  if (vertex >= skin.vertex_count())
    return invalid("vertex {} of mesh '{}' does not exist: there are {}", vertex, skin.name, skin.vertex_count());
  Anchor anchor;
  anchor.mesh_ = mesh;
  anchor.vertex_count_ = 1;
  anchor.vertices_ = glm::uvec3(vertex);
  return anchor;
}

Affine Anchor::frame(const Evaluator& evaluator) const {
  assert(evaluator.evaluations() > 0);
  const Evaluator::Vertex first = evaluator.vertex(mesh_, vertices_.x);
  if (vertex_count_ == 1) {
    const glm::vec3 tangent(first.tangent);
    return affine_from_axes(glm::mat3(tangent, glm::cross(first.normal, tangent), first.normal), first.position);
  }
  const Evaluator::Vertex second = evaluator.vertex(mesh_, vertices_.y);
  const Evaluator::Vertex third = evaluator.vertex(mesh_, vertices_.z);
  const glm::vec3 mixed = shares_.x * first.normal + shares_.y * second.normal + shares_.z * third.normal;
  const glm::vec3 normal = shared::normalize_or(mixed, first.normal);
  // Relative to a corner, so that rounding is that of the triangle's size far from the origin.
  const glm::vec3 edge = second.position - first.position;
  const glm::vec3 position = first.position + shares_.y * edge + shares_.z * (third.position - first.position);
  const glm::vec3 along = shared::normalize_or(edge, glm::vec3(first.tangent));
  const glm::vec3 tangent = shared::turned_tangent(glm::mat3(1.0f), along, normal);
  return affine_from_axes(glm::mat3(tangent, glm::cross(normal, tangent), normal), position);
}

}  // namespace pelt
