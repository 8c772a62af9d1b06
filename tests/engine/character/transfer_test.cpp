// SPDX-License-Identifier: MIT
#include "engine/character/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/character/bind.h"
#include "engine/character/region.h"
#include "engine/rig/rig_json.h"
#include "engine/surface_ffd/refine.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::HasSubstr;

// A tube in a cage, with a group of each kind and a key pose that lists offsets.
Model caged_tube() {
  Model model = test::make_tube();
  Mesh cage = model.meshes[0];
  cage.name = "cage";
  for (glm::vec3& p : cage.positions) p = glm::vec3(p.x, 1.2f * p.y, 1.2f * p.z);
  model.meshes.push_back(std::move(cage));
  return model;
}

Rig listed_rig(const Model& model) {
  Rig rig;
  Group spot{.name = "spot", .mesh = model.meshes[0].name};
  Group far{.name = "far", .mesh = "cage"};
  const Mesh& tube = model.meshes[0];
  const auto middle = [](const Mesh& mesh) {
    float sum = 0;
    for (const glm::vec3& p : mesh.positions) sum += p.x;
    return sum / static_cast<float>(mesh.positions.size());
  };
  for (std::uint32_t v = 0; v < tube.positions.size(); ++v) {
    if (tube.positions[v].x < middle(tube)) spot.vertices.push_back({v, v});
  }
  const Mesh& cage = model.meshes[1];
  for (std::uint32_t t = 0; t < cage.triangles.size(); ++t) {
    const glm::uvec3 c = cage.triangles[t];
    const auto beyond = [&](std::uint32_t v) { return cage.positions[v].x > middle(cage); };
    if (beyond(c.x) && beyond(c.y) && beyond(c.z)) far.triangles.push_back({t, t});
  }
  rig.groups = {spot, far};
  SurfaceFfdParameters ffd;
  ffd.driver.mesh = "cage";
  ffd.exclude = {{"far", "spot"}};
  ffd.fade = 0;
  ffd.driver.key_poses = {{.angles = {{model.skeleton.joints[1].name, {0, 0, 1}}},
                           .poses = {{.degrees = {90}, .offsets = {{3, {0, 0.1f, 0}}}}}}};
  rig.layers = {{.target = tube.name, .deformer = ffd}};
  return rig;
}

Character bound(const Model& model, const Rig& rig) {
  const Result<Bound> result = bind(model, rig);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result->character;
}

// Every triangle into four, vertices in another order.
Model reexported(Model model) {
  for (Mesh& mesh : model.meshes) {
    const std::vector<std::uint8_t> all(mesh.triangles.size(), 1);
    Mesh fine = surface_ffd::refine(mesh, all).mesh;
    const auto count = static_cast<std::uint32_t>(fine.positions.size());
    const auto moved = [&](std::uint32_t v) { return count - 1 - v; };
    std::reverse(fine.positions.begin(), fine.positions.end());
    std::reverse(fine.normals.begin(), fine.normals.end());
    std::reverse(fine.tangents.begin(), fine.tangents.end());
    std::reverse(fine.uvs.begin(), fine.uvs.end());
    SparseRows weights;
    for (std::uint32_t v = 0; v < fine.weights.row_count(); ++v) weights.append_row(fine.weights.row(moved(v)));
    fine.weights = std::move(weights);
    for (glm::uvec3& t : fine.triangles) t = {moved(t.x), moved(t.y), moved(t.z)};
    mesh = std::move(fine);
  }
  return model;
}

const SurfaceFfdParameters& ffd_of(const Rig& rig) { return std::get<SurfaceFfdParameters>(rig.layers[0].deformer); }

TEST(Transfer, KeepsNumbersWhereTheTopologyIsTheSame) {
  const Model model = caged_tube();
  const Rig rig = listed_rig(model);
  const Character old = bound(model, rig);
  Model moved = model;
  for (Mesh& mesh : moved.meshes) {
    for (glm::vec3& p : mesh.positions) p *= 1.5f;
  }
  const Result<Transferred> transferred = transfer_rig(old, moved, "there");
  ASSERT_TRUE(transferred) << transferred.error().message;
  Rig expected = rig;
  expected.directory = "there";
  EXPECT_EQ(transferred->rig, expected);
  EXPECT_THAT(transferred->notes, testing::Each(HasSubstr("numbers hold")));
}

