// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

// What a crowd wrote for one instance, unpacked: of what it writes, one entry a vertex.
struct InstanceVertices {
  std::vector<glm::vec3> positions;  // model space, metres
  std::vector<glm::vec3> normals;    // unit
  std::vector<glm::vec4> tangents;   // unit xyz, w = handedness
  std::vector<glm::vec3> previous_positions;
};

struct Box {
  glm::vec3 least{0.0f};
  glm::vec3 greatest{0.0f};
};

// Poses and moves the crowd once, and waits: for tools and tests.
Result<void> run(const Device& device, Crowd& crowd);

// For tools and tests: copies, and waits for everything submitted before. Output buffers of the caller's need
// VK_BUFFER_USAGE_TRANSFER_SRC_BIT.
Result<InstanceVertices> read_vertices(const Device& device, const Crowd& crowd, std::uint32_t instance);
Result<Box> read_bounds(const Device& device, const Crowd& crowd, std::uint32_t instance);

}  // namespace pelt::runtime
