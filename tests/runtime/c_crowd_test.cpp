// SPDX-License-Identifier: MIT
// Tests crowds of the C API.
#include <cstring>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/type_ptr.hpp>

#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/read_back.h>

#include "tests/runtime/c_crowds.h"
#include "tests/support/morphs.h"
#include "tests/support/swinging.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// Moves both crowds to the same pose of a frame.
void pose_alike(const Character& caged, int frame, Crowd& cpp, pelt_crowd* c) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const float angle = 0.1f * static_cast<float>(1 + frame + static_cast<int>(i * j));
      joints[j] = joints[j] * glm::rotate(glm::mat4(1), angle, glm::vec3(0, 0.6f, 0.8f));
    }
    cpp.pose(i, joints);
    ASSERT_OK(pelt_crowd_pose(c, i, glm::value_ptr(joints[0]), 2));
  }
  const std::vector<glm::vec3> cage = test::moved_points(
      caged, "cage", [&](glm::vec3 p) { return p + glm::vec3(0, 0.1f * static_cast<float>(frame), 0); });
  cpp.stream(0, 0, cage);
  ASSERT_OK(pelt_crowd_stream(c, 0, 0, glm::value_ptr(cage[0]), static_cast<std::uint32_t>(cage.size())));
  cpp.control(1, 0, 0.5f);
  ASSERT_OK(pelt_crowd_control(c, 1, 0, 0.5f));
  if (frame == 2) {
    cpp.show(2, false);
    ASSERT_OK(pelt_crowd_show(c, 2, 0));
    cpp.update_every(3, 2);
    ASSERT_OK(pelt_crowd_update_every(c, 3, 2));
    cpp.teleport(4);
    ASSERT_OK(pelt_crowd_teleport(c, 4));
    cpp.detail(1, Detail::kReduced, 2);
    ASSERT_OK(pelt_crowd_detail(c, 1, PELT_DETAIL_REDUCED, 2));
  }
}

// Expects the same instances and the same bytes of every output.
void expect_same_outputs(const Crowd& cpp, const pelt_crowd* c) {
  std::uint32_t vertices = 0;
  for (std::uint32_t i = 0; i < 5; ++i) {
    auto instance = sized<pelt_instance_info>();
    ASSERT_OK(pelt_crowd_get_instance(c, i, &instance));
    EXPECT_EQ(instance.character, cpp.character_of(i));
    EXPECT_EQ(instance.first_vertex, cpp.first_vertex(i));
    EXPECT_EQ(instance.vertex_count, cpp.vertex_count(i));
    vertices = instance.first_vertex + instance.vertex_count;
  }
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(c, &outputs));
  EXPECT_EQ(outputs.normals.format, std::uint32_t{PELT_FORMAT_OCTAHEDRAL16});
  const OutputPlaces& places = cpp.outputs();
  const struct {
    const OutputPlace& expected;
    const pelt_output_place& got;
    std::uint32_t elements;
    std::uint32_t bytes;  // size of the last element
  } attributes[] = {{places.positions, outputs.positions, vertices, 12},
                    {places.normals, outputs.normals, vertices, 4},
                    {places.tangents, outputs.tangents, vertices, 4},
                    {places.previous_positions, outputs.previous_positions, vertices, 12},
                    {places.bounds, outputs.bounds, 5, 24}};
  for (const auto& [expected, got, elements, bytes] : attributes) {
    ASSERT_EQ(expected.stride, got.stride);
    const VkDeviceSize all = (elements - 1) * VkDeviceSize{got.stride} + bytes;
    EXPECT_EQ(bytes_of(expected.buffer, expected.offset, all), bytes_of(got.buffer, got.offset, all));
  }
}

// Expects the same vertices and bounds of instance 1, read back and unpacked.
void expect_same_read_back(const Crowd& cpp, const pelt_crowd* c) {
  const Result<InstanceVertices> expected = read_vertices(*gpu_device(), cpp, 1);
  const Result<Box> box = read_bounds(*gpu_device(), cpp, 1);
  ASSERT_TRUE(expected && box);
  std::vector<glm::vec3> positions(expected->positions.size());
  std::vector<glm::vec3> normals(positions.size());
  std::vector<glm::vec4> tangents(positions.size());
  std::vector<glm::vec3> previous(positions.size());
  auto read = sized<pelt_vertices>();
  read.vertex_count = static_cast<std::uint32_t>(positions.size());
  read.positions = glm::value_ptr(positions[0]);
  read.normals = glm::value_ptr(normals[0]);
  read.tangents = glm::value_ptr(tangents[0]);
  read.previous_positions = glm::value_ptr(previous[0]);
  ASSERT_OK(pelt_crowd_read_vertices(c, 1, &read));
  EXPECT_EQ(positions, expected->positions);
  EXPECT_EQ(normals, expected->normals);
  EXPECT_EQ(tangents, expected->tangents);
  EXPECT_EQ(previous, expected->previous_positions);
  glm::vec3 least;
  glm::vec3 greatest;
  ASSERT_OK(pelt_crowd_read_bounds(c, 1, glm::value_ptr(least), glm::value_ptr(greatest)));
  EXPECT_EQ(least, box->least);
  EXPECT_EQ(greatest, box->greatest);
}

