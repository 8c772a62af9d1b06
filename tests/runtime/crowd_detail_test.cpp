// SPDX-License-Identifier: MIT
// Tests how crowds fade, and how they are drawn with less detail.
#include <cmath>

#include <pelt/evaluate.h>
#include <pelt/linear_fit.h>

#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;
using test::judged_by;

// Reversing a fade halfway does not make it jump.
TEST_F(Crowds, FadeBackFromWhereTheyAre) {
  const Character character = judged_by(model_, "surface-ffd").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_bent_crowd(gpu);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  const std::vector<glm::vec3> full = positions(crowd, 0);
  std::vector<float> way;
  const auto step = [&] {
    ASSERT_TRUE(run(*gpu_device(), crowd));
    way.push_back(worst_distance(full, glm::mat4(1), positions(crowd, 0)));
  };
  crowd.detail(0, Detail::kReduced, 9);
  for (int frame = 0; frame < 7; ++frame) step();
  crowd.detail(0, Detail::kFull, 9);
  for (int frame = 0; frame < 9; ++frame) step();
  const float one = way[6] / 7;
  for (std::size_t k = 1; k < way.size(); ++k) EXPECT_LT(std::abs(way[k] - way[k - 1]), 1.1f * one + 1e-6f) << k;
  EXPECT_EQ(way.back(), 0.0f);
}

// A detail that is asked for and taken back between two frames does not make a fade jump.
TEST_F(Crowds, FadeOnWhateverIsTakenBack) {
  const Character character = judged_by(model_, "surface-ffd").character;
  const GpuCharacters gpu = upload_character(character);
  const auto fifth = [&](bool taken_back) {
    Crowd crowd = make_bent_crowd(gpu);
    crowd.detail(0, Detail::kReduced, 9);
    for (int frame = 0; frame < 5; ++frame) {
      if (frame == 4 && taken_back) {
        crowd.detail(0, Detail::kLinearFit, 9);
        crowd.detail(0, Detail::kReduced, 9);
      }
      EXPECT_TRUE(run(*gpu_device(), crowd));
    }
    return positions(crowd, 0);
  };
  EXPECT_EQ(fifth(true), fifth(false));
}

// Fades of the greatest length; they can also continue a shorter fade.
TEST_F(Crowds, FadeAsSlowlyAsCanBeSaid) {
  constexpr std::uint32_t kLongest = UINT32_MAX;
  const Character character = judged_by(model_, "surface-ffd").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_bent_crowd(gpu);
  const auto next = [&] {
    EXPECT_TRUE(run(*gpu_device(), crowd));
    return positions(crowd, 0);
  };
  const std::vector<glm::vec3> full = next();
  crowd.detail(0, Detail::kReduced, kLongest);
  EXPECT_EQ(next(), full) << "a first step that is less than a share";
  crowd.detail(0, Detail::kFull, kLongest);
  EXPECT_EQ(next(), full) << "turned round where it began";
  crowd.detail(0, Detail::kReduced, kLongest);
  crowd.detail(0, Detail::kFull, kLongest);
  EXPECT_EQ(next(), full) << "turned round before it began";

  crowd.detail(0, Detail::kReduced);
  const std::vector<glm::vec3> reduced = next();
  crowd.detail(0, Detail::kFull, 9);
  for (int frame = 0; frame < 7; ++frame) next();
  crowd.detail(0, Detail::kReduced, kLongest);  // at three tenths of the way to kReduced
  const std::vector<glm::vec3> slow = next();
  const float share = static_cast<float>(255 * 3 / 10) / 255.0f;
  for (std::size_t v = 0; v < full.size(); ++v) {
    ASSERT_LT(glm::distance(slow[v], glm::mix(full[v], reduced[v], share)), 1e-5f * character.size()) << v;
  }
}

