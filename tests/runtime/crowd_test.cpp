// SPDX-License-Identifier: MIT
// Tests crowds of one character.
#include <array>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"
#include "tests/support/refused.h"

namespace pelt::runtime {
namespace {

using test::bound_with;
using test::gpu_device;

TEST_F(Crowds, NeedInstancesAndFrames) {
  const GpuCharacters gpu = upload_character(bound_with(model_, "linear-blend").character);
  for (const CrowdOptions& options :
       {CrowdOptions{.instances = {0}}, CrowdOptions{.frames_in_flight = 0}, CrowdOptions{.instances = {1, 1}}}) {
    EXPECT_TRUE(test::refused(Crowd::create(*gpu_device(), gpu, options), ErrorCode::kInvalidArgument));
  }
}

TEST_F(Crowds, NeedCharactersOfTheirDevice) {
  const GpuCharacters gpu = upload_character(bound_with(model_, "linear-blend").character);
  EXPECT_TRUE(test::refused(Crowd::create(*test::discrete_device(), gpu), ErrorCode::kInvalidArgument,
                            "the characters are on another device"));
}

// Buffers of the caller's at offsets at which none can be bound.
TEST_F(Crowds, NeedAlignedInputs) {
  const VkDeviceSize alignment = gpu_device()->limits().minStorageBufferOffsetAlignment;
  if (alignment == 1) PELT_SKIP("the device binds buffers at any byte");
  const GpuCharacters gpu = upload_character(bound_with(model_, "linear-blend").character);
  const Buffer buffer = callers_buffer(1 << 16);
  for (const auto& [place, name] : {std::pair(&CrowdOptions::joints, "joint matrices"),
                                    {&CrowdOptions::inputs, "inputs"},
                                    {&CrowdOptions::list, "list"}}) {
    CrowdOptions options;
    options.*place = rest_of(buffer, 3 * alignment);
    EXPECT_TRUE(Crowd::create(*gpu_device(), gpu, options)) << name;
    (options.*place).offset += alignment / 2;
    expect_refused(gpu, options, std::string(name) + " are at offset");
    options.*place = {VK_NULL_HANDLE, 1};  // no buffer: nothing is bound there
    EXPECT_TRUE(Crowd::create(*gpu_device(), gpu, options)) << name;
  }
}

// Two frames are recorded before either runs: each must find the matrices that it was recorded with.
TEST_F(Crowds, KeepTheFramesInFlightApart) {
  const Character character = bound_with(model_, "linear-blend").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_crowd(gpu, {.instances = {3}, .frames_in_flight = 3});
  const auto number = [](std::uint32_t frame, std::uint32_t instance) { return 10 * frame + instance; };
  std::array<test::Commands, 3> frames{test::Commands(*gpu_device()), test::Commands(*gpu_device()),
                                       test::Commands(*gpu_device())};
  for (std::uint32_t frame = 0; frame < 3; ++frame) {
    for (std::uint32_t i = 0; i < 3; ++i) crowd.pose(i, moved(bind_joints_, motion(number(frame, i))));
    frames[frame].record([&](VkCommandBuffer commands) { crowd.record(commands); });
  }
  for (std::uint32_t frame = 0; frame < 3; ++frame) {
    ASSERT_EQ(frames[frame].submit(), VK_SUCCESS);
    ASSERT_EQ(frames[frame].wait(), VK_SUCCESS);
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_LT(worst_distance(rest_positions(character), motion(number(frame, i)), positions(crowd, i)),
                1e-5f * character.size())
          << "frame " << frame << ", instance " << i;
    }
  }
}

// If a character has no inputs, the caller may still set an inputs buffer.
TEST_F(Crowds, WithoutInputsTakeABufferAllTheSame) {
  const Character character = bound_with(model_, "linear-blend").character;
  const GpuCharacters gpu = upload_character(character);
  const Buffer buffer = callers_buffer(64);
  Crowd crowd = make_crowd(gpu, {.instances = {2}, .inputs = rest_of(buffer)});
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(worst_distance(rest_positions(character), glm::mat4(1), positions(crowd, 1)), 1e-5f * character.size());
}

// A driven character: the joints' poses by two kernels, the driver's blend, the skin's blend.
TEST_F(Crowds, StampATimerAfterEachOfTheirPasses) {
  if (!GpuTimer::supported(*gpu_device())) PELT_SKIP("the device has no timestamps");
  const GpuCharacters gpu = upload_character(bound_with(model_, "surface-ffd").character);
  Crowd crowd = make_crowd(gpu, {});
  const std::vector<std::string> passes(crowd.passes().names.begin(), crowd.passes().names.end());
  EXPECT_EQ(passes, (std::vector<std::string>{"pose linear_blend", "pose dual_quaternion", "blend of drivers",
                                              "blend of skins"}));
  auto timer = test::must(GpuTimer::create(*gpu_device(), static_cast<std::uint32_t>(passes.size()) + 1));
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "timed", [&](VkCommandBuffer commands) {
    timer.reset(commands);
    timer.stamp(commands);
    crowd.record(commands, {.timer = &timer});
  }));
  const auto seconds = test::must(timer.seconds());
  ASSERT_EQ(seconds.size(), passes.size() + 1);
  EXPECT_TRUE(std::is_sorted(seconds.begin(), seconds.end()));
  EXPECT_GT(seconds.back(), 0);
}

