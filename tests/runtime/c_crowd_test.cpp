// SPDX-License-Identifier: MIT
// Tests that crowds of the C API behave like those of C++.
#include <glm/gtc/type_ptr.hpp>

#include <pelt/anchor.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/read_back.h>

#include "tests/runtime/c_crowds.h"
#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"
#include "tests/support/swinging.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// Does the same to both crowds of EqualThoseOfCpp.
void move_alike(const CharacterData& caged, int frame, Crowd& cpp, CrowdLists& lists, pelt_crowd* c,
                pelt_crowd_lists* c_lists) {
  for (std::uint32_t i = 0; i < cpp.instance_count(); ++i) {
    const std::vector<glm::mat4> joints = test::dancing_joints(0.1 * frame + i);
    cpp.pose(i, joints);
    ASSERT_OK(pelt_crowd_pose(c, i, glm::value_ptr(joints[0]), 2));
  }
  std::vector<glm::vec3> cage = caged.meshes[caged.streams[0].mesh].binding.points;
  for (glm::vec3& point : cage) point.y += 0.1f * static_cast<float>(frame);
  const std::span<const float> streamed(glm::value_ptr(cage[0]), 3 * cage.size());
  cpp.inputs(0, streamed, caged.streams[0].first_input);
  ASSERT_OK(pelt_crowd_inputs(c, 0, caged.streams[0].first_input, streamed.data(),
                              static_cast<std::uint32_t>(streamed.size())));
  const float half = 0.5f;
  cpp.inputs(1, {&half, 1}, caged.controls[0].input);
  ASSERT_OK(pelt_crowd_inputs(c, 1, caged.controls[0].input, &half, 1));
  if (frame == 2) {
    const auto set = [&](std::uint32_t instance, pelt_shown shown) {
      shown.struct_size = sizeof shown;
      ASSERT_OK(pelt_crowd_lists_set(c_lists, instance, &shown));
    };
    lists.update_every(3, 2);
    set(3, {.update_every = 2});
    lists.teleport(4);
    set(4, {.teleports = 1});
    for (const std::uint32_t i : {1, 2}) lists.detail(i, Detail::kLinearBlend);
    set(1, {.detail = PELT_DETAIL_LINEAR_BLEND});
    lists.update_every(2, 0);
    lists.level(2, 5, 3);
    set(2, {.stays = 1, .detail = PELT_DETAIL_LINEAR_BLEND, .level = 5, .fade_frames = 3});
  }
  if (frame == 3) {
    std::vector<float> inputs = test::inputs_at_rest(caged);
    inputs[caged.controls[0].input] = 0.75f;
    cpp.inputs(1, inputs);
    ASSERT_OK(pelt_crowd_inputs(c, 1, 0, inputs.data(), caged.input_count));
  }
  cpp.advance(1.0f / 60);
  ASSERT_OK(pelt_crowd_advance(c, 1.0f / 60));
}

// Expects the same instances and the same bytes of every output.
void expect_same_outputs(const Crowd& cpp, const pelt_crowd* c) {
  std::uint32_t vertices = 0;
  for (std::uint32_t i = 0; i < cpp.instance_count(); ++i) {
    const auto instance = got<pelt_instance_info>(pelt_crowd_get_instance, c, i);
    const std::optional<CrowdInstance> expected = cpp.instance(i);
    EXPECT_EQ(instance.character, expected->character);
    EXPECT_EQ(instance.first_vertex, expected->first_vertex);
    EXPECT_EQ(instance.vertex_count, expected->vertex_count);
    EXPECT_EQ(instance.first_joint, expected->first_joint);
    EXPECT_EQ(instance.first_input, expected->first_input);
    EXPECT_EQ(instance.first_anchor, expected->first_anchor);
    vertices = instance.first_vertex + instance.vertex_count;
  }
  const auto outputs = got<pelt_crowd_outputs>(pelt_crowd_get_outputs, c, cpp.frames() - 1);
  EXPECT_EQ(outputs.normals.format, std::uint32_t{PELT_FORMAT_OCTAHEDRAL16});
  const OutputLocations& places = cpp.outputs();
  const struct {
    const OutputLocation& expected;
    const pelt_output_location& got;
    std::uint32_t elements;
    std::uint32_t bytes;  // size of the last element
  } attributes[] = {{places.positions, outputs.positions, vertices, 12},
                    {places.normals, outputs.normals, vertices, 4},
                    {places.tangents, outputs.tangents, vertices, 4},
                    {places.previous_positions, outputs.previous_positions, vertices, 12},
                    {places.bounds, outputs.bounds, cpp.instance_count(), 24},
                    {places.tension, outputs.tension, vertices, 4},
                    {places.anchors, outputs.anchors, 1, 48}};
  for (const auto& [expected, got, elements, bytes] : attributes) {
    ASSERT_EQ(expected.stride, got.stride);
    const VkDeviceSize all = (elements - 1) * VkDeviceSize{got.stride} + bytes;
    EXPECT_EQ(bytes_of(expected.buffer, expected.offset, all), bytes_of(got.buffer, got.offset, all));
  }
}

