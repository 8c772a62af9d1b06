// SPDX-License-Identifier: MIT
#include "runtime/crowd_outputs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <pelt/try.h>

#include "engine/character/base/invalid.h"

namespace pelt::runtime {

const OutputAttribute kOutputAttributes[kMaxOutputs] = {
    {"positions", 12, &OutputLocations::positions, &SlotLocations::positions, &OutputStreams::positions},
    {"normals", 12, &OutputLocations::normals, &SlotLocations::normals, &OutputStreams::normals},
    {"tangents", 16, &OutputLocations::tangents, &SlotLocations::tangents, &OutputStreams::tangents},
    {"previous positions", 12, &OutputLocations::previous_positions, nullptr, &OutputStreams::previous_positions},
    {"bounds", 24, &OutputLocations::bounds, &SlotLocations::bounds, &OutputStreams::bounds},
    {"tension", 4, &OutputLocations::tension, &SlotLocations::tension, &OutputStreams::tension},
    {"anchors", 48, &OutputLocations::anchors, &SlotLocations::anchors, &OutputStreams::anchors}};

namespace {

// Indices of attributes.
constexpr std::size_t kPositions = 0;
constexpr std::size_t kNormals = 1;
constexpr std::size_t kTangents = 2;
constexpr std::size_t kPrevious = 3;
constexpr std::size_t kBounds = 4;
constexpr std::size_t kTension = 5;
constexpr std::size_t kAnchors = 6;

// The least alignment of ranges in the crowd's own buffer: one store writes a normal and a tangent, and a workgroup's
// stores begin with a cache line if the number of vertices allows it.
constexpr VkDeviceSize kStoreAlignment = 128;

std::uint32_t bytes_of(VertexFormat format, std::uint32_t float_bytes) {
  if (format == VertexFormat::kNone) return 0;
  return format == VertexFormat::kFloat ? float_bytes : 4;
}

// Returns an attribute as a slot has it.
VertexOutput output_of(const CrowdOutputs& outputs, std::size_t attribute, std::uint32_t slot) {
  const VertexOutput all[kMaxOutputs] = {
      outputs.positions,
      outputs.normals,
      outputs.tangents,
      outputs.previous_positions,
      {outputs.bounds ? VertexFormat::kFloat : VertexFormat::kNone, outputs.bounds_location, outputs.bounds_stride},
      outputs.tension,
      outputs.anchors};
  VertexOutput made = all[attribute];
  const auto location = kOutputAttributes[attribute].slot_location;
  if (slot > 0 && location != nullptr) made.location = outputs.slot_locations[slot - 1].*location;
  return made;
}

std::uint64_t elements_of(std::size_t attribute, const CrowdCapacity& capacity) {
  if (attribute == kAnchors) return capacity.anchors;
  return attribute == kBounds ? capacity.instances : capacity.vertices;
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
  const std::uint64_t elements = elements_of(attribute, capacity);
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
  for (std::size_t a = 0; a < kMaxOutputs; ++a) {
    const char* name = kOutputAttributes[a].name;
    const VertexOutput first = output_of(outputs, a, 0);
    if (first.format == VertexFormat::kNone || a == kPrevious) continue;
    for (std::uint32_t slot = 1; slot < outputs.slots; ++slot) {
      const BufferLocation given = output_of(outputs, a, slot).location;
      if ((given.buffer == VK_NULL_HANDLE) != (first.location.buffer == VK_NULL_HANDLE)) {
        return invalid("a crowd's {} must be in buffers of the caller's in both slots 0 and {}, or in neither", name,
                       slot);
      }
      if (given.buffer == VK_NULL_HANDLE) continue;
      if (given.offset % 4 != 0) {
        return invalid("a crowd's {} of slot {} are at offset {}, which is not a multiple of 4", name, slot,
                       given.offset);
      }
      for (std::uint32_t other = 0; other < slot; ++other) {
        const BufferLocation before = output_of(outputs, a, other).location;
        if (before.buffer == given.buffer && before.offset == given.offset)
          return invalid("a crowd's {} of slots {} and {} have the same location", name, other, slot);
      }
    }
  }
  return {};
}

// `end`: size of the crowd's own buffer so far.
OutputLocations lay_out_slot(const CrowdOutputs& outputs, std::uint32_t slot, const CrowdCapacity& capacity,
                             VkDeviceSize alignment, VkDeviceSize& end) {
  OutputLocations places;
  const auto own_range = [&](std::uint64_t elements, std::uint32_t stride) {
    return append_range(end, elements * stride, alignment).offset;
  };
  const auto place = [&](std::size_t attribute) {
    const VertexOutput output = output_of(outputs, attribute, slot);
    OutputLocation& made = places.*kOutputAttributes[attribute].place;
    if (output.format == VertexFormat::kNone || (attribute == kPrevious && outputs.slots > 1)) return;
    made = {output.format, output.location.buffer, output.location.offset, output.stride};
    if (made.stride == 0) made.stride = bytes_of(output.format, kOutputAttributes[attribute].float_bytes);
    if (made.buffer == VK_NULL_HANDLE) made.offset = own_range(elements_of(attribute, capacity), made.stride);
  };
  place(kPositions);
  place(kPrevious);
  // Interleaves both in the crowd's own buffer, so that one store writes both.
  const auto may_interleave = [&](std::size_t attribute) {
    const VertexOutput output = output_of(outputs, attribute, slot);
    return output.location.buffer == VK_NULL_HANDLE && output.format == VertexFormat::kOctahedral16 &&
           output.stride == 0;
  };
  if (may_interleave(kNormals) && may_interleave(kTangents)) {
    const VkDeviceSize offset = own_range(capacity.vertices, 8);
    places.normals = {VertexFormat::kOctahedral16, VK_NULL_HANDLE, offset, 8};
    places.tangents = {VertexFormat::kOctahedral16, VK_NULL_HANDLE, offset + 4, 8};
  } else {
    place(kNormals);
    place(kTangents);
  }
  place(kBounds);
  place(kTension);
  place(kAnchors);
  return places;
}

}  // namespace

Result<void> check_size(const BufferLocation& location, std::uint64_t bytes, const char* name) {
  if (location.buffer == VK_NULL_HANDLE || location.size >= bytes) return {};
  return invalid("a crowd's {} need {} bytes, but the size of their location is {}", name, bytes, location.size);
}

Result<void> check_outputs(const CrowdOutputs& outputs) {
  if (outputs.slots < 1 || outputs.slots > kMaxOutputSlots) {
    return invalid("a crowd's outputs have 1 to {} slots, not {}", kMaxOutputSlots, outputs.slots);
  }
  for (std::size_t a = 0; a < kMaxOutputs; ++a) {
    const VertexOutput output = output_of(outputs, a, 0);
    const auto& [name, float_bytes, place, slot_location, stream] = kOutputAttributes[a];
    if (output.format == VertexFormat::kNone) continue;
    if (output.format > VertexFormat::kSnorm8) return invalid("a crowd's {} have an unknown format", name);
    if ((output.format == VertexFormat::kSnorm8) != (a == kTension))
      return invalid("a crowd's {} must {}have the format kSnorm8", name, a == kTension ? "" : "not ");
    if (a != kNormals && a != kTangents && output.format == VertexFormat::kOctahedral16)
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
  for (const std::size_t a : {kPrevious, kTension}) {
    if (output_of(outputs, a, 0).format != VertexFormat::kNone && outputs.positions.format == VertexFormat::kNone)
      return invalid("a crowd's {} need positions", kOutputAttributes[a].name);
  }
  if (outputs.previous_positions.format != VertexFormat::kNone && outputs.control_meshes) {
    return invalid("a crowd's previous positions cannot be combined with control meshes");
  }
  return check_slots(outputs);
}

OutputLayout lay_out(const CrowdOutputs& outputs, const CrowdCapacity& capacity, VkDeviceSize alignment) {
  OutputLayout layout;
  for (std::uint32_t slot = 0; slot < outputs.slots; ++slot) {
    layout.slots.push_back(lay_out_slot(outputs, slot, capacity, std::max(alignment, kStoreAlignment), layout.end));
  }
  return layout;
}

Result<void> check_sizes(const CrowdOutputs& outputs, const OutputLayout& layout, const CrowdCapacity& capacity) {
  for (std::uint32_t slot = 0; slot < outputs.slots; ++slot) {
    for (std::size_t a = 0; a < kMaxOutputs; ++a) {
      PELT_TRY(check_size(output_of(outputs, a, slot).location, bytes_of(layout.slots[slot], a, capacity),
                          kOutputAttributes[a].name));
    }
  }
  return {};
}

std::vector<VkDescriptorBufferInfo> output_ranges(const OutputLocations& places, const CrowdCapacity& capacity) {
  std::vector<VkDescriptorBufferInfo> ranges;
  for (std::size_t a = 0; a < kMaxOutputs; ++a) {
    const OutputLocation& place = places.*kOutputAttributes[a].place;
    const std::uint64_t bytes = bytes_of(places, a, capacity);
    if (bytes > 0) ranges.push_back({place.buffer, place.offset, bytes});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return std::pair(a.buffer, a.offset) < std::pair(b.buffer, b.offset); });
  std::vector<VkDescriptorBufferInfo> merged;
  for (const VkDescriptorBufferInfo& next : ranges) {
    if (!merged.empty() && merged.back().buffer == next.buffer &&
        next.offset < merged.back().offset + merged.back().range) {
      VkDescriptorBufferInfo& last = merged.back();
      last.range = std::max(last.range, next.offset + next.range - last.offset);
    } else {
      merged.push_back(next);
    }
  }
  return merged;
}

BoundOutputs bind_outputs(const OutputLocations& places, const CrowdCapacity& capacity, VkBuffer nothing,
                          VkDeviceSize alignment) {
  BoundOutputs made;
  const StreamFormat formats[] = {position_format(places),
                                  normal_format(places, alignment),
                                  tangent_format(places, alignment),
                                  StreamFormat::kFloat,
                                  StreamFormat::kFloat,
                                  StreamFormat::kFloat,
                                  StreamFormat::kFloat};
  static_assert(std::size(formats) == kMaxOutputs);
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
    made.streams.*kOutputAttributes[a].stream = {static_cast<std::uint32_t>((place.offset - begin) / 4),
                                                 place.stride / 4, formats[a]};
  }
  return made;
}

}  // namespace pelt::runtime
