// SPDX-License-Identifier: MIT
// Tests crowds whose characters are replaced while they run.
#include <gmock/gmock.h>

#include <cstring>

#include <pelt/runtime/transfer.h>

#include "tests/runtime/crowds.h"
#include "tests/support/morphs.h"
#include "tests/support/refused.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

class ReplacedCrowds : public Crowds {
 protected:
  static constexpr std::uint32_t kInstances = 3;

  // Makes a crowd of instances of a character, with room for so many of `later`, and `options.capacity`.
  Crowd crowd_of(const Character& character, const Character& later, std::uint32_t more, CrowdOptions options = {}) {
    gpu_.emplace(test::must(upload(*gpu_device(), character)));
    options.instances = {kInstances};
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    options.outputs.bounds = true;
    options.capacity += capacity_of(later, more, options.outputs);
    return test::must(Crowd::create(*gpu_device(), *gpu_, options));
  }
  std::uint32_t add(const Character& character) {
    const std::uint32_t number = test::must(gpu_->add(*gpu_device(), character));
    test::must(
        submit_and_wait(*gpu_device(), "upload", [&](VkCommandBuffer commands) { gpu_->record_upload(commands); }));
    gpu_->finish_upload();
    return number;
  }
  // Returns a pose, a different one for each number.
  std::vector<glm::mat4> pose(std::size_t number) const { return moved(bent_joints(), motion(number)); }

  // Expects an instance's skin as the CPU moves it, without motion.
  void expect_as_on_the_cpu(const Crowd& crowd, std::uint32_t instance, const Character& character,
                            std::span<const glm::mat4> joints, std::span<const float> inputs = {}) {
    const InstanceVertices got = test::must(read_vertices(*gpu_device(), crowd, instance));
    EXPECT_LT(test::farthest(skin_on_the_cpu(character, joints, inputs), got.positions), 1e-5f * character.size());
    EXPECT_EQ(got.previous_positions, got.positions);
  }

  Character linear_ = test::bound_by(model_, "linear_blend");
  std::optional<GpuCharacters> gpu_;
};

// A finer skin fits only instead of the old one. One that is finer still does not, and the crowd goes on as it was.
TEST_F(ReplacedCrowds, ChangeWhollyOrNotAtAll) {
  const Character finer = test::bound_by(test::make_tube({.around = 20, .along = 30}), "surface_ffd");
  const Character finest = test::bound_by(test::make_tube({.around = 20, .along = 31}), "surface_ffd");
  Crowd crowd = crowd_of(linear_, finer, kInstances);
  ASSERT_TRUE(crowd.set_outputs(2, false));
  for (std::uint32_t i = 0; i < kInstances; ++i) crowd.pose(i, pose(i));
  ASSERT_TRUE(run(*gpu_device(), crowd));
  const std::uint32_t too_large = add(finest);
  const CrowdRooms rooms = crowd.rooms();
  const std::uint32_t first = crowd.instance(1)->first_vertex;
  ASSERT_TRUE(crowd.set_outputs(2, true));
  EXPECT_TRUE(test::refused(crowd.replace(*gpu_device(), 0, too_large), ErrorCode::kUnsupported,
                            "3 instances of 'tube' need "));
  ASSERT_TRUE(crowd.set_outputs(2, false));
  EXPECT_EQ(crowd.rooms().palette_entries.free, rooms.palette_entries.free);
  EXPECT_EQ(crowd.rooms().vertices.largest_free, rooms.vertices.largest_free);
  EXPECT_EQ(crowd.instance(1)->first_vertex, first);
  EXPECT_EQ(crowd.member(too_large), nullptr);
  EXPECT_EQ(instances_of(crowd, 0), kInstances);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  expect_as_on_the_cpu(crowd, 1, linear_, pose(1));
  ASSERT_TRUE(gpu_->remove(too_large)) << "no crowd has it";

  ASSERT_TRUE(crowd.replace(*gpu_device(), 0, add(finer)));
  EXPECT_FALSE(crowd.instance(2)->has_outputs);
  ASSERT_TRUE(crowd.set_outputs(2, true));
  EXPECT_EQ(crowd.rooms().vertices.free, 0u);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < kInstances; ++i) expect_as_on_the_cpu(crowd, i, finer, pose(i));
}

