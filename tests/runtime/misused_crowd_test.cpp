// SPDX-License-Identifier: MIT
// Tests how crowds report misuse.
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include <pelt/finite.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/misuse.h>
#include <pelt/runtime/transfer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// Every call with an unknown number reports it, and has no effect.
class MisusedCrowds : public MixedCrowds {
 protected:
  void SetUp() override {
    MixedCrowds::SetUp();
    sentences().clear();
    on_misuse([](const char* sentence) { sentences().emplace_back(sentence); });
  }
  void TearDown() override { on_misuse(nullptr); }
  static std::vector<std::string>& sentences() {
    static std::vector<std::string> said;
    return said;
  }
  // Expects one sentence, with the words.
  static void expect(const std::string& words) {
    EXPECT_THAT(sentences(), testing::ElementsAre(testing::HasSubstr(words)));
    sentences().clear();
  }
  // Expects every call for an unknown instance to report it.
  void expect_nothing_done(Crowd& crowd, std::uint32_t gone) {
    crowd.pose(gone, bind_joints_);
    expect("Crowd::pose: the crowd of 3 characters has no instance " + std::to_string(gone));
    crowd.inputs(gone, {});
    expect("Crowd::inputs");
    crowd.release(gone);
    expect("Crowd::release");
    EXPECT_FALSE(crowd.set_outputs(gone, false));
    EXPECT_FALSE(crowd.set_outputs(gone, true));
    EXPECT_EQ(crowd.instance(gone), std::nullopt);
    EXPECT_EQ(crowd.previous_frame(gone, 0), 0u);
    expect("Crowd::previous_frame");
    EXPECT_THAT(read_bounds(*gpu_device(), crowd, gone).error().message, testing::HasSubstr("has no instance "));
  }
  // Expects calls that would change the frame to be refused between its two parts.
  void expect_nothing_done_between_parts(Crowd& crowd, VkCommandBuffer commands) {
    crowd.record(commands, {.part = FramePart::kPose});
    expect("Crowd::record: the second part of the frame of the crowd of 3 characters is not recorded");
    EXPECT_THAT(crowd.add(*gpu_device(), 9).error().message, testing::HasSubstr("between the two parts of a frame"));
    EXPECT_THAT(crowd.remove(2).error().message, testing::HasSubstr("between the two parts of a frame"));
    EXPECT_THAT(crowd.acquire(0).error().message, testing::HasSubstr("between the two parts of a frame"));
    crowd.pose(0, bind_joints_);
    expect("Crowd::pose: the second part of the frame");
    EXPECT_FALSE(crowd.set_outputs(0, false));
    EXPECT_FALSE(crowd.remove(2));
    crowd.release(0);
    expect("Crowd::release: the second part of the frame");
    crowd.record(commands);
    expect("Crowd::record: the second part of the frame");
  }
};

TEST_F(MisusedCrowds, HaveNoEffect) {
  Crowd crowd = make({.instances = {1, 1, 0}});
  for (std::uint32_t i = 0; i < 2; ++i) crowd.pose(i, moved(bind_joints_, motion(i)));
  crowd.release(1);
  for (const std::uint32_t gone : {1u, 2u, ~0u}) expect_nothing_done(crowd, gone);
  crowd.pose(0, std::span(bind_joints_).first(1));
  expect("got 1 joint matrices, expected 2");
  crowd.inputs(0, std::vector{1.0f});
  expect("got 1 values from input 0 on, of 0");
  EXPECT_TRUE(crowd.set_outputs(0, false));
  EXPECT_FALSE(crowd.instance(0)->has_outputs);
  EXPECT_TRUE(crowd.set_outputs(0, true));
  EXPECT_THAT(crowd.remove(0).error().message, testing::HasSubstr("still has 1 instances of character 0"));
  EXPECT_THAT(crowd.remove(7).error().message, testing::HasSubstr("has no character 7"));
  crowd.record(VK_NULL_HANDLE, {.part = FramePart::kBlend});
  expect("Crowd::record: the first part of the frame of the crowd of 3 characters is not recorded");
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "parts", [&](VkCommandBuffer commands) {
    crowd.record(commands, {.part = FramePart::kPose});
    expect_nothing_done_between_parts(crowd, commands);
    crowd.record(commands, {.part = FramePart::kBlend});
  }));
  EXPECT_TRUE(sentences().empty());
  EXPECT_LT(off(crowd, 0, 0), 1e-5f);
}

