// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/gtc/matrix_transform.hpp>
#include <optional>
#include <thread>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/linear_fit.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/shaders/jobs.h>

#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/tube.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;
using test::judged_by;
using testing::HasSubstr;

// Rest positions of all meshes, in packed order.
std::vector<glm::vec3> rest_positions(const Character& character) {
  std::vector<glm::vec3> positions;
  for (const CharacterMesh& mesh : character->meshes) {
    positions.insert(positions.end(), mesh.binding.points.begin(), mesh.binding.points.end());
  }
  return positions;
}

// Returns a rigid motion, a different one for each number.
glm::mat4 motion(std::size_t number) {
  const float amount = static_cast<float>(number % 1000);
  return glm::translate(glm::mat4(1.0f), glm::vec3(0.1f * amount, -0.05f * amount, 0.3f)) *
         glm::rotate(glm::mat4(1.0f), 0.7f + 0.4f * amount, glm::normalize(glm::vec3(1, 2, 3)));
}

std::vector<glm::mat4> moved(std::vector<glm::mat4> joints, const glm::mat4& by) {
  for (glm::mat4& joint : joints) joint = by * joint;
  return joints;
}

float worst_distance(const std::vector<glm::vec3>& rest, const glm::mat4& by, const std::vector<glm::vec3>& posed) {
  EXPECT_EQ(rest.size(), posed.size());
  float worst = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    worst = std::max(worst, glm::distance(glm::vec3(by * glm::vec4(rest[v], 1)), posed[v]));
  }
  return worst;
}

class Crowds : public testing::Test {
 protected:
  void SetUp() override { PELT_REQUIRE_GPU(gpu_device()); }

  GpuCharacters upload_character(const Character& character) {
    Result<GpuCharacters> gpu = upload(*gpu_device(), character);
    EXPECT_TRUE(gpu) << gpu.error().message;
    return std::move(*gpu);
  }
  // Makes a crowd that writes drivers too, so that vertices are those of all meshes.
  Crowd make_crowd(const GpuCharacters& gpu, CrowdOptions options) {
    options.outputs.control_meshes = true;
    Result<Crowd> crowd = Crowd::create(*gpu_device(), gpu, options);
    EXPECT_TRUE(crowd) << crowd.error().message;
    return std::move(*crowd);
  }
  std::vector<glm::mat4> bent_joints() const {
    std::vector<glm::mat4> joints = bind_joints_;
    joints.back() = joints.back() * glm::rotate(glm::mat4(1), 1.2f, glm::vec3(0, 0, 1));
    return joints;
  }
  // Makes a crowd of one bent instance; reduced detail keeps one influence.
  Crowd make_bent_crowd(const GpuCharacters& gpu) {
    Crowd crowd = make_crowd(gpu, {.instances = {1}, .frames_in_flight = 1, .reduced_influences = 1});
    crowd.pose(0, bent_joints());
    return crowd;
  }
  std::vector<glm::vec3> positions(const Crowd& crowd, std::uint32_t instance) {
    const Result<InstanceVertices> vertices = read_vertices(*gpu_device(), crowd, instance);
    EXPECT_TRUE(vertices) << vertices.error().message;
    return vertices->positions;
  }

  Model model_ = test::make_tube();
  std::vector<glm::mat4> bind_joints_ = test::bind_matrices(model_);
};

