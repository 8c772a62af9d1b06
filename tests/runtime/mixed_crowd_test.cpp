// SPDX-License-Identifier: MIT
// Crowds of several characters, and the matrices and lists that they read.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>
#include <pelt/shaders/crowd_table.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using shared::Affine;
using test::gpu_device;

// -------------------------------------------------------------------------------------------------- several characters

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
  const Buffer source = filled_buffer(matrices);
  const Buffer joints = test::must(
      Buffer::create(*gpu_device(), {.size = frame_bytes,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                     .memory = MemoryUse::kDeviceLocal,
                                     .name = "joints of a caller's"}));
  CrowdOptions options{.instances = {1, 1, 1}, .joints = rest_of(joints)};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  const DeviceFunctions& functions = gpu_device()->functions();
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "two frames", [&](VkCommandBuffer commands) {
    for (const VkDeviceSize frame : {0, 1}) {
      memory_barrier(functions, commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_NONE,
                     VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_NONE);
      const VkBufferCopy range{frame * frame_bytes, 0, frame_bytes};
      functions.vkCmdCopyBuffer(commands, source.handle(), joints.handle(), 1, &range);
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

// --------------------------------------------------------------------------------------------------- matrices and rows

class PosedCrowds : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    for (std::size_t j = 0; j < bind_joints_.size(); ++j) {
      const float angle = 0.4f + 0.5f * static_cast<float>(j);
      matrices_.push_back(glm::translate(glm::mat4(1), glm::vec3(0.1f, -0.2f, 0.3f)) * bind_joints_[j] *
                          glm::rotate(glm::mat4(1), angle, glm::normalize(glm::vec3(1, 2, -1))) *
                          glm::scale(glm::mat4(1), glm::vec3(1.1f, 0.9f, 1.2f)));
    }
  }
  std::vector<glm::vec3> moved_by(Crowd& crowd) {
    EXPECT_TRUE(run(*gpu_device(), crowd));
    return positions(crowd, 1);
  }

  std::vector<glm::mat4> matrices_;
};

TEST_F(PosedCrowds, MoveAlikeByMatricesByRowsAndByBuffersOfTheCallers) {
  const Character character = test::bound_with(model_, "curve-skeleton").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_crowd(gpu, {.instances = {2}});
  const std::vector<glm::vec3> rest = moved_by(crowd);
  crowd.pose(1, matrices_);
  const std::vector<glm::vec3> wanted = moved_by(crowd);
  EXPECT_GT(worst_distance(rest, glm::mat4(1), wanted), 0.1f * character.size());
  EXPECT_LT(worst_distance(rest, glm::mat4(1), positions(crowd, 0)), 1e-5f * character.size()) << "the other stands";
  crowd.pose(1, bind_joints_);
  EXPECT_LT(worst_distance(rest, glm::mat4(1), moved_by(crowd)), 1e-5f * character.size());
  crowd.pose(1, rows_of(matrices_));
  EXPECT_EQ(moved_by(crowd), wanted);

  const Buffer buffer = callers_buffer(4096);
  Crowd given = make_crowd(gpu, {.instances = {2}, .joints = rest_of(buffer)});
  fill(buffer, rows_of(matrices_), given.instance(1)->first_joint * sizeof(Affine));
  EXPECT_EQ(moved_by(given), wanted);
}

TEST_F(PosedCrowds, TurnHelperJoints) {
  Model model = model_;
  model.skeleton.joints.push_back({.name = "source", .parent = 0});
  Rig rig = test::rig_of(LinearBlendParameters{});
  rig.helper_joints = {{.joint = "joint1", .source = "source", .twist = 0.5f, .swing = 0.5f}};
  const Character helped = test::bound(model, rig).character;
  matrices_.push_back(matrices_.front());
  ASSERT_FALSE(helped->skeleton.helpers.empty());
  const GpuCharacters gpu = upload_character(helped);
  Crowd crowd = make_crowd(gpu, {.instances = {2}});
  crowd.pose(1, matrices_);
  const std::vector<glm::vec3> wanted = moved_by(crowd);
  crowd.pose(1, test::bind_matrices(model));
  EXPECT_NE(moved_by(crowd), wanted);
  crowd.pose(1, rows_of(matrices_));
  EXPECT_EQ(moved_by(crowd), wanted);
}

