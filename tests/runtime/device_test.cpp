// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <limits>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/debug.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/transfer.h>

#include "runtime/device_internals.h"
#include "tests/runtime/callers_buffer.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt::runtime {
namespace {

using test::discrete_device;
using test::gpu_device;
using testing::HasSubstr;
using testing::Not;

// Sets PELT_DEVICE for one test.
struct EnvironmentDevice {
  std::optional<std::string> before;
  explicit EnvironmentDevice(const char* value) {
    if (const char* old = std::getenv("PELT_DEVICE")) before = old;
    set(value);
  }
  ~EnvironmentDevice() { set(before ? before->c_str() : nullptr); }

  static void set(const char* value) {
#ifdef _WIN32
    _putenv_s("PELT_DEVICE", value == nullptr ? "" : value);
#else
    value == nullptr ? unsetenv("PELT_DEVICE") : setenv("PELT_DEVICE", value, 1);
#endif
  }
};

TEST(DeviceSelection, OfWhatIsNotThereListsWhatThereIs) {
  const auto all = list_devices();
  PELT_REQUIRE_GPU(all);
  EXPECT_EQ(Device::create({.select = "4711"}).error().code, ErrorCode::kNotFound);
  const auto device = Device::create({.select = "no such card"});
  ASSERT_TRUE(test::refused(device, ErrorCode::kNotFound, "no such card"));
  for (const DeviceDescription& description : *all) EXPECT_THAT(device.error().message, HasSubstr(description.name));
}

TEST(DeviceSelection, ByIndexByPartOfTheNameAndByEnvironment) {
  PELT_REQUIRE_GPU(gpu_device());
  const auto all = list_devices();
  ASSERT_TRUE(all);
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (!(*all)[i].missing.empty()) continue;
    const Device by_index = test::must(Device::create({.select = std::to_string(i)}));
    EXPECT_EQ(by_index.description().name, (*all)[i].name);
  }
  std::string part = gpu_device()->description().name.substr(1, 5);
  for (char& c : part) c = static_cast<char>(std::toupper(c));
  test::must(Device::create({.select = part}));

  const EnvironmentDevice environment("no such card");
  EXPECT_TRUE(test::refused(Device::create(), "no such card"));
  EXPECT_TRUE(Device::create({.select = part})) << "select comes before the environment";
}

TEST(DeviceSelection, ValidationNeedsAFunctionForItsMessages) {
  PELT_REQUIRE_GPU(gpu_device());
  EXPECT_TRUE(test::refused(Device::create({.validation = true}), ErrorCode::kInvalidArgument));
}

TEST(Device, NamesTheExtensionsThatAreNotThere) {
  PELT_REQUIRE_GPU(gpu_device());
  const auto no_instance = Device::create({.instance_extensions = {"VK_KHR_surface", "VK_NONE_first"}});
  ASSERT_TRUE(test::refused(no_instance, ErrorCode::kUnsupported, "VK_NONE_first"));
  EXPECT_THAT(no_instance.error().message, Not(HasSubstr("VK_KHR_surface")));
  EXPECT_TRUE(test::refused(Device::create({.device_extensions = {"VK_NONE_second"}}), ErrorCode::kUnsupported,
                            "VK_NONE_second"));
}

void expect_round_trip(const Device& device, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  const Buffer buffer =
      test::must(Buffer::create(device, {.size = size + 3,
                                         .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                         .name = "round trip"}));
  EXPECT_EQ(buffer.mapped(), nullptr);
  const std::span<const std::byte> all = bytes;
  ASSERT_TRUE(write_buffer(device, buffer.handle(), 3, all.first(size / 2)));
  ASSERT_TRUE(write_buffer(device, buffer.handle(), 3 + size / 2, all.subspan(size / 2)));
  EXPECT_EQ(test::must(read_buffer(device, buffer.handle(), 3, size)), bytes);
}

// Through memory that is coherent, and through memory that is not.
TEST(Transfer, BytesComeBackAsTheyWere) {
  PELT_REQUIRE_GPU(discrete_device());
  for (const std::size_t size : {1, 63, 64, 65, 1234, 3 << 20}) {
    expect_round_trip(*gpu_device(), size);
    expect_round_trip(*discrete_device(), size);
  }
}

TEST(Transfer, WhatIsNotFlushedDoesNotArriveOnADiscreteCard) {
  PELT_REQUIRE_GPU(discrete_device());
  const Buffer buffer = callers_buffer(8, *discrete_device());
  std::fill_n(buffer.mapped(), 8, std::byte{1});
  buffer.flush(0, 8);
  std::fill_n(buffer.mapped(), 8, std::byte{2});
  buffer.flush(4, 4);
  const auto read = test::must(read_buffer(*discrete_device(), buffer.handle(), 0, 8));
  EXPECT_EQ(read[3], std::byte{1});
  EXPECT_EQ(read[4], std::byte{2});
}

