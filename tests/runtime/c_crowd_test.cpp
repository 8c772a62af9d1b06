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
#include "tests/runtime/callers_buffer.h"
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
    cpp.detail(1, Detail::kLinearBlend);
    ASSERT_OK(pelt_crowd_detail(c, 1, PELT_DETAIL_LINEAR_BLEND));
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
  const CrowdHandle handle = make_crowd(device_.get(), c_gpu.get(), &options);
  pelt_crowd* c = handle.get();
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
  const CrowdHandle handle = make_crowd(device_.get(), c_gpu.get(), &options);
  pelt_crowd* c = handle.get();
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
      ASSERT_OK(pelt_crowd_get_mesh_previous_slot(c, i, 0, &slot));
      EXPECT_EQ(slot, cpp.previous_slot(i, 0));
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

// Makes a character whose skin has morph targets.
Character make_face() {
  Model model = test::make_tube();
  test::add_morph_targets(model.meshes[0], 14);
  return test::bound(model, test::rig_of(LinearBlendParameters{})).character;
}

// By the target's name, by all weights at once, and from a buffer of a simulation's.
TEST_F(CCrowds, TakeWeightsOfMorphTargets) {
  const Character character = make_face();
  const CharacterHandle handle = in_c(character);
  const pelt_character* all[] = {handle.get()};
  pelt_gpu_characters* made = nullptr;
  ASSERT_OK(pelt_upload_and_wait(device_.get(), all, 1, nullptr, &made));
  const GpuHandle gpu(made);
  std::uint32_t target = PELT_NONE;
  ASSERT_OK(pelt_character_find_control(handle.get(), "tube/target12", &target));
  std::vector<float> weights(character->input_count);
  ASSERT_OK(pelt_character_rest_inputs(handle.get(), weights.data(), character->input_count));
  weights[character->controls[target].input] = 0.75f;
  const Buffer buffer = filled_buffer(weights);

  const CrowdHandle by_host = make_crowd(device_.get(), gpu.get());
  auto options = sized<pelt_crowd_options>();
  options.inputs.buffer = buffer.handle();
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

// Secondary action, moved by a crowd of each API.
TEST_F(CCrowds, AdvanceAsTheCppDoes) {
  const Character character = test::swinging_tube();
  const CharacterHandle handle = in_c(character);
  std::uint32_t clock = 0;
  ASSERT_OK(pelt_character_find_control(handle.get(), "clock", &clock));
  auto control = sized<pelt_control_info>();
  ASSERT_OK(pelt_character_get_control(handle.get(), clock, &control));
  EXPECT_EQ(control.kind, std::uint32_t{PELT_CONTROL_CLOCK});

  const pelt_character* one = handle.get();
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

// A list of the caller's, in the structs of pelt.h: the second instance of the first character teleports, that of the
// second is moved by linear blend, too.
TEST_F(CCrowds, MoveWhatAListOfTheCallersSays) {
  struct List {
    std::uint32_t count;
    pelt_list_entry entries[3];
  } const list{2, {{1, PELT_ENTRY_TELEPORT}, {2, PELT_ENTRY_TELEPORT | PELT_ENTRY_LINEAR_BLEND}}};
  const Buffer visible = filled_buffer(std::span(&list, 1));
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

}  // namespace
}  // namespace pelt::runtime