TEST_F(Crowds, NeedInstancesAndFrames) {
  const GpuCharacters gpu = upload_character(judged_by(model_, "linear-blend").character);
  for (const CrowdOptions& options :
       {CrowdOptions{.instances = {0}}, CrowdOptions{.frames_in_flight = 0}, CrowdOptions{.instances = {1, 1}}}) {
    const Result<Crowd> crowd = Crowd::create(*gpu_device(), gpu, options);
    ASSERT_FALSE(crowd);
    EXPECT_EQ(crowd.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(Crowds, NeedCharactersOfTheirDevice) {
  const GpuCharacters gpu = upload_character(judged_by(model_, "linear-blend").character);
  const Result<Crowd> crowd = Crowd::create(*test::discrete_device(), gpu);
  ASSERT_FALSE(crowd);
  EXPECT_EQ(crowd.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(crowd.error().message, HasSubstr("the characters are on another device"));
}

// Buffers of the caller's at offsets at which none can be bound.
TEST_F(Crowds, NeedAlignedInputs) {
  const VkDeviceSize alignment = gpu_device()->limits().minStorageBufferOffsetAlignment;
  if (alignment == 1) PELT_SKIP("the device binds buffers at any byte");
  const GpuCharacters gpu = upload_character(judged_by(model_, "linear-blend").character);
  const Result<Buffer> buffer = Buffer::create(*gpu_device(), {.size = 1 << 16,
                                                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                               .memory = MemoryUse::kStream,
                                                               .name = "a caller's"});
  ASSERT_TRUE(buffer) << buffer.error().message;
  for (const auto& [place, name] : {std::pair(&CrowdOptions::joints, "joint matrices"),
                                    {&CrowdOptions::inputs, "inputs"},
                                    {&CrowdOptions::visible, "visible instances"}}) {
    CrowdOptions options;
    options.*place = {buffer->handle(), 3 * alignment};
    EXPECT_TRUE(Crowd::create(*gpu_device(), gpu, options)) << name;
    (options.*place).offset += alignment / 2;
    const Result<Crowd> crowd = Crowd::create(*gpu_device(), gpu, options);
    ASSERT_FALSE(crowd) << name;
    EXPECT_EQ(crowd.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(crowd.error().message, HasSubstr(std::string(name) + " are at offset"));
    options.*place = {VK_NULL_HANDLE, 1};  // no buffer: nothing is bound there
    EXPECT_TRUE(Crowd::create(*gpu_device(), gpu, options)) << name;
  }
}

TEST_F(Crowds, SayHowManyInstancesFit) {
  const Character character = judged_by(model_, "linear-blend").character;
  const GpuCharacters gpu = upload_character(character);
  const Result<Crowd> crowd = Crowd::create(*gpu_device(), gpu, {.instances = {0xFFFFFFFFu}});
  ASSERT_FALSE(crowd);
  EXPECT_EQ(crowd.error().code, ErrorCode::kUnsupported);
  const std::uint32_t fit = gpu_device()->limits().maxStorageBufferRange / (12 * character->vertex_count());
  EXPECT_THAT(crowd.error().message, HasSubstr("positions of " + std::to_string(fit)));
}

TEST_F(Crowds, StandAtRestUntilPosed) {
  for (const char* deformer : {"linear-blend", "dual-quaternion", "surface-ffd"}) {
    const Character character = judged_by(model_, deformer).character;
    const GpuCharacters gpu = upload_character(character);
    Crowd crowd = make_crowd(gpu, {.instances = {2}});
    ASSERT_TRUE(run(*gpu_device(), crowd));
    EXPECT_LT(worst_distance(rest_positions(character), glm::mat4(1), positions(crowd, 1)), 1e-5f * character.size());
  }
}

TEST_F(Crowds, FollowARigidMotionEachInstanceItsOwn) {
  for (const char* deformer : {"linear-blend", "dual-quaternion", "surface-ffd"}) {
    const Character character = judged_by(model_, deformer).character;
    const GpuCharacters gpu = upload_character(character);
    for (const std::uint32_t instances : {1u, 3u, 17u}) {
      Crowd crowd = make_crowd(gpu, {.instances = {instances}});
      for (std::uint32_t i = 0; i < instances; ++i) crowd.pose(i, moved(bind_joints_, motion(i)));
      ASSERT_TRUE(run(*gpu_device(), crowd));
      for (std::uint32_t i = 0; i < instances; ++i) {
        EXPECT_LT(worst_distance(rest_positions(character), motion(i), positions(crowd, i)), 1e-5f * character.size())
            << deformer << ", instance " << i << " of " << instances;
      }
    }
  }
}

// Two frames are recorded before either runs: each must find the matrices that it was recorded with.
TEST_F(Crowds, KeepTheFramesInFlightApart) {
  const Character character = judged_by(model_, "linear-blend").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_crowd(gpu, {.instances = {3}, .frames_in_flight = 3});
  const DeviceFunctions& functions = gpu_device()->functions();
  const VkDevice device = gpu_device()->handle();
  VkCommandPool pool = VK_NULL_HANDLE;
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = gpu_device()->queue_family()};
  ASSERT_EQ(functions.vkCreateCommandPool(device, &pool_info, nullptr, &pool), VK_SUCCESS);
  constexpr std::uint32_t kFrames = 3;
  VkCommandBuffer frames[kFrames];
  const VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = kFrames};
  ASSERT_EQ(functions.vkAllocateCommandBuffers(device, &allocate_info, frames), VK_SUCCESS);
  const auto number = [](std::uint32_t frame, std::uint32_t instance) { return 10 * frame + instance; };
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    for (std::uint32_t i = 0; i < 3; ++i) crowd.pose(i, moved(bind_joints_, motion(number(frame, i))));
    const VkCommandBufferBeginInfo begin_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ASSERT_EQ(functions.vkBeginCommandBuffer(frames[frame], &begin_info), VK_SUCCESS);
    crowd.record(frames[frame]);
    ASSERT_EQ(functions.vkEndCommandBuffer(frames[frame]), VK_SUCCESS);
  }
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    const VkCommandBufferSubmitInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                                  .commandBuffer = frames[frame]};
    const VkSubmitInfo2 submit_info{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .commandBufferInfoCount = 1, .pCommandBufferInfos = &commands_info};
    ASSERT_EQ(functions.vkQueueSubmit2(gpu_device()->queue(), 1, &submit_info, VK_NULL_HANDLE), VK_SUCCESS);
    ASSERT_EQ(functions.vkDeviceWaitIdle(device), VK_SUCCESS);
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_LT(worst_distance(rest_positions(character), motion(number(frame, i)), positions(crowd, i)),
                1e-5f * character.size())
          << "frame " << frame << ", instance " << i;
    }
  }
  functions.vkDestroyCommandPool(device, pool, nullptr);
}

TEST_F(Crowds, KeepThePoseOfAnInstanceThatIsNotPosedAgain) {
  const Character character = judged_by(model_, "linear-blend").character;
  const GpuCharacters gpu = upload_character(character);
  for (const std::uint32_t frames_in_flight : {1u, 2u, 3u}) {
    Crowd crowd = make_crowd(gpu, {.instances = {2}, .frames_in_flight = frames_in_flight});
    crowd.pose(0, moved(bind_joints_, motion(5)));
    for (std::uint32_t frame = 0; frame < 5; ++frame) {
      crowd.pose(1, moved(bind_joints_, motion(10 + frame)));
      ASSERT_TRUE(run(*gpu_device(), crowd));
      EXPECT_LT(worst_distance(rest_positions(character), motion(5), positions(crowd, 0)), 1e-5f * character.size());
      EXPECT_LT(worst_distance(rest_positions(character), motion(10 + frame), positions(crowd, 1)),
                1e-5f * character.size());
    }
  }
}

