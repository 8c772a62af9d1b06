// SPDX-License-Identifier: MIT
// Devices of Vulkan 1.1: requirements, extensions, and the errors of older ones.
#include "tests/support/vulkan11_device.h"

#include <cstdlib>
#include <string_view>

#include <pelt/runtime/buffer.h>

#include "runtime/barriers.h"
#include "runtime/device_internals.h"
#include "runtime/physical_device.h"
#include "tests/runtime/counting_memory.h"
#include "tests/runtime/crowds.h"
#include "tests/support/refused.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;
using test::vulkan11;
using testing::HasSubstr;

// Each test has the mask to itself.
class Vulkan11Devices : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    vulkan11 = {};
  }
  void TearDown() override { vulkan11 = {}; }

  static Result<Device> make() {
    DeviceOptions options = test::validated_options();
    options.get_instance_proc_addr = test::vulkan11_entry_point;
    return Device::create(options);
  }
  std::vector<glm::vec3> posed(const Device& device) const {
    const GpuCharacters gpu = test::must(upload(device, test::bound_with(model_, "surface-ffd").character));
    Crowd crowd = test::must(Crowd::create(device, gpu, {.instances = {2}}));
    crowd.pose(1, bent_joints());
    EXPECT_TRUE(run(device, crowd));
    return test::must(read_vertices(device, crowd, 1)).positions;
  }
  GpuCharacters uploaded(const Device& device) const {
    return test::must(upload(device, test::bound_with(model_, "linear-blend").character));
  }
  // Makes a crowd whose outputs have addresses.
  static Result<Crowd> addressed(const Device& device, const GpuCharacters& gpu) {
    CrowdOptions options;
    options.outputs.usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    return Crowd::create(device, gpu, options);
  }
};

TEST_F(Vulkan11Devices, NeedNoExtension) {
  vulkan11.extensions = false;
  const Device device = test::must(make());
  EXPECT_EQ(posed(device), posed(*gpu_device()));
  const DeviceFunctions& functions = device.functions();
  EXPECT_EQ(functions.vkGetBufferDeviceAddress, nullptr);
  EXPECT_EQ(functions.vkCmdPipelineBarrier2, nullptr);
  EXPECT_EQ(functions.vkCmdBeginRendering, nullptr);
  // The device does not report its largest buffer.
  EXPECT_EQ(device.internals().largest_buffer, VK_WHOLE_SIZE);
  const GpuCharacters gpu = uploaded(device);
  const Result<Crowd> crowd = addressed(device, gpu);
  ASSERT_TRUE(test::refused(crowd, ErrorCode::kUnsupported, "vertices of the crowd of 'tube"));
  EXPECT_THAT(crowd.error().message, HasSubstr("VK_KHR_buffer_device_address"));
}

TEST_F(Vulkan11Devices, HaveWhatTheirExtensionsGive) {
  const Device device = test::must(make());
  if (gpu_device()->functions().vkGetBufferDeviceAddress == nullptr ||
      gpu_device()->functions().vkCmdPipelineBarrier2 == nullptr)
    PELT_SKIP("the device has none of it");
  const DeviceFunctions& functions = device.functions();
  EXPECT_NE(functions.vkCmdPipelineBarrier2, nullptr);
  EXPECT_NE(functions.vkQueueSubmit2, nullptr);
  EXPECT_NE(functions.vkCmdBeginRendering, nullptr);
  EXPECT_LT(device.internals().largest_buffer, VK_WHOLE_SIZE);
  const InstanceFunctions instance = load_instance_functions(test::vulkan11_entry_point, device.instance());
  // SwiftShader has addresses only by Vulkan 1.2.
  if (!has_extension(device_extensions(instance, device.physical()), VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME))
    return;
  const GpuCharacters gpu = uploaded(device);
  const Crowd crowd = test::must(addressed(device, gpu));
  EXPECT_NE(address_of(device, crowd.outputs().positions), 0u);
}