// Expects the same vertices and bounds of instance 1, read back and unpacked.
void expect_same_read_back(const Crowd& cpp, const pelt_crowd* c) {
  const InstanceVertices expected = test::must(read_vertices(*gpu_device(), cpp, 1));
  const Box box = test::must(read_bounds(*gpu_device(), cpp, 1));
  std::vector<glm::vec3> positions(expected.positions.size());
  std::vector<glm::vec3> normals(positions.size());
  std::vector<glm::vec4> tangents(positions.size());
  std::vector<glm::vec3> previous(positions.size());
  std::vector<glm::i8vec2> tension(positions.size());
  auto read = sized<pelt_vertices>();
  read.vertex_count = static_cast<std::uint32_t>(positions.size());
  read.positions = glm::value_ptr(positions[0]);
  read.normals = glm::value_ptr(normals[0]);
  read.tangents = glm::value_ptr(tangents[0]);
  read.previous_positions = glm::value_ptr(previous[0]);
  read.tension = glm::value_ptr(tension[0]);
  ASSERT_OK(pelt_crowd_read_vertices(c, 1, &read));
  EXPECT_EQ(positions, expected.positions);
  EXPECT_EQ(normals, expected.normals);
  EXPECT_EQ(tangents, expected.tangents);
  EXPECT_EQ(previous, expected.previous_positions);
  EXPECT_EQ(tension, expected.tension);
  EXPECT_NE(tension, std::vector<glm::i8vec2>(tension.size(), glm::i8vec2(0)));
  glm::vec3 least;
  glm::vec3 greatest;
  ASSERT_OK(pelt_crowd_read_bounds(c, 1, glm::value_ptr(least), glm::value_ptr(greatest)));
  EXPECT_EQ(least, box.least);
  EXPECT_EQ(greatest, box.greatest);
}

// Expects the same frames: those with the positions before, and their outputs and tables.
void expect_same_frames(const Crowd& cpp, const pelt_crowd* c) {
  std::uint64_t frame = 99;
  for (std::uint32_t i = 0; i < cpp.instance_count(); ++i) {
    ASSERT_OK(pelt_crowd_get_previous_frame(c, i, 0, &frame));
    EXPECT_EQ(frame, cpp.previous_frame(i, 0));
  }
  for (frame = 0; frame < 3; ++frame) {
    const auto outputs = got<pelt_crowd_outputs>(pelt_crowd_get_outputs, c, frame);
    EXPECT_EQ(outputs.positions.offset, cpp.outputs(frame).positions.offset);
    EXPECT_EQ(outputs.previous_positions.offset, cpp.outputs(frame).previous_positions.offset);
    EXPECT_EQ(outputs.anchors.offset, cpp.outputs(frame).anchors.offset);
    EXPECT_EQ(outputs.anchors.stride, 64u);
    EXPECT_NE(outputs.table.buffer, VK_NULL_HANDLE);
    EXPECT_EQ(outputs.table.offset, cpp.table(frame).offset);
    EXPECT_EQ(outputs.table.size, cpp.table(frame).range);
  }
}

