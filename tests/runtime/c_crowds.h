// SPDX-License-Identifier: MIT
// A crowd of the C API on a device of the caller.
#pragma once

#include <gtest/gtest.h>

#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>

#include "tests/runtime/c_handles.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"

namespace pelt::runtime {

class CCrowds : public testing::Test {
 protected:
  void SetUp() override {
    PELT_REQUIRE_GPU(test::gpu_device());
    for (const Character& character : characters_) c_characters_.push_back(in_c(character));
    pelt_device* device = nullptr;
    pelt_device_handles handles = handles_of_device();
    ASSERT_OK(pelt_device_adopt(&handles, &device));
    device_.reset(device);
  }

  static pelt_device_handles handles_of_device() {
    auto handles = sized<pelt_device_handles>();
    handles.get_instance_proc_addr = vulkan_entry_point();
    handles.instance = test::gpu_device()->instance();
    handles.physical = test::gpu_device()->physical();
    handles.device = test::gpu_device()->handle();
    handles.queue_family = test::gpu_device()->queue_family();
    handles.queue = test::gpu_device()->queue();
    handles.buffer_device_address = test::gpu_device()->functions().vkGetBufferDeviceAddress != nullptr ? 1 : 0;
    return handles;
  }

  GpuHandle upload_all(const pelt_device* device, const pelt_upload_options* options = nullptr) const {
    std::vector<const pelt_character*> all;
    for (const CharacterHandle& character : c_characters_) all.push_back(character.get());
    return make_handle<GpuHandle>(pelt_upload_and_wait, device, all.data(), static_cast<std::uint32_t>(all.size()),
                                  options);
  }

  CrowdHandle make_crowd(const pelt_device* device, const pelt_gpu_characters* gpu,
                         const pelt_crowd_options* options = nullptr) const {
    return make_handle<CrowdHandle>(pelt_crowd_create, device, gpu, options);
  }

  static pelt_crowd_info info_of(const pelt_crowd* crowd) {
    const auto info = got<pelt_crowd_info>(pelt_crowd_get_info, crowd);
    return info;
  }

  // Runs a frame whose outputs go to another queue and come back. With one family, validation checks the barriers.
  static pelt_result run_frame(const pelt_device* device, pelt_crowd* crowd, const pelt_record* record = nullptr) {
    struct Frame {
      pelt_crowd* crowd;
      const pelt_record* record;
    } frame{crowd, record};
    return pelt_submit_and_wait(
        device, "frame",
        [](void* user, VkCommandBuffer commands) {
          const auto [c, recorded] = *static_cast<Frame*>(user);
          const std::uint32_t family = test::gpu_device()->queue_family();
          auto transfer = sized<pelt_transfer>();
          transfer.frame = info_of(c).frames;
          transfer.compute_family = transfer.reading_family = family;
          transfer.reading_stages = VK_PIPELINE_STAGE_2_COPY_BIT;
          transfer.reading_access = VK_ACCESS_2_TRANSFER_READ_BIT;
          const auto record_transfer = [&](std::uint32_t step) {
            transfer.step = step;
            EXPECT_OK(pelt_crowd_record_transfer(c, commands, &transfer));
          };
          record_transfer(PELT_TRANSFER_ACQUIRE_BACK);
          EXPECT_OK(pelt_crowd_record(c, commands, recorded));
          for (const std::uint32_t step : {PELT_TRANSFER_RELEASE, PELT_TRANSFER_ACQUIRE, PELT_TRANSFER_RELEASE_BACK})
            record_transfer(step);
        },
        &frame);
  }

  std::vector<Character> characters_{make_caged(), make_linear()};
  std::vector<CharacterHandle> c_characters_;
  DeviceHandle device_;
};

// Returns the bytes of an output, for all vertices or instances.
inline std::vector<std::byte> bytes_of(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size) {
  return test::must(read_buffer(*test::gpu_device(), buffer, offset, size));
}

}  // namespace pelt::runtime
