// SPDX-License-Identifier: MIT
#include "samples/engine/culling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <pelt/runtime/transfer.h>
#include <pelt/shaders/crowd_table.h>
#include <pelt/try.h>

#include "samples/engine/shaders/cull.comp.h"

namespace pelt::samples {
namespace {

constexpr std::uint32_t kMaxCharacters = 16;
constexpr std::uint32_t kMaxIndices = 1u << 20;
constexpr std::uint32_t kMaxRest = 1u << 19;  // vertices
constexpr VkDeviceSize kAlignment = 256;      // the largest that a device may ask for

constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;

template <class T>
T* records(const GameBuffer& buffer) {
  return reinterpret_cast<T*>(buffer.mapped());
}

}  // namespace

void set_planes(shared::CullConstants& view, const glm::mat4& clip_from_world) {
  const glm::mat4 rows = glm::transpose(clip_from_world);
  const glm::vec4 planes[] = {rows[3] + rows[0], rows[3] - rows[0], rows[3] + rows[1],
                              rows[3] - rows[1], rows[2],           rows[3] - rows[2]};
  for (int i = 0; i < 6; ++i) view.planes[i] = planes[i] / glm::length(glm::vec3(planes[i]));
}

Result<Culling> Culling::create(const GameDevice& device, std::uint32_t instances) {
  Culling made;
  made.instances_ = instances;
  made.most_draws_ = shared::kMaxMeshes * instances;
  const std::uint32_t limit = device.pelt().limits().maxDrawIndirectCount;
  if (made.most_draws_ > limit) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("{} instances do not fit: the device draws at most {} times per command", instances, limit));
  }
  VkDeviceSize end = 0;
  made.drawn_ =
      runtime::append_range(end, sizeof(std::uint32_t) + sizeof(pelt::shared::ListEntry) * instances, kAlignment);
  for (Slot& slot : made.slots_) {
    slot.counts = runtime::append_range(end, sizeof(shared::CullCounts), kAlignment);
    slot.draws = runtime::append_range(end, sizeof(shared::DrawRecord) * made.most_draws_, kAlignment);
    slot.casts = runtime::append_range(end, sizeof(shared::DrawRecord) * made.most_draws_, kAlignment);
  }
  PELT_ASSIGN(made.written_, GameBuffer::create(device, end,
                                                kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                runtime::MemoryUse::kDeviceLocal, "what culling writes"));
  const std::uint32_t parts = kMaxCharacters * shared::kMaxMeshes;
  PELT_ASSIGN(made.parts_, GameBuffer::create(device, sizeof(shared::PartRecord) * parts, kStorage,
                                              runtime::MemoryUse::kStream, "parts of characters"));
  PELT_ASSIGN(made.indices_,
              GameBuffer::create(device, sizeof(std::uint32_t) * kMaxIndices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
                                 runtime::MemoryUse::kStream, "indices of characters"));
  PELT_ASSIGN(made.rest_, GameBuffer::create(device, sizeof(glm::vec3) * kMaxRest, kStorage,
                                             runtime::MemoryUse::kStream, "skins at rest"));
  PELT_ASSIGN(made.kernel_,
              runtime::ComputeKernel::create(device.pelt(), {.spirv = engine_spirv::cull_comp,
                                                             .storage_buffers = 8,
                                                             .push_constant_bytes = sizeof(shared::CullConstants),
                                                             .name = "culling"}));
  return made;
}

Result<void> Culling::connect(const GameDevice& device, const runtime::Crowd& crowd,
                              std::span<const GameBuffer> walkers) {
  const std::uint32_t slots = runtime::kMaxOutputSlots;
  const std::uint32_t count = static_cast<std::uint32_t>(walkers.size()) * slots;
  PELT_ASSIGN(pool_, runtime::DescriptorPool::create(device.pelt(), count, 8, "culling"));
  const auto part = [&](runtime::BufferRange range) {
    return VkDescriptorBufferInfo{written_.handle(), range.offset, range.size};
  };
  const auto whole = [](const GameBuffer& buffer) { return VkDescriptorBufferInfo{buffer.handle(), 0, VK_WHOLE_SIZE}; };
  for (std::uint32_t frame = 0; frame < count; ++frame) {
    const runtime::OutputLocation& boxes = crowd.outputs(frame % slots).bounds;
    const Slot& slot = slots_[frame % kFramesInFlight];
    const VkDescriptorBufferInfo buffers[] = {
        {boxes.buffer, boxes.offset, VkDeviceSize{boxes.stride} * crowd.instance_count()},
        whole(walkers[frame % walkers.size()]),
        whole(parts_),
        crowd.table(frame),
        part(drawn_),
        part(slot.counts),
        part(slot.draws),
        part(slot.casts)};
    PELT_ASSIGN(const auto set, pool_.make_set(kernel_, buffers));
    sets_.push_back(set);
  }
  for (std::size_t slot = 0; slot < walkers.size(); ++slot) {
    PELT_ASSIGN(auto back, GameBuffer::create(device, sizeof(shared::CullCounts), VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                              runtime::MemoryUse::kReadback, "counts of culling"));
    read_back_.push_back(std::move(back));
  }
  return {};
}

