// SPDX-License-Identifier: MIT
// Levels of detail without the skin that garments always cover.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <string>
#include <utility>
#include <vector>

#include <pelt/evaluate.h>
#include <pelt/pose.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr float kFrom = 2, kTo = 6;  // the sleeve, along a tube of length 8

// Returns a closed tube of radius 1 in a sleeve that bends as it does: up to 0.07 wider, but tight at its hems.
Model sleeved() {
  constexpr test::TubeOptions kTube{.around = 32, .along = 64, .joints = 2, .blend_length = 4};
  Model model = test::make_tube(kTube);
  Mesh sleeve = model.meshes[0];
  const auto last = kTube.around * kTube.along;
  for (std::uint32_t k = 1; k + 1 < kTube.around; ++k) {
    model.meshes[0].triangles.emplace_back(0, k, k + 1);
    model.meshes[0].triangles.emplace_back(last, last + k + 1, last + k);
  }
  for (glm::vec3& p : sleeve.positions) {
    const float wider = 0.99f + 0.08f * std::sin(glm::pi<float>() * (p.x - kFrom) / (kTo - kFrom));
    p = {p.x, wider * p.y, wider * p.z};
  }
  sleeve.name = "sleeve";
  std::erase_if(sleeve.triangles, [&](const glm::uvec3& t) {
    const float x = (sleeve.positions[t.x].x + sleeve.positions[t.y].x + sleeve.positions[t.z].x) / 3;
    return x < kFrom || x > kTo;
  });
  sleeve.parts = {{0, static_cast<std::uint32_t>(sleeve.triangles.size()), 1}};
  model.meshes.push_back(std::move(sleeve));
  model.meshes[0].parts = {{0, static_cast<std::uint32_t>(model.meshes[0].triangles.size()), 0}};
  model.materials = {{.name = "skin"}, {.name = "linen"}};
  return model;
}

Rig hiding(std::vector<std::vector<std::string>> sets) {
  Rig rig = test::rig_of(SurfaceFfdParameters{});
  for (std::vector<std::string>& under : sets) rig.hide.push_back({std::move(under)});
  return rig;
}

// The middle of the tube is left out, and not moved; skin near the hems and bare skin stay, and move as without levels.
TEST(Hide, LeavesOutWhatASleeveCovers) {
  const Model model = sleeved();
  const Bound bound = test::bound(model, hiding({{"sleeve"}}));
  ASSERT_EQ(bound.character->levels.size(), 1u);
  const CharacterMesh& whole = test::mesh_of(bound.character, "tube");
  const CharacterMesh& part = bound.character->levels[0].skin;
  float from = kTo, to = kFrom;  // of what is left out
  std::vector<bool> kept(whole.vertex_count(), false);
  for (const glm::vec3& p : part.binding.points) {
    const auto at = std::ranges::find(whole.binding.points, p);
    ASSERT_NE(at, whole.binding.points.end());
    kept[static_cast<std::size_t>(at - whole.binding.points.begin())] = true;
  }
  for (std::size_t v = 0; v < kept.size(); ++v) {
    if (kept[v]) continue;
    from = std::min(from, whole.binding.points[v].x);
    to = std::max(to, whole.binding.points[v].x);
  }
  EXPECT_GT(from, kFrom + 0.005f * bound.character.size());
  EXPECT_LT(to, kTo - 0.005f * bound.character.size());
  EXPECT_LT(part.vertex_count(), 0.8f * static_cast<float>(whole.vertex_count()));
  EXPECT_THAT(bound.report.notes, testing::Contains(testing::HasSubstr("level 1, under sleeve: ")));

  std::vector<glm::mat4> joints(model.skeleton.joints.size());
  rest_matrices(model.skeleton, joints);
  joints[1] = glm::rotate(joints[1], 0.7f, glm::vec3(0, 0, 1));
  const Character shown = bound.character.at_level(1);
  Evaluator all(bound.character), some(shown);
  for (Evaluator* evaluator : {&all, &some}) {
    evaluator->pose(joints);
    evaluator->evaluate();
  }
  const std::uint32_t first = test::mesh_of(shown, part.name).first_vertex;
  for (std::uint32_t v = 0; v < part.vertex_count(); ++v) {
    const auto number = std::ranges::find(whole.binding.points, part.binding.points[v]) - whole.binding.points.begin();
    const std::size_t at = whole.first_vertex + static_cast<std::size_t>(number);
    EXPECT_EQ(some.positions()[first + v], all.positions()[at]) << v;
    EXPECT_LT(glm::distance(some.normals()[first + v], all.normals()[at]), 0.02f) << v;
  }
}

// Sets are levels in order: one that hides nothing shows the whole skin, also after one that hides.
TEST(Hide, LinenThatIsSeenThroughOrTooShortHidesNothing) {
  Model model = sleeved();
  const auto with = [&](bool mask, bool blend, float alpha) {
    model.materials[1] = {.name = "linen", .base_color = {1, 1, 1, alpha}, .alpha_mask = mask, .alpha_blend = blend};
    return test::bound(model, hiding({{"linen"}})).character->levels.size();
  };
  EXPECT_EQ(with(false, false, 1), 1u);
  EXPECT_EQ(with(true, false, 1), 0u);
  EXPECT_EQ(with(false, true, 1), 0u);
  EXPECT_EQ(with(false, false, 0.5f), 0u);

  model = sleeved();
  Mesh cuff = model.meshes[1];
  cuff.name = "cuff";
  cuff.parts.clear();
  std::erase_if(cuff.triangles, [&](const glm::uvec3& t) { return cuff.positions[t.x].x > 2.5f; });
  cuff.parts = {{0, static_cast<std::uint32_t>(cuff.triangles.size()), 1}};
  model.meshes.push_back(std::move(cuff));
  const Bound bound = test::bound(model, hiding({{"sleeve"}, {"cuff"}}));
  EXPECT_THAT(bound.report.notes, testing::Contains("level 2: cuff hide nothing"));
  const auto second = std::ranges::find(bound.character->levels, 2u, &SkinLevel::level);
  ASSERT_NE(second, bound.character->levels.end());
  EXPECT_EQ(second->skin.vertex_count(), test::mesh_of(bound.character, "tube").vertex_count());
}

// A sleeve that a bend pulls off covers nothing there.
TEST(Hide, ChecksPoses) {
  Model model = sleeved();
  const auto left_out = [&] {
    const Character character = test::bound(model, hiding({{"sleeve"}})).character;
    const std::uint32_t all = test::mesh_of(character, "tube").vertex_count();
    return character->levels.empty() ? 0 : all - character->levels[0].skin.vertex_count();
  };
  const std::uint32_t covered = left_out();
  EXPECT_GT(covered, 100u);
  model.meshes[1].weights = test::rows_on(0, model.meshes[1].positions.size());  // stiff
  EXPECT_LT(left_out(), covered / 2);
}

TEST(Hide, NamesWhatIsNotThere) {
  EXPECT_TRUE(
      test::refused(bind(sleeved(), hiding({{"sleve"}})),
                    "/hide/0/under: there is no mesh, material or model's file 'sleve'; did you mean 'sleeve'?"));
  EXPECT_TRUE(test::refused(bind(sleeved(), hiding({{}})), "/hide/0/under: names no garment"));
  EXPECT_TRUE(test::refused(bind(sleeved(), hiding({{"../shirt.glb"}})), "/hide/0/under"));
}

}  // namespace
}  // namespace pelt