// Joints of other names are at rest, and so are weights of morph targets that the old character does not have.
TEST_F(ReplacedCrowds, KeepWhatHasTheSameName) {
  Model few = model_;
  Model many = model_;
  test::add_morph_targets(few.meshes[0], 2);
  test::add_morph_targets(many.meshes[0], 3);
  std::swap(many.meshes[0].morph_targets[0], many.meshes[0].morph_targets[1]);
  Model renamed = many;
  renamed.skeleton.joints[1].name = "elbow";
  const Character before = test::bound_by(few, "linear_blend");
  const Character after = test::bound_by(many, "linear_blend");
  const Character other = test::bound_by(renamed, "linear_blend");
  Crowd crowd = crowd_of(before, after, kInstances, {.capacity = capacity_of(other, 1)});
  const auto set = [](const Character& character, std::vector<float>& inputs, const char* name, float weight) {
    inputs[character->controls[character->find_control(name).value()].input] = weight;
  };
  std::vector<float> inputs(before->input_count);
  set(before, inputs, "tube/target0", 0.7f);
  set(before, inputs, "tube/target1", -0.4f);
  for (std::uint32_t i = 0; i < kInstances; ++i) {
    crowd.pose(i, pose(i));
    crowd.inputs(i, inputs);
  }
  ASSERT_TRUE(crowd.replace(*gpu_device(), 0, add(after)));
  std::vector<float> kept(after->input_count);
  set(after, kept, "tube/target0", 0.7f);
  set(after, kept, "tube/target1", -0.4f);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < kInstances; ++i) expect_as_on_the_cpu(crowd, i, after, pose(i), kept);
  // The crowd has another instance of it already.
  const std::uint32_t number = add(other);
  ASSERT_TRUE(crowd.add(*gpu_device(), number));
  const std::uint32_t fourth = test::must(crowd.acquire(number));
  ASSERT_TRUE(crowd.replace(*gpu_device(), 1, number));
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_EQ(instances_of(crowd, number), kInstances + 1);
  expect_as_on_the_cpu(crowd, 2, other, bind_joints_, kept);
  expect_as_on_the_cpu(crowd, fourth, other, bind_joints_);
}

// An edited rig whose driver has the same points keeps the stream.
TEST_F(ReplacedCrowds, KeepStreams) {
  Model caged = test::make_tube_in_cage();
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.follow = Follow::kStreamed;
  const Character before = test::bound(caged, test::rig_of(parameters, "tube")).character;
  test::add_morph_targets(caged.meshes[0], 2);
  const Character after = test::bound(caged, test::rig_of(parameters, "tube")).character;
  Crowd crowd = crowd_of(before, after, kInstances);
  const std::vector<glm::vec3> points = test::moved_points(before, "cage", [](glm::vec3 p) { return 1.5f * p; });
  crowd.inputs(1, as_floats(points), before->streams[0].first_input);
  ASSERT_TRUE(crowd.replace(*gpu_device(), 0, add(after)));
  ASSERT_TRUE(run(*gpu_device(), crowd));
  std::vector<float> inputs = test::inputs_at_rest(*after);
  expect_as_on_the_cpu(crowd, 0, after, bind_joints_, inputs);
  std::memcpy(&inputs[after->streams[0].first_input], points.data(), points.size() * sizeof(glm::vec3));
  expect_as_on_the_cpu(crowd, 1, after, bind_joints_, inputs);
}

TEST_F(ReplacedCrowds, SayWhatIsWrong) {
  Crowd crowd = crowd_of(linear_, linear_, 1);
  const auto expect = [&](std::uint32_t character, std::uint32_t with, const char* why) {
    EXPECT_THAT(crowd.replace(*gpu_device(), character, with).error().message, testing::HasSubstr(why));
  };
  expect(0, 0, "cannot replace character 0 by itself");
  expect(1, 0, "has no character 1");
  expect(0, 1, "cannot add character 1, which does not exist");
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "parts", [&](VkCommandBuffer commands) {
    crowd.record(commands, {.part = FramePart::kPose});
    expect(0, 1, "between the two parts of a frame");
    crowd.record(commands, {.part = FramePart::kBlend});
  }));
}

}  // namespace
}  // namespace pelt::runtime
