// SPDX-License-Identifier: MIT
// The locations of a crowd's outputs, and the form in which shaders receive them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/crowd_frame.h>

namespace pelt::runtime {

// The buffers that the caller may supply.
struct CallersBuffer {
  FrameBuffer buffer;
  const char* name;
  BufferLocation CrowdOptions::*place;
};
inline constexpr CallersBuffer kCallersBuffers[] = {{FrameBuffer::kJoints, "joint matrices", &CrowdOptions::joints},
                                                    {FrameBuffer::kInputs, "inputs", &CrowdOptions::inputs},
                                                    {FrameBuffer::kList, "list", &CrowdOptions::list},
                                                    {FrameBuffer::kDrawnList, "drawn list", &CrowdOptions::drawn}};

// Errors: a buffer of the caller's that has fewer bytes.
Result<void> check_size(const BufferLocation& location, std::uint64_t bytes, const char* name);

// Errors: outputs that cannot be combined or are misaligned.
Result<void> check_outputs(const CrowdOutputs& outputs);

// The locations of all outputs in each slot, and the size of the crowd's own vertex buffer. With several slots previous
// positions have no location of their own: they are the positions of the slot before.
struct OutputLayout {
  std::vector<OutputLocations> slots;
  VkDeviceSize end = 0;  // size of the crowd's own buffer, bytes; its handle is filled in later
};

OutputLayout lay_out(const CrowdOutputs& outputs, const CrowdCapacity& capacity, VkDeviceSize alignment);

// Errors: a part of a buffer of the caller's that is too small.
Result<void> check_sizes(const CrowdOutputs& outputs, const OutputLayout& layout, const CrowdCapacity& capacity);

// One of the outputs of a slot.
struct OutputAttribute {
  const char* name;
  std::uint32_t float_bytes;  // size of an element in format kFloat
  OutputLocation OutputLocations::*place;
  BufferLocation SlotLocations::*slot_location;  // null: the same in all slots
  OutputStream OutputStreams::*stream;
};
inline constexpr std::size_t kMaxOutputs = 7;
// In the order of FrameBuffer. Bounds have an element per instance, anchors one per anchor, the others one per vertex.
extern const OutputAttribute kOutputAttributes[kMaxOutputs];

// The outputs of a slot in the form that shaders receive, and their ranges in the order of FrameBuffer. A range begins
// at a multiple of `alignment` at or before the output.
struct BoundOutputs {
  OutputStreams streams;
  std::array<VkDescriptorBufferInfo, kMaxOutputs> ranges{};
};

// Returns the parts of buffers that hold the outputs of a slot. Overlapping parts are merged.
std::vector<VkDescriptorBufferInfo> output_ranges(const OutputLocations& places, const CrowdCapacity& capacity);

// Binds `nothing`, a buffer that no shader writes, instead of outputs that are not written.
BoundOutputs bind_outputs(const OutputLocations& places, const CrowdCapacity& capacity, VkBuffer nothing,
                          VkDeviceSize alignment);

}  // namespace pelt::runtime