// Expects the same getters' results of both crowds.
void expect_same_info(const Crowd& cpp, const pelt_crowd* c) {
  const auto info = got<pelt_crowd_info>(pelt_crowd_get_info, c);
  EXPECT_EQ(info.instance_count, cpp.instance_count());
  EXPECT_EQ(info.character_count, 3u);
  EXPECT_EQ(info.dispatch_count, cpp.passes().names.size());
  EXPECT_EQ(info.barrier_count, cpp.passes().barriers);
  EXPECT_EQ(info.frames, cpp.frames());
  EXPECT_EQ(info.clock, cpp.clock());
  EXPECT_EQ(info.output_bytes, cpp.bytes().outputs);
  EXPECT_EQ(info.palette_bytes, cpp.bytes().palettes);
  EXPECT_EQ(info.input_bytes, cpp.bytes().inputs);
  EXPECT_EQ(info.plan_bytes, cpp.bytes().plans);
}

// With every output and a tube that swings, in one slot and in two.
TEST_F(CCrowds, EqualThoseOfCpp) {
  const Character tube = test::swinging_tube();
  const Anchor anchor = test::must(Anchor::at_point(tube, test::must(nearest_at_bind(tube, glm::vec3(0)))));
  characters_.push_back(test::must(with_anchors(tube, {anchor.with_name("a")})));
  c_characters_.push_back(in_c(characters_.back()));
  const GpuCharacters gpu = test::must(upload(*gpu_device(), characters_, {.tension = true}));
  const pelt_upload_options uploading{.struct_size = sizeof uploading, .tension = 1};
  const GpuHandle c_gpu = upload_all(device_.get(), &uploading);
  VkDeviceSize size = 0;
  ASSERT_OK(pelt_gpu_characters_get_bytes(c_gpu.get(), &size));
  EXPECT_EQ(size, gpu.bytes());
  for (const std::uint32_t slots : {1u, 2u}) {
    CrowdOptions cpp_options{.instances = {2, 3, 1}};
    cpp_options.outputs.previous_positions.format = VertexFormat::kFloat;
    cpp_options.outputs.bounds = true;
    cpp_options.outputs.bounds_stride = 32;
    cpp_options.outputs.anchors = {.format = VertexFormat::kFloat, .stride = 64};
    cpp_options.outputs.slots = slots;
    cpp_options.outputs.tension.format = VertexFormat::kSnorm8;
    auto options = sized<pelt_crowd_options>();
    options.instances = cpp_options.instances.data();
    options.character_count = 3;
    options.previous_positions.format = PELT_FORMAT_FLOAT;
    options.bounds = 1;
    options.bounds_stride = 32;
    options.anchors = {.format = PELT_FORMAT_FLOAT, .stride = 64};
    options.output_slots = slots;
    options.tension.format = PELT_FORMAT_SNORM8;
    Crowd cpp = test::must(Crowd::create(*gpu_device(), gpu, cpp_options));
    const CrowdHandle c = make_crowd(device_.get(), c_gpu.get(), &options);
    expect_same_info(cpp, c.get());
    CrowdLists lists(cpp.instance_count());
    pelt_crowd_lists* c_lists = nullptr;
    ASSERT_OK(pelt_crowd_lists_create(cpp.instance_count(), &c_lists));
    for (int frame = 0; frame < 4; ++frame) {
      SCOPED_TRACE(std::to_string(slots) + " slots, frame " + std::to_string(frame));
      move_alike(*characters_[0], frame, cpp, lists, c.get(), c_lists);
      ASSERT_TRUE(run(*gpu_device(), cpp, lists.next()));
      auto record = sized<pelt_record>();
      record.has_list = 1;
      ASSERT_OK(pelt_crowd_lists_next(c_lists, &record.entries, &record.count));
      ASSERT_OK(run_frame(device_.get(), c.get(), &record));
      expect_same_outputs(cpp, c.get());
      expect_same_frames(cpp, c.get());
    }
    expect_same_read_back(cpp, c.get());
    std::uint32_t levels[2] = {};
    float share = 0;
    ASSERT_OK(pelt_crowd_lists_get_levels(c_lists, 2, &levels[0], &levels[1], &share));
    EXPECT_EQ(levels[0], 0u);
    EXPECT_EQ(levels[1], 5u);
    EXPECT_EQ(share, lists.shown_levels(2).share);
    EXPECT_INVALID(pelt_crowd_lists_set(c_lists, 99, nullptr), "instance 99 does not exist");
    pelt_crowd_lists_destroy(c_lists);
    expect_same_info(cpp, c.get());
    EXPECT_GT(cpp.clock(), 0);
  }
  auto options = sized<pelt_crowd_options>();
  options.output_slots = 4;
  pelt_crowd* none = nullptr;
  EXPECT_INVALID(pelt_crowd_create(device_.get(), c_gpu.get(), &options, &none), "1 to 3 slots, not 4");
}

