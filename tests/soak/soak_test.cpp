// SPDX-License-Identifier: MIT
// A long run: a crowd whose instances and characters come and go, on devices that refuse memory, are lost and are made
// anew. What the crowd writes is what the CPU does, and what the process holds does not grow. PELT_SOAK_SECONDS: how
// long; PELT_SOAK_SEED: the run.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>

#include <pelt/runtime/vulkan_functions.h>

#include "tests/soak/counted_vulkan.h"
#include "tests/soak/process.h"
#include "tests/soak/soak_cast.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"

namespace pelt::runtime {
namespace {

using test::ProcessCounts;
using test::VulkanCounts;

constexpr std::uint32_t kFramesInFlight = 2;
constexpr std::uint32_t kRound = 256;  // frames in which the crowd fills and empties once

// What the heap may grow by, bytes. The validation layer keeps something of every frame, so that scenes without it are
// measured alone. The driver compiles shaders when they first run, which makes a round grow now and then; a round that
// leaks does so each time.
constexpr std::size_t kRoundGrowth = 64 << 10;
constexpr std::size_t kSceneGrowth = 128 << 10;
constexpr std::int64_t kMeanGrowth = 24 << 10;  // of a scene; the loader and the driver keep some 9 kB of each
constexpr std::uint32_t kWholeRun = 60;         // seconds in which everything happens
constexpr std::uint64_t kWarmScenes = 4;        // the loader and the driver keep some of what the first ones make

std::uint32_t setting(const char* name, std::uint32_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
}

struct Lost {};  // thrown where the device is lost

// What all scenes share.
struct LongRun {
  std::uint32_t seed = setting("PELT_SOAK_SEED", 1);
  std::mt19937 random{seed};
  const std::vector<Character> cast = test::soak_cast();
  std::uint32_t seconds = setting("PELT_SOAK_SECONDS", 5);
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::uint64_t frames = 0;
  std::uint64_t scenes = 0;
  std::uint64_t losses = 0;
  std::uint64_t refusals = 0;
  std::uint64_t uploads = 0;
  std::uint64_t compared = 0;
  std::uint64_t steady_rounds = 0;  // without a new pipeline
  std::uint64_t grown_rounds = 0;   // and those of them in which the heap has grown

