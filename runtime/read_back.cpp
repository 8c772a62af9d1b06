// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include <pelt/runtime/read_back.h>
#include <pelt/runtime/transfer.h>
#include <pelt/shaders/crowd_table.h>
#include <pelt/shaders/octahedral.h>
#include <pelt/try.h>

#include "engine/character/base/invalid.h"

namespace pelt::runtime {
namespace {

std::size_t bytes_of(const OutputLocation& place, std::size_t float_bytes) {
  return place.format == VertexFormat::kFloat ? float_bytes : sizeof(std::uint32_t);
}

// Calls `visit` for each of `count` elements; for none if the output is not written. `float_bytes`: size of an element
// in format kFloat.
template <class Visit>
Result<void> read(const Device& device, const OutputLocation& place, std::size_t first, std::size_t count,
                  std::size_t float_bytes, const Visit& visit) {
  if (place.format == VertexFormat::kNone || count == 0) return {};
  const std::size_t stride = place.stride;
  PELT_ASSIGN(const auto bytes, read_buffer(device, place.buffer, place.offset + first * stride,
                                            (count - 1) * stride + bytes_of(place, float_bytes)));
  for (std::size_t i = 0; i < count; ++i) visit(bytes.data() + i * stride);
  return {};
}

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

glm::vec3 unpack_normal(VertexFormat format, const std::byte* bytes) {
  if (format == VertexFormat::kFloat) return load<glm::vec3>(bytes);
  return shared::unpack_normal(load<std::uint32_t>(bytes));
}

glm::vec4 unpack_tangent(VertexFormat format, const std::byte* bytes) {
  if (format == VertexFormat::kFloat) return load<glm::vec4>(bytes);
  return shared::unpack_tangent(load<std::uint32_t>(bytes));
}

// Sets previous positions to positions for meshes that have just appeared, since the slot before does not have them.
Result<void> keep_what_appeared(const Device& device, const VkDescriptorBufferInfo& table, std::uint32_t instance,
                                InstanceVertices& vertices) {
  const auto read_row = [&](VkDeviceSize at, auto& row) -> Result<void> {
    PELT_ASSIGN(const auto bytes, read_buffer(device, table.buffer, table.offset + at, sizeof(row)));
    std::memcpy(&row, bytes.data(), sizeof(row));
    return {};
  };
  shared::InstanceLocation location;
  PELT_TRY(read_row(sizeof(shared::TableHeader) + instance * sizeof(location), location));
  for (std::uint32_t m = location.first_mesh; m < location.first_mesh + location.mesh_count; ++m) {
    shared::MeshLocation mesh;
    PELT_TRY(read_row(m * sizeof(mesh), mesh));
    if (!mesh_shown(location.state, mesh) || !mesh_appears(location.state, mesh)) continue;
    std::copy_n(&vertices.positions[mesh.first_vertex], mesh.vertex_count,
                &vertices.previous_positions[mesh.first_vertex]);
  }
  return {};
}

}  // namespace

Result<void> run(const Device& device, Crowd& crowd, std::optional<std::span<const shared::ListEntry>> list) {
  return submit_and_wait(device, "run a crowd",
                         [&](VkCommandBuffer commands) { crowd.record(commands, {.list = list}); });
}

Result<InstanceVertices> read_vertices(const Device& device, const Crowd& crowd, std::uint32_t instance) {
  const std::optional<CrowdInstance> place = crowd.instance(instance);
  if (!place || !place->has_outputs) return invalid("instance {} has no outputs to read back", instance);
  const OutputLocations& outputs = crowd.outputs();
  const std::size_t first = place->first_vertex;
  const std::size_t count = place->vertex_count;
  InstanceVertices vertices;
  const auto read_positions = [&](const OutputLocation& output, std::vector<glm::vec3>& out) {
    return read(device, output, first, count, sizeof(glm::vec3),
                [&](const std::byte* bytes) { out.push_back(load<glm::vec3>(bytes)); });
  };
  PELT_TRY(read_positions(outputs.positions, vertices.positions));
  PELT_TRY(read_positions(outputs.previous_positions, vertices.previous_positions));
  if (outputs.previous_positions.format != VertexFormat::kNone) {
    PELT_TRY(keep_what_appeared(device, crowd.table(crowd.frames() == 0 ? 0 : crowd.frames() - 1), instance, vertices));
  }
  PELT_TRY(read(device, outputs.normals, first, count, sizeof(glm::vec3), [&](const std::byte* bytes) {
    vertices.normals.push_back(unpack_normal(outputs.normals.format, bytes));
  }));
  PELT_TRY(read(device, outputs.tangents, first, count, sizeof(glm::vec4), [&](const std::byte* bytes) {
    vertices.tangents.push_back(unpack_tangent(outputs.tangents.format, bytes));
  }));
  PELT_TRY(read(device, outputs.tension, first, count, 0,
                [&](const std::byte* bytes) { vertices.tension.push_back(load<glm::i8vec2>(bytes)); }));
  return vertices;
}

Result<Box> read_bounds(const Device& device, const Crowd& crowd, std::uint32_t instance) {
  if (!crowd.instance(instance)) return invalid("the crowd has no instance {} to read back", instance);
  Box box;
  PELT_TRY(read(device, crowd.outputs().bounds, instance, 1, 2 * sizeof(glm::vec3), [&](const std::byte* bytes) {
    box.least = load<glm::vec3>(bytes);
    box.greatest = load<glm::vec3>(bytes + sizeof(glm::vec3));
  }));
  return box;
}

Result<std::vector<shared::Affine>> read_anchors(const Device& device, const Crowd& crowd, std::uint32_t instance) {
  const std::optional<CrowdInstance> place = crowd.instance(instance);
  if (!place) return invalid("the crowd has no instance {} to read back", instance);
  std::vector<shared::Affine> frames;
  const std::size_t count = crowd.member(place->character)->character->anchors.size();
  PELT_TRY(read(device, crowd.outputs().anchors, place->first_anchor, count, sizeof(shared::Affine),
                [&](const std::byte* bytes) { frames.push_back(load<shared::Affine>(bytes)); }));
  return frames;
}

}  // namespace pelt::runtime
