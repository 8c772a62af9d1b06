// SPDX-License-Identifier: MIT
#include "samples/engine/engine.h"

#include <algorithm>
#include <chrono>

#include <pelt/try.h>

#include "samples/engine/props.h"

namespace pelt::samples {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kOutputSlots = 3;        // the next frame is computed while one is drawn with its motion
constexpr VkDeviceSize kUploadBytes = 64 << 10;  // of a character's upload per frame

constexpr VkDeviceSize kMoreBindData = 8 << 20;  // for the later character

// Returns the capacity of a crowd of walkers whose kinds change at random, with one kind not known yet: half as much
// again as the first walkers take, or a budget, but no more than the device can bind at once. If it is not enough,
// walkers wait (Scene::come).
runtime::CrowdCapacity room_for(std::span<const Character> characters, std::uint32_t walkers,
                                const runtime::CrowdOutputs& outputs, VkDeviceSize range) {
  runtime::CrowdCapacity room;
  const auto each = static_cast<std::uint32_t>(3 * walkers / (2 * characters.size()) + 8);
  for (const Character& character : characters) room += runtime::capacity_of(character, each, outputs);
  const auto at_least = [&](std::uint64_t& number, std::uint64_t of_a_walker, std::uint64_t most) {
    number = std::min(std::max(number, of_a_walker * walkers), most);
  };
  // Positions take 12 bytes per vertex; palette entries (48 bytes) and vertices of drivers share a binding.
  at_least(room.vertices, 4096, range / 12);
  at_least(room.driver_vertices, 512, range / 4 / 12);
  at_least(room.palette_entries, 4096, (range - 12 * room.driver_vertices - 256) / 48);
  at_least(room.joints, 96, range / 48);
  at_least(room.inputs, 64, range / 4);
  room.plan_words += std::uint64_t{64} << 10;
  room.table_words += std::uint64_t{8} << 10;
  room.instances = walkers;
  return room;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(const EngineOptions& options) {
  std::unique_ptr<Engine> made(new Engine);
  PELT_ASSIGN(made->device_, GameDevice::create(options.device));
  made->sizes_ = options.sizes;
  PELT_TRY(made->make_crowd(options));
  PELT_TRY(made->make_slots());
  made->later_ = options.later;
  return made;
}

// Makes the crowd without instances: the scene acquires them.
Result<void> Engine::make_crowd(const EngineOptions& options) {
  std::vector<Walking> cast;
  std::vector<Character> first;
  VkDeviceSize bytes = 0;
  Bounds bounds;
  for (const MakeWalking& make : options.first) {
    PELT_ASSIGN(auto walking, make());
    bytes += runtime::GpuCharacters::bytes_of(walking.character, {.tension = true});
    bounds.add(walking.bounds);
    first.push_back(walking.character);
    cast.push_back(std::move(walking));
  }
  const runtime::Device& pelt = device_->pelt();
  PELT_ASSIGN(auto characters,
              runtime::GpuCharacters::create(pelt, first, {.capacity = bytes + kMoreBindData, .tension = true}));
  characters_.emplace(std::move(characters));
  PELT_ASSIGN(culling_, Culling::create(*device_, options.walkers));

  runtime::CrowdOptions crowd{.instances = std::vector<std::uint32_t>(first.size(), 0),
                              .frames_in_flight = kFramesInFlight,
                              .drawn = culling_.drawn()};
  crowd.outputs.tension.format = runtime::VertexFormat::kSnorm8;
  crowd.outputs.previous_positions.format = runtime::VertexFormat::kFloat;
  crowd.outputs.bounds = true;
  if (options.props) crowd.outputs.anchors.format = runtime::VertexFormat::kFloat;
  crowd.outputs.slots = kOutputSlots;
  crowd.capacity = room_for(first, options.walkers, crowd.outputs, pelt.limits().maxStorageBufferRange);
  PELT_ASSIGN(auto made, runtime::Crowd::create(pelt, *characters_, crowd));
  crowd_.emplace(std::move(made));

  for (std::uint32_t slot = 0; slot < kFramesInFlight; ++slot) {
    PELT_ASSIGN(auto records,
                GameBuffer::create(*device_, sizeof(shared::WalkerRecord) * crowd_->instance_count(),
                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, runtime::MemoryUse::kStream, "walkers"));
    walkers_.push_back(std::move(records));
  }
  PELT_TRY(culling_.connect(*device_, *crowd_, walkers_));
  const std::vector<shared::PropRecord> props =
      options.props ? make_props(first[0]) : std::vector<shared::PropRecord>();
  PELT_ASSIGN(passes_, Passes::create(*device_, sizes_, walkers_, *crowd_, culling_, props));
  const VkExtent2D size = sizes_.picture;
  scene_.emplace(options.walkers, bounds.size().y, bounds.low.y,
                 static_cast<float>(size.width) / static_cast<float>(size.height), options.seldom);
  for (std::uint32_t number = 0; number < cast.size(); ++number) PELT_TRY(add_kind(std::move(cast[number]), number));
  return {};
}

Result<void> Engine::make_slots() {
  const runtime::DeviceFunctions& vk = device_->functions();
  const auto make_pool = [&](std::uint32_t family, Owned<VkCommandPool>& pool,
                             VkCommandBuffer& buffer) -> Result<void> {
    const VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    PELT_ASSIGN(pool, make_object<VkCommandPool>(device_->pelt(), vk.vkCreateCommandPool, vk.vkDestroyCommandPool, info,
                                                 "a command pool"));
    const VkCommandBufferAllocateInfo one{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                          .commandPool = pool.get(),
                                          .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                          .commandBufferCount = 1};
    const VkResult result = vk.vkAllocateCommandBuffers(device_->handle(), &one, &buffer);
    if (result != VK_SUCCESS) return runtime::vulkan_failure("make a command buffer", result);
    return {};
  };
  for (Slot& slot : slots_) {
    PELT_TRY(make_pool(device_->compute_family(), slot.compute_pool, slot.compute));
    PELT_TRY(make_pool(device_->graphics_family(), slot.graphics_pool, slot.graphics));
  }
  PELT_ASSIGN(moved_, Timeline::create(*device_, "compute"));
  PELT_ASSIGN(drawn_, Timeline::create(*device_, "drawing"));
  return {};
}

// Does the slow work for a character on a second thread: makes it, its pipelines and its staging memory.
void Engine::load_later() {
  loading_ = std::async(std::launch::async, [this]() -> Result<Loaded> {
    PELT_ASSIGN(auto walking, later_());
    PELT_TRY(crowd_->prepare(device_->pelt(), std::span(&walking.character, 1)));
    PELT_ASSIGN(const auto number, characters_->add(device_->pelt(), walking.character));
    return Loaded{std::move(walking), number};
  });
}

void Engine::wait_for_later() const {
  if (loading_.valid()) loading_.wait();
}

// Uploads the character from the second thread in parts, and adds it once the last part is on the device.
Result<void> Engine::take_later() {
  if (loading_.valid() && loading_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    PELT_ASSIGN(loaded_, loading_.get());
    uploading_ = true;
  }
  if (uploaded_in_ == 0 || frame_ < uploaded_in_ + kFramesInFlight) return {};
  characters_->finish_upload();
  uploaded_in_ = 0;
  if (!loaded_ || uploading_) return {};
  PELT_TRY(crowd_->add(device_->pelt(), loaded_->number));
  PELT_TRY(add_kind(std::move(loaded_->walking), loaded_->number));
  loaded_.reset();
  statistics_.joined = frame_;
  return {};
}

Result<void> Engine::add_kind(Walking walking, std::uint32_t number) {
  PELT_TRY(culling_.add_character(*device_, number, *walking.character));
  scene_->add_kind({std::move(walking), number});
  return {};
}

Engine::~Engine() {
  if (submitted_ == 0 || !finish()) return;
  // All work is done, so this wait is short: a driver's own threads may keep a timeline a little longer than its value
  // suggests, as those of Mesa's software device do.
  device_->functions().vkDeviceWaitIdle(device_->handle());
}

Result<void> Engine::finish() { return wait_for(submitted_); }

// Waits until a frame is done, and adds its counts and those of earlier frames.
Result<void> Engine::wait_for(std::uint64_t frame) {
  PELT_TRY(drawn_.wait(*device_, frame));
  for (; counted_ < frame; ++counted_) {
    statistics_.last = culling_.counted(*device_, static_cast<std::uint32_t>(counted_ % kFramesInFlight));
    statistics_.drawn += statistics_.last.drawn;
    statistics_.seen += statistics_.last.seen;
    statistics_.draws += statistics_.last.draws + statistics_.last.casts;
  }
  return {};
}

std::uint32_t Engine::barriers() const {
  constexpr std::uint32_t kCulling = 1;
  constexpr std::uint32_t kPasses = 5;
  const std::uint32_t owners = device_->compute_family() == device_->graphics_family() ? 2 : 4;
  return crowd_->passes().barriers + kCulling + owners + kPasses;
}

Result<void> Engine::frame(float seconds, bool capture) {
  const Clock::time_point start = Clock::now();
  const auto slot = static_cast<std::uint32_t>(frame_ % kFramesInFlight);
  // Reuse the memory of this slot once its last frame is done.
  if (frame_ >= kFramesInFlight) PELT_TRY(wait_for(frame_ + 1 - kFramesInFlight));
  ++frame_;
  PELT_TRY(take_later());
  scene_->step(*crowd_, seconds);
  const VkExtent2D size = sizes_.picture;
  frame_record_ = scene_->frame(glm::vec2(size.width, size.height), sizes_.shadow);
  passes_.set_frame(*device_, slot, frame_record_);

  // Drawing waits for compute. Compute waits for the drawing two frames ago, which was the last to read its slots.
  PELT_TRY(record_compute(slot));
  scene_->write_records(reinterpret_cast<shared::WalkerRecord*>(walkers_[slot].mapped()));
  walkers_[slot].flush(*device_);
  PELT_TRY(record_graphics(slot, capture));
  PELT_TRY(submit(*device_, device_->compute_queue(), slots_[slot].compute, drawn_,
                  frame_ - std::min<std::uint64_t>(frame_, 2), moved_, frame_));
  PELT_TRY(submit(*device_, device_->graphics_queue(), slots_[slot].graphics, moved_, frame_, drawn_, frame_));
  submitted_ = frame_;
  if (frame_ == 1 && later_) load_later();

  const double took = std::chrono::duration<double>(Clock::now() - start).count();
  ++statistics_.frames;
  statistics_.seconds += took;
  statistics_.worst_seconds = std::max(statistics_.worst_seconds, took);
  return {};
}

void Engine::begin(const Owned<VkCommandPool>& pool, VkCommandBuffer commands) const {
  const runtime::DeviceFunctions& vk = device_->functions();
  const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  vk.vkResetCommandPool(device_->handle(), pool.get(), 0);
  vk.vkBeginCommandBuffer(commands, &info);
}

Result<void> Engine::end(VkCommandBuffer commands, const char* what) const {
  const VkResult result = device_->functions().vkEndCommandBuffer(commands);
  if (result != VK_SUCCESS) return runtime::vulkan_failure(what, result);
  return {};
}

Result<void> Engine::record_compute(std::uint32_t slot) {
  const VkCommandBuffer commands = slots_[slot].compute;
  runtime::QueueTransfer transfer{
      .frame = frame_ - 1, .compute_family = device_->compute_family(), .reading_family = device_->graphics_family()};
  shared::CullConstants view{.sun = frame_record_.sun};
  set_planes(view, frame_record_.clip_from_world);

  begin(slots_[slot].compute_pool, commands);
  if (uploading_) {
    const VkDeviceSize left = characters_->record_upload(commands, frame_ == 1 ? VK_WHOLE_SIZE : kUploadBytes);
    if (loaded_) ++statistics_.upload_frames;
    uploaded_in_ = frame_;
    uploading_ = left > 0;
  }
  transfer.step = runtime::QueueTransfer::Step::kAcquireBack;
  crowd_->record_transfer(commands, transfer);
  crowd_->record(commands, {.part = runtime::FramePart::kPose, .list = scene_->list()});
  culling_.record(*device_, commands, frame_ - 1, view);
  crowd_->record(commands, {.part = runtime::FramePart::kBlend});
  transfer.step = runtime::QueueTransfer::Step::kRelease;
  crowd_->record_transfer(commands, transfer);
  return end(commands, "record the crowd's commands");
}

Result<void> Engine::record_graphics(std::uint32_t slot, bool capture) {
  const VkCommandBuffer commands = slots_[slot].graphics;
  runtime::QueueTransfer transfer{
      .step = runtime::QueueTransfer::Step::kAcquire,
      .frame = frame_ - 1,
      .compute_family = device_->compute_family(),
      .reading_family = device_->graphics_family(),
      .reading_stages = VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
      .reading_access = VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT};
  begin(slots_[slot].graphics_pool, commands);
  crowd_->record_transfer(commands, transfer);
  passes_.record(*device_, commands, slot, *crowd_, culling_);
  if (capture) passes_.record_capture(*device_, commands);
  culling_.record_counts(*device_, commands, slot);
  transfer.step = runtime::QueueTransfer::Step::kReleaseBack;
  crowd_->record_transfer(commands, transfer);
  return end(commands, "record the passes");
}

}  // namespace pelt::samples
