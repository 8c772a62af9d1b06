// SPDX-License-Identifier: MIT
#include "runtime/crowd_checks.h"

#include <algorithm>
#include <span>
#include <vector>

#include <pelt/frame.h>
#include <pelt/try.h>

#include "engine/character/core/formatted.h"
#include "engine/character/core/invalid.h"
#include "runtime/crowd_plan.h"
#include "shaders/blend/blend.h"

namespace pelt::runtime {
namespace {

// Checks the alignment of buffers that the caller supplies.
Result<void> check_inputs(const CrowdOptions& options, VkDeviceSize alignment) {
  const struct {
    const BufferPlace& place;
    const char* name;
  } places[] = {{options.joints, "joint matrices"},
                {options.inputs, "inputs"},
                {options.visible, "visible instances"},
                {options.drawn, "drawn instances"}};
  for (const auto& [place, name] : places) {
    if (place.buffer == VK_NULL_HANDLE || place.offset % alignment == 0) continue;
    return invalid("a crowd's {} are at offset {}, which is no multiple of {} (minStorageBufferOffsetAlignment)", name,
                   place.offset, alignment);
  }
  return {};
}

// A stream of the crowd, which is bound as one range.
struct CrowdStream {
  const char* name;
  std::uint64_t bytes;
};

// Checks that the device can bind each stream of the crowd at once.
Result<void> check_streams(std::span<const CrowdStream> streams, std::uint64_t instances, const Device& device,
                           const std::string& label) {
  const std::uint64_t most = device.limits().maxStorageBufferRange;
  const auto largest = std::max_element(streams.begin(), streams.end(),
                                        [](const CrowdStream& a, const CrowdStream& b) { return a.bytes < b.bytes; });
  if (largest->bytes <= most) return {};
  // If characters differ, this is an estimate; for a single character it is exact.
  const auto fit = static_cast<std::uint64_t>(static_cast<double>(instances) * static_cast<double>(most) /
                                              static_cast<double>(largest->bytes));
  return fail(ErrorCode::kUnsupported,
              formatted("{} instances of {} do not fit: {} binds at most {} bytes at once, which holds the {} of {}",
                        instances, label, device.description().name, most, largest->name, fit));
}

}  // namespace

PaletteRanges palette_ranges(const CrowdCapacity& capacity, VkDeviceSize alignment) {
  PaletteRanges made;
  made.palettes = append_range(made.end, capacity.palette_entries * sizeof(Affine), alignment);
  made.drivers = append_range(made.end, capacity.driver_vertices * sizeof(glm::vec3), alignment);
  return made;
}

VkDeviceSize list_bytes(const CrowdCapacity& capacity) {
  return sizeof(std::uint32_t) + capacity.instances * sizeof(shared::ListEntry);
}

Result<void> check_options(const GpuCharacters::State& gpu, const CrowdCapacity& capacity, const CrowdOptions& options,
                           const Device& device, const std::string& label) {
  if (capacity.instances == 0 || options.frames_in_flight == 0) {
    return invalid("a crowd of {} needs at least one {}", label,
                   capacity.instances == 0 ? "instance" : "frame in flight");
  }
  for (const std::uint64_t number : {capacity.vertices, capacity.palette_entries, capacity.driver_vertices,
                                     capacity.joints, capacity.inputs, capacity.plan_words, capacity.table_words}) {
    if (number >> 48 == 0) continue;  // bytes of it are counted in 64 bits
    return invalid("a crowd of {} is asked for room for {} of something", label, number);
  }
  PELT_TRY(check_outputs(options.outputs));
  PELT_TRY(check_inputs(options, device.limits().minStorageBufferOffsetAlignment));
  const bool in_slots = options.outputs.slots > 1 && options.outputs.previous_positions.format != VertexFormat::kNone;
  if (options.drawn.buffer != VK_NULL_HANDLE && (options.visible.buffer != VK_NULL_HANDLE || in_slots)) {
    return invalid("a crowd of {} has a list of drawn instances, and {}", label,
                   in_slots ? "previous positions in several output slots" : "one of visible instances too");
  }
  if (options.outputs.normal_mode == NormalMode::kRecomputed && !gpu.options.normal_rings) {
    return invalid(
        "a crowd of {} recomputes normals, which characters need to be uploaded for (UploadOptions::normal_rings)",
        label);
  }
  return {};
}

Result<void> check_capacity(const CrowdCapacity& capacity, const OutputLayout& layout, const Device& device,
                            const std::string& label) {
  const VkDeviceSize alignment = device.limits().minStorageBufferOffsetAlignment;
  std::vector<CrowdStream> streams{{"palettes", palette_ranges(capacity, alignment).end},
                                   {"joint matrices", capacity.joints * sizeof(Affine)},
                                   {"inputs", capacity.inputs * sizeof(float)},
                                   {"lists", list_bytes(capacity)},
                                   {"jobs, starts and lists", work_words(capacity) * sizeof(std::uint32_t)}};
  for (const OutputPlaces& places : layout.slots) {
    const BoundOutputs bound = bind_outputs(places, capacity, VK_NULL_HANDLE, alignment);
    streams.push_back({"positions", bound.positions.range.range});
    streams.push_back({"normals", bound.normals.range.range});
    streams.push_back({"tangents", bound.tangents.range.range});
    streams.push_back({"previous positions", bound.previous_positions.range.range});
    streams.push_back({"bounds", bound.bounds.range.range});
  }
  return check_streams(streams, capacity.instances, device, label);
}

}  // namespace pelt::runtime
