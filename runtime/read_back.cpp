// SPDX-License-Identifier: MIT
#include "runtime/read_back.h"

#include <cassert>
#include <cstring>

#include "runtime/transfer.h"
#include "shaders/octahedral.h"

namespace pelt::runtime {
namespace {

template <class T>
Result<std::vector<T>> read(const Device& device, VkBuffer buffer, VkDeviceSize offset, std::size_t first,
                            std::size_t count) {
  const Result<std::vector<std::byte>> bytes =
      read_buffer(device, buffer, offset + first * sizeof(T), count * sizeof(T));
  if (!bytes) return tl::unexpected(bytes.error());
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

}  // namespace

Result<void> run(const Device& device, Crowd& crowd) {
  return submit_and_wait(device, "run a crowd", [&](VkCommandBuffer commands) { crowd.record(commands); });
}

Result<InstanceVertices> read_vertices(const Device& device, const Crowd& crowd, std::uint32_t instance) {
  assert(instance < crowd.instance_count());
  const VertexLayout& layout = crowd.layout();
  const std::size_t count = layout.vertices_per_instance;
  Result<std::vector<glm::vec3>> positions =
      read<glm::vec3>(device, crowd.vertex_buffer(), layout.positions_offset, instance * count, count);
  if (!positions) return tl::unexpected(positions.error());
  const Result<std::vector<glm::uvec2>> directions =
      read<glm::uvec2>(device, crowd.vertex_buffer(), layout.directions_offset, instance * count, count);
  if (!directions) return tl::unexpected(directions.error());

  InstanceVertices vertices{.positions = std::move(*positions)};
  for (const glm::uvec2 packed : *directions) {
    vertices.normals.push_back(shared::unpack_normal(packed.x));
    vertices.tangents.push_back(shared::unpack_tangent(packed.y));
  }
  return vertices;
}

}  // namespace pelt::runtime