// The same crowd in both languages: two instances and three, with previous positions and bounds.
CrowdOptions two_and_three() {
  CrowdOptions options{.instances = {2, 3}};
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  options.outputs.bounds = true;
  return options;
}
pelt_crowd_options two_and_three_in_c() {
  static constexpr std::uint32_t kInstances[] = {2, 3};
  auto options = sized<pelt_crowd_options>();
  options.instances = kInstances;
  options.character_count = 2;
  options.previous_positions.format = PELT_FORMAT_FLOAT;
  options.bounds = 1;
  return options;
}

TEST_F(CCrowds, EqualThoseOfCpp) {
  const Result<GpuCharacters> gpu = upload(*gpu_device(), characters_);
  ASSERT_TRUE(gpu);
  CrowdOptions cpp_options = two_and_three();
  cpp_options.outputs.bounds_stride = 32;
  Crowd cpp = test::must(Crowd::create(*gpu_device(), *gpu, cpp_options));

  const GpuHandle c_gpu = upload_all(device_.get());
  pelt_crowd_options options = two_and_three_in_c();
  options.bounds_stride = 32;
  const CrowdHandle own = make_crowd(device_.get(), c_gpu.get(), &options);
  pelt_crowd* c = own.get();
  VkDeviceSize size = 0;
  ASSERT_OK(pelt_gpu_characters_get_bytes(c_gpu.get(), &size));
  EXPECT_EQ(size, gpu->bytes());

  auto info = sized<pelt_crowd_info>();
  ASSERT_OK(pelt_crowd_get_info(c, &info));
  EXPECT_EQ(info.instance_count, 5u);
  EXPECT_EQ(info.character_count, 2u);
  EXPECT_EQ(info.dispatch_count, cpp.passes().size());
  EXPECT_EQ(info.barrier_count, cpp.barrier_count());
  std::uint32_t number = 0;
  ASSERT_OK(pelt_crowd_get_first_instance(c, 1, &number));
  EXPECT_EQ(number, 2u);

  for (int frame = 0; frame < 4; ++frame) {
    SCOPED_TRACE(frame);
    pose_alike(characters_[0], frame, cpp, c);
    ASSERT_TRUE(run(*gpu_device(), cpp));
    ASSERT_OK(run_frame(device_.get(), c));
    expect_same_outputs(cpp, c);
  }
  expect_same_read_back(cpp, c);
}

// In the crowd's own buffer, in slots 0 and 1; teleports are seen by both.
TEST_F(CCrowds, HaveTheOutputSlotsOfCpp) {
  const Result<GpuCharacters> gpu = upload(*gpu_device(), characters_);
  ASSERT_TRUE(gpu);
  CrowdOptions cpp_options = two_and_three();
  cpp_options.outputs.slots = 2;
  Crowd cpp = test::must(Crowd::create(*gpu_device(), *gpu, cpp_options));
  const GpuHandle c_gpu = upload_all(device_.get());
  pelt_crowd_options options = two_and_three_in_c();
  options.output_slots = 2;
  const CrowdHandle own = make_crowd(device_.get(), c_gpu.get(), &options);
  pelt_crowd* c = own.get();
  auto info = sized<pelt_crowd_info>();
  ASSERT_OK(pelt_crowd_get_info(c, &info));
  EXPECT_EQ(info.output_slots, 2u);
  EXPECT_EQ(info.output_bytes, cpp.bytes().outputs);
  EXPECT_EQ(info.palette_bytes, cpp.bytes().palettes);
  EXPECT_EQ(info.input_bytes, cpp.bytes().inputs);
  EXPECT_EQ(info.plan_bytes, cpp.bytes().plans);
  for (int frame = 0; frame < 3; ++frame) {
    SCOPED_TRACE(frame);
    pose_alike(characters_[0], frame, cpp, c);
    if (frame == 2) {
      cpp.teleport(1);
      ASSERT_OK(pelt_crowd_teleport(c, 1));
    }
    ASSERT_TRUE(run(*gpu_device(), cpp));
    ASSERT_OK(run_frame(device_.get(), c));
    expect_same_outputs(cpp, c);
    std::uint32_t slot = 0;
    ASSERT_OK(pelt_crowd_get_output_slot(c, &slot));
    EXPECT_EQ(slot, frame % 2);
    for (std::uint32_t i = 0; i < 5; ++i) {
      ASSERT_OK(pelt_crowd_get_previous_slot(c, i, &slot));
      EXPECT_EQ(slot, cpp.previous_slot(i));
      if (frame == 0 || (frame == 2 && i == 1)) {
        EXPECT_EQ(slot, frame % 2) << "instance " << i;
      }
    }
  }
  expect_same_read_back(cpp, c);
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_slot_outputs(c, 1, &outputs));
  EXPECT_EQ(outputs.positions.offset, cpp.outputs(1).positions.offset);
  EXPECT_EQ(outputs.previous_positions.offset, cpp.outputs(0).positions.offset);
  EXPECT_EQ(pelt_crowd_get_slot_outputs(c, 2, &outputs), PELT_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(pelt_last_error(), testing::HasSubstr("output slot 2 of 2"));
  options.output_slots = 4;
  pelt_crowd* none = nullptr;
  EXPECT_EQ(pelt_crowd_create(device_.get(), c_gpu.get(), &options, &none), PELT_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(pelt_last_error(), testing::HasSubstr("outputs have 1 to 3 slots, not 4"));
}

TEST_F(CCrowds, AreRecordedTogether) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle first = make_crowd(device_.get(), gpu.get());
  const CrowdHandle second = make_crowd(device_.get(), gpu.get());
  pelt_crowd* const all[] = {first.get(), second.get()};
  pelt_crowd* const twice[] = {first.get(), second.get(), first.get()};
  pelt_crowd* const none[] = {first.get(), nullptr};
  pelt_result result = PELT_OK;
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "crowds", [&](VkCommandBuffer commands) {
    result = pelt_crowd_record_together(all, 2, commands);
    EXPECT_REFUSED(pelt_crowd_record_together(twice, 3, commands), PELT_ERROR_INVALID_ARGUMENT, "named twice");
    EXPECT_REFUSED(pelt_crowd_record_together(none, 2, commands), PELT_ERROR_INVALID_ARGUMENT, "a crowd is null");
    EXPECT_REFUSED(pelt_crowd_record_together(all, 65, commands), PELT_ERROR_INVALID_ARGUMENT, "more than 64");
    EXPECT_REFUSED(pelt_crowd_record_together(nullptr, 1, commands), PELT_ERROR_INVALID_ARGUMENT, "crowds is null");
  }));
  EXPECT_EQ(result, PELT_OK);
  EXPECT_REFUSED(pelt_crowd_record_together(all, 2, nullptr), PELT_ERROR_INVALID_ARGUMENT, "commands is null");
}

