// SPDX-License-Identifier: MIT
#include "engine/character/driver_offsets.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include <pelt/finite.h>

#include "engine/character/base/invalid.h"

namespace pelt {

Result<void> check_driver_offsets(const CharacterData& data, std::size_t m, std::span<const VertexOffset> offsets) {
  const CharacterMesh& mesh = data.meshes[m];
  assert(mesh.control);
  const bool streamed =
      std::any_of(data.streams.begin(), data.streams.end(), [&](const Stream& stream) { return stream.mesh == m; });
  if (streamed && !offsets.empty()) {
    return invalid("the driver '{}' is streamed: the caller sets its vertices, so it cannot have offsets", mesh.name);
  }
  std::vector<bool> given(mesh.vertex_count(), false);
  std::vector<std::uint32_t> packed_of_source(mesh.vertex_count());
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) packed_of_source[mesh.source_vertex[v]] = v;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const VertexOffset& offset = offsets[i];
    if (offset.vertex >= mesh.vertex_count()) {
      return invalid("the driver '{}': offset {} moves vertex {}, but there are only {}", mesh.name, i, offset.vertex,
                     mesh.vertex_count());
    }
    if (given[offset.vertex])
      return invalid("the driver '{}': offset {} moves vertex {} a second time", mesh.name, i, offset.vertex);
    given[offset.vertex] = true;
    const glm::vec3 moved = mesh.binding.points[packed_of_source[offset.vertex]] + offset.offset;
    if (!is_near(moved)) {
      return invalid("the driver '{}': offset {} of vertex {} must be finite and keep it within {:g} m of the origin",
                     mesh.name, i, offset.vertex, kMaxCoordinate);
    }
  }
  return {};
}

std::uint32_t first_offset_vertex(const CharacterData& data, const CharacterMesh& mesh) {
  const std::uint32_t count = mesh.vertex_count();
  if (!mesh.offset_entry) return count;
  const auto pass = std::find_if(data.passes.begin(), data.passes.end(), [&](const PalettePass& candidate) {
    return candidate.kernel == PoseKernel::kKeyPose && candidate.first_entry == *mesh.offset_entry &&
           candidate.record_count > 0 && candidate.record_count <= count;
  });
  return pass == data.passes.end() ? 0 : count - pass->record_count;
}

}  // namespace pelt
