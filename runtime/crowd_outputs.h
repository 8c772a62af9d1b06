// SPDX-License-Identifier: MIT
// Where a crowd's outputs are, and what its shaders are told of them.
#pragma once

#include <cstdint>

#include <pelt/runtime/crowd.h>

#include "runtime/crowd_plan.h"
#include "shaders/blend/blend.h"

namespace pelt::runtime {

// Errors: what contradicts itself or is misaligned.
Result<void> check_outputs(const CrowdOutputs& outputs);

// The crowd's own vertex buffer, and where all outputs are.
struct OutputLayout {
  OutputPlaces places;
  VkDeviceSize end = 0;  // of the own buffer, whose handle is yet to come
};

OutputLayout lay_out(const CrowdOutputs& outputs, const CrowdPlan& plan, VkDeviceSize alignment);

// What the shader is told of an output, whose binding begins at a multiple of `alignment` before it.
struct BoundOutput {
  VkDescriptorBufferInfo range{};
  shared::VertexStream stream{};
  std::uint32_t format = 0;  // kFormat... of shaders/blend/blend.h
};

// `bytes`: of one element, which may be less than its stride.
BoundOutput bind_output(const OutputPlace& place, std::uint32_t format, std::uint64_t elements, std::uint32_t bytes,
                        VkDeviceSize alignment);

struct BoundOutputs {
  BoundOutput positions;
  BoundOutput normals;
  BoundOutput tangents;
  BoundOutput previous_positions;
  BoundOutput bounds;
};

// Outputs that are not asked for are bound to `nothing`, which nothing writes.
BoundOutputs bind_outputs(const OutputPlaces& places, const CrowdPlan& plan, VkBuffer nothing, VkDeviceSize alignment);

}  // namespace pelt::runtime