// More influences than a vertex has keep all of them; 0 counts as 1.
TEST_F(Crowds, ReduceToAnyNumberOfInfluences) {
  const Character character = judged_by(model_, "linear-blend").character;
  const GpuCharacters gpu = upload_character(character);
  const std::vector<glm::mat4> joints = bent_joints();
  const auto reduced_to = [&](std::uint32_t influences) {
    Crowd crowd = make_crowd(gpu, {.reduced_influences = influences});
    crowd.pose(0, joints);
    crowd.detail(0, Detail::kReduced);
    EXPECT_TRUE(run(*gpu_device(), crowd));
    return positions(crowd, 0);
  };
  const std::vector<glm::vec3> all = reduced_to(64);
  for (const glm::vec3& p : all) ASSERT_TRUE(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z));
  for (const std::uint32_t influences : {65535u, 65536u, 1u << 27, UINT32_MAX})
    EXPECT_EQ(reduced_to(influences), all) << influences;
  EXPECT_EQ(reduced_to(0), reduced_to(1));
  EXPECT_NE(reduced_to(1), all);
}

TEST_F(Crowds, FadeFromOneDetailToAnother) {
  const Character character = judged_by(model_, "surface-ffd").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_bent_crowd(gpu);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  const std::vector<glm::vec3> full = positions(crowd, 0);
  crowd.detail(0, Detail::kReduced, 3);
  std::vector<std::vector<glm::vec3>> steps;
  for (int frame = 0; frame < 5; ++frame) {
    ASSERT_TRUE(run(*gpu_device(), crowd));
    steps.push_back(positions(crowd, 0));
  }
  const std::vector<glm::vec3>& reduced = steps.back();
  EXPECT_EQ(steps[3], reduced);
  EXPECT_GT(worst_distance(full, glm::mat4(1), reduced), 1e-3f * character.size());
  for (std::size_t k = 0; k < 3; ++k) {
    const float share = static_cast<float>(255 * (k + 1) / 4) / 255.0f;
    for (std::size_t v = 0; v < full.size(); ++v) {
      ASSERT_LT(glm::distance(steps[k][v], glm::mix(full[v], reduced[v], share)), 1e-5f * character.size());
    }
  }
}

// Instances that fade are moved apart from the others, however many there are.
TEST_F(Crowds, FadeWhetherNoneSomeOrAllDo) {
  const Character character = judged_by(model_, "surface-ffd").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd alone = make_bent_crowd(gpu);
  ASSERT_TRUE(run(*gpu_device(), alone));
  const std::vector<glm::vec3> full = positions(alone, 0);
  alone.detail(0, Detail::kReduced);
  ASSERT_TRUE(run(*gpu_device(), alone));
  const std::vector<glm::vec3> reduced = positions(alone, 0);
  constexpr std::uint32_t kInstances = 19;
  Crowd crowd = make_crowd(gpu, {.instances = {kInstances}, .frames_in_flight = 1, .reduced_influences = 1});
  const float share = 127.0f / 255.0f;
  for (const std::uint32_t first_steady : {0u, 1u, 18u, kInstances}) {  // those before it fade
    for (std::uint32_t i = 0; i < kInstances; ++i) {
      crowd.pose(i, moved(bent_joints(), motion(i)));
      crowd.detail(i, Detail::kFull);
    }
    ASSERT_TRUE(run(*gpu_device(), crowd));
    for (std::uint32_t i = 0; i < first_steady; ++i) crowd.detail(i, Detail::kReduced, 1);
    ASSERT_TRUE(run(*gpu_device(), crowd));
    for (std::uint32_t i = 0; i < kInstances; ++i) {
      std::vector<glm::vec3> expected = full;
      for (std::size_t v = 0; v < full.size() && i < first_steady; ++v)
        expected[v] = glm::mix(full[v], reduced[v], share);
      EXPECT_LT(worst_distance(expected, motion(i), positions(crowd, i)), 1e-5f * character.size())
          << "instance " << i << ", " << first_steady << " fade";
    }
  }
}

// A character with a fit: the crowd's positions equal the evaluator's, boxes contain them, and a fade goes from one to
// the other.
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

  crowd.detail(0, Detail::kLinearFit, 1);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  const float share = 127.0f / 255.0f;
  const std::vector<glm::vec3> half = of_skin(positions(crowd, 0));
  for (std::size_t v = 0; v < full.size(); ++v) {
    ASSERT_LT(glm::distance(half[v], glm::mix(full[v], fit[v], share)), 1e-5f * character.size());
  }
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(worst_distance(fit, glm::mat4(1), of_skin(positions(crowd, 0))), 1e-5f * character.size());
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