// Joints, inputs and the list of moved instances, in the structs of pelt.h: the second instance by linear blend.
TEST_F(CCrowds, ReadWhatThoseOfCppReadFromBuffersOfTheCallers) {
  const struct {
    std::uint32_t count = 2;
    pelt_list_entry entries[2] = {{0, PELT_ENTRY_TELEPORT}, {1, PELT_ENTRY_TELEPORT | PELT_ENTRY_LINEAR_BLEND}};
  } moving{};
  std::vector<float> values = test::inputs_at_rest(*characters_[0]);
  values[characters_[0]->controls[0].input] = 0.75f;
  const std::vector<shared::Affine> pose = rows_of(test::dancing_joints(1));
  const Buffer joints = filled_buffer(std::vector{pose[0], pose[1], pose[0], pose[1]});
  const Buffer inputs = filled_buffer(values);
  const Buffer list = filled_buffer(std::span(&moving, 1));
  const GpuCharacters gpu = test::must(upload(*gpu_device(), characters_));
  Crowd cpp = test::must(
      Crowd::create(*gpu_device(), gpu, {.joints = rest_of(joints), .inputs = rest_of(inputs), .list = rest_of(list)}));
  const GpuHandle c_gpu = upload_all(device_.get());
  auto options = sized<pelt_crowd_options>();
  options.joints = {joints.handle(), 0, joints.size()};
  options.inputs = {inputs.handle(), 0, inputs.size()};
  options.list = {list.handle(), 0, list.size()};
  const CrowdHandle c = make_crowd(device_.get(), c_gpu.get(), &options);
  ASSERT_TRUE(run(*gpu_device(), cpp));
  ASSERT_OK(run_frame(device_.get(), c.get()));
  EXPECT_NE(test::must(read_vertices(*gpu_device(), cpp, 1)).positions, rest_positions(characters_[1])) << "it moves";
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::vector<glm::vec3> expected = test::must(read_vertices(*gpu_device(), cpp, i)).positions;
    std::vector<glm::vec3> positions(expected.size());
    auto read = sized<pelt_vertices>();
    read.vertex_count = static_cast<std::uint32_t>(positions.size());
    read.positions = glm::value_ptr(positions[0]);
    ASSERT_OK(pelt_crowd_read_vertices(c.get(), i, &read));
    EXPECT_EQ(positions, expected) << i;
  }
}

TEST_F(CCrowds, NeedCommandsForTheirTransfers) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get());
  auto transfer = sized<pelt_transfer>();
  EXPECT_INVALID(pelt_crowd_record_transfer(crowd.get(), VK_NULL_HANDLE, &transfer), "commands is null");
  transfer.step = 4;
  const auto commands = reinterpret_cast<VkCommandBuffer>(std::uintptr_t{1});  // refused before it is used
  EXPECT_INVALID(pelt_crowd_record_transfer(crowd.get(), commands, &transfer), "step 4 does not exist");
}

// The first vertices of meshes at levels of detail, which follow the finest.
TEST_F(CCrowds, TellWhereLevelsAre) {
  pelt::CharacterData data = *characters_[1];
  for (const std::uint32_t level : {2u, 5u}) {
    data.levels.push_back({.of = 0, .level = level, .skin = data.meshes[0]});
    data.levels.back().skin.name += std::to_string(level);
  }
  characters_[1] = test::must(pelt::Character::create(std::move(data)));
  c_characters_[1] = in_c(characters_[1]);
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get());
  const std::uint32_t count = characters_[1]->vertex_count();
  const std::uint32_t expected[] = {0, 0, count, count, count, 2 * count, 2 * count};
  for (std::uint32_t level = 0; level < std::size(expected); ++level) {
    std::uint32_t vertex = 99;
    ASSERT_OK(pelt_crowd_get_mesh_vertex(crowd.get(), 1, 0, level, &vertex));
    EXPECT_EQ(vertex, expected[level]) << level;
  }
}

}  // namespace
}  // namespace pelt::runtime
