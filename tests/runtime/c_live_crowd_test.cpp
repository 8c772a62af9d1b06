// SPDX-License-Identifier: MIT
// Tests crowds of the C API whose instances and characters come and go.
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <span>

#include "tests/runtime/c_crowds.h"

namespace pelt::runtime {
namespace {

// Uploads added characters, a few bytes at a time.
void upload_in_parts(const pelt_device* device, pelt_gpu_characters* gpu) {
  struct Upload {
    pelt_gpu_characters* gpu;
    VkDeviceSize left;
  } uploading{gpu, 1};
  for (bool first = true; uploading.left > 0; first = false) {
    ASSERT_OK(pelt_submit_and_wait(
        device, "upload",
        [](void* user, VkCommandBuffer commands) {
          auto& part = *static_cast<Upload*>(user);
          EXPECT_INVALID(pelt_gpu_characters_record_upload_part(part.gpu, commands, UINT64_MAX, 0, 0, nullptr), "left");
          EXPECT_OK(pelt_gpu_characters_record_upload_part(part.gpu, commands, 5000, 0, 0, &part.left));
        },
        &uploading));
    EXPECT_TRUE(!first || uploading.left > 0) << "what is refused records nothing";
  }
  ASSERT_OK(pelt_gpu_characters_finish_upload(gpu));
}

// Expects errors of invalid calls for an instance's outputs, and of removing a character with instances. `instances`:
// one of character 1, one of character 0 without outputs, and one of it that is shown.
void expect_refused_until_outputs_are_taken(pelt_crowd* c, std::span<const std::uint32_t, 3> instances) {
  const auto rooms = got<pelt_crowd_rooms>(pelt_crowd_get_rooms, c);
  EXPECT_EQ(rooms.instances.capacity, 4u);
  EXPECT_EQ(rooms.instances.free, 1u);
  ASSERT_OK(pelt_crowd_set_outputs(c, instances[1], 1));
  EXPECT_INVALID(pelt_crowd_set_outputs(c, 7, 0), "has no instance 7");
  EXPECT_INVALID(pelt_crowd_remove(c, 1), "has 1 instances");
  EXPECT_INVALID(pelt_crowd_remove(c, 7), "has no character 7");
}

// Poses two instances by rows of matrices, 3 and 5 up, and one by matrices, 7 up.
void pose_in_both_forms(pelt_crowd* c, std::span<const std::uint32_t, 3> instances) {
  const std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
  const auto up = [&](float height) {
    std::vector<float> rows;
    for (const glm::mat4& joint : joints) {
      const glm::mat4 moved = glm::transpose(glm::translate(glm::mat4(1), glm::vec3(0, height, 0)) * joint);
      rows.insert(rows.end(), glm::value_ptr(moved), glm::value_ptr(moved) + 12);
    }
    return rows;
  };
  ASSERT_OK(pelt_crowd_pose_rows(c, instances[1], up(3).data(), 2));
  EXPECT_INVALID(pelt_crowd_pose_rows(c, instances[1], up(3).data(), 1), "got 1 joint matrices");
  ASSERT_OK(pelt_crowd_pose_rows(c, instances[2], up(5).data(), 2));
  std::vector<glm::mat4> seven_up;
  for (const glm::mat4& joint : joints) seven_up.push_back(glm::translate(glm::mat4(1), glm::vec3(0, 7, 0)) * joint);
  ASSERT_OK(pelt_crowd_pose(c, instances[0], glm::value_ptr(seven_up[0]), 2));
}

// Runs a frame in its two parts, each of which is refused out of turn.
void run_in_parts(const pelt_device* device, pelt_crowd* c) {
  ASSERT_OK(pelt_submit_and_wait(
      device, "parts",
      [](void* user, VkCommandBuffer commands) {
        auto* crowd = static_cast<pelt_crowd*>(user);
        const pelt_record pose{.struct_size = sizeof pose, .part = PELT_PART_POSE};
        const pelt_record blend{.struct_size = sizeof blend, .part = PELT_PART_BLEND};
        EXPECT_INVALID(pelt_crowd_record(crowd, commands, &blend), "the first part");
        EXPECT_OK(pelt_crowd_record(crowd, commands, &pose));
        EXPECT_INVALID(pelt_crowd_record(crowd, commands, &pose), "the second part");
        EXPECT_INVALID(pelt_crowd_record(crowd, commands, nullptr), "the second part");
        EXPECT_INVALID(pelt_crowd_remove(crowd, 1), "between the two parts");
        EXPECT_OK(pelt_crowd_record(crowd, commands, &blend));
      },
      c));
}

// Returns the height of an instance's first vertex.
float height_of(const pelt_crowd* c, std::uint32_t instance) {
  const auto info = got<pelt_instance_info>(pelt_crowd_get_instance, c, instance);
  EXPECT_EQ(info.has_outputs, 1u);
  std::vector<float> positions(std::size_t{3} * info.vertex_count);
  auto vertices = sized<pelt_vertices>();
  vertices.vertex_count = info.vertex_count;
  vertices.positions = positions.data();
  EXPECT_OK(pelt_crowd_read_vertices(c, instance, &vertices));
  return positions[1];
}

// Expects the buffers that the second part of a frame uses.
void expect_uses_of_blend(const pelt_crowd* c) {
  pelt_buffer_use uses[PELT_MAX_BUFFER_USES];
  std::uint32_t count = 0;
  ASSERT_OK(pelt_crowd_get_uses(c, PELT_PART_BLEND, uses, &count));
  EXPECT_EQ(count, 3u);
  EXPECT_STREQ(uses[0].name, "positions");
  EXPECT_INVALID(pelt_crowd_get_uses(c, 3, uses, &count), "part has the unknown value 3");
  ASSERT_OK(pelt_crowd_get_uses(c, PELT_PART_POSE, uses, &count));
  EXPECT_EQ(count, 0u);
}

// Instances, levels and characters come and go, and joints are set in both forms, as in C++.
TEST_F(CCrowds, LiveAsThoseOfCpp) {
  const pelt_character* caged = c_characters_[0].get();
  const pelt_character* linear = c_characters_[1].get();
  auto upload = sized<pelt_upload_options>();
  VkDeviceSize bytes = 0;
  for (const pelt_character* one : {caged, linear}) {
    ASSERT_OK(pelt_character_get_upload_bytes(one, nullptr, &bytes));
    upload.capacity += bytes;
  }
  const pelt_upload_options tension{.struct_size = sizeof tension, .tension = 1};
  VkDeviceSize with_tension = 0;
  ASSERT_OK(pelt_character_get_upload_bytes(linear, &tension, &with_tension));
  EXPECT_GT(with_tension, bytes);
  const GpuHandle gpu = make_handle<GpuHandle>(pelt_upload_and_wait, device_.get(), &linear, 1, &upload);
  ASSERT_OK(pelt_gpu_characters_get_free_bytes(gpu.get(), &bytes));
  EXPECT_GT(bytes, 0u);
  auto room = sized<pelt_crowd_capacity>();
  for (const pelt_character* one : {caged, linear}) ASSERT_OK(pelt_add_capacity(one, 2, nullptr, &room));
  const std::uint32_t none[] = {0};
  auto options = sized<pelt_crowd_options>();
  options.instances = none;
  options.character_count = 1;
  options.capacity = &room;
  const CrowdHandle handle = make_crowd(device_.get(), gpu.get(), &options);
  pelt_crowd* c = handle.get();

  std::uint32_t number = 9;
  ASSERT_OK(pelt_crowd_prepare(c, &caged, 1));
  EXPECT_INVALID(pelt_gpu_characters_add(gpu.get(), caged, nullptr), "number is null");  // and takes no room
  ASSERT_OK(pelt_gpu_characters_add(gpu.get(), caged, &number));
  EXPECT_EQ(number, 1u);
  upload_in_parts(device_.get(), gpu.get());
  EXPECT_INVALID(pelt_crowd_acquire(c, 1, 1, &number), "has no character 1");
  ASSERT_OK(pelt_crowd_add(c, 1));

  EXPECT_INVALID(pelt_crowd_acquire(c, 1, 1, nullptr), "instance is null");  // and takes no room
  std::uint32_t instances[3];
  ASSERT_OK(pelt_crowd_acquire(c, 1, 1, &instances[0]));
  ASSERT_OK(pelt_crowd_acquire(c, 0, 0, &instances[1]));
  ASSERT_OK(pelt_crowd_acquire(c, 0, 1, &instances[2]));
  expect_refused_until_outputs_are_taken(c, instances);
  pose_in_both_forms(c, instances);
  run_in_parts(device_.get(), c);
  EXPECT_NEAR(height_of(c, instances[2]) - height_of(c, instances[1]), 2, 1e-5);
  expect_uses_of_blend(c);

  ASSERT_OK(pelt_crowd_release(c, instances[0]));
  EXPECT_INVALID(pelt_crowd_release(c, instances[0]), "has no instance");
  EXPECT_INVALID(pelt_crowd_replace(c, 0, 0), "by itself");
  ASSERT_OK(pelt_crowd_replace(c, 0, 1));
  ASSERT_OK(pelt_crowd_add(c, 0));
  ASSERT_OK(pelt_crowd_replace(c, 1, 0));
  ASSERT_OK(pelt_crowd_add(c, 1));
  EXPECT_INVALID(pelt_gpu_characters_remove(gpu.get(), 1), "a crowd has it");
  ASSERT_OK(pelt_crowd_remove(c, 1));
  ASSERT_OK(run_frame(device_.get(), c));
  ASSERT_OK(pelt_gpu_characters_remove(gpu.get(), 1));
  EXPECT_INVALID(pelt_gpu_characters_remove(gpu.get(), 1), "no character 1");
  std::uint32_t count = 0;
  pelt_memory_heap heaps[VK_MAX_MEMORY_HEAPS];
  ASSERT_OK(pelt_device_get_memory_heaps(device_.get(), heaps, &count));
  EXPECT_GT(count, 0u);
  EXPECT_GT(heaps[0].size, 0u);
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
