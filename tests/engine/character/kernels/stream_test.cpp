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

// Frames that the caller gives are exact for every affine motion, and may turn on the spot.
TEST(StreamedDrivers, TakeFramesByAxisPoints) {
  const Model model = test::make_tube_in_cage();
  SurfaceFfdParameters parameters = streamed();
  glm::mat4 affine = test::rigid_motion();
  affine[1] += 0.4f * affine[0];
  affine[2] *= 1.7f;
  const auto off = [&](const std::function<glm::vec3(glm::vec3)>& move,
                       const std::function<glm::vec3(glm::vec3)>& expected, bool on_the_spot = false) {
    const Character character = test::bound(model, test::rig_of(parameters, "tube")).character;
    std::vector<glm::vec3> points = test::moved_points(character, "cage", move);
    const std::vector<glm::vec3>& rest = model.meshes[1].positions;
    if (on_the_spot) std::ranges::copy(rest, points.begin());
    for (std::size_t i = rest.size(); on_the_spot && i < points.size(); ++i) {
      const glm::vec3 at = rest[(i - rest.size()) / 3];
      points[i] += at - move(at);
    }
    Evaluator evaluator(character);
    evaluator.stream(0, points);
    evaluator.evaluate();
    return worst_distance(model.meshes[0].positions, test::positions_of(evaluator, character, "tube"), expected);
  };
  EXPECT_GT(off(by_matrix(affine), by_matrix(affine)), 0.01f) << "estimated";
  parameters.driver.axis_points = true;
  EXPECT_LT(off(by_matrix(affine), by_matrix(affine)), 5 * test::kTubeTolerance);
  EXPECT_LT(off(by_matrix(test::rigid_motion()), by_matrix(glm::mat4(1)), true), 1.0f);
  EXPECT_GT(off(by_matrix(test::rigid_motion()), by_matrix(glm::mat4(1)), true), 0.05f) << "frames turn, vertices rest";
  parameters.mode = SurfaceFfdParameters::Mode::kBasic;
  EXPECT_THAT(test::bind_error(model, test::rig_of(parameters, "tube")),
              testing::HasSubstr("axis points need the extended mode"));
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
