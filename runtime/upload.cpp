// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "runtime/barriers.h"
#include "runtime/device_internals.h"
#include "runtime/gpu_characters.h"

namespace pelt::runtime {
namespace {

using State = GpuCharacters::State;

Result<void> add_buffer(const Device& device, State& state, VkDeviceSize bytes, const std::string& label) {
  bytes = std::min<VkDeviceSize>(bytes, device.limits().maxStorageBufferRange) / BindData::kAlignment *
          BindData::kAlignment;
  PELT_ASSIGN(auto buffer,
              Buffer::create(device, {.size = bytes,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      .name = "bind data of " + label}));
  const std::lock_guard lock(state.mutex);
  state.buffers.push_back({std::move(buffer), FreeRanges(bytes)});
  return {};
}

// Takes a block for the entry in the first buffer that has room.
bool take_block(State& state, VkDeviceSize bytes, State::Entry& entry) {
  const std::lock_guard lock(state.mutex);
  for (entry.bind_buffer = 0; entry.bind_buffer < state.buffers.size(); ++entry.bind_buffer) {
    const std::optional<std::uint64_t> begin = state.buffers[entry.bind_buffer].free.take(bytes, BindData::kAlignment);
    if (!begin) continue;
    entry.block = {*begin, bytes};
    return true;
  }
  return false;
}

// Adds a character with its derived data. `room`: least size of a further buffer. The mutex is not locked while memory
// is allocated and written, so that frames may record uploads meanwhile.
Result<std::uint32_t> add_found(const Device& device, State& state, const Character& character, const BindData& found,
                                VkDeviceSize room) {
  const std::string label = "'" + character->name + "'";
  if (found.bytes() > device.limits().maxStorageBufferRange) {
    return fail(ErrorCode::kUnsupported,
                formatted("the bind data of {} take {} bytes; {} binds at most {} at once", label, found.bytes(),
                          device.description().name, device.limits().maxStorageBufferRange));
  }
  State::Entry entry{{.character = character}};
  PELT_ASSIGN(entry.staging, Buffer::create(device, {.size = found.bytes(),
                                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                                     .memory = MemoryUse::kStaging,
                                                     .name = "staging of " + label}));
  while (!take_block(state, found.bytes(), entry))
    PELT_TRY(add_buffer(device, state, std::max(found.bytes(), room), label));
  const auto give_back = [&](State* from) {
    const std::lock_guard lock(from->mutex);
    from->buffers[entry.bind_buffer].free.give_back(entry.block.offset, entry.block.size);
  };
  std::unique_ptr<State, decltype(give_back)> block_without_entry(&state, give_back);
  static_cast<PlacedCharacter&>(entry) = found.write(entry.bind_buffer, entry.block.offset, entry.staging.mapped());
  entry.staging.flush(0, found.bytes());
  const std::lock_guard lock(state.mutex);
  const auto unused = std::find(state.entries.begin(), state.entries.end(), std::nullopt);
  const auto number = static_cast<std::uint32_t>(unused - state.entries.begin());
  if (unused == state.entries.end()) state.entries.emplace_back();
  state.entries[number] = std::move(entry);
  static_cast<void>(block_without_entry.release());
  return number;
}

Result<std::unique_ptr<State>> make_state(const Device& device, std::span<const Character> characters,
                                          UploadOptions options) {
  if (characters.empty() && options.capacity < BindData::kAlignment) {
    return fail(ErrorCode::kInvalidArgument,
                formatted("there is no character to upload, and a capacity of {} bytes is too small for one",
                          options.capacity));
  }
  auto state = std::make_unique<State>();
  state->device = &device.internals();
  state->options = options;
  std::vector<BindData> found;
  VkDeviceSize bytes = 0;
  for (const Character& character : characters) bytes += found.emplace_back(character, options.tension).bytes();
  const std::string label =
      characters.size() == 1 ? "'" + characters[0]->name + "'" : formatted("{} characters", characters.size());
  state->options.capacity = std::max(bytes, options.capacity);
  PELT_TRY(add_buffer(device, *state, state->options.capacity, label));
  for (std::size_t c = 0; c < characters.size(); ++c) {
    PELT_TRY(add_found(device, *state, characters[c], found[c], bytes));
    bytes -= found[c].bytes();
  }
  return state;
}

// Returns the barrier from a block's copies to compute reads. Between two families it describes both halves of an
// ownership transfer: each queue clears the other's half and records its own.
VkBufferMemoryBarrier2 block_barrier(VkBuffer buffer, BufferRange block, UploadFamilies families) {
  return {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
          .srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT,
          .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
          .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
          .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
          .srcQueueFamilyIndex = families.transfer,
          .dstQueueFamilyIndex = families.compute,
          .buffer = buffer,
          .offset = block.offset,
          .size = block.size};
}

VkDeviceSize sum_of(State& state, std::uint64_t (FreeRanges::*bytes)() const) {
  const std::lock_guard lock(state.mutex);
  VkDeviceSize sum = 0;
  for (const State::BindBuffer& buffer : state.buffers) sum += (buffer.free.*bytes)();
  return sum;
}

}  // namespace

std::string label_of(const GpuCharacters::State& characters) {
  const auto is_there = [](const auto& entry) { return entry.has_value(); };
  const auto first = std::find_if(characters.entries.begin(), characters.entries.end(), is_there);
  const auto count = std::count_if(characters.entries.begin(), characters.entries.end(), is_there);
  return count == 1 ? "'" + (*first)->character->name + "'" : formatted("{} characters", count);
}

GpuCharacters::GpuCharacters(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuCharacters::~GpuCharacters() = default;
GpuCharacters::GpuCharacters(GpuCharacters&&) noexcept = default;
GpuCharacters& GpuCharacters::operator=(GpuCharacters&&) noexcept = default;

std::uint32_t GpuCharacters::size() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::uint32_t>(state_->entries.size());
}
bool GpuCharacters::has(std::uint32_t number) const {
  const std::lock_guard lock(state_->mutex);
  return state_->has(number);
}
const Character& GpuCharacters::character(std::uint32_t number) const {
  const std::lock_guard lock(state_->mutex);
  return state_->entries[number]->character;
}
VkDeviceSize GpuCharacters::bytes() const { return sum_of(*state_, &FreeRanges::size); }
VkDeviceSize GpuCharacters::free_bytes() const { return sum_of(*state_, &FreeRanges::free); }

VkDeviceSize GpuCharacters::bytes_of(const Character& character, UploadOptions options) {
  return BindData(character, options.tension).bytes();
}

Result<GpuCharacters> GpuCharacters::create(const Device& device, std::span<const Character> characters,
                                            UploadOptions options) {
  PELT_ASSIGN(auto state, guard_memory([&] { return make_state(device, characters, options); }));
  return GpuCharacters(std::move(state));
}

Result<std::uint32_t> GpuCharacters::add(const Device& device, const Character& character) {
  if (&device.internals() != state_->device) {
    return invalid("'{}' cannot be added: the characters are on another device", character->name);
  }
  const UploadOptions& options = state_->options;
  return guard_memory(
      [&] { return add_found(device, *state_, character, BindData(character, options.tension), options.capacity); });
}

std::optional<Character> GpuCharacters::State::use(std::uint32_t number) {
  if (!has(number)) return std::nullopt;
  ++entries[number]->crowds;
  return entries[number]->character;
}

void GpuCharacters::State::give_back(std::uint32_t number) {
  const std::lock_guard lock(mutex);
  --entries[number]->crowds;
}

Result<void> GpuCharacters::remove(std::uint32_t number) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->has(number)) return invalid("there is no character {}", number);
  const State::Entry& entry = *state_->entries[number];
  if (entry.crowds > 0) {
    return invalid("character {}, '{}', cannot be removed: {} {} it", number, entry.character->name,
                   entry.crowds == 1 ? "a crowd" : formatted("{} crowds", entry.crowds),
                   entry.crowds == 1 ? "has" : "have");
  }
  state_->buffers[entry.bind_buffer].free.give_back(entry.block.offset, entry.block.size);
  state_->entries[number].reset();
  return {};
}