// A game's device, which has no feature and no extension.
TEST_F(Vulkan11Devices, AreAdoptedAsTheyAre) {
  vulkan11.extensions = false;
  const Device under = test::must(make());
  const DeviceHandles handles = handles_of(under, test::vulkan11_entry_point);
  EXPECT_THAT(describe_device(handles.get_instance_proc_addr, handles.instance, handles.physical).missing,
              testing::IsEmpty());
  const Device adopted = test::must(Device::adopt(handles));
  EXPECT_EQ(posed(adopted), posed(*gpu_device()));

  vulkan11.device_version = VK_API_VERSION_1_0;
  EXPECT_TRUE(test::refused(Device::adopt(handles), ErrorCode::kUnsupported, "lacks Vulkan 1.1 (it has 1.0)"));
}

// Vulkan lists such devices only on request, and requires the extension that they list.
TEST_F(Vulkan11Devices, OfAPortablePartAreListedAndMadeAsSuch) {
  ASSERT_TRUE(make());
  EXPECT_EQ(vulkan11.portable_devices, 0u);
  vulkan11.portable = true;
  const std::uint32_t before = vulkan11.portable_instances;
  const Device device = test::must(make());
  EXPECT_EQ(vulkan11.portable_devices, 1u);
  EXPECT_EQ(vulkan11.portable_instances, before + 1);
  EXPECT_EQ(posed(device), posed(*gpu_device()));

  // The caller's list may have it too.
  DeviceOptions options = test::validated_options();
  options.get_instance_proc_addr = test::vulkan11_entry_point;
  options.device_extensions = {"VK_KHR_portability_subset"};
  EXPECT_TRUE(Device::create(options));
  EXPECT_EQ(vulkan11.portable_devices, 2u);
}

TEST_F(Vulkan11Devices, NeedALoaderThatKnowsThem) {
  vulkan11.loader_version = VK_API_VERSION_1_0;
  const Result<Device> device = make();
  ASSERT_TRUE(test::refused(device, ErrorCode::kUnsupported));
  EXPECT_EQ(device.error().message, "the Vulkan loader has version 1.0; Pelt needs 1.1");
}

TEST(TestDevice, IsOfVulkan11WhereItIsAskedFor) {
  PELT_REQUIRE_GPU(gpu_device());
  const char* wanted = std::getenv("PELT_TEST_DEVICE");
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  const PFN_vkGetInstanceProcAddr entry = test::validated_options().get_instance_proc_addr;
  const bool masked = entry == test::vulkan11_entry_point;
  EXPECT_EQ(masked, wanted != nullptr && std::string_view(wanted) == "vulkan11");
  if (!masked) return;
  reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(
      entry(gpu_device()->instance(), "vkGetPhysicalDeviceProperties2"))(gpu_device()->physical(), &properties);
  EXPECT_EQ(properties.properties.apiVersion, VK_API_VERSION_1_1);
}

TEST(Barriers, HaveTheLeastOfVulkan10) {
  EXPECT_EQ(plain_stages(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT),
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT);
  EXPECT_EQ(plain_stages(VK_PIPELINE_STAGE_2_COPY_BIT), VK_PIPELINE_STAGE_TRANSFER_BIT);
  EXPECT_EQ(plain_stages(VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT),
            VK_PIPELINE_STAGE_VERTEX_INPUT_BIT);
  EXPECT_EQ(plain_stages(VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT), VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT);
  EXPECT_EQ(plain_stages(VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR),
            VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR);
  EXPECT_EQ(plain_stages(VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  EXPECT_EQ(plain_stages(VkPipelineStageFlags2{1} << 63), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);

  EXPECT_EQ(plain_access(VK_ACCESS_2_NONE), VK_ACCESS_NONE);
  EXPECT_EQ(plain_access(VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT), VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
  EXPECT_EQ(plain_access(VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT),
            VK_ACCESS_SHADER_READ_BIT);
  EXPECT_EQ(plain_access(VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT), VK_ACCESS_SHADER_WRITE_BIT);
  EXPECT_EQ(plain_access(VkAccessFlags2{1} << 63), VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

}  // namespace
}  // namespace pelt::runtime