  // Every second scene runs under validation.
  bool validates() const { return scenes % 2 == 0; }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <class Map>
  auto any_of(Map& map) {
    return std::next(map.begin(), below(map.size()));
  }
  bool goes_on() const { return std::chrono::steady_clock::now() < end && !testing::Test::HasFailure(); }
  std::string place() const {
    return "PELT_SOAK_SEED=" + std::to_string(seed) + ", scene " + std::to_string(scenes) + ", frame " +
           std::to_string(frames);
  }
};

DeviceOptions counted_options(const LongRun& run) {
  DeviceOptions options;
  options.validation = run.validates();
  options.on_validation_message = [&run](const std::string& message) {
    ADD_FAILURE() << run.place() << ": validation: " << message;
  };
  options.get_instance_proc_addr = test::counted_entry_point;
  return options;
}

// A device with characters and a crowd, until it is lost or the scene is over.
class Scene {
 public:
  explicit Scene(LongRun& run) : run_(run), device_(test::must(Device::create(counted_options(run)))) {
    try {
      make();
    } catch (...) {
      end();
      throw;
    }
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() { end(); }

  void frame() {
    ++run_.frames;
    ++number_;
    Frame& frame = frames_[number_ % kFramesInFlight];
    wait_for(frame);
    const bool fills = number_ % kRound < kRound / 2;
    for (int change = 0; change < 6; ++change) change_instance(fills);
    change_characters(fills);
    crowd_->advance(1.0f / 60);
    record(frame);
    if (!uploading_ && run_.one_in(8)) compare();
    if (number_ % kRound == kRound - 1) empty_and_compare();
  }

 private:
  struct Frame {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    bool runs = false;
  };
  struct Instance : test::InstanceState {
    std::uint32_t every = 1;
    std::uint32_t fades = 0;  // frames for which it may fade
  };
  // A character on its way into the crowd.
  struct Uploading {
    std::uint32_t cast = 0;  // its index there
    std::string counts;      // before
    std::future<Result<std::uint32_t>> added;
    std::optional<std::uint32_t> number;
    std::uint64_t last_frame = 0;  // that copied it
    bool copied = false;
  };
  // One on its way out.
  struct Leaving {
    std::uint32_t number;
    std::uint64_t last_frame;  // that may have moved it
  };
  // What there is when the crowd is empty.
  struct Footprint {
    std::string objects;
    std::int64_t pipelines;
    ProcessCounts process;
  };

  template <class T>
  T unless_lost(Result<T> result) {
    if (!result && test::device_is_lost()) throw Lost{};
    return test::must(std::move(result));
  }
  void unless_lost(VkResult result) {
    if (result == VK_ERROR_DEVICE_LOST) throw Lost{};
    if (result != VK_SUCCESS) throw std::runtime_error("VkResult " + std::to_string(result));
  }

  // Calls `make`, now and then with too little memory first, of which nothing must be left.
  template <class Make>
  auto made_by(const Make& make) {
    if (run_.one_in(3)) {
      const std::string before = objects();
      test::refuse_object_in(1 + run_.below(12));
      auto made = make();
      test::refuse_object_in(0);
      if (made) return made;
      ++run_.refusals;
      EXPECT_EQ(objects(), before) << run_.place() << ": " << made.error().message;
    }
    return make();
  }
  // Says what there is, without pipelines: the device has those that were made before one was refused.
  static std::string objects() {
    VulkanCounts counts = test::vulkan_counts();
    for (const char* kind : {"Pipeline", "PipelineLayout", "DescriptorSetLayout"}) counts.handles.erase(kind);
    return to_string(counts);
  }

  void make() {
    for (Frame& frame : frames_) make_frame(frame);
    // Room for the first character and two more.
    UploadOptions uploads{.normal_rings = true};
    uploads.capacity = 3 * GpuCharacters::bytes_of(run_.cast[2], uploads);
    characters_.emplace(
        test::must(made_by([&] { return GpuCharacters::create(device_, std::span(run_.cast).first(1), uploads); })));
    free_bytes_ = characters_->free_bytes();
    numbers_[0] = 0;
    CrowdOptions options{.instances = {0}, .frames_in_flight = kFramesInFlight};
    options.outputs.bounds = true;
    options.outputs.slots = 1 + run_.below(kMaxOutputSlots);
    if (run_.one_in(2)) options.outputs.normal_mode = NormalMode::kRecomputed;
    if (run_.one_in(2)) options.outputs.previous_positions.format = VertexFormat::kFloat;
    if (run_.one_in(2)) options.joint_format = JointFormat::kMatrix3x4;
    for (const Character& character : run_.cast) options.capacity += capacity_of(character, 3, options.outputs);
    options.capacity.vertices /= 3;
    crowd_.emplace(test::must(made_by([&] { return Crowd::create(device_, *characters_, options); })));
    test::must(made_by([&] { return crowd_->prepare(device_, run_.cast); }));
    begin(frames_[0]);
    characters_->record_upload(frames_[0].commands);
    test::lose_device_in(1 + run_.below(run_.one_in(8) ? 4 : 10000));
    submit(frames_[0]);
    wait_for(frames_[0]);
    characters_->finish_upload();
  }

  void make_frame(Frame& frame) {
    const VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .queueFamilyIndex = device_.queue_family()};
    unless_lost(functions().vkCreateCommandPool(device_.handle(), &pool, nullptr, &frame.pool));
    const VkCommandBufferAllocateInfo commands{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = frame.pool,
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 1};
    unless_lost(functions().vkAllocateCommandBuffers(device_.handle(), &commands, &frame.commands));
    const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    unless_lost(functions().vkCreateFence(device_.handle(), &fence, nullptr, &frame.fence));
  }
  void begin(Frame& frame) {
    unless_lost(functions().vkResetCommandPool(device_.handle(), frame.pool, 0));
    const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    unless_lost(functions().vkBeginCommandBuffer(frame.commands, &info));
  }
  void submit(Frame& frame) {
    unless_lost(functions().vkEndCommandBuffer(frame.commands));
    const VkSubmitInfo info{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &frame.commands};
    unless_lost(functions().vkQueueSubmit(device_.queue(), 1, &info, frame.fence));
    frame.runs = true;
  }
  void wait_for(Frame& frame) {
    if (!frame.runs) return;
    unless_lost(functions().vkWaitForFences(device_.handle(), 1, &frame.fence, VK_TRUE, UINT64_MAX));
    unless_lost(functions().vkResetFences(device_.handle(), 1, &frame.fence));
    frame.runs = false;
  }
  // Frames run in order, and this one has waited for the one that had its slot.
  bool is_done(std::uint64_t frame) const { return frame + kFramesInFlight <= number_; }

