// SPDX-License-Identifier: MIT
// Tests crowds of several characters, and the matrices and lists that they read.
#include <numeric>

#include <pelt/evaluate.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>
#include <pelt/shaders/crowd_table.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// Returns the matrices of six instances, posed as by pose_all().
std::vector<shared::Affine> six_poses(const std::vector<glm::mat4>& bind_joints) {
  std::vector<shared::Affine> matrices;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::vector<shared::Affine> pose = rows_of(moved(bind_joints, motion(i)));
    matrices.insert(matrices.end(), pose.begin(), pose.end());
  }
  return matrices;
}

// Follows crowd.h's rules for a frame that is recorded and never submitted.
TEST_F(MixedCrowds, GoOnBehindAFrameThatWasDropped) {
  CrowdOptions options{.instances = {2, 2, 2}};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  CrowdLists lists(crowd.instance_count());
  pose_all(crowd);
  for (const std::uint32_t i : {1u, 3u, 5u}) lists.update_every(i, 0);
  record_and_drop(crowd);
  for (std::uint32_t i = 0; i < 6; ++i) {
    lists.show(i, false);
    lists.show(i, true);
  }
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_LT(off(crowd, i, i), 1e-5f) << i;
    EXPECT_EQ(read(crowd, i).previous_positions, read(crowd, i).positions) << i;
  }
}

TEST_F(MixedCrowds, DispatchAsOftenWhateverTheirSize) {
  const Crowd small = make({.instances = {1, 1, 1}});
  const Crowd large = make({.instances = {40, 200, 3}});
  EXPECT_EQ(small.passes().names.size(), large.passes().names.size());
  EXPECT_EQ(small.passes().barriers, large.passes().barriers);
  EXPECT_THAT(std::vector(small.passes().names.begin(), small.passes().names.end()),
              testing::ElementsAre("pose linear_blend, stage 0", "pose dual_quaternion, stage 0", "blend of drivers",
                                   "pose linear_blend, stage 1", "pose dual_quaternion, stage 1", "blend of skins",
                                   "blend of skins, slow rows"));
}

TEST_F(MixedCrowds, MoveSomeLessOftenThanOthers) {
  Crowd crowd = make({.instances = {4, 0, 0}, .frames_in_flight = 1});
  CrowdLists lists(crowd.instance_count());
  lists.update_every(1, 2);
  lists.update_every(2, 3);
  lists.update_every(3, 0);
  std::vector<int> moves(4, 0);
  std::vector<std::size_t> stands(4, 0);
  for (std::size_t frame = 0; frame < 7; ++frame) {
    pose_all(crowd, 20 * frame);
    ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (off(crowd, i, i + 20 * frame) < 1e-5f) {
        ++moves[i];
        stands[i] = frame;
      } else {
        EXPECT_LT(off(crowd, i, i + 20 * stands[i]), 1e-5f) << "instance " << i << " in frame " << frame;
      }
    }
  }
  EXPECT_EQ(moves[0], 7);
  EXPECT_THAT(moves[1], testing::AllOf(testing::Ge(3), testing::Le(5)));
  EXPECT_THAT(moves[2], testing::AllOf(testing::Ge(2), testing::Le(4)));
  EXPECT_EQ(moves[3], 1);  // moved in the frame in which it appeared
}

TEST_F(MixedCrowds, ReadMatricesAndListsOfTheCallers) {
  const Buffer joints = filled_buffer(six_poses(bind_joints_));
  // A count that is too large, then entries: the second instance of the first character, none of the second, the second
  // of the third, and others that are out of range.
  constexpr std::uint32_t kUpdate = shared::kEntryTeleport;
  const std::uint32_t list[] = {700, 1, kUpdate, 99, kUpdate, 5, kUpdate, 6, kUpdate, ~0u, kUpdate, ~0u, 0};
  const Buffer visible = filled_buffer(list);
  Crowd crowd = make({.instances = {2, 2, 2}, .joints = rest_of(joints), .list = rest_of(visible)});
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(off(crowd, 1, 1), 1e-5f);
  EXPECT_LT(off(crowd, 5, 5), 1e-5f);
}

// Uses the barriers of docs/outputs.md; validation watches for hazards: the next frame's matrices are copied over those
// that the frame before has read.
TEST_F(MixedCrowds, ReadMatricesThatAreCopiedFrameByFrame) {
  const std::vector<shared::Affine> matrices = six_poses(bind_joints_);
  const VkDeviceSize frame_bytes = matrices.size() / 2 * sizeof(shared::Affine);
  Result<Buffer> source = Buffer::create(*gpu_device(), {.size = 2 * frame_bytes,
                                                         .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                                         .memory = MemoryUse::kStaging,
                                                         .name = "animation"});
  Result<Buffer> joints =
      Buffer::create(*gpu_device(), {.size = frame_bytes,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                     .memory = MemoryUse::kDeviceLocal,
                                     .name = "joints of a caller's"});
  ASSERT_TRUE(source && joints);
  fill(*source, matrices);
  CrowdOptions options{.instances = {1, 1, 1}, .joints = {joints->handle(), 0, joints->size()}};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  const DeviceFunctions& functions = gpu_device()->functions();
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "two frames", [&](VkCommandBuffer commands) {
    for (const VkDeviceSize frame : {0, 1}) {
      memory_barrier(functions, commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_NONE,
                     VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_NONE);
      const VkBufferCopy range{frame * frame_bytes, 0, frame_bytes};
      functions.vkCmdCopyBuffer(commands, source->handle(), joints->handle(), 1, &range);
      memory_barrier(functions, commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                     VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
      crowd.record(commands);
    }
  }));
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_LT(off(crowd, i, 3 + i), 1e-5f) << i;
    const Character& character = characters_[i];
    EXPECT_LT(worst_distance(rest_skin(character), motion(i), read(crowd, i).previous_positions),
              1e-5f * character.size());
  }
}

}  // namespace
}  // namespace pelt::runtime