// Makes a character whose skin has morph targets.
Character make_face() {
  Model model = test::make_tube();
  test::add_morph_targets(model.meshes[0], 14);
  return test::bound(model, test::rig_of(LinearBlendParameters{})).character;
}

// By the target's name, by all weights at once, and from a buffer of a simulation's.
TEST_F(CCrowds, TakeWeightsOfMorphTargets) {
  const Character character = make_face();
  const CharacterHandle own = in_c(character);
  const pelt_character* all[] = {own.get()};
  pelt_gpu_characters* made = nullptr;
  ASSERT_OK(pelt_upload_and_wait(device_.get(), all, 1, nullptr, &made));
  const GpuHandle gpu(made);
  std::uint32_t target = PELT_NONE;
  ASSERT_OK(pelt_character_find_control(own.get(), "tube/target12", &target));
  std::vector<float> weights(character->input_count);
  ASSERT_OK(pelt_character_rest_inputs(own.get(), weights.data(), character->input_count));
  weights[character->controls[target].input] = 0.75f;
  const Result<Buffer> buffer = Buffer::create(*gpu_device(), {.size = weights.size() * sizeof(float),
                                                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                               .memory = MemoryUse::kStream,
                                                               .name = "weights of a simulation"});
  ASSERT_TRUE(buffer) << buffer.error().message;
  std::memcpy(buffer->mapped(), weights.data(), buffer->size());
  buffer->flush(0, buffer->size());

  const CrowdHandle by_host = make_crowd(device_.get(), gpu.get());
  auto options = sized<pelt_crowd_options>();
  options.inputs.buffer = buffer->handle();
  const CrowdHandle by_device = make_crowd(device_.get(), gpu.get(), &options);
  const auto shape = [&](pelt_crowd* crowd) {
    EXPECT_OK(run_frame(device_.get(), crowd));
    std::vector<glm::vec3> positions(character->vertex_count());
    auto read = sized<pelt_vertices>();
    read.vertex_count = character->vertex_count();
    read.positions = glm::value_ptr(positions[0]);
    EXPECT_OK(pelt_crowd_read_vertices(crowd, 0, &read));
    return positions;
  };
  const std::vector<glm::vec3> rest = shape(by_host.get());
  ASSERT_OK(pelt_crowd_control(by_host.get(), 0, target, 0.75f));
  const std::vector<glm::vec3> by_name = shape(by_host.get());
  ASSERT_OK(pelt_crowd_control(by_host.get(), 0, target, 0));
  EXPECT_EQ(shape(by_host.get()), rest);
  ASSERT_OK(pelt_crowd_inputs(by_host.get(), 0, weights.data(), character->input_count));
  EXPECT_EQ(shape(by_host.get()), by_name);
  EXPECT_EQ(shape(by_device.get()), by_name);

  Evaluator cpu(character);
  cpu.inputs(weights);
  cpu.evaluate();
  float worst = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) worst = std::max(worst, glm::distance(by_name[v], cpu.positions()[v]));
  EXPECT_LT(worst, 1e-5f * character.size());
  EXPECT_NE(by_name, rest);
}