// A tube that a streamed cage moves, and one by a cage with a morph target.
class StreamedCrowds : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    model_ = test::make_tubes_in_two_cages();
    character_.emplace(test::bound(model_, test::two_cages()).character);
    gpu_.emplace(upload_character(*character_));
  }

  std::vector<glm::vec3> cage(const glm::mat4& by) const {
    return test::moved_points(*character_, "cage", test::by_matrix(by));
  }
  // Expects the position of the tube, and the height of the second tube.
  void expect_instance(const Crowd& crowd, std::uint32_t instance, const glm::mat4& by, float lift) {
    const std::vector<glm::vec3> all = positions(crowd, instance);
    for (const auto& [name, motion] :
         {std::pair("tube", by), std::pair("second", glm::translate(glm::mat4(1), glm::vec3(0, lift, 0)))}) {
      const CharacterMesh& mesh = test::mesh_of(*character_, name);
      const std::vector<glm::vec3> own(all.begin() + mesh.first_vertex,
                                       all.begin() + mesh.first_vertex + mesh.vertex_count());
      EXPECT_LT(worst_distance(mesh.binding.points, motion, own), 1e-4f) << name << " of instance " << instance;
    }
  }

  std::optional<Character> character_;
  std::optional<GpuCharacters> gpu_;
};

TEST_F(StreamedCrowds, StandAtRestUntilStreamed) {
  Crowd crowd = make_crowd(*gpu_, {.instances = {2}});
  crowd.pose(0, std::vector(2, motion(3)));  // the streamed cage does not follow
  ASSERT_TRUE(run(*gpu_device(), crowd));
  expect_instance(crowd, 1, glm::mat4(1), 0);
}

TEST_F(StreamedCrowds, FollowEachInstanceItsOwn) {
  for (const std::uint32_t instances : {1u, 3u, 17u}) {
    Crowd crowd = make_crowd(*gpu_, {.instances = {instances}});
    for (std::uint32_t i = 0; i < instances; ++i) {
      crowd.stream(i, 0, cage(motion(i)));
      crowd.control(i, 0, 0.25f * static_cast<float>(i));
    }
    ASSERT_TRUE(run(*gpu_device(), crowd));
    for (std::uint32_t i = 0; i < instances; ++i) expect_instance(crowd, i, motion(i), 0.25f * static_cast<float>(i));
  }
}

TEST_F(StreamedCrowds, KeepWhatIsNotGivenAgain) {
  for (const std::uint32_t frames_in_flight : {1u, 2u, 3u}) {
    Crowd crowd = make_crowd(*gpu_, {.instances = {3}, .frames_in_flight = frames_in_flight});
    crowd.stream(0, 0, cage(motion(5)));
    crowd.control(1, 0, 2.0f);
    for (std::uint32_t frame = 0; frame < 5; ++frame) {
      crowd.stream(1, 0, cage(motion(frame)));
      crowd.control(2, 0, static_cast<float>(frame));
      ASSERT_TRUE(run(*gpu_device(), crowd));
      expect_instance(crowd, 0, motion(5), 0);
      expect_instance(crowd, 1, motion(frame), 2);
      expect_instance(crowd, 2, glm::mat4(1), static_cast<float>(frame));
    }
  }
}

// Inputs in a simulation's buffer, after other data.
TEST_F(StreamedCrowds, ReadABufferOfTheCallers) {
  const std::uint32_t instances = 3;
  const CharacterData& data = **character_;
  std::vector<float> inputs;
  for (std::uint32_t i = 0; i < instances; ++i) {
    std::vector<float> own(data.input_count);
    rest_inputs(data, own);
    const std::vector<glm::vec3> points = cage(motion(i));
    std::memcpy(&own[data.streams[0].first_input], points.data(), points.size() * sizeof(glm::vec3));
    own[data.controls[0].input] = 0.5f * static_cast<float>(i);
    inputs.insert(inputs.end(), own.begin(), own.end());
  }
  const VkDeviceSize offset = 4 * gpu_device()->limits().minStorageBufferOffsetAlignment;
  Result<Buffer> buffer = Buffer::create(*gpu_device(), {.size = offset + inputs.size() * sizeof(float),
                                                         .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                         .memory = MemoryUse::kStream,
                                                         .name = "inputs of a simulation"});
  ASSERT_TRUE(buffer) << buffer.error().message;
  std::memcpy(buffer->mapped() + offset, inputs.data(), inputs.size() * sizeof(float));
  buffer->flush(0, buffer->size());
  Crowd crowd = make_crowd(*gpu_, {.instances = {instances}, .inputs = {buffer->handle(), offset}});
  for (int frame = 0; frame < 3; ++frame) {
    ASSERT_TRUE(run(*gpu_device(), crowd));
    for (std::uint32_t i = 0; i < instances; ++i) expect_instance(crowd, i, motion(i), 0.5f * static_cast<float>(i));
  }
}

// If a character has no inputs, the caller may still give an inputs buffer.
TEST_F(Crowds, WithoutInputsTakeABufferAllTheSame) {
  const Character character = judged_by(model_, "linear-blend").character;
  const GpuCharacters gpu = upload_character(character);
  Result<Buffer> buffer = Buffer::create(*gpu_device(), {.size = 64,
                                                         .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                         .memory = MemoryUse::kStream,
                                                         .name = "inputs that nothing reads"});
  ASSERT_TRUE(buffer) << buffer.error().message;
  Crowd crowd = make_crowd(gpu, {.instances = {2}, .inputs = {buffer->handle()}});
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(worst_distance(rest_positions(character), glm::mat4(1), positions(crowd, 1)), 1e-5f * character.size());
}