  void record(Frame& frame) {
    begin(frame);
    if (uploading_ && uploading_->number && !uploading_->copied) {
      uploading_->copied = characters_->record_upload(frame.commands, 500 + run_.below(20000)) == 0;
      uploading_->last_frame = number_;
    }
    crowd_->record(frame.commands);
    submit(frame);
    for (auto& [number, instance] : instances_) {
      if (instance.fades > 0 && instance.every == 1 && crowd_->is_shown(number)) --instance.fades;
    }
  }

  void change_instance(bool fills) {
    const std::uint32_t change = run_.below(9);
    if (instances_.empty() || change < (fills ? 2u : 1u)) return acquire();
    const auto any = run_.any_of(instances_);
    auto& [number, instance] = *any;
    const Character& character = run_.cast[instance.cast];
    switch (change) {
      case 1:
      case 2:
        if (fills) break;
        crowd_->release(number);
        instances_.erase(any);
        break;
      case 3:
        hide_or_show(number);
        break;
      case 4:
        instance.detail = static_cast<Detail>(run_.below(3));
        crowd_->detail(number, instance.detail, fade(instance));
        break;
      case 5:
        instance.level = run_.below(3);
        crowd_->level(number, instance.level, fade(instance));
        break;
      case 6:
        instance.every = run_.one_in(2) ? 1 : run_.below(4);
        instance.fades += 2;
        crowd_->update_every(number, instance.every);
        break;
      default:
        test::pose_at_random(run_.random, character, instance);
        crowd_->pose(number, instance.joints);
        crowd_->inputs(number, instance.inputs);
        if (run_.one_in(4)) crowd_->teleport(number);
    }
  }
  std::uint32_t fade(Instance& instance) {
    const std::uint32_t frames = run_.below(4);
    instance.fades += frames + 2;
    return frames;
  }
  void acquire() {
    const auto [character, cast] = *run_.any_of(numbers_);
    const Result<std::uint32_t> number = crowd_->acquire(character, !run_.one_in(4));
    if (!number) {
      ++run_.refusals;
      EXPECT_EQ(number.error().code, ErrorCode::kUnsupported) << run_.place() << ": " << number.error().message;
      return;
    }
    Instance instance;
    instance.cast = cast;
    test::pose_at_rest(run_.cast[cast], instance);
    EXPECT_TRUE(instances_.emplace(*number, std::move(instance)).second) << run_.place() << ": a number twice";
  }
  void hide_or_show(std::uint32_t number) {
    if (crowd_->is_shown(number)) {
      crowd_->show(number, false);
      if (run_.one_in(2)) crowd_->give_outputs(number);
    } else if (crowd_->take_outputs(number)) {
      crowd_->show(number, true);
    } else {
      ++run_.refusals;
    }
  }