TEST_F(CCrowds, RefuseWhatTheyDoNotHave) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle own = make_crowd(device_.get(), gpu.get());
  pelt_crowd* c = own.get();
  const std::vector<float> floats(10000);
  std::uint32_t number = 0;
  float least[3];
  EXPECT_INVALID(pelt_crowd_pose(c, 2, floats.data(), 2), "pelt_crowd_pose: instance 2 of 2");
  EXPECT_INVALID(pelt_crowd_pose(c, 0, floats.data(), 3), "3 joint matrices are given, and there are 2");
  EXPECT_INVALID(pelt_crowd_pose(c, 0, nullptr, 2), "joints is null");
  EXPECT_INVALID(pelt_crowd_inputs(c, 0, floats.data(), 1), "1 inputs");
  EXPECT_OK(pelt_crowd_inputs(c, 1, nullptr, 0));
  EXPECT_INVALID(pelt_crowd_stream(c, 1, 0, floats.data(), 1), "stream 0 of 0");
  EXPECT_INVALID(pelt_crowd_stream(c, 0, 0, floats.data(), 1), "1 vertices");
  EXPECT_INVALID(pelt_crowd_control(c, 1, 0, 0), "control 0 of 0");
  EXPECT_INVALID(pelt_crowd_show(c, 9, 1), "instance 9 of 2");
  EXPECT_INVALID(pelt_crowd_update_every(c, 9, 1), "instance 9");
  EXPECT_INVALID(pelt_crowd_teleport(c, 9), "instance 9");
  EXPECT_INVALID(pelt_crowd_detail(c, 0, 77, 0), "detail 77");
  EXPECT_INVALID(pelt_crowd_record(c, VK_NULL_HANDLE), "commands is null");
  EXPECT_INVALID(pelt_crowd_get_first_instance(c, 2, &number), "character 2 of 2");
  auto shorter = sized<pelt_crowd_options>();
  const std::uint32_t one = 1;
  shorter.instances = &one;
  shorter.character_count = 1;
  const CrowdHandle of_first = make_crowd(device_.get(), gpu.get(), &shorter);
  EXPECT_INVALID(pelt_crowd_get_first_instance(of_first.get(), 1, &number), "character 1 of 1");
  EXPECT_INVALID(pelt_crowd_get_mesh_vertex(c, 0, 9, &number), "mesh 9");
  EXPECT_INVALID(pelt_crowd_read_bounds(c, 0, least, least), "no bounds");
  auto read = sized<pelt_vertices>();
  EXPECT_INVALID(pelt_crowd_read_vertices(c, 0, &read), "0 vertices");
  auto instance = sized<pelt_instance_info>();
  ASSERT_OK(pelt_crowd_get_instance(c, 1, &instance));
  std::vector<float> previous(3 * instance.vertex_count);
  read.vertex_count = instance.vertex_count;
  read.previous_positions = previous.data();
  EXPECT_INVALID(pelt_crowd_read_vertices(c, 1, &read), "no previous positions");

  // Only the skin's meshes are written.
  for (std::uint32_t m = 0; m < characters_[0]->meshes.size(); ++m) {
    const pelt_result result = pelt_crowd_get_mesh_vertex(c, 0, m, &number);
    EXPECT_EQ(result, characters_[0]->meshes[m].control ? PELT_ERROR_NOT_FOUND : PELT_OK);
  }
}

TEST_F(CCrowds, NeedOptionsThatMakeSense) {
  const GpuHandle gpu = upload_all(device_.get());
  const std::uint32_t instances[] = {1, 1, 1};
  const auto refused = [&](const auto& change, pelt_result result, const std::string& why) {
    auto options = sized<pelt_crowd_options>();
    change(options);
    pelt_crowd* crowd = nullptr;
    EXPECT_REFUSED(pelt_crowd_create(device_.get(), gpu.get(), &options, &crowd), result, why);
    EXPECT_EQ(crowd, nullptr);
  };
  constexpr pelt_result kInvalid = PELT_ERROR_INVALID_ARGUMENT;
  using Options = pelt_crowd_options;
  refused([](Options& o) { o.struct_size = 0; }, kInvalid, "options.struct_size is 0");
  refused([](Options& o) { o.struct_size += 8; }, PELT_ERROR_UNSUPPORTED, "options.struct_size is 376");
  refused([](Options& o) { o.character_count = 2; }, kInvalid, "options.instances is null");
  refused(
      [&](Options& o) {
        o.instances = instances;
        o.character_count = 3;
      },
      kInvalid, "of 3 characters");
  refused([](Options& o) { o.normals.format = 9; }, kInvalid, "normals have the format 9");
  refused([](Options& o) { o.positions.format = PELT_FORMAT_OCTAHEDRAL8; }, kInvalid, "positions");
  refused([](Options& o) { o.positions.stride = 6; }, kInvalid, "stride 6");
  refused(
      [](Options& o) {
        o.bounds = 1;
        o.bounds_stride = 20;
      },
      kInvalid, "20");
  const auto some_buffer = reinterpret_cast<VkBuffer>(std::uintptr_t{1});  // refused before it is used
  refused([&](Options& o) { o.joints = {some_buffer, 1}; }, kInvalid, "joint matrices are at offset 1");
  refused([&](Options& o) { o.inputs = {some_buffer, 1}; }, kInvalid, "inputs are at offset 1");
  refused([&](Options& o) { o.visible = {some_buffer, 1}; }, kInvalid, "visible instances are at offset 1");

  // An older program's options, which know only the numbers of instances.
  auto options = sized<pelt_crowd_options>();
  options.struct_size = offsetof(pelt_crowd_options, frames_in_flight);
  options.instances = instances;
  options.character_count = 2;
  options.positions.format = PELT_FORMAT_NONE;  // beyond the size
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(crowd.get(), &outputs));
  EXPECT_EQ(outputs.positions.format, std::uint32_t{PELT_FORMAT_FLOAT});
}

