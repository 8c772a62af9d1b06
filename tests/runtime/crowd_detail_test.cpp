// SPDX-License-Identifier: MIT
// Tests crowds that are moved by linear blend.
#include <pelt/evaluate.h>

#include "tests/runtime/crowds.h"
#include "tests/support/driven.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// The crowd's positions equal the evaluator's, boxes contain them, and an instance may change.
TEST_F(Crowds, AreMovedByTheModelsOwnWeights) {
  const Character character = test::judged_by(model_, "surface-ffd").character;
  const GpuCharacters gpu = upload_character(character);
  CrowdOptions options{.instances = {2}, .frames_in_flight = 1};
  options.outputs.bounds = true;
  Crowd crowd = make_crowd(gpu, options);
  const std::vector<glm::mat4> joints = bent_joints();
  for (std::uint32_t i = 0; i < 2; ++i) crowd.pose(i, joints);
  crowd.detail(1, Detail::kLinearBlend);
  ASSERT_TRUE(run(*gpu_device(), crowd));

  Evaluator cpu(character);
  cpu.pose(joints);
  cpu.evaluate();
  const auto of_skin = [&](std::span<const glm::vec3> all) { return part_of(all, test::mesh_of(character, "tube")); };
  const std::vector<glm::vec3> full = of_skin(cpu.positions());
  cpu.set_detail(Detail::kLinearBlend);
  cpu.evaluate();
  const std::vector<glm::vec3> linear = of_skin(cpu.positions());
  EXPECT_GT(worst_distance(full, glm::mat4(1), linear), 1e-4f * character.size());
  EXPECT_LT(worst_distance(full, glm::mat4(1), of_skin(positions(crowd, 0))), 1e-5f * character.size());
  EXPECT_LT(worst_distance(linear, glm::mat4(1), of_skin(positions(crowd, 1))), 1e-5f * character.size());
  const Result<Box> box = read_bounds(*gpu_device(), crowd, 1);
  ASSERT_TRUE(box);
  for (const glm::vec3& p : linear) {
    ASSERT_TRUE(glm::all(glm::lessThanEqual(box->least, p + 1e-5f)));
    ASSERT_TRUE(glm::all(glm::greaterThanEqual(box->greatest, p - 1e-5f)));
  }

  crowd.detail(0, Detail::kLinearBlend);
  crowd.detail(1, Detail::kFull);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(worst_distance(linear, glm::mat4(1), of_skin(positions(crowd, 0))), 1e-5f * character.size());
  EXPECT_LT(worst_distance(full, glm::mat4(1), of_skin(positions(crowd, 1))), 1e-5f * character.size());
}

TEST_F(Crowds, WithASkinWithoutWeightsStayWithTheirDeformers) {
  Model model = test::make_tube_in_cage();
  model.meshes.push_back(model.meshes[0]);
  model.meshes.back().name = "bare";
  model.meshes.back().weights = {};
  Rig rig = test::rig_of(test::by_cage(), "tube");
  rig.layers.push_back(rig.layers[0]);
  rig.layers.back().target = "bare";
  const Character character = test::bound(model, rig).character;
  const GpuCharacters gpu = upload_character(character);
  CrowdOptions options{.instances = {2}, .frames_in_flight = 1};
  options.outputs.bounds = true;
  Crowd crowd = make_crowd(gpu, options);
  for (std::uint32_t i = 0; i < 2; ++i) crowd.pose(i, bent_joints());
  crowd.detail(1, Detail::kLinearBlend);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_EQ(positions(crowd, 1), positions(crowd, 0));
  EXPECT_EQ(read_bounds(*gpu_device(), crowd, 1)->least, read_bounds(*gpu_device(), crowd, 0)->least);
}

}  // namespace
}  // namespace pelt::runtime