TEST(Transfer, CarriesGroupsAndOffsetsToWhereTheyWere) {
  const Model model = caged_tube();
  const Rig rig = listed_rig(model);
  const Model fine = reexported(model);
  const Result<Transferred> transferred = transfer_rig(bound(model, rig), fine, "");
  ASSERT_TRUE(transferred) << transferred.error().message;
  EXPECT_THAT(transferred->notes, testing::Contains(HasSubstr("carried over by the closest point")));

  // What was in a group is, by its place; what lies between two may be in it by half.
  const auto spot = group_values("spot", fine.meshes[0], fine, transferred->rig, "test");
  ASSERT_TRUE(spot) << spot.error().message;
  const auto old_spot = group_values("spot", model.meshes[0], model, rig, "test");
  for (std::uint32_t v = 0; v < model.meshes[0].positions.size(); ++v) {
    for (std::uint32_t w = 0; w < fine.meshes[0].positions.size(); ++w) {
      if (glm::distance(model.meshes[0].positions[v], fine.meshes[0].positions[w]) > 1e-6f) continue;
      EXPECT_NEAR((*old_spot)[v], (*spot)[w], 1e-5f);
    }
  }
  const auto far = group_triangles("far", fine.meshes[1], fine, transferred->rig, "test");
  ASSERT_TRUE(far) << far.error().message;
  const auto old_far = group_triangles("far", model.meshes[1], model, rig, "test");
  EXPECT_EQ(std::count(far->begin(), far->end(), 1), 4 * std::count(old_far->begin(), old_far->end(), 1));

  const std::vector<VertexOffset>& offsets = ffd_of(transferred->rig).driver.key_poses[0].poses[0].offsets;
  const auto largest = std::max_element(
      offsets.begin(), offsets.end(),
      [](const VertexOffset& a, const VertexOffset& b) { return glm::length(a.offset) < glm::length(b.offset); });
  ASSERT_NE(largest, offsets.end());
  EXPECT_LT(glm::distance(fine.meshes[1].positions[largest->vertex], model.meshes[1].positions[3]), 1e-6f);
  EXPECT_NEAR(largest->offset.y, 0.1f, 1e-6f);

  // It binds, and can be carried on from there.
  const Character again = bound(fine, transferred->rig);
  EXPECT_TRUE(transfer_rig(again, model, ""));
}

TEST(Transfer, RefusesWhatWouldMeanSomethingElse) {
  const Model model = caged_tube();
  Rig rig = listed_rig(model);
  const Character old = bound(model, rig);
  const auto error_of = [](const Character& character, const Model& to) {
    const Result<Transferred> transferred = transfer_rig(character, to, "");
    return transferred ? "transferred" : transferred.error().message;
  };
  Model renamed = model;
  renamed.meshes[0].name = "skin";
  EXPECT_THAT(error_of(old, renamed), testing::AllOf(HasSubstr("'spot'"), HasSubstr("'tube'")));

  // Nothing of the group is left: it must not come to mean everything.
  Model cut = reexported(model);
  Mesh& tube = cut.meshes[0];
  std::erase_if(tube.triangles, [](glm::uvec3) { return true; });
  tube.parts.clear();
  for (glm::vec3& p : tube.positions) p.x += 100;
  EXPECT_THAT(error_of(old, cut), HasSubstr("is in the group 'spot'"));

  std::get<SurfaceFfdParameters>(rig.layers[0].deformer).driver.refine = {{.levels = 1}};
  std::get<SurfaceFfdParameters>(rig.layers[0].deformer).driver.key_poses.clear();
  EXPECT_THAT(error_of(bound(model, rig), reexported(model)), HasSubstr("welded or refined"));

  CharacterData bare = *old;
  bare.rig.clear();
  const Result<Character> without = Character::create(bare);
  ASSERT_TRUE(without);
  EXPECT_THAT(error_of(*without, model), HasSubstr("keeps no rig"));
}

TEST(Transfer, TheCharacterKeepsTheRigItWasBoundBy) {
  const Model model = caged_tube();
  const Rig rig = listed_rig(model);
  const Result<Rig> kept = parse_rig(bound(model, rig)->rig, "kept");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(*kept, rig);
}

}  // namespace
}  // namespace pelt