// The largest numbers that fit: all influences, and a fade that has hardly begun.
TEST_F(CCrowds, TakeTheLargestNumbers) {
  const GpuHandle gpu = upload_all(device_.get());
  std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
  joints[1] = joints[1] * glm::rotate(glm::mat4(1), 1.0f, glm::vec3(0, 0, 1));
  // Returns positions of the second character, moved at this detail.
  const auto moved = [&](std::uint32_t reduced_influences, std::uint32_t detail, std::uint32_t fade_frames) {
    auto options = sized<pelt_crowd_options>();
    options.reduced_influences = reduced_influences;
    const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
    EXPECT_OK(pelt_crowd_pose(crowd.get(), 1, glm::value_ptr(joints[0]), 2));
    EXPECT_OK(pelt_crowd_detail(crowd.get(), 1, detail, fade_frames));
    EXPECT_OK(run_frame(device_.get(), crowd.get()));
    auto info = sized<pelt_instance_info>();
    EXPECT_OK(pelt_crowd_get_instance(crowd.get(), 1, &info));
    std::vector<glm::vec3> positions(info.vertex_count);
    auto vertices = sized<pelt_vertices>();
    vertices.vertex_count = info.vertex_count;
    vertices.positions = glm::value_ptr(positions[0]);
    EXPECT_OK(pelt_crowd_read_vertices(crowd.get(), 1, &vertices));
    return positions;
  };
  const auto farthest = [](const std::vector<glm::vec3>& a, const std::vector<glm::vec3>& b) {
    float distance = 0;
    for (std::size_t v = 0; v < a.size(); ++v) distance = std::max(distance, glm::distance(a[v], b[v]));
    return distance;
  };
  const std::vector<glm::vec3> full = moved(0, PELT_DETAIL_FULL, 0);
  EXPECT_GT(farthest(moved(1, PELT_DETAIL_REDUCED, 0), full), 1e-3f);
  EXPECT_LT(farthest(moved(UINT32_MAX, PELT_DETAIL_REDUCED, 0), full), 1e-5f);
  EXPECT_LT(farthest(moved(1, PELT_DETAIL_REDUCED, UINT32_MAX), full), 1e-5f);
}

// Secondary action, moved by a crowd of each API.
TEST_F(CCrowds, AdvanceAsTheCppDoes) {
  const Character character = test::swinging_tube();
  const CharacterHandle own = in_c(character);
  std::uint32_t clock = 0;
  ASSERT_OK(pelt_character_find_control(own.get(), "clock", &clock));
  auto control = sized<pelt_control_info>();
  ASSERT_OK(pelt_character_get_control(own.get(), clock, &control));
  EXPECT_EQ(control.kind, std::uint32_t{PELT_CONTROL_CLOCK});

  const pelt_character* one = own.get();
  pelt_gpu_characters* uploaded = nullptr;
  ASSERT_OK(pelt_upload_and_wait(device_.get(), &one, 1, nullptr, &uploaded));
  const GpuHandle gpu(uploaded);
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get());
  const GpuCharacters cpp_gpu = test::must(upload(*test::gpu_device(), character));
  Crowd cpp = test::must(Crowd::create(*test::gpu_device(), cpp_gpu));
  for (int frame = 0; frame < 20; ++frame) {
    const std::vector<glm::mat4> joints = test::dancing_joints(frame / 60.0);
    ASSERT_OK(pelt_crowd_advance(crowd.get(), 1.0f / 60));
    ASSERT_OK(pelt_crowd_pose(crowd.get(), 0, glm::value_ptr(joints[0]), 2));
    ASSERT_OK(run_frame(device_.get(), crowd.get()));
    cpp.advance(1.0f / 60);
    cpp.pose(0, joints);
    ASSERT_TRUE(run(*test::gpu_device(), cpp));
  }
  float value = -1;
  ASSERT_OK(pelt_crowd_get_clock(crowd.get(), &value));
  EXPECT_EQ(value, cpp.clock());
  EXPECT_NEAR(value, 80, 0.1f);
  const InstanceVertices wanted = test::must(read_vertices(*test::gpu_device(), cpp, 0));
  std::vector<glm::vec3> positions(wanted.positions.size());
  auto vertices = sized<pelt_vertices>();
  vertices.vertex_count = static_cast<std::uint32_t>(positions.size());
  vertices.positions = glm::value_ptr(positions[0]);
  ASSERT_OK(pelt_crowd_read_vertices(crowd.get(), 0, &vertices));
  EXPECT_EQ(positions, wanted.positions);
  EXPECT_INVALID(pelt_crowd_advance(nullptr, 0), "crowd");
  EXPECT_INVALID(pelt_crowd_get_clock(crowd.get(), nullptr), "clock");
}