// ---------------------------------------------------------------------------------------------------- levels of detail

// The last of several requested levels between two frames counts, and the fade starts from the level shown before.
TEST(ListedLevels, FadeToTheLastThatIsAskedFor) {
  CrowdLists lists(1);
  lists.next();
  lists.level(0, 1, 2);
  lists.level(0, 3, 2);
  lists.next();
  EXPECT_EQ(lists.shown_levels(0).from, 0u);
  EXPECT_EQ(lists.shown_levels(0).to, 3u);

  // A fade continues from its weight, whatever is requested and withdrawn meanwhile.
  for (const std::uint32_t last : {3u, 0u}) {
    CrowdLists fades(1);
    fades.next();
    fades.level(0, 3, 9);
    for (int frame = 0; frame < 4; ++frame) fades.next();
    fades.level(0, 1, 9);
    fades.level(0, last, 9);
    fades.next();
    EXPECT_EQ(fades.shown_levels(0).from, 3 - last);
    EXPECT_EQ(fades.shown_levels(0).to, last);
    EXPECT_NEAR(fades.shown_levels(0).share, last == 3 ? 0.5f : 0.7f, 1e-5f);
  }
}

TEST_F(Crowds, ChangeTheLevelOfWhoStandsStill) {
  Model model = model_;
  model.levels = {{0, 1, test::make_tube_mesh({.around = 14, .along = 20})}};
  model.levels[0].mesh.name = "tube_LOD1";
  const Character character = test::bound_by(model, "dual_quaternion");
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_crowd(gpu, {});
  CrowdLists lists(1);
  crowd.pose(0, bent_joints());
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  lists.update_every(0, 0);
  lists.level(0, 1);
  ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
  const std::vector<glm::vec3> wanted = skin_on_the_cpu(character.at_level(1), bent_joints());
  const std::vector<glm::vec3> all = positions(crowd, 0);
  const auto got = std::span(all).subspan(crowd.member(0)->level_vertices[0], wanted.size());
  EXPECT_LT(test::farthest(wanted, got), 1e-5f * character.size());
}

// ------------------------------------------------------------------------------------------------ lists of drawn skins

// A list of what is shown, written between the parts of a frame.
class DrawnCrowds : public MixedCrowds {
 protected:
  void SetUp() override {
    MixedCrowds::SetUp();
    if (IsSkipped()) return;
    list_ = callers_buffer(1024);
  }
  CrowdOptions drawn_options() const {
    CrowdOptions options{.instances = {2, 2, 2}};
    options.outputs.bounds = true;
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    options.drawn = rest_of(list_);
    return options;
  }
  Buffer list_;
};

TEST_F(DrawnCrowds, SayWhatTheirPartsUse) {
  const Crowd crowd = make(drawn_options());
  std::map<std::string, VkAccessFlags2> uses;
  for (const FramePart part : {FramePart::kPose, FramePart::kBlend}) {
    for (const BufferUse& use : crowd.uses(part)) {
      EXPECT_EQ(use.stages, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
      EXPECT_GT(use.size, 0u);
      EXPECT_NE(use.buffer, VK_NULL_HANDLE);
      EXPECT_TRUE(uses.emplace(use.name, use.access).second) << use.name;
    }
  }
  constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  const std::map<std::string, VkAccessFlags2> wanted{
      {"bounds", kWrite},  {"drawn list", kRead},          {"positions", kRead | kWrite},
      {"normals", kWrite}, {"previous positions", kWrite}, {"tangents", kWrite}};
  EXPECT_EQ(uses, wanted);
}

TEST_F(DrawnCrowds, RefuseLocationsThatCannotBeBound) {
  CrowdOptions options = drawn_options();
  options.drawn.offset = 1;
  EXPECT_THAT(Crowd::create(*gpu_device(), *gpu_, options).error().message, testing::HasSubstr("drawn list"));
}

}  // namespace
}  // namespace pelt::runtime
