// SPDX-License-Identifier: MIT
#include "runtime/crowd_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace pelt::runtime {
namespace {

constexpr std::uint32_t kBoxBytes = 24;
// Of ranges in the crowd's own buffer, whatever the device asks for: one store writes a normal and a tangent, and the
// stores of a workgroup begin with a cache line where the number of vertices allows it.
constexpr VkDeviceSize kStoreAlignment = 128;

std::uint32_t bytes_of(VertexFormat format, std::uint32_t float_bytes) {
  switch (format) {
    case VertexFormat::kNone:
      return 0;
    case VertexFormat::kFloat:
      return float_bytes;
    case VertexFormat::kOctahedral16:
    case VertexFormat::kOctahedral8:
      return 4;
  }
  return 0;
}

bool same_place(const VertexOutput& a, const VertexOutput& b) {
  return a.place.buffer == b.place.buffer && a.place.offset == b.place.offset && a.stride == b.stride;
}

// `alignment`: of the bound ranges, from whose start the shader counts pairs of words.
std::uint32_t normal_format(const OutputPlaces& places, VkDeviceSize alignment) {
  switch (places.normals.format) {
    case VertexFormat::kNone:
      return shared::kFormatNone;
    case VertexFormat::kFloat:
      return shared::kFormatFloat;
    case VertexFormat::kOctahedral16: {
      const bool both = places.tangents.format == VertexFormat::kOctahedral16 &&
                        places.tangents.buffer == places.normals.buffer && places.normals.offset % alignment % 8 == 0 &&
                        places.normals.stride % 8 == 0 && places.tangents.stride == places.normals.stride &&
                        places.tangents.offset == places.normals.offset + 4;
      return both ? shared::kFormatOctahedral16Both : shared::kFormatOctahedral16;
    }
    case VertexFormat::kOctahedral8:
      return places.tangents.format == VertexFormat::kOctahedral8 ? shared::kFormatOctahedral8
                                                                  : shared::kFormatOctahedral8Alone;
  }
  return shared::kFormatNone;
}

std::uint32_t tangent_format(const OutputPlaces& places, VkDeviceSize alignment) {
  if (places.tangents.format == VertexFormat::kFloat) return shared::kFormatFloat;
  const bool alone = places.tangents.format == VertexFormat::kOctahedral16 &&
                     normal_format(places, alignment) != shared::kFormatOctahedral16Both;
  return alone ? shared::kFormatOctahedral16 : shared::kFormatNone;
}

// Positions are written by words where they lie one behind the other, and the previous ones too.
std::uint32_t position_format(const OutputPlaces& places) {
  const auto tight = [](const OutputPlace& place) {
    return place.format == VertexFormat::kNone || place.stride == sizeof(glm::vec3);
  };
  return tight(places.positions) && tight(places.previous_positions) ? shared::kFormatFloatTight : shared::kFormatFloat;
}

// Binds an output. `bytes`: size of one element, which may be less than its stride.
BoundOutput bind_output(const OutputPlace& place, std::uint32_t format, std::uint64_t elements, std::uint32_t bytes,
                        VkDeviceSize alignment) {
  const VkDeviceSize begin = place.offset / alignment * alignment;
  const VkDeviceSize size = place.offset - begin + (elements - 1) * place.stride + bytes;
  return {
      {place.buffer, begin, size}, {static_cast<std::uint32_t>((place.offset - begin) / 4), place.stride / 4}, format};
}

}  // namespace

Result<void> check_outputs(const CrowdOutputs& outputs) {
  const auto invalid = [](const char* why) {
    return fail(ErrorCode::kInvalidArgument, std::string("a crowd's ") + why);
  };
  const struct {
    const VertexOutput& output;
    const char* name;
    bool floats_only;
    std::uint32_t float_bytes;
  } attributes[] = {{outputs.positions, "positions", true, 12},
                    {outputs.normals, "normals", false, 12},
                    {outputs.tangents, "tangents", false, 16},
                    {outputs.previous_positions, "previous positions", true, 12}};
  for (const auto& [output, name, floats_only, float_bytes] : attributes) {
    if (output.format == VertexFormat::kNone) continue;
    const auto wrong = [&](const std::string& why) { return invalid(fmt::format("{} {}", name, why).c_str()); };
    if (output.format > VertexFormat::kOctahedral8) return wrong("have no such format");
    if (floats_only && output.format != VertexFormat::kFloat) return wrong("are written as floats only");
    if (output.place.offset % 4 != 0 || output.stride % 4 != 0) {
      return wrong(fmt::format("are at offset {} with stride {}, which are no multiples of 4", output.place.offset,
                               output.stride));
    }
    if (output.stride != 0 && output.stride < bytes_of(output.format, float_bytes)) {
      return wrong(
          fmt::format("take {} bytes and have a stride of {}", bytes_of(output.format, float_bytes), output.stride));
    }
  }
  if (outputs.previous_positions.format != VertexFormat::kNone && outputs.positions.format == VertexFormat::kNone) {
    return invalid("previous positions need positions");
  }
  if (outputs.previous_positions.format != VertexFormat::kNone && outputs.control_meshes) {
    return invalid("previous positions are of skins alone: not with control meshes");
  }
  if (outputs.normal_mode == NormalMode::kRecomputed) {
    if (outputs.positions.format == VertexFormat::kNone) return invalid("recomputed normals need positions");
    if (outputs.normals.format == VertexFormat::kNone) return invalid("normals are recomputed, and not written");
  } else if (outputs.normal_mode != NormalMode::kBlended) {
    return invalid("normals have no such mode");
  }
  const bool normals8 = outputs.normals.format == VertexFormat::kOctahedral8;
  const bool tangents8 = outputs.tangents.format == VertexFormat::kOctahedral8;
  if (tangents8 && !(normals8 && same_place(outputs.normals, outputs.tangents))) {
    return invalid("tangents of 8 bits share a word with normals of 8 bits at the same place");
  }
  if (outputs.bounds && (outputs.bounds_place.offset % 4 != 0 || outputs.bounds_stride % 4 != 0)) {
    return invalid(fmt::format("bounds are at offset {} with stride {}, which are no multiples of 4",
                               outputs.bounds_place.offset, outputs.bounds_stride)
                       .c_str());
  }
  if (outputs.bounds && outputs.bounds_stride != 0 && outputs.bounds_stride < kBoxBytes) {
    return invalid(
        fmt::format("bounds take {} bytes and have a stride of {}", kBoxBytes, outputs.bounds_stride).c_str());
  }
  return {};
}

