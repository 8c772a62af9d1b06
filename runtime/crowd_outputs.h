// SPDX-License-Identifier: MIT
// The places of a crowd's outputs, and the form in which its shaders receive them.
#pragma once

#include <cstdint>

#include <pelt/runtime/crowd.h>

#include "runtime/crowd_plan.h"
#include "shaders/blend/blend.h"

namespace pelt::runtime {

// Errors: outputs that contradict each other or are misaligned.
Result<void> check_outputs(const CrowdOutputs& outputs);

// The places of all outputs, and the size of the crowd's own vertex buffer.
struct OutputLayout {
  OutputPlaces places;
  VkDeviceSize end = 0;  // size of the crowd's own buffer, bytes; its handle is filled in later
};

OutputLayout lay_out(const CrowdOutputs& outputs, const CrowdPlan& plan, VkDeviceSize alignment);

// An output as the shader receives it. The bound range begins at a multiple of `alignment` at or before the output.
struct BoundOutput {
  VkDescriptorBufferInfo range{};
  shared::VertexStream stream{};
  std::uint32_t format = 0;  // kFormat... of shaders/blend/blend.h
};

struct BoundOutputs {
  BoundOutput positions;
  BoundOutput normals;
  BoundOutput tangents;
  BoundOutput previous_positions;
  BoundOutput bounds;
};

// Binds `nothing`, a buffer that no shader writes, in place of outputs that are not asked for.
BoundOutputs bind_outputs(const OutputPlaces& places, const CrowdPlan& plan, VkBuffer nothing, VkDeviceSize alignment);

}  // namespace pelt::runtime