  void change_characters(bool fills) {
    if (leaving_ && is_done(leaving_->last_frame)) {
      characters_->remove(leaving_->number);
      leaving_.reset();
    }
    if (uploading_) {
      go_on_uploading();
    } else if (fills && run_.one_in(8)) {
      const std::uint32_t cast = 1 + run_.below(run_.cast.size() - 1);
      uploading_.emplace(Uploading{.cast = cast, .counts = objects()});
      test::refuse_object_in(run_.below(6));
      uploading_->added = std::async(std::launch::async, [this, cast]() -> Result<std::uint32_t> {
        const Character& character = run_.cast[cast];
        if (Result<void> prepared = crowd_->prepare(device_, {&character, 1}); !prepared)
          return tl::unexpected(prepared.error());
        return characters_->add(device_, character);
      });
    } else if (!fills && !leaving_ && numbers_.size() > 1 && run_.one_in(16)) {
      const std::uint32_t number = std::next(numbers_.begin(), 1 + run_.below(numbers_.size() - 1))->first;
      remove_from_crowd(number);
      leaving_ = {number, number_ - 1};
    }
  }
  void go_on_uploading() {
    Uploading& own = *uploading_;
    if (!own.number) {
      if (run_.one_in(4)) take_added();
      return;
    }
    if (own.copied && !crowd_->has_character(*own.number)) {
      test::must(made_by([&] { return crowd_->add(device_, *own.number); }));
      numbers_[*own.number] = own.cast;
      ++run_.uploads;
    }
    if (own.copied && is_done(own.last_frame)) {
      characters_->finish_upload(*own.number);
      uploading_.reset();
    }
  }
  void take_added() {
    const Result<std::uint32_t> added = uploading_->added.get();
    test::refuse_object_in(0);
    if (added) {
      uploading_->number = *added;
      return;
    }
    ++run_.refusals;
    EXPECT_EQ(objects(), uploading_->counts) << run_.place() << ": " << added.error().message;
    uploading_.reset();
  }
  void remove_from_crowd(std::uint32_t character) {
    for (auto i = instances_.begin(); i != instances_.end();) {
      const bool own = crowd_->character_of(i->first) == character;
      if (own) crowd_->release(i->first);
      i = own ? instances_.erase(i) : std::next(i);
    }
    crowd_->remove(character);
    numbers_.erase(character);
  }

  // Compares an instance that is shown with the CPU.
  void compare() {
    if (instances_.empty()) return;
    const auto& [number, instance] = *run_.any_of(instances_);
    if (!crowd_->is_shown(number)) return;
    const InstanceVertices vertices =
        unless_lost(made_by([&, n = number] { return read_vertices(device_, *crowd_, n); }));
    const Box box = unless_lost(read_bounds(device_, *crowd_, number));
    const Character& character = run_.cast[instance.cast];
    const bool exact =
        instance.every == 1 && instance.fades == 0 && instance.detail != Detail::kReduced && !character->clock_input();
    const std::string fault =
        test::fault_of(character, instance, *crowd_, crowd_->character_of(number), vertices, box, exact);
    EXPECT_EQ(fault, "") << run_.place() << ": instance " << number << " of character " << instance.cast
                         << " of the cast";
    ++run_.compared;
  }

  // Takes everything out of the crowd, and compares what is held with the last time.
  void empty_and_compare() {
    for (Frame& frame : frames_) wait_for(frame);
    if (uploading_ && !uploading_->number) take_added();
    if (uploading_) {
      if (!crowd_->has_character(*uploading_->number)) characters_->remove(*uploading_->number);
      characters_->finish_upload();
      uploading_.reset();
    }
    if (leaving_) characters_->remove(leaving_->number);
    leaving_.reset();
    while (numbers_.size() > 1) {
      const std::uint32_t number = numbers_.rbegin()->first;
      remove_from_crowd(number);
      characters_->remove(number);
    }
    for (const auto& [number, instance] : instances_) crowd_->release(number);
    instances_.clear();
    const CrowdRooms rooms = crowd_->rooms();
    for (const CrowdRoom& room :
         {rooms.instances, rooms.vertices, rooms.palette_entries, rooms.driver_vertices, rooms.joints, rooms.inputs})
      EXPECT_EQ(room.largest_free, room.capacity) << run_.place();
    EXPECT_EQ(characters_->free_bytes(), free_bytes_) << run_.place();
    compare_with_last_time({objects(), test::vulkan_counts().handles["Pipeline"], test::process_counts()});
  }
  void compare_with_last_time(const Footprint& now) {
    if (held_) {
      EXPECT_EQ(now.objects, held_->objects) << run_.place();
      EXPECT_EQ(now.process.files, held_->process.files) << run_.place();
      EXPECT_EQ(now.process.threads, held_->process.threads) << run_.place();
      if (now.pipelines == held_->pipelines && !run_.validates()) {
        ++run_.steady_rounds;
        if (now.process.heap > held_->process.heap + kRoundGrowth) ++run_.grown_rounds;
      }
    }
    held_ = now;
  }

