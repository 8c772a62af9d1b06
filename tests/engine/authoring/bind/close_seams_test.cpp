// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/close_seams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <pelt/builtin.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

constexpr float kGap = 2e-3f;

// Returns the limb as two pieces that are kGap apart at the joint. `pairs`: the vertices on both sides.
Model limb_in_pieces(std::vector<glm::uvec2>& pairs) {
  Model model = make_limb({.around = 24, .along = 32});
  Mesh& mesh = model.meshes[0];
  const auto is_second = [&](glm::uvec3 t) {
    return std::min({mesh.positions[t.x].x, mesh.positions[t.y].x, mesh.positions[t.z].x}) > 3.99f;
  };
  std::set<std::uint32_t> first;
  for (const glm::uvec3 t : mesh.triangles) {
    if (!is_second(t)) first.insert({t.x, t.y, t.z});
  }
  std::map<std::uint32_t, std::uint32_t> copy_of;
  for (glm::uvec3& t : mesh.triangles) {
    if (!is_second(t)) continue;
    for (int c = 0; c < 3; ++c) {
      if (!first.contains(t[c])) continue;
      const auto [copy, added] = copy_of.emplace(t[c], static_cast<std::uint32_t>(mesh.positions.size()));
      if (added) {
        mesh.positions.push_back(mesh.positions[t[c]] + glm::vec3(kGap, 0, 0));
        mesh.normals.push_back(glm::vec3(mesh.normals[t[c]]));
        mesh.weights.append_row(std::vector(mesh.weights.row(t[c]).begin(), mesh.weights.row(t[c]).end()));
        pairs.emplace_back(t[c], copy->second);
      }
      t[c] = copy->second;
    }
  }
  mesh.uvs.clear();
  mesh.tangents.clear();
  return model;
}

// Files with quantised positions are so: each primitive is quantised by itself.
TEST(Seams, ThatAreALittleOpenStaySo) {
  std::vector<glm::uvec2> pairs;
  const Model model = limb_in_pieces(pairs);
  ASSERT_GE(pairs.size(), 24u);
  for (const DeformerParameters& parameters :
       {DeformerParameters(SurfaceFfdParameters{}), DeformerParameters(HierarchicalBsplineParameters{})}) {
    const Character character = test::bound(model, test::rig_of(parameters)).character;
    const auto posed = [&](float degrees) {
      return test::posed(character, test::bent(model, degrees), model.meshes[0].name);
    };
    EXPECT_LT(test::farthest(posed(0), model.meshes[0].positions), 1e-5f) << "the file's positions at rest";
    for (const std::vector<glm::vec3> skin = posed(120); const glm::uvec2 pair : pairs) {
      EXPECT_LT(glm::distance(skin[pair.x], skin[pair.y]), 3 * kGap);
    }
  }
}

// Faces and hands have such edges: two strips, each half of the size, with edges of 0.05% of it along the seam.
TEST(Seams, OfShortEdgesClose) {
  constexpr float kEdge = 5e-4f;
  Model model = test::make_tube();
  Mesh& mesh = model.meshes[0];
  mesh.positions.clear();
  mesh.triangles.clear();
  for (std::uint32_t i = 0; i <= 60; ++i) {
    const float x = kEdge * static_cast<float>(i);
    const float gap = kEdge * (i % 3 == 0 ? 0.2f : 0.1f);
    for (const glm::vec2 p : {glm::vec2(x, -0.5f), {x, 0}, {x + 0.1f * kEdge, gap}, {x, 0.5f}}) {
      mesh.positions.emplace_back(p, 0);
    }
    for (const std::uint32_t v : {4 * i, 4 * i + 2}) {
      if (i > 0) mesh.triangles.insert(mesh.triangles.end(), {{v - 4, v, v - 3}, {v - 3, v, v + 1}});
    }
  }
  mesh.positions.push_back(mesh.positions[1] + glm::vec3(0, 0, 1e-8f));  // so that 1 has an edge of rounding's length
  mesh.triangles.emplace_back(1, 5, mesh.positions.size() - 1);
  mesh.weights = test::rows_on(0, mesh.positions.size());
  const std::optional<Model> closed = with_closed_seams(model);
  ASSERT_TRUE(closed);
  const std::vector<glm::vec3>& positions = closed->meshes[0].positions;
  for (std::size_t v = 1; v < positions.size(); v += 4) {
    EXPECT_EQ(positions[v], mesh.positions[v]);
    EXPECT_EQ(positions[v], positions[v + 1]);
  }
}

// The driver's seams are closed while the second layer binds, so also in the driver.
TEST(Seams, OfAMovedDriverKeepTheRest) {
  std::vector<glm::uvec2> pairs;
  Model model = limb_in_pieces(pairs);
  model.meshes.push_back(make_limb({.around = 24, .along = 32}).meshes[0]);
  model.meshes[1].name = "skin";
  SurfaceFfdParameters by_limb;
  by_limb.driver.mesh = model.meshes[0].name;
  by_limb.driver.estimate_frames = true;  // so that twins stay two vertices
  Rig rig;
  rig.layers = {{model.meshes[0].name, LinearBlendParameters{}, {}}, {"skin", by_limb, {}}};
  const Character character = test::bound(model, rig).character;
  EXPECT_LT(test::farthest(test::posed(character, test::bent(model, 0), "skin"), model.meshes[1].positions), 1e-5f);
}

}  // namespace
}  // namespace pelt
