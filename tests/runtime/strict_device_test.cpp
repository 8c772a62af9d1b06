// SPDX-License-Identifier: MIT
// Tests the errors of a device that is too small, on a small device.
#include "tests/support/strict_device.h"

#include <cstdlib>
#include <string>

#include <pelt/runtime/buffer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"
#include "tests/support/refused.h"

namespace pelt::runtime {
namespace {

using testing::HasSubstr;

using test::gpu_device;

class StrictDevices : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    device_.emplace(test::must(test::strict_device(*gpu_device())));
    gpu_.emplace(test::must(upload(*device_, test::bound_with(model_, "linear-blend").character)));
    vertices_ = gpu_->character(0)->vertex_count();
  }
  Result<Buffer> make_buffer(VkDeviceSize size, MemoryUse memory = MemoryUse::kDeviceLocal) const {
    return Buffer::create(
        *device_, {.size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, .memory = memory, .name = "a buffer"});
  }
  // Makes a crowd that writes positions only.
  Result<Crowd> make(std::uint32_t instances, std::uint32_t slots = 1) const {
    CrowdOptions options{.instances = {instances}, .frames_in_flight = 1};
    options.outputs.normals.format = VertexFormat::kNone;
    options.outputs.tangents.format = VertexFormat::kNone;
    options.outputs.slots = slots;
    return Crowd::create(*device_, *gpu_, options);
  }
  static void expect_refused(const Result<void>& result, const std::string& why) {
    EXPECT_TRUE(test::refused(result, ErrorCode::kUnsupported, why)) << why;
  }

  std::optional<Device> device_;
  std::optional<GpuCharacters> gpu_;
  std::uint64_t vertices_ = 0;
};

TEST_F(StrictDevices, NameTheBufferThatIsLargerThanAnAllocation) {
  EXPECT_TRUE(make_buffer(test::kStrictAllocation));
  EXPECT_TRUE(test::refused(make_buffer(test::kStrictAllocation + 1), ErrorCode::kUnsupported,
                            "a buffer: 8388609 bytes are more than the device allocates at once, 8388608 "
                            "(maxMemoryAllocationSize)"));
}

TEST_F(StrictDevices, NameTheBufferForWhichAHeapHasNoMemoryLeft) {
  std::vector<Buffer> all;
  for (const MemoryUse memory : {MemoryUse::kDeviceLocal, MemoryUse::kStaging}) {
    Result<Buffer> buffer = make_buffer(test::kStrictAllocation, memory);
    while (buffer && all.size() < 100) {
      all.push_back(std::move(*buffer));
      buffer = make_buffer(test::kStrictAllocation, memory);
    }
    EXPECT_TRUE(test::refused(buffer, ErrorCode::kOutOfMemory, "8388608 bytes for a buffer"));
  }
  // The characters have blocks of their own; the host's heap is smaller than one buffer.
  EXPECT_GE(all.size(), test::kStrictDeviceHeap / test::kStrictAllocation - 1);
}

// Exact to the instance, in the crowd's buffer, and in one of the caller's at an offset that the device cannot bind
// directly.
TEST_F(StrictDevices, SayHowManyInstancesTheyBind) {
  const auto most = static_cast<std::uint32_t>(test::kStrictRange / (12 * vertices_));
  Result<Crowd> crowd = make(most);
  ASSERT_TRUE(crowd) << crowd.error().message;
  ASSERT_TRUE(run(*device_, *crowd));
  crowd = make(most + 1);
  EXPECT_TRUE(
      test::refused(crowd, ErrorCode::kUnsupported,
                    "binds at most 4194304 bytes at once, enough for the positions of " + std::to_string(most)));
}

TEST_F(StrictDevices, CountWhatLiesBeforeAnOutputThatTheyBindFurtherInFront) {
  // Boxes that end with the range if they begin with it, and 252 bytes after it otherwise.
  const std::uint32_t instances = 100;
  const auto stride = static_cast<std::uint32_t>((test::kStrictRange - 24) / (instances - 1) / 4 * 4);
  const Buffer buffer = test::must(make_buffer(test::kStrictAllocation));
  CrowdOptions options{.instances = {instances}, .frames_in_flight = 1};
  options.outputs.bounds = true;
  options.outputs.bounds_stride = stride;
  options.outputs.bounds_location = rest_of(buffer);
  EXPECT_TRUE(Crowd::create(*device_, *gpu_, options));
  options.outputs.bounds_location = {buffer.handle(), 252, test::kStrictRange};
  const std::uint64_t end = 252 + std::uint64_t{stride} * (instances - 1) + 24;
  const Result<Crowd> crowd = Crowd::create(*device_, *gpu_, options);
  EXPECT_EQ(crowd.has_value(), end <= test::kStrictRange);
  EXPECT_TRUE(test::refused(crowd, "enough for the bounds of 99"));
}

// Arguments of indirect dispatches take more bytes than the table from which the device plans them.
TEST_F(StrictDevices, BindWhatTheDevicePlansFromOnlyIfItDoes) {
  const Buffer list = test::must(make_buffer(4096));
  CrowdOptions options{.instances = {1}, .frames_in_flight = 1, .list = rest_of(list)};
  options.capacity.table_words = test::kStrictRange / 12 * 2;
  EXPECT_TRUE(Crowd::create(*device_, *gpu_, options));
  options.capacity.table_words += 2;
  EXPECT_TRUE(test::refused(Crowd::create(*device_, *gpu_, options), ErrorCode::kUnsupported,
                            "cannot have a capacity of 699052 table words: "));
  options.list = {};
  EXPECT_TRUE(Crowd::create(*device_, *gpu_, options));
}

// Slots are bound one by one, and allocated together.
TEST_F(StrictDevices, HoldSlotsThatTheyBindAndAllocate) {
  const auto half = static_cast<std::uint32_t>(test::kStrictAllocation / 3 / (12 * vertices_));
  EXPECT_TRUE(make(half, 2));
  EXPECT_TRUE(make(half - 2, 3));
  const Result<Crowd> crowd = make(half + 20, 3);
  ASSERT_TRUE(test::refused(crowd, ErrorCode::kUnsupported, "vertices of the crowd of 'tube"));
  EXPECT_THAT(crowd.error().message, HasSubstr("maxMemoryAllocationSize"));
}

TEST(TestDevice, IsStrictWhereItIsAskedFor) {
  PELT_REQUIRE_GPU(gpu_device());
  const char* wanted = std::getenv("PELT_TEST_DEVICE");
  const VkPhysicalDeviceLimits& limits = gpu_device()->limits();
  EXPECT_EQ(limits.minStorageBufferOffsetAlignment == test::kStrictAlignment &&
                limits.maxStorageBufferRange == test::kStrictRange,
            wanted != nullptr && std::string(wanted) == "strict");
}

}  // namespace
}  // namespace pelt::runtime
