// SPDX-License-Identifier: MIT
#include <pelt/finite.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "engine/character/pose_kernels.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt::surface_ffd {

namespace {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::TriangleRecord>(pass.records, i);
    for (const std::uint32_t vertex : {record.a, record.b, record.c}) {
      if (!is_posed_before(pass, data, vertex)) {
        return invalid("record {} names vertex {}, which no earlier stage moves", i, vertex);
      }
    }
    if (!is_finite(record.rest_inverse)) return invalid("the rest frame of record {} is not finite", i);
  }
  return {};
}

EntryRest rest(const PassEntry& entry) {
  return {.kind = EntryKind::kTriangle, .from_rest = entry.read<shared::TriangleRecord>().rest_inverse};
}

std::string label(const PassEntry& entry, const CharacterData& data) {
  const auto triangle = entry.read<shared::TriangleRecord>();
  const auto source = [&](std::uint32_t vertex) {  // a file may use vertices of several meshes
    const CharacterMesh& mesh = mesh_of(data, vertex);
    return mesh.source_vertex[vertex - mesh.first_vertex];
  };
  return formatted("{} triangle {} {} {}", mesh_of(data, triangle.a).name, source(triangle.a), source(triangle.b),
                   source(triangle.c));
}

void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  const auto triangle = entry.read<shared::TriangleRecord>();
  for (const std::uint32_t vertex : {triangle.a, triangle.b, triangle.c}) {
    sources.push_back({SourceKind::kVertex, vertex, 1.0f / 3.0f});
  }
}

}  // namespace

const PoseKernelInfo kSurfaceFfd{.name = "surface_ffd",
                                 .record_words = kRecordWords<shared::TriangleRecord>,
                                 .entries_per_record = 1,
                                 .validate = validate_records,
                                 .pose = pose_records<shared::TriangleRecord, shared::pose_triangle>,
                                 .rest = rest,
                                 .label = label,
                                 .append_sources = append_sources};

}  // namespace pelt::surface_ffd