VkDeviceSize GpuCharacters::record_upload(VkCommandBuffer commands, VkDeviceSize most_bytes, UploadFamilies families) {
  const std::lock_guard lock(state_->mutex);
  const DeviceFunctions& functions = state_->device->functions;
  const auto barrier_on = [&](const VkBufferMemoryBarrier2& barrier) {
    buffer_barriers(functions, commands, {&barrier, 1});
  };
  VkDeviceSize left = 0;
  for (std::optional<State::Entry>& entry : state_->entries) {
    if (!entry || entry->copied == entry->block.size) continue;
    const VkDeviceSize bytes = std::min(most_bytes, entry->block.size - entry->copied);
    const BufferRange part{entry->block.offset + entry->copied, bytes};
    const VkBufferCopy copy{entry->copied, part.offset, bytes};
    const VkBuffer buffer = state_->buffers[entry->bind_buffer].buffer.handle();
    if (bytes > 0) functions.vkCmdCopyBuffer(commands, entry->staging.handle(), buffer, 1, &copy);
    entry->copied += bytes;
    most_bytes -= bytes;
    left += entry->block.size - entry->copied;
    // Each part needs a barrier, because frames that run meanwhile bind the whole buffer. Another family releases a
    // block once, at its end.
    if (families.same()) {
      if (bytes > 0) barrier_on(block_barrier(buffer, part, families));
      entry->acquired = entry->copied == entry->block.size;
    } else if (entry->copied == entry->block.size) {
      VkBufferMemoryBarrier2 barrier = block_barrier(buffer, entry->block, families);
      barrier.dstStageMask = VK_PIPELINE_STAGE_2_NONE;
      barrier.dstAccessMask = VK_ACCESS_2_NONE;
      barrier_on(barrier);
    }
  }
  return left;
}

void GpuCharacters::record_acquire(VkCommandBuffer commands, UploadFamilies families) {
  const std::lock_guard lock(state_->mutex);
  for (std::optional<State::Entry>& entry : state_->entries) {
    if (!entry || entry->acquired || entry->copied < entry->block.size) continue;
    VkBufferMemoryBarrier2 barrier =
        block_barrier(state_->buffers[entry->bind_buffer].buffer.handle(), entry->block, families);
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_NONE;
    barrier.srcAccessMask = VK_ACCESS_2_NONE;
    buffer_barriers(state_->device->functions, commands, {&barrier, 1});
    entry->acquired = true;
  }
}

void GpuCharacters::finish_upload() {
  for (std::uint32_t number = 0; number < size(); ++number) finish_upload(number);
}

void GpuCharacters::finish_upload(std::uint32_t number) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->has(number)) return;
  State::Entry& entry = *state_->entries[number];
  if (entry.copied == entry.block.size) entry.staging = Buffer();
}

Result<GpuCharacters> upload(const Device& device, std::span<const Character> characters, UploadOptions options) {
  return guard_memory([&]() -> Result<GpuCharacters> {
    PELT_ASSIGN(auto made, GpuCharacters::create(device, characters, options));
    PELT_TRY(submit_and_wait(device, "upload", [&](VkCommandBuffer commands) { made.record_upload(commands); }));
    made.finish_upload();
    return made;
  });
}

Result<GpuCharacters> upload(const Device& device, const Character& character, UploadOptions options) {
  return upload(device, std::span(&character, 1), options);
}

}  // namespace pelt::runtime
