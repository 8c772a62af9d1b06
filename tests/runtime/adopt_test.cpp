// SPDX-License-Identifier: MIT
// Crowds on a device of the game's, with its memory and buffers.
#include <array>
#include <atomic>
#include <string_view>
#include <thread>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>

#include "tests/runtime/counting_memory.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"
#include "tests/support/vulkan_mask.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;
using testing::HasSubstr;

class AdoptedDevices : public testing::Test {
 protected:
  void SetUp() override {
    PELT_REQUIRE_GPU(gpu_device());
    character_.emplace(test::bound_by(test::make_tube(), "surface-ffd"));
  }

  // Returns positions of one posed instance on a device; waits for them.
  std::vector<glm::vec3> posed(const Device& device) const {
    const GpuCharacters gpu = test::must(upload(device, *character_));
    Crowd crowd = test::must(Crowd::create(device, gpu));
    EXPECT_TRUE(run(device, crowd));
    return test::must(read_vertices(device, crowd, 0)).positions;
  }

  std::optional<Character> character_;
};

TEST_F(AdoptedDevices, NeedTheirHandles) {
  const DeviceHandles valid = handles_of(*gpu_device());
  ASSERT_TRUE(Device::adopt(valid));
  const auto refused = [&](const auto& change, const char* why) {
    DeviceHandles handles = valid;
    change(handles);
    EXPECT_TRUE(test::refused(Device::adopt(handles), ErrorCode::kInvalidArgument, why)) << why;
  };
  refused([](DeviceHandles& h) { h.get_instance_proc_addr = nullptr; }, "needs vkGetInstanceProcAddr");
  refused([](DeviceHandles& h) { h.instance = VK_NULL_HANDLE; }, "an instance");
  refused([](DeviceHandles& h) { h.physical = VK_NULL_HANDLE; }, "a physical device");
  refused([](DeviceHandles& h) { h.device = VK_NULL_HANDLE; }, "a device");
  refused([](DeviceHandles& h) { h.queue_family = 1000; }, "has no compute");
  refused([](DeviceHandles& h) { h.memory.free = [](void*, const MemoryPiece&) {}; }, "both allocate and free");
}

TEST_F(AdoptedDevices, MoveWhatTheirOwnerWouldAndStayWithIt) {
  const std::vector<glm::vec3> expected = posed(*gpu_device());
  {
    const Device adopted = test::must(Device::adopt(handles_of(*gpu_device())));
    EXPECT_EQ(posed(adopted), expected);
  }
  EXPECT_EQ(posed(*gpu_device()), expected);
}

// No memory is allocated while frames are recorded.
TEST_F(AdoptedDevices, TakeMemoryFromTheirOwnerAndGiveItBack) {
  CountingMemory memory(*gpu_device());
  DeviceHandles handles = handles_of(*gpu_device());
  handles.memory = memory.callbacks();
  {
    const Device adopted = test::must(Device::adopt(handles));
    EXPECT_EQ(posed(adopted), posed(*gpu_device()));
    EXPECT_GT(memory.taken, 0u);
    const GpuCharacters gpu = test::must(upload(adopted, *character_));
    Crowd crowd = test::must(Crowd::create(adopted, gpu, {.instances = {5}}));
    const std::size_t taken = memory.taken;
    for (int frame = 0; frame < 4; ++frame) ASSERT_TRUE(run(adopted, crowd));
    EXPECT_EQ(memory.taken, taken);

    const std::size_t before = memory.held.size();
    memory.refuse = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    EXPECT_TRUE(test::refused(Crowd::create(adopted, gpu), "out of device memory"));
    EXPECT_EQ(memory.held.size(), before);
  }
  EXPECT_THAT(memory.held, testing::IsEmpty());
}

