// SPDX-License-Identifier: MIT
#include <cassert>

#include <pelt/anchor.h>
#include <pelt/finite.h>
#include <pelt/nearest_name.h>
#include <pelt/try.h>

#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "engine/character/skin_anchor.h"

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
  SkinPoint nearest;
  double least = INFINITY;
  for (std::uint32_t m = 0; m < character->meshes.size(); ++m) {
    if (character->meshes[m].control) continue;
    const std::optional<NearestPoint> found =
        nearest_on(character->meshes[m].binding.points, character->meshes[m].triangles, position);
    if (found && found->distance < least) nearest = {m, found->triangle, found->shares}, least = found->distance;
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
  const glm::vec3 shares = point.barycentric;
  if (!are_shares(shares)) {
    return invalid("the barycentric coordinates {}, {}, {} are not shares from 0 to 1 with the sum 1", shares.x,
                   shares.y, shares.z);
  }
  SkinAnchor made = anchor_on_triangle(mesh.binding.points, mesh.triangles[point.triangle], shares);
  made.mesh = point.mesh;
  return Anchor(made);
}

Result<Anchor> Anchor::at_vertex(const Character& character, std::uint32_t mesh, std::uint32_t vertex) {
  PELT_TRY(check_skin(character, mesh));
  const CharacterMesh& skin = character->meshes[mesh];
  if (vertex >= skin.vertex_count())
    return invalid("vertex {} of mesh '{}' does not exist: there are {}", vertex, skin.name, skin.vertex_count());
  return Anchor(SkinAnchor{.mesh = mesh, .vertices = glm::uvec3(vertex)});
}

Result<Anchor> Anchor::named(const Character& character, std::string_view name) {
  if (const auto found = character->find_anchor(name)) return Anchor(character->anchors[*found]);
  return tl::unexpected(unknown_name("anchor", "anchors", name, character->anchors, &SkinAnchor::name));
}

SkinAnchor Anchor::with_name(std::string name) const {
  SkinAnchor made = point_;
  made.name = std::move(name);
  return made;
}

Affine Anchor::frame(const Evaluator& evaluator) const {
  assert(evaluator.evaluations() > 0);
  const auto moved = [&](std::uint32_t v) {
    const Evaluator::Vertex vertex = evaluator.vertex(point_.mesh, v);
    return shared::AnchorVertex{vertex.position, vertex.normal, glm::vec3(vertex.tangent)};
  };
  const glm::uvec3& v = point_.vertices;
  const shared::AnchorVertex first = moved(v.x);
  if (v.x == v.y && v.x == v.z) return shared::anchor_frame(anchor_record(point_), first, first, first);
  return shared::anchor_frame(anchor_record(point_), first, moved(v.y), moved(v.z));
}

Result<Character> with_anchors(const Character& character, std::vector<SkinAnchor> anchors) {
  return guard_memory([&] {
    CharacterData data = *character;
    data.anchors = std::move(anchors);
    return Character::create(std::move(data));
  });
}

}  // namespace pelt
