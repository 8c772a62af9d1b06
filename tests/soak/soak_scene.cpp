// SPDX-License-Identifier: MIT
#include "tests/soak/soak_scene.h"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <pelt/runtime/read_back.h>
#include <pelt/runtime/transfer.h>
#include <pelt/try.h>

#include "tests/soak/counted_vulkan.h"
#include "tests/support/must.h"

namespace pelt::runtime {
namespace {

using test::VulkanCounts;

constexpr std::uint32_t kRound = 256;  // frames in which the crowd fills and empties once

// What the heap may grow by in a round, bytes. The driver compiles shaders when they first run, which makes a round
// grow now and then; a round that leaks does so each time.
constexpr std::size_t kRoundGrowth = 64 << 10;

DeviceOptions counted_options(const LongRun& run) {
  DeviceOptions options;
  options.validation = run.validates();
  options.on_validation_message = [&run](const std::string& message) {
    ADD_FAILURE() << run.place() << ": validation: " << message;
  };
  options.get_instance_proc_addr = test::counted_entry_point;
  return options;
}

}  // namespace

std::uint32_t setting(const char* name, std::uint32_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
}

Scene::Scene(LongRun& run) : run_(run), device_(test::must(Device::create(counted_options(run)))) {
  try {
    make();
  } catch (...) {
    end();
    throw;
  }
}

void Scene::frame() {
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

template <class T>
T Scene::unless_lost(Result<T> result) {
  if (!result && test::device_is_lost()) throw Lost{};
  return test::must(std::move(result));
}

void Scene::unless_lost(VkResult result) {
  if (result == VK_ERROR_DEVICE_LOST) throw Lost{};
  if (result != VK_SUCCESS) throw std::runtime_error("VkResult " + std::to_string(result));
}

template <class Make>
auto Scene::made_by(const Make& make) {
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

std::string Scene::objects() {
  VulkanCounts counts = test::vulkan_counts();
  for (const char* kind : {"Pipeline", "PipelineLayout", "DescriptorSetLayout"}) counts.handles.erase(kind);
  return to_string(counts);
}

void Scene::make() {
  for (Frame& frame : frames_) make_frame(frame);
  // The device keeps the pool of its submissions from the first one on.
  unless_lost(submit_and_wait(device_, "first submission", [](VkCommandBuffer) {}));
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

void Scene::make_frame(Frame& frame) {
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

void Scene::begin(Frame& frame) {
  unless_lost(functions().vkResetCommandPool(device_.handle(), frame.pool, 0));
  const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  unless_lost(functions().vkBeginCommandBuffer(frame.commands, &info));
}

void Scene::submit(Frame& frame) {
  unless_lost(functions().vkEndCommandBuffer(frame.commands));
  const VkSubmitInfo info{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &frame.commands};
  unless_lost(functions().vkQueueSubmit(device_.queue(), 1, &info, frame.fence));
  frame.runs = true;
}

void Scene::wait_for(Frame& frame) {
  if (!frame.runs) return;
  unless_lost(functions().vkWaitForFences(device_.handle(), 1, &frame.fence, VK_TRUE, UINT64_MAX));
  unless_lost(functions().vkResetFences(device_.handle(), 1, &frame.fence));
  frame.runs = false;
}

void Scene::record(Frame& frame) {
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

void Scene::change_instance(bool fills) {
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
      instance.detail = static_cast<Detail>(run_.below(2));
      instance.fades += 2;
      crowd_->detail(number, instance.detail);
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

std::uint32_t Scene::fade(Instance& instance) {
  const std::uint32_t frames = run_.below(4);
  instance.fades += frames + 2;
  return frames;
}

void Scene::acquire() {
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

void Scene::hide_or_show(std::uint32_t number) {
  if (crowd_->is_shown(number)) {
    crowd_->show(number, false);
    if (run_.one_in(2)) crowd_->give_outputs(number);
  } else if (crowd_->take_outputs(number)) {
    crowd_->show(number, true);
  } else {
    ++run_.refusals;
  }
}

void Scene::change_characters(bool fills) {
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
      PELT_TRY(crowd_->prepare(device_, {&character, 1}));
      return characters_->add(device_, character);
    });
  } else if (!fills && !leaving_ && numbers_.size() > 1 && run_.one_in(16)) {
    const std::uint32_t number = std::next(numbers_.begin(), 1 + run_.below(numbers_.size() - 1))->first;
    remove_from_crowd(number);
    leaving_ = {number, number_ - 1};
  }
}

void Scene::go_on_uploading() {
  Uploading& upload = *uploading_;
  if (!upload.number) {
    if (run_.one_in(4)) take_added();
    return;
  }
  if (upload.copied && !crowd_->has_character(*upload.number)) {
    test::must(made_by([&] { return crowd_->add(device_, *upload.number); }));
    numbers_[*upload.number] = upload.cast;
    ++run_.uploads;
  }
  if (upload.copied && is_done(upload.last_frame)) {
    characters_->finish_upload(*upload.number);
    uploading_.reset();
  }
}

void Scene::take_added() {
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

void Scene::remove_from_crowd(std::uint32_t character) {
  for (auto i = instances_.begin(); i != instances_.end();) {
    const bool removed = crowd_->character_of(i->first) == character;
    if (removed) crowd_->release(i->first);
    i = removed ? instances_.erase(i) : std::next(i);
  }
  crowd_->remove(character);
  numbers_.erase(character);
}

void Scene::compare() {
  if (instances_.empty()) return;
  const auto& [number, instance] = *run_.any_of(instances_);
  if (!crowd_->is_shown(number)) return;
  const InstanceVertices vertices =
      unless_lost(made_by([&, n = number] { return read_vertices(device_, *crowd_, n); }));
  const Box box = unless_lost(read_bounds(device_, *crowd_, number));
  const Character& character = run_.cast[instance.cast];
  const bool exact = instance.every == 1 && instance.fades == 0 && !character->clock_input();
  const std::string fault =
      test::fault_of(character, instance, *crowd_, crowd_->character_of(number), vertices, box, exact);
  EXPECT_EQ(fault, "") << run_.place() << ": instance " << number << " of character " << instance.cast
                       << " of the cast";
  ++run_.compared;
}

void Scene::empty_and_compare() {
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
  const test::ProcessCounts process = held_ ? test::process_counts(held_->process.threads) : test::process_counts();
  compare_with_last_time({objects(), test::vulkan_counts().handles["Pipeline"], process});
}

void Scene::compare_with_last_time(const Footprint& now) {
  if (held_) {
    EXPECT_EQ(now.objects, held_->objects) << run_.place();
    EXPECT_EQ(now.process.files, held_->process.files) << run_.place();
    EXPECT_LE(now.process.threads, held_->process.threads) << run_.place();
    if (now.pipelines == held_->pipelines && !run_.validates()) {
      ++run_.steady_rounds;
      if (now.process.heap > held_->process.heap + kRoundGrowth) ++run_.grown_rounds;
    }
  }
  held_ = now;
}

void Scene::end() {
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

}  // namespace pelt::runtime
