// SPDX-License-Identifier: MIT
// Tests devices, uploads and memory of the C API.
#include <cstring>

#include "tests/runtime/c_crowds.h"
#include "tests/runtime/counting_memory.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

TEST_F(CCrowds, AreUploadedByCommandsOfTheCallers) {
  const pelt_character* all[] = {c_characters_[0].get(), nullptr};
  pelt_gpu_characters* made = nullptr;
  EXPECT_INVALID(pelt_gpu_characters_create(device_.get(), all, 2, nullptr, &made), "characters[1] is null");
  EXPECT_INVALID(pelt_gpu_characters_create(device_.get(), all, 0, nullptr, &made), "no character");
  const pelt_upload_options options{.struct_size = sizeof options, .capacity = 8};
  EXPECT_INVALID(pelt_gpu_characters_create(device_.get(), all, 0, &options, &made), "no character");
  ASSERT_OK(pelt_gpu_characters_create(device_.get(), all, 1, nullptr, &made));
  const GpuHandle gpu(made);
  EXPECT_INVALID(pelt_gpu_characters_record_upload(made, VK_NULL_HANDLE), "commands is null");
  ASSERT_OK(pelt_submit_and_wait(
      device_.get(), "upload",
      [](void* user, VkCommandBuffer commands) {
        EXPECT_OK(pelt_gpu_characters_record_upload(static_cast<pelt_gpu_characters*>(user), commands));
      },
      made));
  EXPECT_OK(pelt_gpu_characters_finish_upload(made));
  EXPECT_OK(pelt_gpu_characters_finish_upload(made));
  EXPECT_OK(pelt_gpu_characters_finish_upload_of(made, 0));
  EXPECT_INVALID(pelt_gpu_characters_finish_upload_of(made, 1), "no character 1");
  const CrowdHandle crowd = make_crowd(device_.get(), made);
  EXPECT_OK(run_frame(device_.get(), crowd.get()));
}

TEST_F(CCrowds, SurviveACallbackThatThrows) {
  EXPECT_REFUSED(pelt_submit_and_wait(
                     device_.get(), "x", [](void*, VkCommandBuffer) { throw std::runtime_error("enough"); }, nullptr),
                 PELT_ERROR_INTERNAL, "enough");
  EXPECT_REFUSED(pelt_submit_and_wait(
                     device_.get(), "x", [](void*, VkCommandBuffer) { throw 7; }, nullptr),
                 PELT_ERROR_INTERNAL, "an unknown exception");
  EXPECT_INVALID(pelt_submit_and_wait(device_.get(), "x", nullptr, nullptr), "record is null");
}

TEST_F(CCrowds, TakeMemoryFromTheCaller) {
  CountingMemory memory(*gpu_device());
  pelt_device_handles handles = handles_of_device();
  handles.memory.user = &memory;
  handles.memory.allocate = [](void* user, const VkMemoryRequirements* requirements, VkMemoryPropertyFlags required,
                               VkMemoryPropertyFlags preferred, std::uint32_t device_address, const char* name,
                               pelt_memory_piece* piece) {
    EXPECT_EQ(piece->struct_size, sizeof(pelt_memory_piece));
    EXPECT_STRNE(name, "");
    EXPECT_EQ(device_address, 0u);
    MemoryPiece made;
    const VkResult result = static_cast<CountingMemory*>(user)->allocate(*requirements, required, preferred, made);
    piece->memory = made.memory;
    piece->offset = made.offset;
    piece->mapped = made.mapped;
    piece->coherent = made.coherent ? 1 : 0;
    piece->owner = made.owner;
    return result;
  };
  pelt_device* made = nullptr;
  EXPECT_INVALID(pelt_device_adopt(&handles, &made), "both allocate and free");
  handles.memory.free = [](void* user, const pelt_memory_piece* piece) {
    static_cast<CountingMemory*>(user)->free({.memory = piece->memory, .owner = piece->owner});
  };
  ASSERT_OK(pelt_device_adopt(&handles, &made));
  DeviceHandle device(made);
  GpuHandle gpu = upload_all(made);
  CrowdHandle crowd = make_crowd(made, gpu.get());
  ASSERT_OK(run_frame(made, crowd.get()));
  EXPECT_GT(memory.taken, 4u);
  device.reset();
  EXPECT_FALSE(memory.held.empty());
  crowd.reset();
  gpu.reset();
  EXPECT_TRUE(memory.held.empty());
}

TEST_F(CCrowds, StayOnTheirDevice) {
  pelt_device_handles handles = handles_of_device();
  handles.queue = VK_NULL_HANDLE;
  const DeviceHandle other = make_handle<DeviceHandle>(pelt_device_adopt, &handles);
  const pelt_character* all[] = {c_characters_[1].get()};
  pelt_gpu_characters* gpu = nullptr;
  EXPECT_INVALID(pelt_upload_and_wait(other.get(), all, 1, nullptr, &gpu), "without a queue");
  const GpuHandle uploaded = upload_all(device_.get());
  pelt_crowd* crowd = nullptr;
  EXPECT_INVALID(pelt_crowd_create(other.get(), uploaded.get(), nullptr, &crowd), "on another device");
  handles.device = VK_NULL_HANDLE;
  pelt_device* made = nullptr;
  EXPECT_INVALID(pelt_device_adopt(&handles, &made), "a device");
}

TEST_F(CCrowds, RunOnADeviceOfPeltsOwn) {
  auto options = sized<pelt_device_options>();
  options.validation = 1;
  pelt_device* made = nullptr;
  EXPECT_INVALID(pelt_device_create(&options, &made), "on_validation_message");
  options.validation = test::validated_options().validation ? 1 : 0;
  options.on_validation_message = [](void*, const char* message) { ADD_FAILURE() << "validation: " << message; };
  options.select = "no such device";
  EXPECT_REFUSED(pelt_device_create(&options, &made), PELT_ERROR_NOT_FOUND, "no such device");
  options.select = nullptr;
  ASSERT_OK(pelt_device_create(&options, &made));
  const DeviceHandle handle(made);
  auto description = got<pelt_device_description>(pelt_device_get_description, made);
  EXPECT_EQ(description.name, gpu_device()->description().name);
  EXPECT_STREQ(description.missing, "");
  const auto handles = got<pelt_device_handles>(pelt_device_get_handles, made);
  EXPECT_EQ(handles.buffer_device_address, handles_of_device().buffer_device_address);
  auto described = got<pelt_device_description>(pelt_describe_device, handles.get_instance_proc_addr, handles.instance,
                                                handles.physical);
  EXPECT_EQ(std::memcmp(&described, &description, sizeof(description)), 0);
  const GpuHandle gpu = upload_all(made);
  const CrowdHandle crowd = make_crowd(made, gpu.get());
  EXPECT_OK(run_frame(made, crowd.get()));
}

}  // namespace
}  // namespace pelt::runtime
