// SPDX-License-Identifier: MIT
// Costs of a frame that need no clock: the memory it takes, the dispatches and barriers it records. While frames are
// recorded, the device's functions are replaced by ones that only count, since drivers and layers may allocate.
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/crowd_lists.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>

#include "runtime/device_internals.h"
#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/refused_memory.h"
#include "tests/support/aligned.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"
#include "tests/support/swinging.h"
#include "tests/support/tube.h"

using pelt::test::allocation_count;

namespace {

// Allocates without operator new.
template <class T>
struct Plain {
  using value_type = T;
  Plain() = default;
  template <class Other>
  explicit Plain(const Plain<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(std::malloc(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const Plain&) const { return true; }
};

// Memory that refusable threads have taken. Never destroyed, since the program releases memory to its very end.
struct Held {
  std::mutex mutex;
  std::set<void*, std::less<>, Plain<void*>> all;
  std::atomic<std::size_t> size = 0;
};
Held& held() {
  static Held& held = *new (std::malloc(sizeof(Held))) Held;
  return held;
}

bool is_refused() { return pelt::test::refusable && --pelt::test::refuse_in == 0; }

void* counted(void* memory) {
  ++allocation_count;
  if (memory == nullptr) std::abort();
  if (pelt::test::refusable) {
    const std::lock_guard lock(held().mutex);
    held().all.insert(memory);
    held().size = held().all.size();
  }
  return memory;
}

void* allocate(std::size_t size) { return is_refused() ? nullptr : counted(std::malloc(size == 0 ? 1 : size)); }

void* given(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) {
  if (held().size == 0) return;
  const std::lock_guard lock(held().mutex);
  held().all.erase(memory);
  held().size = held().all.size();
}

}  // namespace

std::size_t pelt::test::held_allocations() { return held().size; }

// Replaces operator new and delete of this program; those of arrays call these. If only one of a pair were inlined, GCC
// would see memory of `new` passed to std::free.
#ifdef __GNUC__
#define PELT_NOINLINE [[gnu::noinline]]
#else
#define PELT_NOINLINE
#endif
PELT_NOINLINE void* operator new(std::size_t size) { return given(allocate(size)); }
PELT_NOINLINE void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
PELT_NOINLINE void* operator new(std::size_t size, std::align_val_t alignment) {
  if (is_refused()) throw std::bad_alloc();
  return counted(pelt::test::allocate_aligned(size, static_cast<std::size_t>(alignment)));
}
PELT_NOINLINE void operator delete(void* memory) noexcept {
  release(memory);
  std::free(memory);
}
PELT_NOINLINE void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
PELT_NOINLINE void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
  pelt::test::free_aligned(memory);
}
PELT_NOINLINE void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}

namespace pelt::runtime {
namespace {

// A barrier on a buffer, and the stages of the call that it was in.
struct RecordedBarrier : VkBufferMemoryBarrier {
  VkPipelineStageFlags before = 0;
  VkPipelineStageFlags behind = 0;
};

struct Recorded {
  std::size_t dispatches = 0;
  std::size_t barriers = 0;
  std::size_t fills = 0;
  std::vector<RecordedBarrier> of_buffers = {};
};
Recorded recorded;

// The functions that a frame may call. All others are null: a frame that took device memory or made an object would
// crash the program.
DeviceFunctions counting_functions() {
  DeviceFunctions functions;
  functions.vkCmdBeginDebugUtilsLabelEXT = [](VkCommandBuffer, const VkDebugUtilsLabelEXT*) {};
  functions.vkCmdEndDebugUtilsLabelEXT = [](VkCommandBuffer) {};
  functions.vkCmdBindPipeline = [](VkCommandBuffer, VkPipelineBindPoint, VkPipeline) {};
  functions.vkCmdBindDescriptorSets = [](VkCommandBuffer, VkPipelineBindPoint, VkPipelineLayout, std::uint32_t,
                                         std::uint32_t, const VkDescriptorSet*, std::uint32_t, const std::uint32_t*) {};
  functions.vkCmdFillBuffer = [](VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, std::uint32_t) {
    ++recorded.fills;
  };
  functions.vkCmdPushConstants = [](VkCommandBuffer, VkPipelineLayout, VkShaderStageFlags, std::uint32_t, std::uint32_t,
                                    const void*) {};
  functions.vkCmdDispatch = [](VkCommandBuffer, std::uint32_t, std::uint32_t, std::uint32_t) { ++recorded.dispatches; };
  functions.vkCmdDispatchIndirect = [](VkCommandBuffer, VkBuffer, VkDeviceSize) { ++recorded.dispatches; };
  functions.vkCmdPipelineBarrier = [](VkCommandBuffer, VkPipelineStageFlags before, VkPipelineStageFlags behind,
                                      VkDependencyFlags, std::uint32_t memory_count, const VkMemoryBarrier*,
                                      std::uint32_t buffer_count, const VkBufferMemoryBarrier* of_buffers,
                                      std::uint32_t image_count, const VkImageMemoryBarrier*) {
    recorded.barriers += memory_count + buffer_count + image_count;
    for (std::uint32_t i = 0; i < buffer_count; ++i) recorded.of_buffers.push_back({of_buffers[i], before, behind});
  };
  functions.vkFlushMappedMemoryRanges = [](VkDevice, std::uint32_t, const VkMappedMemoryRange*) { return VK_SUCCESS; };
  return functions;
}

// Makes a device count instead of record, as long as this object lives.
class Counting {
 public:
  explicit Counting(const Device& device)
      : functions_(device.internals().functions), own_(std::exchange(functions_, counting_functions())) {
    recorded = {};
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  ~Counting() { functions_ = own_; }

 private:
  DeviceFunctions& functions_;
  DeviceFunctions own_;
};

class Frames : public testing::Test {
 protected:
  void SetUp() override {
    PELT_REQUIRE_GPU(device_);
    const Model model = test::make_tube();
    joints_ = test::bind_matrices(model);
    for (const char* deformer : {"linear-blend", "surface-ffd", "curve-skeleton", "mos"})
      characters_.push_back(test::bound_by(model, deformer));
    characters_.push_back(test::swinging_tube());
    gpu_.emplace(test::must(upload(*device_, characters_)));
  }