Result<void> Culling::add_character(const GameDevice& device, std::uint32_t number, const CharacterData& character) {
  if (number >= kMaxCharacters) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: the game has no room for more than {} characters", character.name, kMaxCharacters));
  }
  // In the order of the crowd's table.
  std::vector<const CharacterMesh*> meshes;
  for (const CharacterMesh& mesh : character.meshes) meshes.push_back(&mesh);
  for (const SkinLevel& level : character.levels) meshes.push_back(&level.skin);
  std::size_t indices = 0, vertices = 0;
  for (const CharacterMesh* mesh : meshes) {
    indices += mesh->control ? 0 : 3 * mesh->triangles.size();
    vertices += mesh->control ? 0 : mesh->vertex_count();
  }
  if (meshes.size() > shared::kMaxMeshes || index_count_ + indices > kMaxIndices || rest_count_ + vertices > kMaxRest) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "{}: the game has room for {} meshes, {} more indices and {} vertices only, but needs {}, {} and {}",
            character.name, shared::kMaxMeshes, kMaxIndices - index_count_, kMaxRest - rest_count_, meshes.size(),
            indices, vertices));
  }
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    if (meshes[m]->control) continue;  // drivers are not drawn
    const auto words = static_cast<std::uint32_t>(3 * meshes[m]->triangles.size());
    std::memcpy(records<std::uint32_t>(indices_) + index_count_, meshes[m]->triangles.data(),
                words * sizeof(std::uint32_t));
    records<shared::PartRecord>(parts_)[number * shared::kMaxMeshes + m] = {index_count_, words, rest_count_};
    index_count_ += words;
    const std::vector<glm::vec3>& points = meshes[m]->binding.points;
    std::copy(points.begin(), points.end(), records<glm::vec3>(rest_) + rest_count_);
    rest_count_ += meshes[m]->vertex_count();
  }
  for (const GameBuffer* buffer : {&indices_, &parts_, &rest_}) buffer->flush(device);
  return {};
}

void Culling::record(const GameDevice& device, VkCommandBuffer commands, std::uint64_t frame,
                     const shared::CullConstants& view) const {
  const runtime::DeviceFunctions& vk = device.functions();
  // The crowd has read the last frame's list on this queue. The counts were read two frames ago; this queue has waited.
  runtime::memory_barrier(vk, commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT);
  const runtime::BufferRange counts = slots_[frame % kFramesInFlight].counts;
  vk.vkCmdFillBuffer(commands, written_.handle(), counts.offset, counts.size, 0);
  vk.vkCmdFillBuffer(commands, written_.handle(), drawn_.offset, sizeof(std::uint32_t), 0);
  // Make the zeros and the crowd's boxes visible to culling. The crowd orders its second part after culling.
  runtime::memory_barrier(vk, commands, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                          VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                          VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  kernel_.dispatch(commands, sets_[frame % sets_.size()], std::as_bytes(std::span(&view, 1)),
                   (instances_ + shared::kCullGroup - 1) / shared::kCullGroup);
}

void Culling::draw(const GameDevice& device, VkCommandBuffer commands, runtime::BufferRange range,
                   VkDeviceSize count) const {
  const runtime::DeviceFunctions& vk = device.functions();
  vk.vkCmdBindIndexBuffer(commands, indices_.handle(), 0, VK_INDEX_TYPE_UINT32);
  vk.vkCmdDrawIndexedIndirectCount(commands, written_.handle(), range.offset, written_.handle(), count, most_draws_,
                                   sizeof(shared::DrawRecord));
}

void Culling::record_counts(const GameDevice& device, VkCommandBuffer commands, std::uint32_t slot) const {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkBufferCopy copy{slots_[slot].counts.offset, 0, sizeof(shared::CullCounts)};
  vk.vkCmdCopyBuffer(commands, written_.handle(), read_back_[slot].handle(), 1, &copy);
  runtime::memory_barrier(vk, commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
}

shared::CullCounts Culling::counted(const GameDevice& device, std::uint32_t slot) const {
  read_back_[slot].invalidate(device);
  return *records<shared::CullCounts>(read_back_[slot]);
}

Result<std::vector<std::uint32_t>> Culling::read_drawn(const GameDevice& device) const {
  PELT_ASSIGN(const auto bytes, runtime::read_buffer(device.pelt(), written_.handle(), drawn_.offset, drawn_.size));
  const auto* words = reinterpret_cast<const std::uint32_t*>(bytes.data());
  std::vector<std::uint32_t> drawn;
  for (std::uint32_t i = 0; i < words[0]; ++i) drawn.push_back(words[1 + 2 * i]);
  return drawn;
}

Result<std::vector<shared::DrawRecord>> Culling::read_draws(const GameDevice& device, std::uint32_t slot) const {
  PELT_ASSIGN(const auto counts, runtime::read_buffer(device.pelt(), written_.handle(), slots_[slot].counts.offset,
                                                      slots_[slot].counts.size));
  PELT_ASSIGN(const auto bytes, runtime::read_buffer(device.pelt(), written_.handle(), slots_[slot].draws.offset,
                                                     slots_[slot].draws.size));
  const auto* draws = reinterpret_cast<const shared::DrawRecord*>(bytes.data());
  return std::vector<shared::DrawRecord>(draws, draws + *reinterpret_cast<const std::uint32_t*>(counts.data()));
}

}  // namespace pelt::samples
