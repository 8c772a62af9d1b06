// SPDX-License-Identifier: MIT
#include "engine/character/driver_offsets.h"

#include <algorithm>
#include <cassert>

#include <pelt/finite.h>

#include "engine/character/base/invalid.h"

namespace pelt {

Result<void> check_driver_offsets(const CharacterData& data, std::size_t m, std::span<const VertexOffset> offsets) {
  const CharacterMesh& mesh = data.meshes[m];
  assert(mesh.control);
  const bool streamed = std::ranges::any_of(data.streams, [&](const Stream& stream) { return stream.mesh == m; });
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

}  // namespace pelt