  void end() {
    test::refuse_object_in(0);
    uploading_.reset();  // waits for its thread
    for (const Frame& frame : frames_) {
      if (frame.runs) functions().vkWaitForFences(device_.handle(), 1, &frame.fence, VK_TRUE, UINT64_MAX);
    }
    crowd_.reset();
    characters_.reset();
    for (const Frame& frame : frames_) {
      functions().vkDestroyFence(device_.handle(), frame.fence, nullptr);
      functions().vkDestroyCommandPool(device_.handle(), frame.pool, nullptr);
    }
  }

  const DeviceFunctions& functions() const { return device_.functions(); }

  LongRun& run_;
  Device device_;
  std::array<Frame, kFramesInFlight> frames_;
  std::optional<GpuCharacters> characters_;
  std::optional<Crowd> crowd_;
  VkDeviceSize free_bytes_ = 0;                     // with the first character alone
  std::map<std::uint32_t, std::uint32_t> numbers_;  // of the crowd's characters; their indices in the cast
  std::map<std::uint32_t, Instance> instances_;
  std::optional<Uploading> uploading_;
  std::optional<Leaving> leaving_;
  std::uint64_t number_ = 0;       // of the frame
  std::optional<Footprint> held_;  // the last time
};

void play(LongRun& run) {
  try {
    Scene scene(run);
    for (std::uint32_t frames = run.one_in(3) ? run.below(2000) : UINT32_MAX; frames > 0 && run.goes_on(); --frames)
      scene.frame();
  } catch (const Lost&) {
    ++run.losses;
  } catch (const std::exception& error) {
    ADD_FAILURE() << run.place() << ": " << error.what();
  }
  test::lose_device_in(0);
  ++run.scenes;
  EXPECT_EQ(to_string(test::vulkan_counts()), to_string(VulkanCounts{})) << run.place();
}

TEST(Soak, HoldsWhatItHeld) {
  if (const Result<Device> device = Device::create(); !device) PELT_SKIP(device.error().message);
  LongRun run;
  ProcessCounts before = test::process_counts();
  std::int64_t growth = 0;  // bytes of heap, over the warm scenes without validation
  std::int64_t warm = 0;    // their number
  while (run.goes_on()) {
    std::cout << run.place() << std::endl;  // a crash has no other report
    const bool validates = run.validates();
    play(run);
    const ProcessCounts now = test::process_counts();
    if (run.scenes > kWarmScenes) {
      EXPECT_EQ(now.files, before.files) << run.place();
      EXPECT_EQ(now.threads, before.threads) << run.place();
      if (!validates) {
        EXPECT_LE(now.heap, before.heap + kSceneGrowth) << run.place();
        growth += static_cast<std::int64_t>(now.heap) - static_cast<std::int64_t>(before.heap);
        ++warm;
      }
    }
    before = now;
  }
  EXPECT_LE(growth, static_cast<std::int64_t>(kSceneGrowth) + warm * kMeanGrowth)
      << run.place() << ": the heap grows scene by scene";
  EXPECT_LE(4 * run.grown_rounds, run.steady_rounds + 4) << run.place() << ": the heap grows round by round";
  EXPECT_GT(run.compared, 0u);
  if (run.seconds >= kWholeRun) {
    EXPECT_GT(warm, 0);
    EXPECT_GT(run.steady_rounds, 0u);
    EXPECT_GT(run.losses, 0u);
    EXPECT_GT(run.refusals, 0u);
    EXPECT_GT(run.uploads, 0u);
  }
  std::cout << run.place() << ": " << run.losses << " devices lost, " << run.refusals << " refusals, " << run.uploads
            << " uploads, " << run.compared << " comparisons; " << run.grown_rounds << " of " << run.steady_rounds
            << " rounds grew, " << warm << " warm scenes by " << growth << " bytes; " << to_string(before) << '\n';
}

}  // namespace
}  // namespace pelt::runtime