TEST_F(Crowds, OfOneDoNotDisturbAnotherInTheSameCommands) {
  const Character linear = judged_by(model_, "linear-blend").character;
  const Character ffd = judged_by(model_, "surface-ffd").character;
  const GpuCharacters gpu_linear = upload_character(linear);
  const GpuCharacters gpu_ffd = upload_character(ffd);
  Crowd first = make_crowd(gpu_linear, {.instances = {3}});
  Crowd second = make_crowd(gpu_ffd, {.instances = {2}});
  for (std::uint32_t i = 0; i < 3; ++i) first.pose(i, moved(bind_joints_, motion(i)));
  for (std::uint32_t i = 0; i < 2; ++i) second.pose(i, moved(bind_joints_, motion(7 + i)));
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "two crowds", [&](VkCommandBuffer commands) {
    first.record(commands);
    second.record(commands);
    first.record(commands);
  }));
  EXPECT_LT(worst_distance(rest_positions(linear), motion(2), positions(first, 2)), 1e-5f * linear.size());
  EXPECT_LT(worst_distance(rest_positions(ffd), motion(8), positions(second, 1)), 1e-5f * ffd.size());
}

// A driven character: the driver's poses, its blend, the skin's blend.
TEST_F(Crowds, StampATimerAfterEachOfTheirPasses) {
  if (!GpuTimer::supported(*gpu_device())) PELT_SKIP("the device has no timestamps");
  const GpuCharacters gpu = upload_character(judged_by(model_, "surface-ffd").character);
  Crowd crowd = make_crowd(gpu, {});
  const std::vector<std::string> passes(crowd.passes().begin(), crowd.passes().end());
  EXPECT_EQ(passes, (std::vector<std::string>{"plan", "pose dual_quaternion", "blend of drivers", "blend of skins"}));
  auto timer = GpuTimer::create(*gpu_device(), static_cast<std::uint32_t>(passes.size()) + 1);
  ASSERT_TRUE(timer) << timer.error().message;
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "timed", [&](VkCommandBuffer commands) {
    timer->reset(commands);
    timer->stamp(commands);
    crowd.record(commands, &*timer);
  }));
  const auto seconds = timer->seconds();
  ASSERT_TRUE(seconds) << seconds.error().message;
  ASSERT_EQ(seconds->size(), passes.size() + 1);
  EXPECT_TRUE(std::is_sorted(seconds->begin(), seconds->end()));
  EXPECT_GT(seconds->back(), 0);
}

// More workgroups than one dimension of a dispatch takes on most devices.
TEST_F(Crowds, OfManyInstancesSpreadOverTwoDimensions) {
  const Character character = judged_by(test::make_cloud(2), "linear-blend").character;
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

// ---------------------------------------------------------------------------------------------------- mixed crowds

// Linear blend, dual quaternions and a surface FFD: characters of one stage and of two, in one crowd.
class MixedCrowds : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    for (const char* deformer : {"linear-blend", "surface-ffd", "dual-quaternion"}) {
      characters_.push_back(judged_by(model_, deformer).character);
    }
    Result<GpuCharacters> gpu = upload(*gpu_device(), characters_);
    ASSERT_TRUE(gpu) << gpu.error().message;
    gpu_.emplace(std::move(*gpu));
  }

  // Returns the rest positions of the skin only, in packed order.
  static std::vector<glm::vec3> rest_skin(const Character& character) {
    std::vector<glm::vec3> positions;
    for (const CharacterMesh& mesh : character->meshes) {
      if (mesh.control) continue;
      positions.insert(positions.end(), mesh.binding.points.begin(), mesh.binding.points.end());
    }
    return positions;
  }
  void pose_all(Crowd& crowd, std::size_t shift = 0) {
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) crowd.pose(i, moved(bind_joints_, motion(i + shift)));
  }
  float off(const Crowd& crowd, std::uint32_t instance, std::size_t number) {
    const Character& character = characters_[crowd.character_of(instance)];
    return worst_distance(rest_skin(character), motion(number), positions(crowd, instance)) / character.size();
  }
  InstanceVertices read(const Crowd& crowd, std::uint32_t instance) {
    Result<InstanceVertices> vertices = read_vertices(*gpu_device(), crowd, instance);
    EXPECT_TRUE(vertices) << vertices.error().message;
    return std::move(*vertices);
  }
  Crowd make(const CrowdOptions& options) {
    Result<Crowd> crowd = Crowd::create(*gpu_device(), *gpu_, options);
    EXPECT_TRUE(crowd) << crowd.error().message;
    return std::move(*crowd);
  }

  // Records into commands that never run.
  static void record_and_drop(Crowd& crowd) {
    const DeviceFunctions& functions = gpu_device()->functions();
    const VkDevice device = gpu_device()->handle();
    VkCommandPool pool = VK_NULL_HANDLE;
    const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .queueFamilyIndex = gpu_device()->queue_family()};
    ASSERT_EQ(functions.vkCreateCommandPool(device, &pool_info, nullptr, &pool), VK_SUCCESS);
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                    .commandPool = pool,
                                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                    .commandBufferCount = 1};
    ASSERT_EQ(functions.vkAllocateCommandBuffers(device, &allocate_info, &commands), VK_SUCCESS);
    const VkCommandBufferBeginInfo begin_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ASSERT_EQ(functions.vkBeginCommandBuffer(commands, &begin_info), VK_SUCCESS);
    crowd.record(commands);
    functions.vkDestroyCommandPool(device, pool, nullptr);
  }

  std::vector<Character> characters_;
  std::optional<GpuCharacters> gpu_;
};

TEST_F(MixedCrowds, FollowEachInstanceItsOwn) {
  Crowd crowd = make({.instances = {2, 3, 4}});
  ASSERT_EQ(crowd.instance_count(), 9u);
  EXPECT_EQ(crowd.first_instance(1), 2u);
  EXPECT_EQ(crowd.character_of(4), 1u);
  EXPECT_EQ(crowd.first_vertex(3), crowd.first_vertex(2) + crowd.vertex_count(2));
  pose_all(crowd);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_LT(off(crowd, i, i), 1e-5f) << i;
}