TEST_F(AdoptedDevices, WithoutAQueueSubmitNothing) {
  DeviceHandles handles = handles_of(*gpu_device());
  handles.queue = VK_NULL_HANDLE;
  const Device adopted = test::must(Device::adopt(handles));
  EXPECT_TRUE(test::refused(upload(adopted, *character_), "without a queue"));

  // Everything in one command buffer of the caller's.
  GpuCharacters gpu = test::must(GpuCharacters::create(adopted, std::span(&*character_, 1)));
  Crowd crowd = test::must(Crowd::create(adopted, gpu));
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "a game's frame", [&](VkCommandBuffer commands) {
    gpu.record_upload(commands);
    crowd.record(commands);
  }));
  gpu.finish_upload();
  EXPECT_EQ(test::must(read_vertices(*gpu_device(), crowd, 0)).positions, posed(*gpu_device()));
}

// Records the caches with which compute pipelines are made.
struct PipelineWatch {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
    if (name != "vkCreateComputePipelines") return found;
    create_ = reinterpret_cast<PFN_vkCreateComputePipelines>(found);
    return test::untyped(create);
  }

  static inline std::vector<VkPipelineCache> caches;

 private:
  static VkResult VKAPI_CALL create(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                    const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                                    VkPipeline* pipelines) {
    caches.push_back(cache);
    return create_(device, cache, count, infos, allocator, pipelines);
  }

  static inline PFN_vkCreateComputePipelines create_ = nullptr;
};

TEST_F(AdoptedDevices, UseTheCachesOfTheirOwners) {
  const auto create = reinterpret_cast<PFN_vkCreatePipelineCache>(
      vulkan_entry_point()(gpu_device()->instance(), "vkCreatePipelineCache"));
  const auto destroy = reinterpret_cast<PFN_vkDestroyPipelineCache>(
      vulkan_entry_point()(gpu_device()->instance(), "vkDestroyPipelineCache"));
  const VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  DeviceHandles handles = handles_of(*gpu_device());
  handles.get_instance_proc_addr = test::MaskedVulkan<PipelineWatch>::entry_point;
  ASSERT_EQ(create(handles.device, &info, nullptr, &handles.pipeline_cache), VK_SUCCESS);
  PipelineWatch::caches.clear();
  {
    const Device adopted = test::must(Device::adopt(handles));
    EXPECT_EQ(posed(adopted), posed(*gpu_device()));
  }
  EXPECT_FALSE(PipelineWatch::caches.empty());
  EXPECT_THAT(PipelineWatch::caches, testing::Each(handles.pipeline_cache));
  destroy(handles.device, handles.pipeline_cache, nullptr);
}

// Lacks one function, of the instance or of its devices.
struct HiddenFunction {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
    return name == hidden ? nullptr : found;
  }

  static inline std::string hidden;
};

// Has devices with VK_EXT_memory_budget, and a budget.
struct Budgeted {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
    if (name == "vkGetPhysicalDeviceMemoryProperties2") {
      memory_ = reinterpret_cast<PFN_vkGetPhysicalDeviceMemoryProperties2>(found);
      return test::untyped(memory);
    }
    return name == "vkEnumerateDeviceExtensionProperties" ? test::untyped(extensions) : found;
  }

  static inline bool known = true;
  static inline VkDeviceSize left = 0;

 private:
  static VkResult VKAPI_CALL extensions(VkPhysicalDevice, const char*, std::uint32_t* count,
                                        VkExtensionProperties* properties) {
    *count = known ? 1 : 0;
    if (properties != nullptr && known) *properties = {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, 1};
    return VK_SUCCESS;
  }
  static void VKAPI_CALL memory(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2* properties) {
    auto* budgets = static_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(properties->pNext);
    EXPECT_EQ(budgets != nullptr, known);
    properties->pNext = nullptr;
    memory_(physical, properties);
    properties->pNext = budgets;
    if (budgets == nullptr) return;
    std::fill_n(budgets->heapBudget, VK_MAX_MEMORY_HEAPS, VkDeviceSize{1} << 30);
    std::fill_n(budgets->heapUsage, VK_MAX_MEMORY_HEAPS, (VkDeviceSize{1} << 30) - left);
  }

  static inline PFN_vkGetPhysicalDeviceMemoryProperties2 memory_ = nullptr;
};