OutputLayout lay_out(const CrowdOutputs& outputs, const CrowdPlan& plan, VkDeviceSize alignment) {
  OutputLayout layout;
  alignment = std::max(alignment, kStoreAlignment);
  const auto own_range = [&](std::uint64_t elements, std::uint32_t stride) {
    return append_range(layout.end, elements * stride, alignment).offset;
  };
  const auto place = [&](const VertexOutput& output, std::uint32_t float_bytes) {
    OutputPlace made{output.format, output.place.buffer, output.place.offset, output.stride};
    if (output.format == VertexFormat::kNone) return made;
    if (made.stride == 0) made.stride = bytes_of(output.format, float_bytes);
    if (output.place.buffer == VK_NULL_HANDLE) made.offset = own_range(plan.vertices, made.stride);
    return made;
  };
  layout.places.positions = place(outputs.positions, 12);
  layout.places.previous_positions = place(outputs.previous_positions, 12);
  // Interleaved in the crowd's own buffer, so that one store writes both.
  const VertexOutput& normals = outputs.normals;
  const VertexOutput& tangents = outputs.tangents;
  const bool own = normals.place.buffer == VK_NULL_HANDLE && tangents.place.buffer == VK_NULL_HANDLE;
  if (own && normals.format == VertexFormat::kOctahedral16 && tangents.format == VertexFormat::kOctahedral16 &&
      normals.stride == 0 && tangents.stride == 0) {
    const VkDeviceSize offset = own_range(plan.vertices, 8);
    layout.places.normals = {VertexFormat::kOctahedral16, VK_NULL_HANDLE, offset, 8};
    layout.places.tangents = {VertexFormat::kOctahedral16, VK_NULL_HANDLE, offset + 4, 8};
  } else {
    layout.places.normals = place(normals, 12);
    layout.places.tangents =
        tangents.format == VertexFormat::kOctahedral8 ? layout.places.normals : place(tangents, 16);
  }
  if (outputs.bounds) {
    const std::uint32_t stride = outputs.bounds_stride == 0 ? kBoxBytes : outputs.bounds_stride;
    layout.places.bounds = {VertexFormat::kFloat, outputs.bounds_place.buffer, outputs.bounds_place.offset, stride};
    if (outputs.bounds_place.buffer == VK_NULL_HANDLE) layout.places.bounds.offset = own_range(plan.instances, stride);
  }
  return layout;
}

BoundOutputs bind_outputs(const OutputPlaces& places, const CrowdPlan& plan, VkBuffer nothing, VkDeviceSize alignment) {
  const auto bind = [&](const OutputPlace& place, std::uint32_t format, std::uint64_t elements,
                        std::uint32_t float_bytes) {
    if (place.format == VertexFormat::kNone || elements == 0) {
      return bind_output({VertexFormat::kNone, nothing, 0, 0}, shared::kFormatNone, 1, 4, alignment);
    }
    const std::uint32_t bytes = format == shared::kFormatOctahedral16Both ? 8 : bytes_of(place.format, float_bytes);
    return bind_output(place, format, elements, bytes, alignment);
  };
  return {.positions = bind(places.positions, position_format(places), plan.vertices, 12),
          .normals = bind(places.normals, normal_format(places, alignment), plan.vertices, 12),
          .tangents = bind(places.tangents, tangent_format(places, alignment), plan.vertices, 16),
          .previous_positions = bind(places.previous_positions, shared::kFormatFloat, plan.vertices, 12),
          .bounds = bind(places.bounds, shared::kFormatFloat, plan.instances, kBoxBytes)};
}

}  // namespace pelt::runtime