// Bind data stay while a crowd has their character, and no longer.
TEST_F(MisusedCrowds, KeepTheirCharacters) {
  GpuCharacters gpu = test::must(upload(*gpu_device(), characters_));
  const auto refusal = [&](std::uint32_t number) { return gpu.remove(number).error().message; };
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu));
  EXPECT_EQ(refusal(1), "character 1, 'tube', cannot be removed: a crowd has it");
  {
    const Crowd second = test::must(Crowd::create(*gpu_device(), gpu, {.instances = {0, 1}}));
    EXPECT_THAT(refusal(1), testing::HasSubstr("2 crowds have it"));
    EXPECT_FALSE(Crowd::create(*gpu_device(), gpu, {.frames_in_flight = 0}));
    EXPECT_THAT(refusal(2), testing::HasSubstr("a crowd has it"));
  }
  crowd.release(1);
  EXPECT_THAT(refusal(1), testing::HasSubstr("a crowd has it"));
  ASSERT_TRUE(crowd.remove(1));
  ASSERT_TRUE(gpu.remove(1));
  EXPECT_EQ(refusal(1), "there is no character 1");
  EXPECT_THAT(Crowd::create(*gpu_device(), gpu, {.instances = {1, 1, 1}}).error().message,
              testing::HasSubstr("character 1, which was removed"));
  const Crowd without = test::must(Crowd::create(*gpu_device(), gpu));
  EXPECT_EQ(without.rooms().instances.capacity, 2u);
  crowd = test::must(Crowd::create(*gpu_device(), gpu, {.instances = {1}}));
  EXPECT_THAT(refusal(2), testing::HasSubstr("a crowd has it")) << "the other crowd is no more";

  Crowd hidden = test::must(Crowd::create(*gpu_device(), *gpu_));
  ASSERT_TRUE(hidden.set_outputs(0, false));
  EXPECT_THAT(read_vertices(*gpu_device(), hidden, 0).error().message, testing::HasSubstr("has no outputs"));
}

// An instance that gets a NaN keeps its values, and its outputs stay intact.
TEST_F(MisusedCrowds, OfNumbersThatAreNoneSaySo) {
  CrowdOptions options;
  options.outputs.bounds = true;
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  pose_all(crowd);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (const float bad : {NAN, INFINITY, -INFINITY, 1.1e12f}) {
    std::vector<glm::mat4> matrices = bind_joints_;
    std::vector<shared::Affine> rows(matrices.size(), glm::transpose(matrices[0]));
    matrices[1][3].y = rows[1][2].w = bad;
    for (std::uint32_t i = 0; i < 3; ++i) {
      crowd.pose(i, matrices);
      expect("Crowd::pose: joint 1 of instance " + std::to_string(i) + " is not finite, or beyond 1e+12");
      crowd.pose(i, rows);
      expect("joint 1 of instance");
    }
    ASSERT_TRUE(run(*gpu_device(), crowd));
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_LT(off(crowd, i, i), 1e-5f);
      EXPECT_EQ(read(crowd, i).previous_positions, read(crowd, i).positions);
      EXPECT_TRUE(is_finite(test::must(read_bounds(*gpu_device(), crowd, i)).greatest));
    }
  }
  std::vector<glm::mat4> affine = moved(bind_joints_, motion(7));
  for (glm::mat4& joint : affine) joint[0].w = joint[3].w = NAN;  // the last row, which nobody reads
  crowd.pose(0, affine);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(off(crowd, 0, 7), 1e-5f);
  EXPECT_TRUE(sentences().empty());
}

TEST_F(MisusedCrowds, OfInputsThatAreNoneSaySo) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.follow = Follow::kStreamed;
  const Character streamed = test::bound(test::make_tube_in_cage(), test::rig_of(parameters, "tube")).character;
  const GpuCharacters gpu = upload_character(streamed);
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu));
  std::vector<glm::vec3> points = test::moved_points(streamed, "cage", [](glm::vec3 p) { return p; });
  points[3].y = NAN;
  crowd.inputs(0, as_floats(points), streamed->streams[0].first_input);
  expect("Crowd::inputs: input 10 of instance 0 is not finite");
  std::vector<float> inputs(streamed->input_count);
  inputs[5] = INFINITY;
  crowd.inputs(0, inputs);
  expect("Crowd::inputs: input 5 of instance 0 is not finite");
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(worst_distance(rest_skin(streamed), glm::mat4(1), positions(crowd, 0)), 1e-5f * streamed.size());
}

TEST_F(MisusedCrowds, OfBuffersOfTheCallersSayWhoHasThem) {
  const Buffer buffer = callers_buffer(4096);
  Crowd crowd = make({.joints = rest_of(buffer), .inputs = rest_of(buffer), .list = rest_of(buffer)});
  crowd.pose(0, bind_joints_);
  expect("a buffer of the caller's supplies the joint matrices");
  crowd.inputs(0, {});
  expect("a buffer of the caller's supplies the inputs");
  crowd.record(VK_NULL_HANDLE, {.list = std::span<const shared::ListEntry>()});
  expect("Crowd::record: a buffer of the caller's has the list");
}

}  // namespace
}  // namespace pelt::runtime