TEST_F(AdoptedDevices, StayWithinTheMemoryBudget) {
  DeviceHandles handles = handles_of(*gpu_device());
  handles.get_instance_proc_addr = test::MaskedVulkan<Budgeted>::entry_point;
  Budgeted::known = true;
  const Device device = test::must(Device::adopt(handles));
  Budgeted::left = VkDeviceSize{1} << 20;
  const MemoryHeap heap = device.memory_heaps().front();
  EXPECT_EQ(heap.budget, VkDeviceSize{1} << 30);
  EXPECT_EQ(*heap.budget - heap.usage, Budgeted::left);
  EXPECT_FALSE(posed(device).empty()) << "blocks are as small as the budget asks";
  Budgeted::left = 100;
  const Result<Buffer> buffer =
      Buffer::create(device, {.size = 4096, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, .name = "too much"});
  ASSERT_FALSE(buffer);
  EXPECT_THAT(buffer.error().message, testing::AllOf(HasSubstr("too much"), HasSubstr("memory budget")));

  Budgeted::known = false;
  const Device unknown = test::must(Device::adopt(handles));
  EXPECT_FALSE(unknown.memory_heaps().front().budget);
  EXPECT_GT(unknown.memory_heaps().front().size, 0u);
  EXPECT_FALSE(posed(unknown).empty());
}

// As if the instance were made for a Vulkan before 1.1.
TEST_F(AdoptedDevices, NeedTheFunctionsThatCrowdsCall) {
  DeviceHandles handles = handles_of(*gpu_device());
  handles.get_instance_proc_addr = test::MaskedVulkan<HiddenFunction>::entry_point;
  const std::string of_instance[] = {"vkGetPhysicalDeviceProperties2",           "vkGetPhysicalDeviceMemoryProperties",
                                     "vkGetPhysicalDeviceMemoryProperties2",     "vkEnumerateDeviceExtensionProperties",
                                     "vkGetPhysicalDeviceQueueFamilyProperties", "vkGetDeviceProcAddr"};
  const std::string of_device[] = {"vkCmdPipelineBarrier", "vkCmdDispatchIndirect", "vkQueueSubmit"};
  const auto refused = [&](const std::string& name) {
    HiddenFunction::hidden = name;
    const Result<Device> device = Device::adopt(handles);
    ASSERT_TRUE(test::refused(device, ErrorCode::kUnsupported, "lacks " + name + ":")) << name;
    EXPECT_THAT(device.error().message, HasSubstr("apiVersion 1.1"));
  };
  for (const std::string& name : of_device) refused(name);
  for (const std::string& name : of_instance) {
    refused(name);
    const DeviceDescription description =
        describe_device(handles.get_instance_proc_addr, handles.instance, handles.physical);
    EXPECT_THAT(description.missing, testing::ElementsAre(name));
  }
  // Functions that crowds do not call may be missing.
  for (const char* name :
       {"vkCmdBeginRendering", "vkCmdPipelineBarrier2", "vkQueueSubmit2", "vkGetPhysicalDeviceFeatures2",
        "vkCreateSampler", "vkCmdBeginDebugUtilsLabelEXT", "vkCreateDevice"}) {
    HiddenFunction::hidden = name;
    const Device adopted = test::must(Device::adopt(handles));
    EXPECT_EQ(posed(adopted), posed(*gpu_device()));
  }
  HiddenFunction::hidden.clear();
}

// Two devices, and on each two crowds that two threads pose and record.
TEST_F(AdoptedDevices, WorkSideBySide) {
  const Device second = test::must(Device::create(test::validated_options()));
  const std::array<const Device*, 2> devices{&*gpu_device(), &second};
  const std::vector<glm::vec3> expected = posed(*gpu_device());
  std::array<std::optional<GpuCharacters>, 2> uploaded;
  for (std::size_t d = 0; d < 2; ++d) uploaded[d].emplace(test::must(upload(*devices[d], *character_)));
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Device& device = *devices[t % 2];
      Result<Crowd> crowd = Crowd::create(device, *uploaded[t % 2], {.instances = {3}});
      for (int frame = 0; crowd && frame < 5; ++frame) {
        if (!run(device, *crowd)) return;
      }
      const Result<InstanceVertices> vertices = read_vertices(device, *crowd, 2);
      if (vertices && vertices->positions == expected) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

}  // namespace
}  // namespace pelt::runtime
