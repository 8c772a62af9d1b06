// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cassert>
#include <cstring>
#include <list>
#include <utility>

#include <pelt/normal_rings.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>
#include <pelt/try.h>

#include "engine/binding/morphs.h"
#include "engine/character/bounds.h"
#include "runtime/device_internals.h"
#include "runtime/gpu_characters.h"

namespace pelt::runtime {
namespace {

// Pieces of host memory that are copied to one range of the buffer, one after the other.
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
  // Pads so that what follows begins at a multiple of its size.
  void pad_to(VkDeviceSize multiple) {
    static constexpr std::byte kZeros[64] = {};
    const VkDeviceSize missing = (multiple - size % multiple) % multiple;
    assert(missing <= sizeof(kZeros));
    pieces.emplace_back(kZeros, static_cast<std::size_t>(missing));
    size += missing;
  }
};

// Data made for the upload, and kept until its streams are copied.
struct UploadScratch {
  std::vector<BoundsRecords> bounds;                                  // for each character
  std::vector<std::vector<std::vector<std::uint32_t>>> normal_rings;  // for each mesh of each character, or for none
  std::list<std::vector<glm::uvec3>> morph_columns;                   // for each mesh with morph targets
};

// Returns the columns as shaders/morph/morph.h describes them.
std::vector<glm::uvec3> morph_columns(const PackedMorphs& morphs) {
  static_assert(sizeof(glm::uvec3) == shared::kMorphColumnWords * sizeof(std::uint32_t));
  const std::vector<std::uint32_t> places = morph_places(morphs);
  std::vector<glm::uvec3> columns;
  columns.reserve(places.size());
  for (std::size_t c = 0; c < places.size(); ++c) {
    columns.emplace_back(morphs.columns[c].x, places[c], morphs.columns[c].y);
  }
  return columns;
}

Stream collect_rest(GpuCharacters::State& state, UploadScratch& scratch) {
  Stream rest{"rest data", &state.rest};
  const auto count = [&](VkDeviceSize unit) { return static_cast<std::uint32_t>(rest.size / unit); };
  for (GpuCharacters::State::Entry& entry : state.entries) entry.meshes.resize(entry.character->meshes.size());
  const auto for_each_mesh = [&](const auto& visit) {
    for (GpuCharacters::State::Entry& entry : state.entries) {
      for (std::size_t m = 0; m < entry.meshes.size(); ++m) visit(entry.character->meshes[m], entry.meshes[m]);
    }
  };
  using MeshStart = GpuCharacters::State::MeshStart;
  for_each_mesh([&](const CharacterMesh& mesh, MeshStart& start) {
    start.local_point = count(sizeof(glm::vec4));
    rest.append(mesh.binding.local_points);
  });
  rest.pad_to(sizeof(glm::vec3) * 4);
  for_each_mesh([&](const CharacterMesh& mesh, MeshStart& start) {
    start.point = count(sizeof(glm::vec3));
    rest.append(mesh.binding.points);
  });
  rest.pad_to(sizeof(glm::uvec2));
  for_each_mesh([&](const CharacterMesh& mesh, MeshStart& start) {
    start.direction = count(sizeof(glm::uvec2));
    rest.append(mesh.binding.directions);
  });
  for_each_mesh([&](const CharacterMesh& mesh, MeshStart& start) {
    const PackedBinding& binding = mesh.binding;
    start.slice = count(sizeof(std::uint32_t));
    rest.append(binding.slices);
    start.influence = count(sizeof(std::uint32_t));
    rest.append(binding.influences);
    start.gradient = count(sizeof(std::uint32_t));
    rest.append(binding.gradients);
    start.gradient_unit = count(sizeof(float));
    rest.append(binding.gradient_units);
    if (mesh.fit) {
      start.fit_slice = count(sizeof(std::uint32_t));
      rest.append(mesh.fit->slices);
      start.fit_influence = count(sizeof(std::uint32_t));
      rest.append(mesh.fit->influences);
    }
    if (mesh.morphs) {
      start.morph_slice = count(sizeof(std::uint32_t));
      rest.append(mesh.morphs->slices);
      start.morph_column = count(sizeof(std::uint32_t));
      rest.append(scratch.morph_columns.emplace_back(morph_columns(*mesh.morphs)));
      start.morph_offset = count(sizeof(std::uint32_t));
      rest.append(mesh.morphs->offsets);
    }
  });
  return rest;
}

Stream collect_normal_rings(GpuCharacters::State& state, const UploadScratch& scratch) {
  Stream rings{"normal rings", &state.normal_rings};
  for (std::size_t c = 0; c < scratch.normal_rings.size(); ++c) {
    for (std::size_t m = 0; m < scratch.normal_rings[c].size(); ++m) {
      if (scratch.normal_rings[c][m].empty()) continue;
      state.entries[c].meshes[m].normal_ring = static_cast<std::uint32_t>(rings.size / sizeof(std::uint32_t));
      rings.append(scratch.normal_rings[c][m]);
    }
  }
  return rings;
}

std::vector<Stream> collect_streams(GpuCharacters::State& state, UploadScratch& scratch) {
  std::vector<Stream> streams{collect_rest(state, scratch)};
  for (std::size_t kernel = 0; kernel < kPoseKernelCount; ++kernel) {
    Stream records{pose_kernel(static_cast<PoseKernel>(kernel)).name, &state.records[kernel]};
    std::uint32_t next = 0;
    for (GpuCharacters::State::Entry& entry : state.entries) {
      entry.passes.resize(entry.character->passes.size());
      for (std::size_t p = 0; p < entry.passes.size(); ++p) {
        const PalettePass& pass = entry.character->passes[p];
        if (static_cast<std::size_t>(pass.kernel) != kernel) continue;
        entry.passes[p].record = next;
        next += pass.record_count;
        records.append(pass.records);
      }
    }
    streams.push_back(std::move(records));
  }
  Stream tables{"tables", &state.tables};
  for (GpuCharacters::State::Entry& entry : state.entries) {
    for (std::size_t p = 0; p < entry.passes.size(); ++p) {
      entry.passes[p].word = static_cast<std::uint32_t>(tables.size / sizeof(std::uint32_t));
      tables.append(entry.character->passes[p].table);
    }
  }
  streams.push_back(std::move(tables));
  Stream boxes{"boxes", &state.bounds};
  for (std::size_t c = 0; c < state.entries.size(); ++c) {
    GpuCharacters::State::Entry& entry = state.entries[c];
    entry.first_bound = static_cast<std::uint32_t>(boxes.size / sizeof(shared::BoundsRecord));
    const BoundsRecords& bounds = scratch.bounds[c];
    entry.bound_count = bounds.count;
    entry.fit_bound_count = static_cast<std::uint32_t>(bounds.records.size()) - bounds.count;
    boxes.append(bounds.records);
    boxes.append(bounds.entries);
    boxes.pad_to(sizeof(shared::BoundsRecord));
  }
  streams.push_back(std::move(boxes));
  streams.push_back(collect_normal_rings(state, scratch));
  return streams;
}

}  // namespace