// If the caller has buffers of joint matrices, inputs and lists, the functions that set these refuse.
TEST_F(CCrowds, LeaveBuffersOfTheCallersAlone) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle source = make_crowd(device_.get(), gpu.get());
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(source.get(), &outputs));
  auto options = sized<pelt_crowd_options>();
  options.joints = options.inputs = options.visible = {outputs.positions.buffer, 0};
  const CrowdHandle own = make_crowd(device_.get(), gpu.get(), &options);
  const std::vector<float> floats(10000);
  EXPECT_INVALID(pelt_crowd_pose(own.get(), 0, floats.data(), 2), "joint matrices from a buffer");
  EXPECT_INVALID(pelt_crowd_inputs(own.get(), 0, floats.data(), 1), "inputs from a buffer");
  EXPECT_INVALID(pelt_crowd_stream(own.get(), 0, 0, floats.data(), 1), "inputs from a buffer");
  EXPECT_INVALID(pelt_crowd_control(own.get(), 0, 0, 0), "inputs from a buffer");
  EXPECT_INVALID(pelt_crowd_show(own.get(), 0, 0), "a buffer of the caller's");
  EXPECT_INVALID(pelt_crowd_teleport(own.get(), 0), "a buffer of the caller's");
}

// A list of the caller's, in the structs of pelt.h: the second instance of the first character teleports, that of the
// second cross-fades to fewer influences.
TEST_F(CCrowds, MoveWhatAListOfTheCallersSays) {
  struct List {
    std::uint32_t count;
    pelt_list_entry entries[3];
  } const list{2,
               {{1, PELT_ENTRY_TELEPORT},
                {2, PELT_ENTRY_TELEPORT | PELT_ENTRY_DETAIL(PELT_DETAIL_FULL, PELT_DETAIL_REDUCED, 128)}}};
  Buffer visible = test::must(Buffer::create(*gpu_device(), {.size = sizeof(list),
                                                             .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                             .memory = MemoryUse::kStream,
                                                             .name = "list"}));
  std::memcpy(visible.mapped(), &list, sizeof(list));
  visible.flush(0, sizeof(list));
  const GpuHandle gpu = upload_all(device_.get());
  const std::uint32_t instances[] = {2, 1};
  auto options = sized<pelt_crowd_options>();
  options.instances = instances;
  options.character_count = 2;
  options.previous_positions.format = PELT_FORMAT_FLOAT;
  options.visible = {visible.handle(), 0};
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(crowd.get(), &outputs));
  const auto written = [&](const pelt_output_place& place, std::uint32_t instance) {
    auto info = sized<pelt_instance_info>();
    EXPECT_OK(pelt_crowd_get_instance(crowd.get(), instance, &info));
    return bytes_of(place.buffer, place.offset + VkDeviceSize{info.first_vertex} * place.stride,
                    VkDeviceSize{info.vertex_count} * place.stride);
  };
  const auto height = [&](std::uint32_t instance) {  // height of vertex 0
    float y = 0;
    std::memcpy(&y, written(outputs.positions, instance).data() + sizeof(float), sizeof(float));
    return y;
  };
  const std::vector<std::byte> still = written(outputs.positions, 0);
  float before = 0;
  for (int frame = 0; frame < 2; ++frame) {
    std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
    for (glm::mat4& joint : joints) joint = glm::translate(glm::mat4(1), glm::vec3(0, frame, 0)) * joint;
    for (std::uint32_t i = 0; i < 3; ++i) {
      ASSERT_OK(pelt_crowd_pose(crowd.get(), i, glm::value_ptr(joints[0]), 2));
    }
    ASSERT_OK(run_frame(device_.get(), crowd.get()));
    EXPECT_EQ(written(outputs.positions, 0), still) << frame;
    for (const std::uint32_t i : {1u, 2u}) {
      EXPECT_EQ(written(outputs.previous_positions, i), written(outputs.positions, i)) << i << ' ' << frame;
    }
    if (frame > 0) {
      EXPECT_NEAR(height(2) - before, 1, 1e-5);
    }
    before = height(2);
  }
}

