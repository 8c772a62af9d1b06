// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/pose.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/character/records.h"
#include "engine/core/finite.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt::surface_ffd {
namespace {

// The mesh that holds a vertex of the instance; nullptr where none does. Precondition: first_vertex ascends.
const CharacterMesh* mesh_of_vertex(const CharacterData& data, std::uint32_t vertex) {
  if (vertex >= data.vertex_count()) return nullptr;
  const auto after =
      std::upper_bound(data.meshes.begin(), data.meshes.end(), vertex,
                       [](std::uint32_t value, const CharacterMesh& mesh) { return value < mesh.first_vertex; });
  return &*(after - 1);
}

}  // namespace

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::TriangleRecord>(pass.records, i);
    for (const std::uint32_t vertex : {record.a, record.b, record.c}) {
      const CharacterMesh* mesh = mesh_of_vertex(data, vertex);
      if (mesh == nullptr || mesh->stage >= pass.stage) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("record {} names vertex {}, which no earlier stage moves", i, vertex));
      }
    }
    if (!is_finite(record.rest_inverse)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the rest frame of record {} is not finite", i));
    }
  }
  return {};
}

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<shared::TriangleRecord>(pass.records, i);
    context.palette[pass.first_slot + i] = shared::pose_triangle(
        record, context.vertices[record.a], context.vertices[record.b], context.vertices[record.c]);
  }
}

}  // namespace pelt::surface_ffd