// More workgroups than one dimension of a dispatch takes on most devices.
TEST_F(Crowds, OfManyInstancesSpreadOverTwoDimensions) {
  const Character character = bound_with(test::make_cloud(2), "linear-blend").character;
  const GpuCharacters gpu = upload_character(character);
  const std::uint32_t instances = 70001;
  Crowd crowd = make_crowd(gpu, {.instances = {instances}, .frames_in_flight = 1});
  for (const std::uint32_t i : {0u, 65534u, 65535u, 65536u, 70000u}) crowd.pose(i, moved(bind_joints_, motion(i)));
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (const std::uint32_t i : {0u, 65534u, 65535u, 65536u, 70000u}) {
    EXPECT_LT(worst_distance(rest_positions(character), motion(i), positions(crowd, i)),
              1e-5f * glm::length(glm::vec3(motion(i)[3])) + 1e-5f * character.size())
        << i;
  }
  EXPECT_LT(worst_distance(rest_positions(character), glm::mat4(1), positions(crowd, 69999)), 1e-5f * character.size());
}

// Instances are moved in tiles of 16 and vertices in blocks of 128; neither their numbers nor the instances that are
// left out need divide.
TEST_F(Crowds, OfNumbersThatDoNotDivideAreMovedInTiles) {
  std::vector<Character> characters;
  for (const std::size_t vertices : {127, 128, 129, 300, 1000})
    characters.push_back(bound_with(test::make_cloud(vertices), "linear-blend").character);
  const GpuCharacters gpu = test::must(upload(*gpu_device(), characters));
  Crowd crowd = make_crowd(gpu, {.instances = {17, 16, 15, 33, 50}, .frames_in_flight = 1});
  CrowdLists lists(crowd.instance_count());
  const auto expect_moved_to = [&](std::uint32_t i, std::size_t number) {
    const Character& character = characters[crowd.instance(i)->character];
    EXPECT_LT(worst_distance(rest_positions(character), motion(number), positions(crowd, i)),
              1e-5f * glm::length(glm::vec3(motion(number)[3])) + 1e-5f * character.size())
        << "instance " << i;
  };
  for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) crowd.pose(i, moved(bind_joints_, motion(i)));
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) expect_moved_to(i, i);
  for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) {
    lists.show(i, i % 5 != 0);
    crowd.pose(i, moved(bind_joints_, motion(i + 300)));
  }
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) expect_moved_to(i, i % 5 != 0 ? i + 300 : i);
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
  CrowdLists lists(crowd.instance_count());
  for (std::uint32_t i = 0; i < 2; ++i) crowd.pose(i, bent_joints());
  lists.detail(1, Detail::kLinearBlend);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  EXPECT_EQ(positions(crowd, 1), positions(crowd, 0));
  EXPECT_EQ(read_bounds(*gpu_device(), crowd, 1)->least, read_bounds(*gpu_device(), crowd, 0)->least);
}

TEST_F(Crowds, OutliveTheHandlesTheyWereMadeFrom) {
  Device made = test::must(Device::create(test::validated_options()));
  const Character character = bound_with(model_, "linear-blend").character;
  GpuCharacters gpu = test::must(upload(made, character));
  Crowd crowd = test::must(Crowd::create(made, gpu));
  const Device device = std::move(made);
  const GpuCharacters moved_gpu = std::move(gpu);
  Crowd moved_crowd = std::move(crowd);
  ASSERT_TRUE(run(device, moved_crowd));
  const InstanceVertices vertices = test::must(read_vertices(device, moved_crowd, 0));
  EXPECT_LT(worst_distance(rest_positions(character), glm::mat4(1), vertices.positions), 1e-5f * character.size());
}

}  // namespace
}  // namespace pelt::runtime