GpuCharacters::GpuCharacters(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuCharacters::~GpuCharacters() = default;
GpuCharacters::GpuCharacters(GpuCharacters&&) noexcept = default;
GpuCharacters& GpuCharacters::operator=(GpuCharacters&&) noexcept = default;

std::uint32_t GpuCharacters::size() const { return static_cast<std::uint32_t>(state_->entries.size()); }
const Character& GpuCharacters::character(std::uint32_t number) const { return state_->entries[number].character; }
VkDeviceSize GpuCharacters::bytes() const { return state_->buffer.size(); }

Result<GpuCharacters> GpuCharacters::create(const Device& device, std::span<const Character> characters,
                                            UploadOptions options) {
  if (characters.empty()) return fail(ErrorCode::kInvalidArgument, "there is no character to upload");
  auto state = std::make_unique<State>();
  state->device = &device.internals();
  state->has_normal_rings = options.normal_rings;
  UploadScratch scratch;
  for (const Character& character : characters) {
    state->entries.push_back({.character = character});
    scratch.bounds.push_back(find_bounds_records(*character));
    if (!options.normal_rings) continue;
    std::vector<std::vector<std::uint32_t>>& rings = scratch.normal_rings.emplace_back();
    for (const CharacterMesh& mesh : character->meshes)
      rings.push_back(mesh.control ? std::vector<std::uint32_t>() : find_normal_rings(mesh));
  }
  const std::string label =
      characters.size() == 1 ? "'" + characters[0]->name + "'" : fmt::format("{} characters", characters.size());
  const std::vector<Stream> streams = collect_streams(*state, scratch);
  VkDeviceSize end = 0;
  for (const Stream& stream : streams) {
    if (stream.size > device.limits().maxStorageBufferRange) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("the {} of {} take {} bytes, and {} binds at most {} at once", stream.name, label,
                              stream.size, device.description().name, device.limits().maxStorageBufferRange));
    }
    *stream.range = append_range(end, stream.size, device.limits().minStorageBufferOffsetAlignment);
  }

  PELT_ASSIGN(auto buffer,
              Buffer::create(device, {.size = end,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      .name = "bind data of " + label}));
  PELT_ASSIGN(auto staging, Buffer::create(device, {.size = end,
                                                    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                                    .memory = MemoryUse::kStaging,
                                                    .name = "staging of " + label}));
  for (const Stream& stream : streams) {
    VkDeviceSize offset = stream.range->offset;
    for (const std::span<const std::byte> piece : stream.pieces) {
      if (!piece.empty()) std::memcpy(staging.mapped() + offset, piece.data(), piece.size());
      offset += piece.size();
    }
  }
  staging.flush(0, end);
  state->buffer = std::move(buffer);
  state->staging = std::move(staging);
  return GpuCharacters(std::move(state));
}

void GpuCharacters::record_upload(VkCommandBuffer commands) {
  assert(state_->staging.handle() != VK_NULL_HANDLE);
  const DeviceFunctions& functions = state_->device->functions;
  const VkBufferCopy copy{.size = state_->buffer.size()};
  functions.vkCmdCopyBuffer(commands, state_->staging.handle(), state_->buffer.handle(), 1, &copy);
  memory_barrier(functions, commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                 VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
}

void GpuCharacters::finish_upload() { state_->staging = Buffer(); }

Result<GpuCharacters> upload(const Device& device, std::span<const Character> characters, UploadOptions options) {
  PELT_ASSIGN(auto made, GpuCharacters::create(device, characters, options));
  PELT_TRY(submit_and_wait(device, "upload", [&](VkCommandBuffer commands) { made.record_upload(commands); }));
  made.finish_upload();
  return made;
}

Result<GpuCharacters> upload(const Device& device, const Character& character, UploadOptions options) {
  return upload(device, std::span(&character, 1), options);
}

}  // namespace pelt::runtime
