// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include <pelt/anchor.h>
#include <pelt/try.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/model/find_named.h"
#include "engine/character/base/invalid.h"
#include "engine/character/skin_anchor.h"

namespace pelt {
namespace {

// Returns the nearest point of some skins, of which one has triangles.
SkinAnchor nearest_of(const Model& model, std::span<const std::uint32_t> skins, const glm::dvec3& position) {
  std::optional<NearestPoint> nearest;
  std::uint32_t on = 0;
  for (const std::uint32_t m : skins) {
    const auto found = nearest_on(model.meshes[m].positions, model.meshes[m].triangles, position);
    if (found && (!nearest || found->distance < nearest->distance)) nearest = found, on = m;
  }
  const Mesh& mesh = model.meshes[on];
  SkinAnchor made = anchor_on_triangle(mesh.positions, mesh.triangles[nearest->triangle], nearest->shares);
  made.mesh = on;
  return made;
}

}  // namespace

Rig with_marks(const Rig& rig, const Model& model) {
  Rig made = rig;
  for (const MarkedAnchor& mark : model.anchors) {
    if (std::ranges::find(rig.anchors, mark.name, &RigAnchor::name) == rig.anchors.end())
      made.anchors.push_back({.name = mark.name, .node = model.skeleton.joints[mark.joint].name});
  }
  return made;
}

Result<std::vector<SkinAnchor>> place_anchors(const Model& model, const Rig& rig, const LayerPlan& plan) {
  std::vector<SkinAnchor> placed;
  std::vector<std::uint32_t> all;  // skins
  for (std::uint32_t m = 0; m < model.meshes.size(); ++m) {
    if (plan.is_skin(m)) all.push_back(m);
  }
  std::vector<glm::dmat4> at_bind;
  std::set<std::string_view> names;
  for (const RigAnchor& anchor : rig.anchors) {
    const std::string what = fmt::format("the anchor '{}'", anchor.name);
    if (!names.insert(anchor.name).second) return invalid("two anchors are '{}'", anchor.name);
    std::vector<std::uint32_t> skins = all;
    if (!anchor.mesh.empty()) {
      PELT_ASSIGN(const Mesh* const mesh, find_mesh(model, anchor.mesh, what));
      skins = {static_cast<std::uint32_t>(mesh - model.meshes.data())};
      if (!plan.is_skin(skins[0])) return invalid("{} is on '{}', which is not a skin", what, anchor.mesh);
    }
    const auto has_triangles = [&](std::uint32_t m) { return !model.meshes[m].triangles.empty(); };
    SkinAnchor made;
    if (anchor.vertex) {
      const std::size_t count = model.meshes[skins[0]].positions.size();
      if (*anchor.vertex >= count)
        return invalid("{} is at vertex {} of '{}', which has {}", what, *anchor.vertex, anchor.mesh, count);
      made = {.mesh = skins[0], .vertices = glm::uvec3(*anchor.vertex)};
    } else if (anchor.triangle) {
      const Mesh& mesh = model.meshes[skins[0]];
      if (*anchor.triangle >= mesh.triangles.size())
        return invalid("{} is on triangle {} of '{}', which has {}", what, *anchor.triangle, anchor.mesh,
                       mesh.triangles.size());
      if (!are_shares(anchor.barycentric)) return invalid("{}: the sum of barycentric is not 1", what);
      made = anchor_on_triangle(mesh.positions, mesh.triangles[*anchor.triangle], anchor.barycentric);
      made.mesh = skins[0];
    } else {
      if (std::ranges::none_of(skins, has_triangles)) return invalid("{}: no skin has triangles", what);
      glm::dvec3 position(anchor.near.value_or(glm::vec3(0)));
      if (!anchor.near) {
        PELT_ASSIGN(const auto joint, find_joint(model.skeleton, anchor.node, what));
        if (at_bind.empty()) at_bind = chain::matrices_at_bind(model, all);
        position = glm::dvec3(at_bind[joint][3]);
      }
      made = nearest_of(model, skins, position);
    }
    made.name = anchor.name;
    placed.push_back(std::move(made));
  }
  return placed;
}

Result<Character> add_anchors(const Character& character, const Model& model, std::vector<SkinAnchor> anchors) {
  if (anchors.empty()) return character;
  std::vector<std::vector<std::uint32_t>> packed(character->meshes.size());  // by vertex of the model's mesh
  for (SkinAnchor& anchor : anchors) {
    const auto mesh = std::ranges::find(character->meshes, model.meshes[anchor.mesh].name, &CharacterMesh::name);
    anchor.mesh = static_cast<std::uint32_t>(mesh - character->meshes.begin());
    std::vector<std::uint32_t>& place = packed[anchor.mesh];
    if (place.empty()) {
      place.resize(mesh->vertex_count());
      for (std::uint32_t v = 0; v < place.size(); ++v) place[mesh->source_vertex[v]] = v;
    }
    for (int i = 0; i < 3; ++i) anchor.vertices[i] = place[anchor.vertices[i]];
  }
  return with_anchors(character, std::move(anchors));
}

}  // namespace pelt