// Instances, levels and characters come and go, and joints are given in other forms, as in C++.
TEST_F(CCrowds, LiveAsThoseOfCpp) {
  const pelt_character* caged = c_characters_[0].get();
  const pelt_character* linear = c_characters_[1].get();
  auto upload = sized<pelt_upload_options>();
  VkDeviceSize bytes = 0;
  for (const pelt_character* one : {caged, linear}) {
    ASSERT_OK(pelt_character_get_upload_bytes(one, nullptr, &bytes));
    upload.capacity += bytes;
  }
  pelt_gpu_characters* made = nullptr;
  ASSERT_OK(pelt_upload_and_wait(device_.get(), &linear, 1, &upload, &made));
  const GpuHandle gpu(made);
  ASSERT_OK(pelt_gpu_characters_get_free_bytes(gpu.get(), &bytes));
  EXPECT_GT(bytes, 0u);
  auto room = sized<pelt_crowd_capacity>();
  for (const pelt_character* one : {caged, linear}) ASSERT_OK(pelt_add_capacity(one, 2, nullptr, &room));
  const std::uint32_t none[] = {0};
  auto options = sized<pelt_crowd_options>();
  options.instances = none;
  options.character_count = 1;
  options.capacity = &room;
  options.joint_format = PELT_JOINTS_MATRIX3X4;
  const CrowdHandle own = make_crowd(device_.get(), gpu.get(), &options);
  pelt_crowd* c = own.get();

  std::uint32_t number = 9;
  ASSERT_OK(pelt_crowd_prepare(c, &caged, 1));
  ASSERT_OK(pelt_gpu_characters_add(gpu.get(), caged, &number));
  EXPECT_EQ(number, 1u);
  struct Upload {
    pelt_gpu_characters* gpu;
    VkDeviceSize left;
  } uploading{gpu.get(), 1};
  while (uploading.left > 0) {
    ASSERT_OK(pelt_submit_and_wait(
        device_.get(), "upload",
        [](void* user, VkCommandBuffer commands) {
          auto& part = *static_cast<Upload*>(user);
          EXPECT_OK(pelt_gpu_characters_record_upload_part(part.gpu, commands, 5000, 0, 0, &part.left));
        },
        &uploading));
  }
  ASSERT_OK(pelt_gpu_characters_finish_upload(gpu.get()));
  EXPECT_INVALID(pelt_crowd_acquire(c, 1, 1, &number), "has no character 1");
  ASSERT_OK(pelt_crowd_add(c, 1));

  std::uint32_t instances[3];
  ASSERT_OK(pelt_crowd_acquire(c, 1, 1, &instances[0]));
  ASSERT_OK(pelt_crowd_acquire(c, 0, 0, &instances[1]));
  ASSERT_OK(pelt_crowd_acquire(c, 0, 1, &instances[2]));
  auto rooms = sized<pelt_crowd_rooms>();
  ASSERT_OK(pelt_crowd_get_rooms(c, &rooms));
  EXPECT_EQ(rooms.instances.capacity, 4u);
  EXPECT_EQ(rooms.instances.free, 1u);
  EXPECT_INVALID(pelt_crowd_show(c, instances[1], 1), "has no outputs");
  ASSERT_OK(pelt_crowd_take_outputs(c, instances[1]));
  EXPECT_INVALID(pelt_crowd_give_outputs(c, instances[2]), "is shown");
  ASSERT_OK(pelt_crowd_show(c, instances[1], 1));
  EXPECT_INVALID(pelt_crowd_remove(c, 1), "has 1 instances");
  EXPECT_INVALID(pelt_crowd_remove(c, 7), "character 7 of 2");

  const std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
  const auto up = [&](float height) {
    std::vector<float> rows;
    for (const glm::mat4& joint : joints) {
      const glm::mat4 moved = glm::transpose(glm::translate(glm::mat4(1), glm::vec3(0, height, 0)) * joint);
      rows.insert(rows.end(), glm::value_ptr(moved), glm::value_ptr(moved) + 12);
    }
    return rows;
  };
  ASSERT_OK(pelt_crowd_pose_joints(c, instances[1], PELT_JOINTS_MATRIX3X4, up(3).data(), 2));
  EXPECT_INVALID(pelt_crowd_pose_joints(c, instances[1], 3, up(3).data(), 2), "format 3");
  EXPECT_INVALID(pelt_crowd_pose_joints(c, instances[1], 1, up(3).data(), 1), "1 joints are given");
  float* mapped = nullptr;
  std::uint32_t floats = 0;
  ASSERT_OK(pelt_crowd_map_joints(c, instances[2], &mapped, &floats));
  ASSERT_EQ(floats, 24u);
  std::copy_n(up(5).data(), 24, mapped);
  std::vector<float> turned;
  for (const glm::mat4& joint : joints) {
    turned.insert(turned.end(), {0, 0, 0, 1, joint[3].x, joint[3].y + 7, joint[3].z, 1, 1, 1});
  }
  std::uint32_t joint_count = 0;
  auto character_info = sized<pelt_character_info>();
  ASSERT_OK(pelt_character_get_info(caged, &character_info));
  joint_count = character_info.joint_count;
  if (joint_count == 2) {
    ASSERT_OK(pelt_crowd_pose_joints(c, instances[0], PELT_JOINTS_TRANSFORM, turned.data(), 2));
  }
  ASSERT_OK(pelt_crowd_level(c, instances[2], 4, 2));
  ASSERT_OK(pelt_submit_and_wait(
      device_.get(), "parts",
      [](void* user, VkCommandBuffer commands) {
        auto* crowd = static_cast<pelt_crowd*>(user);
        EXPECT_INVALID(pelt_crowd_record_blend(crowd, commands), "the first part");
        EXPECT_OK(pelt_crowd_record_pose(crowd, commands));
        EXPECT_INVALID(pelt_crowd_record_pose(crowd, commands), "the second part");
        EXPECT_INVALID(pelt_crowd_record(crowd, commands), "the second part");
        EXPECT_OK(pelt_crowd_record_blend(crowd, commands));
      },
      c));
  const auto height = [&](std::uint32_t instance) {
    auto info = sized<pelt_instance_info>();
    EXPECT_OK(pelt_crowd_get_instance(c, instance, &info));
    EXPECT_EQ(info.has_outputs, 1u);
    std::vector<float> positions(std::size_t{3} * info.vertex_count);
    auto vertices = sized<pelt_vertices>();
    vertices.vertex_count = info.vertex_count;
    vertices.positions = positions.data();
    EXPECT_OK(pelt_crowd_read_vertices(c, instance, &vertices));
    return positions[1];
  };
  EXPECT_NEAR(height(instances[2]) - height(instances[1]), 2, 1e-5);
  std::uint32_t from = 9;
  std::uint32_t to = 9;
  float share = 0;
  ASSERT_OK(pelt_crowd_get_shown_levels(c, instances[2], &from, &to, &share));
  EXPECT_EQ(from + to, 0u) << "it has no levels";
  EXPECT_INVALID(pelt_crowd_get_level_vertex(c, 0, 0, &to), "level 0 of 0");
  pelt_buffer_use uses[PELT_MAX_BUFFER_USES];
  std::uint32_t count = 0;
  ASSERT_OK(pelt_crowd_get_uses(c, PELT_PART_BLEND, uses, &count));
  EXPECT_EQ(count, 3u);
  EXPECT_STREQ(uses[0].name, "positions");
  EXPECT_INVALID(pelt_crowd_get_uses(c, 2, uses, &count), "part 2 of 2");

  ASSERT_OK(pelt_crowd_release(c, instances[0]));
  EXPECT_INVALID(pelt_crowd_release(c, instances[0]), "is released");
  ASSERT_OK(pelt_crowd_remove(c, 1));
  ASSERT_OK(run_frame(device_.get(), c));
  ASSERT_OK(pelt_gpu_characters_remove(gpu.get(), 1));
  EXPECT_INVALID(pelt_gpu_characters_remove(gpu.get(), 1), "no character 1");
  pelt_memory_heap heaps[VK_MAX_MEMORY_HEAPS];
  ASSERT_OK(pelt_device_get_memory_heaps(device_.get(), heaps, &count));
  EXPECT_GT(count, 0u);
  EXPECT_GT(heaps[0].size, 0u);
}