TEST(Memory, ABufferLargerThanTheDeviceHasIsAnError) {
  PELT_REQUIRE_GPU(gpu_device());
  EXPECT_TRUE(test::refused(Buffer::create(*gpu_device(), {.size = std::numeric_limits<VkDeviceSize>::max() / 2,
                                                           .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                           .name = "too large"}),
                            ErrorCode::kUnsupported, "too large: "));
}

TEST(Memory, PiecesOfABlockDoNotOverlapAndAreUsedAgain) {
  PELT_REQUIRE_GPU(gpu_device());
  const auto make = [](std::size_t size, std::uint8_t value) {
    Buffer buffer = test::must(Buffer::create(
        *gpu_device(),
        {.size = size, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, .name = "piece"}));
    const std::vector<std::byte> bytes(size, static_cast<std::byte>(value));
    EXPECT_TRUE(write_buffer(*gpu_device(), buffer.handle(), 0, bytes));
    return buffer;
  };
  std::vector<Buffer> buffers;
  for (std::uint8_t i = 0; i < 24; ++i) buffers.push_back(make(100u + 977u * i, i));
  for (std::size_t i = 0; i < buffers.size(); i += 2) buffers[i] = Buffer();
  for (std::size_t i = 0; i < buffers.size(); i += 2) {
    buffers[i] = make(50u + 400u * i, static_cast<std::uint8_t>(100 + i));
  }
  buffers.push_back(make(std::size_t{70} << 20, 77));  // more than a block
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::size_t value = i == 24 ? 77 : i % 2 == 0 ? 100 + i : i;
    const auto read = test::must(read_buffer(*gpu_device(), buffers[i].handle(), 0, buffers[i].size()));
    EXPECT_EQ(std::count(read.begin(), read.end(), static_cast<std::byte>(value)), read.size()) << i;
  }
}

// A frame that is recorded and dropped has no times, and asking for them does not wait for it.
TEST(GpuTimer, HasNoTimesOfCommandsThatWereNotSubmitted) {
  PELT_REQUIRE_GPU(gpu_device());
  if (!GpuTimer::supported(*gpu_device())) PELT_SKIP("the device has no timestamps");
  auto timer = test::must(GpuTimer::create(*gpu_device(), 2));
  // Submitted once, so that the queries are in a state that may be asked for.
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "reset", [&](VkCommandBuffer commands) { timer.reset(commands); }));
  test::Commands(*gpu_device()).record([&](VkCommandBuffer commands) {
    timer.reset(commands);
    timer.stamp(commands);
    timer.stamp(commands);
  });
  EXPECT_TRUE(test::refused(timer.seconds(), ErrorCode::kUnsupported, "the 2 timestamps are not available yet"));
}

VKAPI_ATTR VkResult VKAPI_CALL wait_too_long(VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t longest) {
  EXPECT_LT(longest, UINT64_MAX) << "nothing bounds the wait";
  return VK_TIMEOUT;
}

// The runtime leaks objects that a hanging device may still use, so the pool and the fence are destroyed here.
TEST(Transfer, SaysThatADeviceHangs) {
  PELT_REQUIRE_GPU(gpu_device());
  static VkFence fence;
  static PFN_vkCreateFence create_fence;
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "a glance", [](VkCommandBuffer) {}));
  const VkCommandPool pool = gpu_device()->internals().pool;
  DeviceFunctions& functions = gpu_device()->internals().functions;
  const DeviceFunctions before = functions;
  create_fence = functions.vkCreateFence;
  functions.vkCreateFence = [](VkDevice device, const VkFenceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                               VkFence* made) {
    const VkResult result = create_fence(device, info, callbacks, made);
    fence = *made;
    return result;
  };
  functions.vkWaitForFences = wait_too_long;
  const Result<void> waited = submit_and_wait(*gpu_device(), "a long look", [](VkCommandBuffer) {});
  functions = before;
  ASSERT_EQ(functions.vkWaitForFences(gpu_device()->handle(), 1, &fence, VK_TRUE, 60'000'000'000), VK_SUCCESS);
  functions.vkDestroyFence(gpu_device()->handle(), fence, nullptr);
  functions.vkDestroyCommandPool(gpu_device()->handle(), pool, nullptr);
  ASSERT_TRUE(test::refused(waited, ErrorCode::kDeviceFailed));
  EXPECT_EQ(waited.error().message, "cannot wait for a long look: the device has not finished after 600 seconds");
}

}  // namespace
}  // namespace pelt::runtime
