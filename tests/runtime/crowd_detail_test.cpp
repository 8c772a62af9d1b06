// SPDX-License-Identifier: MIT
// Tests crowds that are moved by linear-blend fits.
#include <pelt/evaluate.h>
#include <pelt/linear_fit.h>

#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;
using test::judged_by;

// A character with a fit: the crowd's positions equal the evaluator's, boxes contain them, and it may change.
TEST_F(Crowds, AreMovedByTheLinearBlendThatWasFittedToThem) {
  LinearFitOptions fit_options;
  fit_options.clip_poses = 2;
  fit_options.random_poses = 6;
  const LinearFitted fitted = test::must(fit_linear_blend(judged_by(model_, "surface-ffd").character, fit_options));
  const Character& character = fitted.character;
  const GpuCharacters gpu = upload_character(character);
  CrowdOptions options{.instances = {2}, .frames_in_flight = 1};
  options.outputs.bounds = true;
  Crowd crowd = make_crowd(gpu, options);
  const std::vector<glm::mat4> joints = bent_joints();
  for (std::uint32_t i = 0; i < 2; ++i) crowd.pose(i, joints);
  crowd.detail(1, Detail::kLinearFit);
  ASSERT_TRUE(run(*gpu_device(), crowd));

  Evaluator cpu(character);
  cpu.pose(joints);
  cpu.evaluate();
  const auto of_skin = [&](std::span<const glm::vec3> all) { return part_of(all, test::mesh_of(character, "tube")); };
  const std::vector<glm::vec3> full = of_skin(cpu.positions());
  cpu.set_detail(pelt::Detail::kLinearFit);
  cpu.evaluate();
  const std::vector<glm::vec3> fit = of_skin(cpu.positions());
  EXPECT_GT(worst_distance(full, glm::mat4(1), fit), 1e-4f * character.size());
  EXPECT_LT(worst_distance(full, glm::mat4(1), of_skin(positions(crowd, 0))), 1e-5f * character.size());
  EXPECT_LT(worst_distance(fit, glm::mat4(1), of_skin(positions(crowd, 1))), 1e-5f * character.size());
  const Result<Box> box = read_bounds(*gpu_device(), crowd, 1);
  ASSERT_TRUE(box);
  for (const glm::vec3& p : fit) {
    ASSERT_TRUE(glm::all(glm::lessThanEqual(box->least, p + 1e-5f)));
    ASSERT_TRUE(glm::all(glm::greaterThanEqual(box->greatest, p - 1e-5f)));
  }

  crowd.detail(0, Detail::kLinearFit);
  crowd.detail(1, Detail::kFull);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(worst_distance(fit, glm::mat4(1), of_skin(positions(crowd, 0))), 1e-5f * character.size());
  EXPECT_LT(worst_distance(full, glm::mat4(1), of_skin(positions(crowd, 1))), 1e-5f * character.size());
}

TEST_F(Crowds, WithoutAFitStayWithTheirDeformers) {
  const Character character = judged_by(model_, "surface-ffd").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_crowd(gpu, {.instances = {1}, .frames_in_flight = 1});
  crowd.pose(0, moved(bind_joints_, motion(4)));
  crowd.detail(0, Detail::kLinearFit);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(worst_distance(rest_positions(character), motion(4), positions(crowd, 0)), 1e-5f * character.size());
}

}  // namespace
}  // namespace pelt::runtime