// The barriers of a frame that changes families, there and back. With one family, validation sees what they order.
TEST_F(CCrowds, GiveTheirOutputsToAnotherQueueAndBack) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get());
  EXPECT_INVALID(pelt_crowd_record_release(crowd.get(), VK_NULL_HANDLE, 0, 1), "commands is null");
  EXPECT_INVALID(pelt_crowd_record_acquire(crowd.get(), VK_NULL_HANDLE, 0, 1, 0, 0), "commands is null");
  EXPECT_INVALID(pelt_crowd_record_release_back(crowd.get(), VK_NULL_HANDLE, 0, 1, 0), "commands is null");
  EXPECT_INVALID(pelt_crowd_record_acquire_back(crowd.get(), VK_NULL_HANDLE, 0, 1), "commands is null");
  ASSERT_OK(pelt_submit_and_wait(
      device_.get(), "two frames",
      [](void* user, VkCommandBuffer commands) {
        const auto c = static_cast<pelt_crowd*>(user);
        const std::uint32_t family = gpu_device()->queue_family();
        for (int frame = 0; frame < 2; ++frame) {
          EXPECT_OK(pelt_crowd_record_acquire_back(c, commands, family, family));
          EXPECT_OK(pelt_crowd_record(c, commands));
          EXPECT_OK(pelt_crowd_record_release(c, commands, family, family));
          EXPECT_OK(pelt_crowd_record_acquire(c, commands, family, family, VK_PIPELINE_STAGE_2_COPY_BIT,
                                              VK_ACCESS_2_TRANSFER_READ_BIT));
          EXPECT_OK(pelt_crowd_record_release_back(c, commands, family, family, VK_PIPELINE_STAGE_2_COPY_BIT));
        }
      },
      crowd.get()));
}

TEST_F(CCrowds, TellTheAddressesOfTheirOutputs) {
  const GpuHandle gpu = upload_all(device_.get());
  auto options = sized<pelt_crowd_options>();
  const CrowdHandle without = make_crowd(device_.get(), gpu.get(), &options);
  options.usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
  auto outputs = sized<pelt_crowd_outputs>();
  ASSERT_OK(pelt_crowd_get_outputs(crowd.get(), &outputs));
  VkDeviceAddress positions = 0;
  VkDeviceAddress normals = 0;
  ASSERT_OK(pelt_crowd_get_device_address(crowd.get(), &outputs.positions, &positions));
  ASSERT_OK(pelt_crowd_get_device_address(crowd.get(), &outputs.normals, &normals));
  EXPECT_NE(positions, 0u);
  EXPECT_EQ(normals - positions, outputs.normals.offset - outputs.positions.offset);
  EXPECT_INVALID(pelt_crowd_get_device_address(crowd.get(), &outputs.bounds, &positions),
                 "none of the crowd's outputs");
  EXPECT_INVALID(pelt_crowd_get_device_address(crowd.get(), nullptr, &positions), "place is null");
  EXPECT_INVALID(pelt_crowd_get_device_address(crowd.get(), &outputs.positions, nullptr), "address is null");
  ASSERT_OK(pelt_crowd_get_outputs(without.get(), &outputs));
  EXPECT_INVALID(pelt_crowd_get_device_address(without.get(), &outputs.positions, &positions), "options.usage");
}

TEST_F(CCrowds, OutliveTheHandlesTheyWereMadeFrom) {
  GpuHandle gpu = upload_all(device_.get());
  CrowdHandle crowd = make_crowd(device_.get(), gpu.get());
  ASSERT_OK(run_frame(device_.get(), crowd.get()));
  gpu.reset();
  c_characters_.clear();
  device_.reset();
  std::vector<float> positions(3 * characters_[1]->vertex_count());
  auto read = sized<pelt_vertices>();
  read.vertex_count = characters_[1]->vertex_count();
  read.positions = positions.data();
  EXPECT_OK(pelt_crowd_read_vertices(crowd.get(), 1, &read));
  EXPECT_NE(positions, std::vector<float>(positions.size()));
}

}  // namespace
}  // namespace pelt::runtime
