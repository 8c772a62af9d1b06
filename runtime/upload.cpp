// SPDX-License-Identifier: MIT
#include "runtime/upload.h"

#include <fmt/format.h>

#include "runtime/gpu_character.h"
#include "runtime/transfer.h"

namespace pelt::runtime {
namespace {

// Pieces of host memory that follow each other in one range of the buffer.
struct Stream {
  const char* name;
  BufferRange* range;
  VkDeviceSize size = 0;
  std::vector<std::span<const std::byte>> pieces = {};

  template <class T>
  void append(const std::vector<T>& values) {
    pieces.push_back(std::as_bytes(std::span(values)));
    size += pieces.back().size();
  }
};

std::vector<Stream> collect_streams(const CharacterData& data, GpuCharacter::State& state) {
  Stream points{"points", &state.points};
  Stream directions{"directions", &state.directions};
  Stream rows{"rows", &state.rows};
  // In front, so that each is at a multiple of its size.
  for (const CharacterMesh& mesh : data.meshes) rows.append(mesh.binding.local_points);
  for (const CharacterMesh& mesh : data.meshes) {
    points.append(mesh.binding.points);
    directions.append(mesh.binding.directions);
    rows.append(mesh.binding.slices);
    rows.append(mesh.binding.influences);
    rows.append(mesh.binding.slope_slices);
    rows.append(mesh.binding.slopes);
  }
  std::vector<Stream> streams{std::move(points), std::move(directions), std::move(rows)};
  for (std::size_t kernel = 0; kernel < kPoseKernelCount; ++kernel) {
    Stream records{pose_kernel(static_cast<PoseKernel>(kernel)).name, &state.records[kernel]};
    for (const PalettePass& pass : data.passes) {
      if (static_cast<std::size_t>(pass.kernel) == kernel) records.append(pass.records);
    }
    streams.push_back(std::move(records));
  }
  Stream tables{"tables", &state.tables};
  for (const PalettePass& pass : data.passes) tables.append(pass.table);
  streams.push_back(std::move(tables));
  return streams;
}

// Precondition: every stream fits a storage buffer range, so that 32 bits count its elements.
void find_starts(const CharacterData& data, GpuCharacter::State& state) {
  std::uint32_t local_points = 0;
  for (const CharacterMesh& mesh : data.meshes) {
    state.mesh_starts.push_back({.point = mesh.first_vertex, .local_point = local_points});
    local_points += static_cast<std::uint32_t>(mesh.binding.local_points.size());
  }
  std::uint32_t row_word = 4 * local_points;
  for (std::size_t m = 0; m < data.meshes.size(); ++m) {
    const CharacterMesh& mesh = data.meshes[m];
    GpuCharacter::State::MeshStart& start = state.mesh_starts[m];
    start.slice = row_word;
    start.influence = start.slice + static_cast<std::uint32_t>(mesh.binding.slices.size());
    start.slope_slice = start.influence + static_cast<std::uint32_t>(mesh.binding.influences.size());
    start.slope = start.slope_slice + static_cast<std::uint32_t>(mesh.binding.slope_slices.size());
    row_word = start.slope + 2 * static_cast<std::uint32_t>(mesh.binding.slopes.size());
  }
  std::uint32_t word = 0;
  std::array<std::uint32_t, kPoseKernelCount> next_record{};
  for (const PalettePass& pass : data.passes) {
    std::uint32_t& record = next_record[static_cast<std::size_t>(pass.kernel)];
    state.first_records.push_back(record);
    record += pass.record_count;
    state.first_words.push_back(word);
    word += static_cast<std::uint32_t>(pass.table.size());
  }
}

}  // namespace

GpuCharacter::GpuCharacter(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuCharacter::~GpuCharacter() = default;
GpuCharacter::GpuCharacter(GpuCharacter&&) noexcept = default;
GpuCharacter& GpuCharacter::operator=(GpuCharacter&&) noexcept = default;

const Character& GpuCharacter::character() const { return state_->character; }
VkDeviceSize GpuCharacter::bytes() const { return state_->buffer.size(); }

Result<GpuCharacter> upload(const Device& device, const Character& character) {
  auto state = std::make_unique<GpuCharacter::State>(GpuCharacter::State{.character = character});
  const std::vector<Stream> streams = collect_streams(*character, *state);
  VkDeviceSize end = 0;
  for (const Stream& stream : streams) {
    if (stream.size > device.limits().maxStorageBufferRange) {
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("the {} of '{}' take {} bytes, and {} binds at most {} at once", stream.name, character->name,
                      stream.size, device.description().name, device.limits().maxStorageBufferRange));
    }
    *stream.range = append_range(end, stream.size, device.limits().minStorageBufferOffsetAlignment);
  }
  find_starts(*character, *state);

  Result<Buffer> buffer =
      Buffer::create(device, {.size = end,
                              .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                              .name = "bind data of '" + character->name + "'"});
  if (!buffer) return tl::unexpected(buffer.error());
  std::vector<BufferWrite> writes;
  for (const Stream& stream : streams) {
    VkDeviceSize offset = stream.range->offset;
    for (const std::span<const std::byte> piece : stream.pieces) {
      writes.push_back({offset, piece});
      offset += piece.size();
    }
  }
  const Result<void> written = write_buffer(device, buffer->handle(), writes);
  if (!written) return tl::unexpected(written.error());
  state->buffer = std::move(*buffer);
  return GpuCharacter(std::move(state));
}

}  // namespace pelt::runtime