  static CrowdOptions every_output() {
    CrowdOptions options;
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    return options;
  }
  // Makes a crowd of so many instances of each character.
  Crowd make_crowd(std::uint32_t instances, CrowdOptions options = every_output()) {
    options.instances = std::vector<std::uint32_t>(characters_.size(), instances);
    options.outputs.bounds = true;
    return test::must(Crowd::create(*device_, *gpu_, options));
  }

  void pose(Crowd& crowd) const {
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) crowd.pose(i, joints_);
  }

  // Without the validation layer: it would see objects made but never used.
  Result<Device> device_ = Device::create();
  std::vector<Character> characters_;
  std::optional<GpuCharacters> gpu_;
  std::vector<glm::mat4> joints_;
};

TEST_F(Frames, AllocateNothing) {
  Crowd crowd = make_crowd(25);
  CrowdLists lists(crowd.instance_count());
  for (int frame = 0; frame < 3; ++frame) {
    pose(crowd);
    ASSERT_TRUE(run(*device_, crowd, lists.next()));
  }
  const Counting counting(*device_);
  const std::size_t before = allocation_count;
  for (std::uint32_t frame = 0; frame < 10; ++frame) {
    pose(crowd);
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) {
      lists.show(i, (i + frame) % 7 != 0);
      lists.update_every(i, 1 + i % 3);
      lists.detail(i, static_cast<Detail>((i + frame / 4) % 2));
      if ((i + frame) % 5 == 0) lists.teleport(i);
    }
    crowd.advance(1.0f / 60);
    crowd.record(VK_NULL_HANDLE, {.list = lists.next()});
  }
  const std::size_t after = allocation_count;
  EXPECT_EQ(after, before);
  EXPECT_GT(recorded.dispatches, 10 * (crowd.passes().names.size() - 1));
  EXPECT_LE(recorded.dispatches, 10 * crowd.passes().names.size());
  EXPECT_EQ(recorded.barriers, 10 * crowd.passes().barriers);
}

// The state of masses that swing is in the palette, whose memory holds anything at first.
TEST_F(Frames, FillPalettesOnceWhereMassesSwing) {
  Crowd crowd = make_crowd(2);
  const GpuCharacters plain = test::must(upload(*device_, characters_.front()));
  Crowd still = test::must(Crowd::create(*device_, plain));
  const Counting counting(*device_);
  still.record(VK_NULL_HANDLE);
  EXPECT_EQ(recorded.fills, 0u);
  for (int frame = 0; frame < 3; ++frame) crowd.record(VK_NULL_HANDLE);
  EXPECT_EQ(recorded.fills, 1u);
}

// Follows who owns each range of the outputs: what a frame writes is the compute family's, what is read of it and of
// its previous positions the other's, and each release has an acquire of the same ranges.
TEST_F(Frames, TransferTheOutputSlotsThatAreWrittenAndRead) {
  constexpr std::uint32_t kCompute = 3;
  constexpr std::uint32_t kReading = 5;
  for (const auto& [slots, previous] : {std::pair(1u, false), {1u, true}, {2u, false}, {2u, true}, {3u, true}}) {
    CrowdOptions options;
    options.outputs.previous_positions.format = previous ? VertexFormat::kFloat : VertexFormat::kNone;
    options.outputs.slots = slots;
    Crowd crowd = make_crowd(2, options);
    std::map<std::pair<VkBuffer, VkDeviceSize>, std::uint32_t> owners;  // of the range that begins here; none: unused
    const Counting counting(*device_);
    const auto taken = [&] { return std::exchange(recorded, {}).of_buffers; };
    const auto owner = [&](const auto& place) {
      const auto range = owners.find({place.buffer, place.offset});
      return range == owners.end() ? VK_QUEUE_FAMILY_IGNORED : range->second;
    };
    std::vector<RecordedBarrier> released_back;  // of all frames: the compute queue has not acquired them
    for (std::uint32_t frame = 0; frame < 7; ++frame) {
      SCOPED_TRACE(std::to_string(slots) + " slots, frame " + std::to_string(frame));
      using Step = QueueTransfer::Step;
      const auto transfer = [&](Step step) {
        crowd.record_transfer(VK_NULL_HANDLE,
                              {step, frame, kCompute, kReading, VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
                               VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT});
      };
      transfer(Step::kAcquireBack);
      for (const RecordedBarrier& acquired : taken()) {
        EXPECT_EQ(acquired.srcQueueFamilyIndex, kReading);
        EXPECT_EQ(acquired.dstQueueFamilyIndex, kCompute);
        const auto release = std::find_if(released_back.begin(), released_back.end(), [&](const auto& one) {
          return one.offset == acquired.offset && one.size == acquired.size && one.buffer == acquired.buffer;
        });
        ASSERT_NE(release, released_back.end());
        released_back.erase(release);
        owners[{acquired.buffer, acquired.offset}] = kCompute;
      }
      crowd.record(VK_NULL_HANDLE);
      EXPECT_TRUE(taken().empty());
      EXPECT_EQ(owner(crowd.outputs().positions), frame < slots ? VK_QUEUE_FAMILY_IGNORED : kCompute);
      EXPECT_EQ(owner(crowd.outputs().bounds), frame < slots ? VK_QUEUE_FAMILY_IGNORED : kCompute);
      EXPECT_EQ(owner(crowd.table(frame)), frame < 2 ? VK_QUEUE_FAMILY_IGNORED : kCompute) << "2 frames in flight";
      transfer(Step::kRelease);
      const std::vector<RecordedBarrier> released = taken();
      transfer(Step::kAcquire);
      const std::vector<RecordedBarrier> acquired = taken();
      ASSERT_EQ(acquired.size(), released.size());
      EXPECT_FALSE(released.empty());
      for (std::size_t i = 0; i < acquired.size(); ++i) {
        EXPECT_EQ(acquired[i].offset, released[i].offset);
        EXPECT_EQ(acquired[i].size, released[i].size);
        EXPECT_LT(acquired[i].size, VK_WHOLE_SIZE);
        EXPECT_EQ(released[i].srcAccessMask, VK_ACCESS_SHADER_WRITE_BIT);
        EXPECT_EQ(released[i].behind, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
        EXPECT_EQ(acquired[i].before, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
        EXPECT_EQ(acquired[i].behind, VK_PIPELINE_STAGE_VERTEX_INPUT_BIT);
        owners[{acquired[i].buffer, acquired[i].offset}] = kReading;
      }
      EXPECT_EQ(owner(crowd.outputs().positions), kReading);
      EXPECT_EQ(owner(crowd.outputs().bounds), kReading);
      EXPECT_EQ(owner(crowd.table(frame)), kReading);
      if (previous && frame > 0) {
        EXPECT_EQ(owner(crowd.outputs().previous_positions), kReading);
      }
      transfer(Step::kReleaseBack);
      for (const RecordedBarrier& one : taken()) {
        released_back.push_back(one);
        owners[{one.buffer, one.offset}] = VK_QUEUE_FAMILY_IGNORED;
      }
    }
  }
}

// Checks that AllocateNothing can fail.
TEST(Allocations, AreCounted) {
  const std::size_t before = allocation_count;
  ::operator delete(::operator new(1));
  const std::size_t after = allocation_count;
  EXPECT_EQ(after, before + 1);
}

// A list of the caller's needs a planning pass and a barrier after it; a crowd that knows its instances needs neither.
TEST_F(Frames, ArePlannedByAPassOnlyWhereTheCallerHasTheList) {
  const Buffer list = callers_buffer(4096, *device_);
  Crowd host = make_crowd(3);
  Crowd device = make_crowd(3, {.list = rest_of(list)});
  ASSERT_EQ(device.passes().names.size(), host.passes().names.size() + 1);
  EXPECT_EQ(device.passes().names.front(), "plan");
  EXPECT_TRUE(std::equal(host.passes().names.begin(), host.passes().names.end(), device.passes().names.begin() + 1));
  const Counting counting(*device_);
  host.record(VK_NULL_HANDLE);
  EXPECT_EQ(recorded.barriers, host.passes().barriers);
  recorded = {};
  device.record(VK_NULL_HANDLE);
  EXPECT_EQ(recorded.dispatches, device.passes().names.size());
  EXPECT_EQ(recorded.barriers, device.passes().barriers);
  EXPECT_EQ(recorded.barriers, host.passes().barriers + 1);
}

// A queue of another family releases completely copied characters, and the compute queue acquires them, once.
TEST_F(Frames, AcquireWhatAnotherQueueUploads) {
  const UploadFamilies families{.transfer = 3, .compute = 5};
  GpuCharacters gpu = test::must(GpuCharacters::create(*device_, characters_));
  const Counting counting(*device_);
  device_->internals().functions.vkCmdCopyBuffer = [](VkCommandBuffer, VkBuffer, VkBuffer, std::uint32_t,
                                                      const VkBufferCopy*) {};
  const auto taken = [&] { return std::exchange(recorded, {}).of_buffers; };
  const auto covers = [](const std::vector<RecordedBarrier>& barriers) {
    VkDeviceSize bytes = 0;
    for (const RecordedBarrier& barrier : barriers) {
      EXPECT_EQ(barrier.srcQueueFamilyIndex, 3u);
      EXPECT_EQ(barrier.dstQueueFamilyIndex, 5u);
      bytes += barrier.size;
    }
    return bytes;
  };
  VkDeviceSize released = 0;
  VkDeviceSize acquired = 0;
  while (gpu.record_upload(VK_NULL_HANDLE, gpu.bytes() / 5, families) > 0) {
    released += covers(taken());
    gpu.record_acquire(VK_NULL_HANDLE, families);
    acquired += covers(taken());
    EXPECT_EQ(acquired, released);
  }
  for (const RecordedBarrier& barrier : recorded.of_buffers) {
    EXPECT_EQ(barrier.srcAccessMask, VK_ACCESS_TRANSFER_WRITE_BIT);
    EXPECT_EQ(barrier.behind, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
  }
  released += covers(taken());
  gpu.record_acquire(VK_NULL_HANDLE, families);
  for (const RecordedBarrier& barrier : recorded.of_buffers) {
    EXPECT_EQ(barrier.before, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    EXPECT_EQ(barrier.behind, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    EXPECT_EQ(barrier.dstAccessMask, VK_ACCESS_SHADER_READ_BIT);
  }
  acquired += covers(taken());
  EXPECT_EQ(released, gpu.bytes());
  EXPECT_EQ(acquired, gpu.bytes());
  gpu.record_acquire(VK_NULL_HANDLE, families);
  EXPECT_TRUE(taken().empty());
}

TEST_F(Frames, AcquireAndReleaseInstancesWithoutMemory) {
  CrowdOptions options = every_output();
  options.outputs.bounds = true;
  for (const Character& character : characters_) options.capacity += capacity_of(character, 3, options.outputs);
  options.capacity += capacity_of(characters_.front(), 20, options.outputs);
  Crowd crowd = make_crowd(3, options);
  const Counting counting(*device_);
  std::vector<std::uint32_t> taken(20);
  crowd.record(VK_NULL_HANDLE);
  const std::size_t before = allocation_count;
  for (int frame = 0; frame < 4; ++frame) {
    for (std::uint32_t& instance : taken) instance = *crowd.acquire(0);
    crowd.record(VK_NULL_HANDLE);
    for (const std::uint32_t instance : taken) {
      crowd.set_outputs(instance, false);
      EXPECT_TRUE(crowd.set_outputs(instance, true));
    }
    crowd.record(VK_NULL_HANDLE, {.part = FramePart::kPose});
    crowd.record(VK_NULL_HANDLE, {.part = FramePart::kBlend});
    for (const std::uint32_t instance : taken) crowd.release(instance);
  }
  const std::size_t after = allocation_count;
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace pelt::runtime
