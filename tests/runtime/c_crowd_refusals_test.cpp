// SPDX-License-Identifier: MIT
// Tests the errors of crowds of the C API. Those of C++ crowds reach it by one function for all (on_crowd).
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/runtime/c_crowds.h"

namespace pelt::runtime {
namespace {

TEST_F(CCrowds, RefuseWhatTheyDoNotHave) {
  const GpuHandle gpu = upload_all(device_.get());
  const CrowdHandle handle = make_crowd(device_.get(), gpu.get());
  pelt_crowd* c = handle.get();
  const std::vector<float> floats(10000);
  std::uint32_t number = 0;
  float least[3];
  EXPECT_INVALID(pelt_crowd_pose(c, 2, floats.data(), 2),
                 "pelt_crowd_pose: the crowd of 2 characters has no instance 2");
  EXPECT_INVALID(pelt_crowd_pose(c, 0, nullptr, 2), "joints is null");
  EXPECT_INVALID(pelt_crowd_inputs(c, 0, characters_[0]->input_count, floats.data(), 1), "got 1 values");
  EXPECT_INVALID(pelt_crowd_inputs(c, 0, 0, nullptr, 1), "values is null");
  EXPECT_OK(pelt_crowd_inputs(c, 1, 0, nullptr, 0));
  EXPECT_INVALID(pelt_crowd_record(c, VK_NULL_HANDLE, nullptr), "commands is null");
  const auto commands = reinterpret_cast<VkCommandBuffer>(std::uintptr_t{1});  // refused before it is used
  pelt_record record{.struct_size = sizeof record, .part = 3};
  EXPECT_INVALID(pelt_crowd_record(c, commands, &record), "part has the unknown value 3");
  record = {.struct_size = sizeof record, .count = 1};
  EXPECT_INVALID(pelt_crowd_record(c, commands, &record), "record.has_list is 0");
  record.has_list = 1;
  EXPECT_INVALID(pelt_crowd_record(c, commands, &record), "record.entries is null");
  EXPECT_EQ(info_of(c).frames, 0u);
  EXPECT_INVALID(pelt_crowd_get_mesh_vertex(c, 0, 9, 0, &number), "mesh 9");
  EXPECT_INVALID(pelt_crowd_get_mesh_vertex(c, 2, 0, 0, &number), "has no character 2");
  EXPECT_INVALID(pelt_crowd_read_bounds(c, 0, least, least), "no bounds");
  std::uint64_t frame = 0;
  EXPECT_INVALID(pelt_crowd_get_previous_frame(c, 9, 0, &frame), "no instance 9");
  auto read = sized<pelt_vertices>();
  EXPECT_INVALID(pelt_crowd_read_vertices(c, 0, &read), "0 vertices");
  EXPECT_INVALID(pelt_crowd_read_vertices(c, 9, &read), "no instance 9");
  const auto instance = got<pelt_instance_info>(pelt_crowd_get_instance, c, 1);
  std::vector<float> previous(3 * instance.vertex_count);
  read.vertex_count = instance.vertex_count;
  read.previous_positions = previous.data();
  EXPECT_INVALID(pelt_crowd_read_vertices(c, 1, &read), "no previous positions");

  // Only the skin's meshes are written.
  for (std::uint32_t m = 0; m < characters_[0]->meshes.size(); ++m) {
    const pelt_result result = pelt_crowd_get_mesh_vertex(c, 0, m, 0, &number);
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
  refused([](Options& o) { o.struct_size += 8; }, PELT_ERROR_UNSUPPORTED, "this library knows only");
  refused([](Options& o) { o.character_count = 2; }, kInvalid, "options.instances is null");
  refused([&](Options& o) { o.instances = instances, o.character_count = 3; }, kInvalid, "for 3 characters");
  refused([](Options& o) { o.normals.format = 9; }, kInvalid, "the format of normals has the unknown value 9");
  const auto some_buffer = reinterpret_cast<VkBuffer>(std::uintptr_t{1});  // refused before it is used
  refused([&](Options& o) { o.joints = {some_buffer, 0, 191}; }, kInvalid, "joint matrices need 192 bytes");
  refused([&](Options& o) { o.positions.location = {some_buffer, 0, 0}; }, kInvalid, "positions need");

  // An older program's options, which know only the numbers of instances.
  auto options = sized<pelt_crowd_options>();
  options.struct_size = offsetof(pelt_crowd_options, frames_in_flight);
  options.instances = instances;
  options.character_count = 2;
  options.positions.format = PELT_FORMAT_NONE;  // beyond the size
  const CrowdHandle crowd = make_crowd(device_.get(), gpu.get(), &options);
  const auto outputs = got<pelt_crowd_outputs>(pelt_crowd_get_outputs, crowd.get(), 0);
  EXPECT_EQ(outputs.positions.format, std::uint32_t{PELT_FORMAT_FLOAT});
}

}  // namespace
}  // namespace pelt::runtime