TEST_F(MixedCrowds, HaveOneOfEachUnlessToldOtherwise) {
  Crowd crowd = make({});
  ASSERT_EQ(crowd.instance_count(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(crowd.character_of(i), i);
  pose_all(crowd);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_LT(off(crowd, i, i), 1e-5f);
}

// Posing each instance on one of many threads gives the same result as posing all on one thread.
TEST_F(MixedCrowds, ArePosedOnSeveralThreads) {
  CrowdOptions options{.instances = {40, 40, 41}};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  const auto frame_of = [&](Crowd& crowd, std::uint32_t i, std::uint32_t frame) {
    if ((i + frame) % 3 != 0) crowd.pose(i, moved(bind_joints_, motion(i + 200 * frame)));
    crowd.inputs(i, {});
    crowd.show(i, (i + frame) % 7 != 0);
    crowd.update_every(i, 1 + i % 3);
    crowd.detail(i, static_cast<Detail>((i + frame) % 3), 2);
    if ((i + frame) % 5 == 0) crowd.teleport(i);
  };
  Crowd alone = make(options);
  Crowd together = make(options);
  constexpr std::uint32_t kThreads = 4;
  for (std::uint32_t frame = 0; frame < 4; ++frame) {
    for (std::uint32_t i = 0; i < alone.instance_count(); ++i) frame_of(alone, i, frame);
    ASSERT_TRUE(run(*gpu_device(), alone));
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < kThreads; ++t) {  // neighbours on different threads
      threads.emplace_back([&, t] {
        for (std::uint32_t i = t; i < together.instance_count(); i += kThreads) frame_of(together, i, frame);
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(run(*gpu_device(), together));
  }
  for (std::uint32_t i = 0; i < alone.instance_count(); ++i) {
    const InstanceVertices expected = read(alone, i);
    const InstanceVertices got = read(together, i);
    EXPECT_EQ(got.positions, expected.positions) << i;
    EXPECT_EQ(got.previous_positions, expected.previous_positions) << i;
  }
}

// Follows crowd.h's rules for a frame that is recorded and never submitted.
TEST_F(MixedCrowds, GoOnBehindAFrameThatWasDropped) {
  CrowdOptions options{.instances = {2, 2, 2}};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  pose_all(crowd);
  for (const std::uint32_t i : {1u, 3u, 5u}) crowd.update_every(i, 0);
  record_and_drop(crowd);
  for (std::uint32_t i = 0; i < 6; ++i) {
    crowd.show(i, false);
    crowd.show(i, true);
  }
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_LT(off(crowd, i, i), 1e-5f) << i;
    EXPECT_EQ(read(crowd, i).previous_positions, read(crowd, i).positions) << i;
  }
}

TEST_F(MixedCrowds, MayLackSomeOfTheCharacters) {
  for (const std::vector<std::uint32_t>& instances : {std::vector{0u, 2u, 0u}, {3u, 0u, 0u}, {0u, 0u, 1u}}) {
    Crowd crowd = make({.instances = instances});
    pose_all(crowd);
    ASSERT_TRUE(run(*gpu_device(), crowd));
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) EXPECT_LT(off(crowd, i, i), 1e-5f);
  }
}

TEST_F(MixedCrowds, DispatchAsOftenWhateverTheirSize) {
  const Crowd small = make({.instances = {1, 1, 1}});
  const Crowd large = make({.instances = {40, 200, 3}});
  EXPECT_EQ(small.passes().size(), large.passes().size());
  EXPECT_EQ(small.barrier_count(), large.barrier_count());
  EXPECT_THAT(std::vector(small.passes().begin(), small.passes().end()),
              testing::ElementsAre("plan", "pose dual_quaternion, stage 0", "blend of drivers", "pose linear_blend",
                                   "pose dual_quaternion, stage 1", "blend of skins"));
}

TEST_F(MixedCrowds, LeaveAloneWhatIsNotShown) {
  Crowd crowd = make({.instances = {2, 2, 2}, .frames_in_flight = 1});
  pose_all(crowd);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (const std::uint32_t i : {1u, 2u, 5u}) crowd.show(i, false);
  pose_all(crowd, 10);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_LT(off(crowd, i, i == 1 || i == 2 || i == 5 ? i : i + 10), 1e-5f) << i;
  crowd.show(2, true);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(off(crowd, 2, 12), 1e-5f);
}

TEST_F(MixedCrowds, MoveSomeLessOftenThanOthers) {
  Crowd crowd = make({.instances = {4, 0, 0}, .frames_in_flight = 1});
  crowd.update_every(1, 2);
  crowd.update_every(2, 3);
  crowd.update_every(3, 0);
  std::vector<int> moves(4, 0);
  std::vector<std::size_t> stands(4, 0);
  for (std::size_t frame = 0; frame < 7; ++frame) {
    pose_all(crowd, 20 * frame);
    ASSERT_TRUE(run(*gpu_device(), crowd));
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

// ---------------------------------------------------------------------------------------------------------- outputs

TEST_F(MixedCrowds, RefuseOutputsThatContradictEachOther) {
  CrowdOptions valid{.instances = {1, 1, 1}};
  ASSERT_TRUE(Crowd::create(*gpu_device(), *gpu_, valid));
  const auto refused = [&](const auto& change, const char* why) {
    CrowdOptions options = valid;
    change(options.outputs);
    const Result<Crowd> crowd = Crowd::create(*gpu_device(), *gpu_, options);
    ASSERT_FALSE(crowd) << why;
    EXPECT_EQ(crowd.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(crowd.error().message, HasSubstr(why));
  };
  refused([](CrowdOutputs& o) { o.positions.format = VertexFormat::kOctahedral16; }, "positions are written as floats");
  refused([](CrowdOutputs& o) { o.positions.stride = 8; }, "positions take 12 bytes and have a stride of 8");
  refused([](CrowdOutputs& o) { o.normals.stride = 6; }, "multiples of 4");
  refused([](CrowdOutputs& o) { o.tangents.place.offset = 2; }, "multiples of 4");
  refused([](CrowdOutputs& o) { o.tangents.format = VertexFormat::kOctahedral8; }, "share a word");
  refused([](CrowdOutputs& o) { o.previous_positions.format = VertexFormat::kOctahedral8; }, "floats only");
  refused(
      [](CrowdOutputs& o) {
        o.positions.format = VertexFormat::kNone;
        o.previous_positions.format = VertexFormat::kFloat;
      },
      "previous positions need positions");
  refused(
      [](CrowdOutputs& o) {
        o.bounds = true;
        o.bounds_place.offset = 6;
      },
      "bounds are at offset 6 with stride 0, which are no multiples of 4");
  refused(
      [](CrowdOutputs& o) {
        o.bounds = true;
        o.bounds_stride = 30;
      },
      "bounds are at offset 0 with stride 30, which are no multiples of 4");
  refused(
      [](CrowdOutputs& o) {
        o.bounds = true;
        o.bounds_stride = 20;
      },
      "bounds take 24 bytes and have a stride of 20");
  refused(
      [](CrowdOutputs& o) {
        o.previous_positions.format = VertexFormat::kFloat;
        o.control_meshes = true;
      },
      "previous positions are of skins alone");
}

// Every format gives the same result as the default one, in the crowd's buffer and in one of the caller's.
TEST_F(MixedCrowds, WriteTheFormatsThatAreAskedFor) {
  Crowd standard = make({.instances = {1, 1, 1}});
  pose_all(standard, 3);
  ASSERT_TRUE(run(*gpu_device(), standard));
  Result<Buffer> buffer =
      Buffer::create(*gpu_device(), {.size = 1 << 20,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                     .name = "vertices of a caller"});
  ASSERT_TRUE(buffer) << buffer.error().message;
  using F = VertexFormat;
  struct Case {
    F normals;
    F tangents;
    double tolerance;  // radians
  };
  for (const Case& formats :
       {Case{F::kFloat, F::kFloat, 3e-4}, Case{F::kOctahedral16, F::kFloat, 3e-4},
        Case{F::kFloat, F::kOctahedral16, 3e-4}, Case{F::kOctahedral8, F::kOctahedral8, 0.035},
        Case{F::kOctahedral8, F::kNone, 0.02}, Case{F::kNone, F::kFloat, 3e-4}, Case{F::kNone, F::kNone, 0}}) {
    for (const bool own : {true, false}) {
      CrowdOptions options{.instances = {1, 1, 1}};
      CrowdOutputs& out = options.outputs;
      out.normals.format = formats.normals;
      out.tangents.format = formats.tangents;
      if (!own) {  // interleaved: position 0, normal 12, tangent 28, or both in one word
        out.positions = {F::kFloat, {buffer->handle(), 4}, 48};
        out.normals = {formats.normals, {buffer->handle(), 16}, 48};
        out.tangents = {formats.tangents, {buffer->handle(), formats.tangents == F::kOctahedral8 ? 16u : 32u}, 48};
      }
      Crowd crowd = make(options);
      pose_all(crowd, 3);
      ASSERT_TRUE(run(*gpu_device(), crowd));
      for (std::uint32_t i = 0; i < 3; ++i) {
        const InstanceVertices expected = read(standard, i);
        const InstanceVertices got = read(crowd, i);
        EXPECT_EQ(got.positions, expected.positions);
        EXPECT_EQ(got.normals.size(), formats.normals == F::kNone ? 0 : expected.normals.size());
        EXPECT_EQ(got.tangents.size(), formats.tangents == F::kNone ? 0 : expected.tangents.size());
        for (std::size_t v = 0; v < got.normals.size(); ++v) {
          ASSERT_LT(glm::distance(got.normals[v], expected.normals[v]), formats.tolerance) << v;
        }
        for (std::size_t v = 0; v < got.tangents.size(); ++v) {
          ASSERT_LT(glm::distance(glm::vec3(got.tangents[v]), glm::vec3(expected.tangents[v])), formats.tolerance);
          ASSERT_EQ(got.tangents[v].w, expected.tangents[v].w);
        }
      }
    }
  }
}

TEST_F(MixedCrowds, RememberPreviousPositions) {
  CrowdOptions options{.instances = {2, 2, 2}, .frames_in_flight = 1};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  const auto previous_off = [&](std::uint32_t i, std::size_t number) {
    const Character& character = characters_[crowd.character_of(i)];
    return worst_distance(rest_skin(character), motion(number), read(crowd, i).previous_positions) / character.size();
  };
  pose_all(crowd, 0);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_LT(previous_off(i, i), 1e-5f) << "first frame, instance " << i;

  pose_all(crowd, 10);
  crowd.teleport(1);
  crowd.update_every(2, 0);
  crowd.show(3, false);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(previous_off(0, 0), 1e-5f);
  EXPECT_LT(previous_off(1, 11), 1e-5f) << "teleported";
  EXPECT_LT(previous_off(2, 2), 1e-5f) << "frozen";

  pose_all(crowd, 20);
  crowd.show(3, true);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(previous_off(0, 10), 1e-5f);
  EXPECT_LT(previous_off(1, 11), 1e-5f);
  EXPECT_LT(previous_off(2, 2), 1e-5f);
  EXPECT_LT(previous_off(3, 23), 1e-5f) << "shown again";
}

// An instance that stops has its last step as motion for one frame only.
TEST_F(MixedCrowds, ThatStopHaveNoMotionLeft) {
  CrowdOptions options{.instances = {1, 0, 0}, .frames_in_flight = 1};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  Crowd crowd = make(options);
  for (std::size_t frame = 0; frame < 2; ++frame) {
    pose_all(crowd, 10 * frame);
    ASSERT_TRUE(run(*gpu_device(), crowd));
  }
  EXPECT_NE(read(crowd, 0).previous_positions, read(crowd, 0).positions);
  crowd.update_every(0, 0);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_EQ(read(crowd, 0).previous_positions, read(crowd, 0).positions);
}

TEST_F(MixedCrowds, TellTheAddressesOfTheirOutputs) {
  CrowdOptions options{.instances = {1, 1, 1}};
  options.outputs.usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  Crowd crowd = make(options);
  const OutputPlaces& outputs = crowd.outputs();
  const VkDeviceAddress positions_at = crowd.device_address(outputs.positions);
  EXPECT_NE(positions_at, 0u);
  EXPECT_EQ(crowd.device_address(outputs.normals) - positions_at, outputs.normals.offset - outputs.positions.offset);
  pose_all(crowd);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(off(crowd, 1, 1), 1e-5f);
}

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

// Two frames, each read by a copy. On a device with one family the barriers are those of one queue, and validation
// checks that they order the copies.
TEST_F(MixedCrowds, ReleaseAndAcquireTheirOutputs) {
  CrowdOptions options{.instances = {1, 1, 1}, .frames_in_flight = 2};
  options.outputs.bounds = true;
  Crowd crowd = make(options);
  const OutputPlace& positions = crowd.outputs().positions;
  const Result<Buffer> copied = Buffer::create(
      *gpu_device(),
      {.size = 1024, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT, .memory = MemoryUse::kDeviceLocal, .name = "copied"});
  ASSERT_TRUE(copied) << copied.error().message;
  const DeviceFunctions& functions = gpu_device()->functions();
  const std::uint32_t family = gpu_device()->queue_family();
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "two frames", [&](VkCommandBuffer commands) {
    for (int frame = 0; frame < 2; ++frame) {
      pose_all(crowd);
      if (frame > 0) crowd.record_acquire_back(commands, family, family);
      crowd.record(commands);
      crowd.record_release(commands, family, family);
      crowd.record_acquire(commands, family, family, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
      const VkBufferCopy range{positions.offset, 512u * static_cast<VkDeviceSize>(frame), 512};
      functions.vkCmdCopyBuffer(commands, positions.buffer, copied->handle(), 1, &range);
      crowd.record_release_back(commands, family, family, VK_PIPELINE_STAGE_2_COPY_BIT);
    }
  }));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_LT(off(crowd, i, i), 1e-5f);
}

TEST_F(MixedCrowds, AreWithinTheirBounds) {
  CrowdOptions options{.instances = {3, 3, 3}};
  options.outputs.bounds = true;
  Crowd crowd = make(options);
  for (std::uint32_t i = 0; i < 9; ++i) {  // bends of all sizes
    std::vector<glm::mat4> joints = bind_joints_;
    const float angle = 0.3f + 0.35f * static_cast<float>(i);
    for (std::size_t j = 1; j < joints.size(); ++j) {
      joints[j] =
          joints[j] * glm::rotate(glm::mat4(1), angle, glm::normalize(glm::vec3(1, 0.3f, static_cast<float>(i))));
    }
    crowd.pose(i, moved(joints, motion(i)));
  }
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 9; ++i) {
    const Result<Box> box = read_bounds(*gpu_device(), crowd, i);
    ASSERT_TRUE(box) << box.error().message;
    Box tight{glm::vec3(INFINITY), glm::vec3(-INFINITY)};
    for (const glm::vec3& p : positions(crowd, i)) {
      tight.least = glm::min(tight.least, p);
      tight.greatest = glm::max(tight.greatest, p);
    }
    const float size = glm::distance(tight.least, tight.greatest);
    EXPECT_TRUE(glm::all(glm::lessThanEqual(box->least, tight.least + 1e-5f * size))) << i;
    EXPECT_TRUE(glm::all(glm::greaterThanEqual(box->greatest, tight.greatest - 1e-5f * size))) << i;
    EXPECT_LT(glm::distance(box->least, box->greatest), 4 * size) << i;
  }
}

// In the crowd's buffer and in one of the caller's, whose other bytes must not change.
TEST_F(MixedCrowds, WriteBoundsWithAStride) {
  CrowdOptions options{.instances = {2, 2, 2}};
  options.outputs.bounds = true;
  Crowd tight = make(options);
  EXPECT_EQ(tight.outputs().bounds.stride, 24u);
  pose_all(tight);
  ASSERT_TRUE(run(*gpu_device(), tight));
  const auto expect_same = [&](const Crowd& crowd) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      const Result<Box> expected = read_bounds(*gpu_device(), tight, i);
      const Result<Box> got = read_bounds(*gpu_device(), crowd, i);
      ASSERT_TRUE(expected && got);
      EXPECT_EQ(got->least, expected->least) << i;
      EXPECT_EQ(got->greatest, expected->greatest) << i;
    }
  };
  for (const std::uint32_t stride : {24u, 28u, 64u}) {
    options.outputs.bounds_stride = stride;
    Crowd own = make(options);
    EXPECT_EQ(own.outputs().bounds.stride, stride);
    pose_all(own);
    ASSERT_TRUE(run(*gpu_device(), own));
    expect_same(own);

    constexpr VkDeviceSize kOffset = 20;
    Result<Buffer> buffer =
        Buffer::create(*gpu_device(), {.size = kOffset + 6 * stride + 4,
                                       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       .memory = MemoryUse::kStream,
                                       .name = "boxes of a caller"});
    ASSERT_TRUE(buffer) << buffer.error().message;
    std::memset(buffer->mapped(), 0x5A, buffer->size());
    buffer->flush(0, buffer->size());
    CrowdOptions theirs = options;
    theirs.outputs.bounds_place = {buffer->handle(), kOffset};
    Crowd crowd = make(theirs);
    pose_all(crowd);
    ASSERT_TRUE(run(*gpu_device(), crowd));
    expect_same(crowd);
    const Result<std::vector<std::byte>> bytes = read_buffer(*gpu_device(), buffer->handle(), 0, buffer->size());
    ASSERT_TRUE(bytes);
    for (std::size_t at = 0; at < bytes->size(); ++at) {
      const bool inside = at >= kOffset && at < kOffset + 6 * stride && (at - kOffset) % stride < 24;
      if (!inside) {
        ASSERT_EQ((*bytes)[at], std::byte{0x5A}) << "stride " << stride << ", byte " << at;
      }
    }
  }
}

// ----------------------------------------------------------------------------------------------------------- inputs

TEST_F(MixedCrowds, ReadMatricesAndListsOfTheCallers) {
  std::vector<glm::mat4> matrices;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::vector<glm::mat4> own = moved(bind_joints_, motion(i));
    matrices.insert(matrices.end(), own.begin(), own.end());
  }
  const auto filled = [&](const void* bytes, std::size_t size) {
    Result<Buffer> buffer = Buffer::create(*gpu_device(), {.size = size,
                                                           .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                           .memory = MemoryUse::kStream,
                                                           .name = "a caller's"});
    EXPECT_TRUE(buffer) << buffer.error().message;
    std::memcpy(buffer->mapped(), bytes, size);
    buffer->flush(0, size);
    return std::move(*buffer);
  };
  const Buffer joints = filled(matrices.data(), matrices.size() * sizeof(glm::mat4));
  // Counts, then entries: the second instance of the first character, none of the second, and both of the third, with
  // an entry out of range and a count that is too large.
  constexpr std::uint32_t kUpdate = shared::kEntryTeleport;
  const std::uint32_t list[] = {1, 0, 7, 1, kUpdate, 0, 0, 0, 0, 0, 0, 1, kUpdate, 99, kUpdate};
  const Buffer visible = filled(list, sizeof(list));
  Crowd crowd = make({.instances = {2, 2, 2}, .joints = {joints.handle()}, .visible = {visible.handle()}});
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(off(crowd, 1, 1), 1e-5f);
  EXPECT_LT(off(crowd, 5, 5), 1e-5f);
}

