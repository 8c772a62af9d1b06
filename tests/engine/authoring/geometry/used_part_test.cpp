// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/used_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/pose.h>
#include <pelt/surface_ffd.h>

#include "engine/authoring/surface_ffd/bind.h"
#include "tests/support/driven.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::Contains;
using testing::HasSubstr;

// A sleeve over the first eighth of a tube, which is moved by linear blend and drives it.
Model dressed_tube() {
  Model model = test::make_tube({.around = 24, .along = 120});
  Mesh sleeve = test::make_tube_mesh({.around = 16, .along = 8, .radius = 1.1f, .length = 1});
  sleeve.name = "sleeve";
  sleeve.weights = {};
  model.meshes.push_back(std::move(sleeve));
  return model;
}

Rig worn(std::vector<VertexOffset> offsets = {}) {
  SurfaceFfdParameters ffd;
  ffd.driver.mesh = "tube";
  ffd.driver.offsets = std::move(offsets);
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.layers.push_back({"sleeve", ffd, {}, {}});
  return rig;
}

std::vector<glm::vec3> bent_sleeve(const Character& character) {
  Evaluator evaluator(character, {});
  std::vector<glm::mat4> joints(character->skeleton.joints.size());
  rest_matrices(character->skeleton, joints);
  for (std::size_t j = 1; j < joints.size(); ++j) joints[j] = glm::rotate(joints[j], 0.8f, glm::vec3(0, 0, 1));
  evaluator.pose(joints);
  evaluator.evaluate();
  return test::positions_of(evaluator, character, "sleeve");
}

TEST(UsedPart, IsAllThatIsPosedAndMovesTheSkinAsTheWholeDoes) {
  const Model model = dressed_tube();
  const Bound part = test::bound(model, worn());
  const Bound whole = test::bound(model, worn({{.vertex = 0, .offset = glm::vec3(0)}}));  // keeps the whole driver
  const std::size_t all = model.meshes[0].positions.size();
  EXPECT_EQ(test::mesh_of(whole.character, "tube").vertex_count(), all);
  EXPECT_LT(test::mesh_of(part.character, "tube").vertex_count(), all / 2);
  EXPECT_THAT(part.report.notes, Contains(HasSubstr("vertices of the driver 'tube' move nothing and are not posed")));
  const std::vector<glm::vec3> by_part = bent_sleeve(part.character);
  const std::vector<glm::vec3> by_whole = bent_sleeve(whole.character);
  ASSERT_EQ(by_part.size(), by_whole.size());
  for (std::size_t v = 0; v < by_part.size(); ++v) EXPECT_LT(glm::distance(by_part[v], by_whole[v]), 1e-5f) << v;
}

TEST(UsedPart, IsNoneOfADriverThatMovesSkinThroughout) {
  const Model model = test::make_tube({.around = 24, .along = 60});
  const DriverUse use{27, &model.meshes[0]};
  EXPECT_FALSE(used_part(model.meshes[0], {&use, 1}));
}

TEST(UsedPart, IsAllWhereElementsAreChosenByRules) {
  const Model model = dressed_tube();
  const DriverUse use{27, &model.meshes[1]};
  EXPECT_TRUE(used_part(model.meshes[0], {&use, 1}));
  SurfaceFfdParameters ffd;
  EXPECT_EQ(surface_ffd::nearest_elements(ffd), 27u);
  ffd.max_hops = 1;
  EXPECT_FALSE(surface_ffd::nearest_elements(ffd));
  ffd.max_hops.reset();
  ffd.elements = 0;
  EXPECT_FALSE(surface_ffd::nearest_elements(ffd));
}

}  // namespace
}  // namespace pelt
