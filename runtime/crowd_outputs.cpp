// SPDX-License-Identifier: MIT
#include "runtime/crowd_outputs.h"

#include <algorithm>
#include <string>
#include <utility>

#include <pelt/try.h>

#include "engine/character/base/invalid.h"

namespace pelt::runtime {
namespace {

constexpr std::uint32_t kBoxBytes = 24;
// The least alignment of ranges in the crowd's own buffer: one store writes a normal and a tangent, and a workgroup's
// stores begin with a cache line if the number of vertices allows it.
constexpr VkDeviceSize kStoreAlignment = 128;

std::uint32_t bytes_of(VertexFormat format, std::uint32_t float_bytes) {
  if (format == VertexFormat::kNone) return 0;
  return format == VertexFormat::kFloat ? float_bytes : 4;
}

constexpr StreamFormat stream_format(VertexFormat format) { return static_cast<StreamFormat>(format); }

// `alignment`: of the bound ranges; the shader counts pairs of words from their start.
StreamFormat normal_format(const OutputLocations& places, VkDeviceSize alignment) {
  static_assert(stream_format(VertexFormat::kNone) == StreamFormat::kNone &&
                stream_format(VertexFormat::kFloat) == StreamFormat::kFloat &&
                stream_format(VertexFormat::kOctahedral16) == StreamFormat::kOctahedral16);
  const bool both = places.normals.format == VertexFormat::kOctahedral16 &&
                    places.tangents.format == VertexFormat::kOctahedral16 &&
                    places.tangents.buffer == places.normals.buffer && places.normals.offset % alignment % 8 == 0 &&
                    places.normals.stride % 8 == 0 && places.tangents.stride == places.normals.stride &&
                    places.tangents.offset == places.normals.offset + 4;
  return both ? StreamFormat::kOctahedral16Both : stream_format(places.normals.format);
}

StreamFormat tangent_format(const OutputLocations& places, VkDeviceSize alignment) {
  if (normal_format(places, alignment) == StreamFormat::kOctahedral16Both) return StreamFormat::kNone;
  return stream_format(places.tangents.format);
}

// Positions are written word by word if they and the previous positions are tightly packed.
StreamFormat position_format(const OutputLocations& places) {
  const auto tight = [](const OutputLocation& place) {
    return place.format == VertexFormat::kNone || place.stride == sizeof(glm::vec3);
  };
  return tight(places.positions) && tight(places.previous_positions) ? StreamFormat::kFloatTight : StreamFormat::kFloat;
}

// Returns the bytes from an output's first element to its last; 0: not written.
std::uint64_t bytes_of(const OutputLocations& places, std::size_t attribute, const CrowdCapacity& capacity) {
  const OutputAttribute& info = kOutputAttributes[attribute];
  const OutputLocation& place = places.*info.place;
  const std::uint64_t elements = attribute + 1 == kMaxOutputs ? capacity.instances : capacity.vertices;
  if (place.format == VertexFormat::kNone || elements == 0) return 0;
  return (elements - 1) * place.stride + bytes_of(place.format, info.float_bytes);
}

// Checks the locations of slots 1 and 2. Precondition: outputs.slots is valid.
Result<void> check_slots(const CrowdOutputs& outputs) {
  if (outputs.slots == 1) return {};
  if (outputs.control_meshes) return invalid("a crowd with control meshes must have a single output slot");
  const VertexOutput& previous = outputs.previous_positions;
  if (previous.format != VertexFormat::kNone && (previous.location.buffer != VK_NULL_HANDLE || previous.stride != 0)) {
    return invalid(
        "with {} output slots, a crowd's previous positions are the positions of the slot before: "
        "leave out their location and stride",
        outputs.slots);
  }
  const struct {
    VertexFormat format;
    const BufferLocation& first;
    BufferLocation SlotLocations::*location;
    const char* name;
  } attributes[] = {{outputs.positions.format, outputs.positions.location, &SlotLocations::positions, "positions"},
                    {outputs.normals.format, outputs.normals.location, &SlotLocations::normals, "normals"},
                    {outputs.tangents.format, outputs.tangents.location, &SlotLocations::tangents, "tangents"},
                    {outputs.bounds ? VertexFormat::kFloat : VertexFormat::kNone, outputs.bounds_location,
                     &SlotLocations::bounds, "bounds"}};
  for (const auto& [format, first, location, name] : attributes) {
    if (format == VertexFormat::kNone) continue;
    for (std::uint32_t slot = 1; slot < outputs.slots; ++slot) {
      const BufferLocation& given = outputs.slot_locations[slot - 1].*location;
      if ((given.buffer == VK_NULL_HANDLE) != (first.buffer == VK_NULL_HANDLE)) {
        return invalid("a crowd's {} must be in buffers of the caller's in both slots 0 and {}, or in neither", name,
                       slot);
      }
      if (given.buffer == VK_NULL_HANDLE) continue;
      if (given.offset % 4 != 0) {
        return invalid("a crowd's {} of slot {} are at offset {}, which is not a multiple of 4", name, slot,
                       given.offset);
      }
      for (std::uint32_t other = 0; other < slot; ++other) {
        const BufferLocation& before = other == 0 ? first : outputs.slot_locations[other - 1].*location;
        if (before.buffer == given.buffer && before.offset == given.offset)
          return invalid("a crowd's {} of slots {} and {} have the same location", name, other, slot);
      }
    }
  }
  return {};
}

// Returns the outputs of one slot, as a crowd with a single slot has them.
CrowdOutputs outputs_of_slot(const CrowdOutputs& outputs, std::uint32_t slot) {
  CrowdOutputs result = outputs;
  if (outputs.slots > 1) result.previous_positions.format = VertexFormat::kNone;
  if (slot == 0) return result;
  const SlotLocations& places = outputs.slot_locations[slot - 1];
  result.positions.location = places.positions;
  result.normals.location = places.normals;
  result.tangents.location = places.tangents;
  result.bounds_location = places.bounds;
  return result;
}

// `end`: size of the crowd's own buffer so far.
OutputLocations lay_out_slot(const CrowdOutputs& outputs, const CrowdCapacity& capacity, VkDeviceSize alignment,
                             VkDeviceSize& end) {
  OutputLocations places;
  const auto own_range = [&](std::uint64_t elements, std::uint32_t stride) {
    return append_range(end, elements * stride, alignment).offset;
  };
  const auto place = [&](const VertexOutput& output, std::uint32_t float_bytes) {
    OutputLocation made{output.format, output.location.buffer, output.location.offset, output.stride};
    if (output.format == VertexFormat::kNone) return made;
    if (made.stride == 0) made.stride = bytes_of(output.format, float_bytes);
    if (output.location.buffer == VK_NULL_HANDLE) made.offset = own_range(capacity.vertices, made.stride);
    return made;
  };
  places.positions = place(outputs.positions, 12);
  places.previous_positions = place(outputs.previous_positions, 12);
  // Interleaves both in the crowd's own buffer, so that one store writes both.
  const VertexOutput& normals = outputs.normals;
  const VertexOutput& tangents = outputs.tangents;
  const auto may_interleave = [](const VertexOutput& output) {
    return output.location.buffer == VK_NULL_HANDLE && output.format == VertexFormat::kOctahedral16 &&
           output.stride == 0;
  };
  if (may_interleave(normals) && may_interleave(tangents)) {
    const VkDeviceSize offset = own_range(capacity.vertices, 8);
    places.normals = {VertexFormat::kOctahedral16, VK_NULL_HANDLE, offset, 8};
    places.tangents = {VertexFormat::kOctahedral16, VK_NULL_HANDLE, offset + 4, 8};
  } else {
    places.normals = place(normals, 12);
    places.tangents = place(tangents, 16);
  }
  if (outputs.bounds) {
    const std::uint32_t stride = outputs.bounds_stride == 0 ? kBoxBytes : outputs.bounds_stride;
    places.bounds = {VertexFormat::kFloat, outputs.bounds_location.buffer, outputs.bounds_location.offset, stride};
    if (outputs.bounds_location.buffer == VK_NULL_HANDLE) places.bounds.offset = own_range(capacity.instances, stride);
  }
  return places;
}

}  // namespace

const OutputAttribute kOutputAttributes[kMaxOutputs] = {
    {"positions", &OutputLocations::positions, 12},
    {"normals", &OutputLocations::normals, 12},
    {"tangents", &OutputLocations::tangents, 16},
    {"previous positions", &OutputLocations::previous_positions, 12},
    {"bounds", &OutputLocations::bounds, kBoxBytes}};

Result<void> check_size(const BufferLocation& location, std::uint64_t bytes, const char* name) {
  if (location.buffer == VK_NULL_HANDLE || location.size >= bytes) return {};
  return invalid("a crowd's {} need {} bytes, but the size of their location is {}", name, bytes, location.size);
}

Result<void> check_outputs(const CrowdOutputs& outputs) {
  if (outputs.slots < 1 || outputs.slots > kMaxOutputSlots) {
    return invalid("a crowd's outputs have 1 to {} slots, not {}", kMaxOutputSlots, outputs.slots);
  }
  const struct {
    const VertexOutput& output;
    const char* name;
    bool direction;
    std::uint32_t float_bytes;
  } attributes[] = {{outputs.positions, "positions", false, 12},
                    {outputs.normals, "normals", true, 12},
                    {outputs.tangents, "tangents", true, 16},
                    {outputs.previous_positions, "previous positions", false, 12}};
  for (const auto& [output, name, direction, float_bytes] : attributes) {
    if (output.format == VertexFormat::kNone) continue;
    if (output.format > VertexFormat::kOctahedral16) return invalid("a crowd's {} have an unknown format", name);
    if (!direction && output.format != VertexFormat::kFloat)
      return invalid("a crowd's {} must have the format kFloat", name);
    if (output.location.offset % 4 != 0 || output.stride % 4 != 0) {
      return invalid("a crowd's {} are at offset {} with stride {}; both must be multiples of 4", name,
                     output.location.offset, output.stride);
    }
    if (output.stride != 0 && output.stride < bytes_of(output.format, float_bytes)) {
      return invalid("a crowd's {} take {} bytes, more than their stride of {}", name,
                     bytes_of(output.format, float_bytes), output.stride);
    }
  }
  if (outputs.previous_positions.format != VertexFormat::kNone && outputs.positions.format == VertexFormat::kNone) {
    return invalid("a crowd's previous positions need positions");
  }
  if (outputs.previous_positions.format != VertexFormat::kNone && outputs.control_meshes) {
    return invalid("a crowd's previous positions cannot be combined with control meshes");
  }
  if (outputs.normal_mode == NormalMode::kRecomputed) {
    if (outputs.positions.format == VertexFormat::kNone) return invalid("a crowd's recomputed normals need positions");
    if (outputs.normals.format == VertexFormat::kNone)
      return invalid("a crowd cannot recompute normals that it does not write");
  } else if (outputs.normal_mode != NormalMode::kBlended) {
    return invalid("a crowd's normals have an unknown mode");
  }
  if (outputs.bounds && (outputs.bounds_location.offset % 4 != 0 || outputs.bounds_stride % 4 != 0)) {
    return invalid("a crowd's bounds are at offset {} with stride {}; both must be multiples of 4",
                   outputs.bounds_location.offset, outputs.bounds_stride);
  }
  if (outputs.bounds && outputs.bounds_stride != 0 && outputs.bounds_stride < kBoxBytes) {
    return invalid("a crowd's bounds take {} bytes, more than their stride of {}", kBoxBytes, outputs.bounds_stride);
  }
  return check_slots(outputs);
}

OutputLayout lay_out(const CrowdOutputs& outputs, const CrowdCapacity& capacity, VkDeviceSize alignment) {
  OutputLayout layout;
  for (std::uint32_t slot = 0; slot < outputs.slots; ++slot) {
    layout.slots.push_back(
        lay_out_slot(outputs_of_slot(outputs, slot), capacity, std::max(alignment, kStoreAlignment), layout.end));
  }
  return layout;
}

Result<void> check_sizes(const CrowdOutputs& outputs, const OutputLayout& layout, const CrowdCapacity& capacity) {
  for (std::uint32_t slot = 0; slot < outputs.slots; ++slot) {
    const CrowdOutputs wanted = outputs_of_slot(outputs, slot);
    const BufferLocation* const locations[kMaxOutputs] = {&wanted.positions.location, &wanted.normals.location,
                                                          &wanted.tangents.location,
                                                          &wanted.previous_positions.location, &wanted.bounds_location};
    for (std::size_t a = 0; a < kMaxOutputs; ++a)
      PELT_TRY(check_size(*locations[a], bytes_of(layout.slots[slot], a, capacity), kOutputAttributes[a].name));
  }
  return {};
}

std::vector<OutputRange> output_ranges(const OutputLocations& places, const CrowdCapacity& capacity) {
  std::vector<OutputRange> ranges;
  for (std::size_t a = 0; a < kMaxOutputs; ++a) {
    const OutputLocation& place = places.*kOutputAttributes[a].place;
    const std::uint64_t bytes = bytes_of(places, a, capacity);
    if (bytes > 0) ranges.push_back({place.buffer, {place.offset, bytes}});
  }
  std::sort(ranges.begin(), ranges.end(), [](const OutputRange& a, const OutputRange& b) {
    return std::pair(a.buffer, a.range.offset) < std::pair(b.buffer, b.range.offset);
  });
  std::vector<OutputRange> merged;
  for (const OutputRange& next : ranges) {
    if (!merged.empty() && merged.back().buffer == next.buffer) {
      BufferRange& last = merged.back().range;
      if (next.range.offset < last.offset + last.size) {
        last.size = std::max(last.size, next.range.offset + next.range.size - last.offset);
        continue;
      }
    }
    merged.push_back(next);
  }
  return merged;
}

BoundOutputs bind_outputs(const OutputLocations& places, const CrowdCapacity& capacity, VkBuffer nothing,
                          VkDeviceSize alignment) {
  BoundOutputs made;
  OutputStream* const streams[kMaxOutputs] = {&made.streams.positions, &made.streams.normals, &made.streams.tangents,
                                              &made.streams.previous_positions, &made.streams.bounds};
  const StreamFormat formats[kMaxOutputs] = {position_format(places), normal_format(places, alignment),
                                             tangent_format(places, alignment), StreamFormat::kFloat,
                                             StreamFormat::kFloat};
  for (std::size_t a = 0; a < kMaxOutputs; ++a) {
    std::uint64_t bytes = bytes_of(places, a, capacity);
    if (bytes == 0) {
      made.ranges[a] = {nothing, 0, 4};
      continue;
    }
    if (formats[a] == StreamFormat::kOctahedral16Both) bytes += 4;  // the tangent of the last vertex
    const OutputLocation& place = places.*kOutputAttributes[a].place;
    const VkDeviceSize begin = place.offset / alignment * alignment;
    made.ranges[a] = {place.buffer, begin, place.offset - begin + bytes};
    *streams[a] = {static_cast<std::uint32_t>((place.offset - begin) / 4), place.stride / 4, formats[a]};
  }
  return made;
}

}  // namespace pelt::runtime
