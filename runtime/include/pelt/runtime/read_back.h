// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <glm/gtc/type_precision.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

// The vertices that a crowd wrote for one instance, unpacked. An array has one entry per vertex, or is empty if the
// crowd does not write that output.
struct InstanceVertices {
  std::vector<glm::vec3> positions;  // model space, metres
  std::vector<glm::vec3> normals;    // unit
  std::vector<glm::vec4> tangents;   // unit xyz, w = handedness
  std::vector<glm::vec3> previous_positions;
  std::vector<glm::i8vec2> tension;  // 127 log2(length / rest length) along tangent and bitangent
};

struct Box {
  glm::vec3 least{0.0f};
  glm::vec3 greatest{0.0f};
};

// Records one frame of the crowd, submits it and waits; for tools and tests.
Result<void> run(const Device& device, Crowd& crowd, std::optional<std::span<const shared::ListEntry>> list = {});

// Wait for all submitted work, then copy outputs; for tools and tests. The caller's output buffers need
// VK_BUFFER_USAGE_TRANSFER_SRC_BIT.
Result<InstanceVertices> read_vertices(const Device& device, const Crowd& crowd, std::uint32_t instance);
Result<Box> read_bounds(const Device& device, const Crowd& crowd, std::uint32_t instance);
// The frames of the anchors; empty if the crowd does not write them.
Result<std::vector<shared::Affine>> read_anchors(const Device& device, const Crowd& crowd, std::uint32_t instance);

}  // namespace pelt::runtime