// Uses the barriers of docs/runtime.md; validation watches for hazards: the next frame's matrices are copied over those
// that the frame before has read.
TEST_F(MixedCrowds, ReadMatricesThatAreCopiedFrameByFrame) {
  std::vector<glm::mat4> matrices;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::vector<glm::mat4> own = moved(bind_joints_, motion(i));
    matrices.insert(matrices.end(), own.begin(), own.end());
  }
  const VkDeviceSize frame_bytes = matrices.size() / 2 * sizeof(glm::mat4);
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
  std::memcpy(source->mapped(), matrices.data(), 2 * frame_bytes);
  source->flush(0, 2 * frame_bytes);
  CrowdOptions options{.instances = {1, 1, 1}, .joints = {joints->handle()}};
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

// ----------------------------------------------------------------------------------------------------------- detail

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

// A character with a fit: the crowd's positions equal the evaluator's, boxes contain them, and a fade goes from one to
// the other.
TEST_F(Crowds, AreMovedByTheLinearBlendThatWasFittedToThem) {
  LinearFitOptions fit_options;
  fit_options.clip_poses = 2;
  fit_options.random_poses = 6;
  const Result<LinearFitted> fitted = fit_linear_blend(judged_by(model_, "surface-ffd").character, fit_options);
  ASSERT_TRUE(fitted) << fitted.error().message;
  const Character& character = fitted->character;
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
  const CharacterMesh& skin = test::mesh_of(character, "tube");
  const auto of_skin = [&](std::span<const glm::vec3> all) {
    const auto own = all.subspan(skin.first_vertex, skin.vertex_count());
    return std::vector(own.begin(), own.end());
  };
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

TEST_F(Crowds, OutliveTheHandlesTheyWereMadeFrom) {
  Result<Device> made = Device::create(test::validated_options());
  ASSERT_TRUE(made);
  const Character character = judged_by(model_, "linear-blend").character;
  Result<GpuCharacters> gpu = upload(*made, character);
  ASSERT_TRUE(gpu);
  Result<Crowd> crowd = Crowd::create(*made, *gpu);
  ASSERT_TRUE(crowd);
  const Device device = std::move(*made);
  const GpuCharacters moved_gpu = std::move(*gpu);
  Crowd moved_crowd = std::move(*crowd);
  ASSERT_TRUE(run(device, moved_crowd));
  const Result<InstanceVertices> vertices = read_vertices(device, moved_crowd, 0);
  ASSERT_TRUE(vertices);
  EXPECT_LT(worst_distance(rest_positions(character), glm::mat4(1), vertices->positions), 1e-5f * character.size());
}

}  // namespace
}  // namespace pelt::runtime
