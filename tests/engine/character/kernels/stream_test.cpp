// SPDX-License-Identifier: MIT
// Streamed drivers, which the caller places each frame.

#include <pelt/key_pose.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

using test::by_matrix;
using test::worst_distance;

SurfaceFfdParameters streamed() {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.follow = Follow::kStreamed;
  return parameters;
}

TEST(StreamedDrivers, StandAtRestUntilStreamed) {
  const Model model = test::make_tube_in_cage();
  const Character character = test::bound(model, test::rig_of(streamed(), "tube")).character;
  const std::vector<glm::vec3> posed = test::posed(character, std::vector(2, test::rigid_motion()), "tube");
  EXPECT_LT(test::farthest(model.meshes[0].positions, posed), test::kTubeTolerance) << "the skeleton moves it";
}

TEST(StreamedDrivers, OfOneCharacterAreApart) {
  Model model = test::make_tube_in_cage();
  model.meshes.push_back(model.meshes[1]);
  model.meshes.back().name = "other cage";
  model.meshes.push_back(model.meshes[0]);
  model.meshes.back().name = "other tube";
  Rig rig = test::rig_of(streamed(), "tube");
  SurfaceFfdParameters other = streamed();
  other.driver.mesh = "other cage";
  rig.layers.push_back({"other tube", other, {}, {}});
  const Character character = test::bound(model, rig).character;
  ASSERT_EQ(character->streams.size(), 2u);
  Evaluator evaluator(character);
  const auto rigid = by_matrix(test::rigid_motion());
  evaluator.stream(*character->find_stream("other cage"), test::moved_points(character, "other cage", rigid));
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  for (int frame = 0; frame < 2; ++frame) {  // streamed positions stay until changed
    evaluator.evaluate();
    EXPECT_LT(test::farthest(rest, test::positions_of(evaluator, character, "tube")), test::kTubeTolerance);
    EXPECT_LT(worst_distance(rest, test::positions_of(evaluator, character, "other tube"), rigid),
              5 * test::kTubeTolerance);
  }
}

TEST(StreamedDrivers, HaveNoKeyPoses) {
  SurfaceFfdParameters parameters = streamed();
  parameters.driver.key_poses.push_back({{{"joint1", {0, 0, 1}}}, KeyInterpolation::kLinear, {{{90}, "", {}}}});
  EXPECT_THAT(test::bind_error(test::make_tube_in_cage(), test::rig_of(parameters, "tube")),
              testing::HasSubstr("a streamed driver cannot have key poses"));
}

TEST(StreamedDrivers, LeaveTheErrorOfTheCutUnknown) {
  SurfaceFfdParameters parameters = streamed();
  parameters.cut_error = 0.01f;
  const Bound result = test::bound(test::make_tube_in_cage(), test::rig_of(parameters, "tube"));
  EXPECT_THAT(result.report.notes, testing::Contains(testing::HasSubstr("cannot be measured; 26 elements per vertex")));
  EXPECT_FALSE(result.report.meshes[1].cut_error);
}

}  // namespace
}  // namespace pelt
