// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>

#include <pelt/finite.h>

#include "engine/character/check_records.h"
#include "engine/character/pose_kernels.h"
#include "shaders/driver/vertex_frame/pose.h"

namespace pelt::vertex_frame {

namespace {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  TableParts parts(pass);
  return check_records<shared::VertexFrameRecord>(pass, [&](const shared::VertexFrameRecord& record) -> const char* {
    const std::uint64_t edge_words = std::uint64_t{record.edge_count} * shared::kVertexFrameEdgeWords;
    const std::uint64_t words = edge_words + std::uint64_t{record.triangle_count} * shared::kVertexFrameTriangleWords;
    if (const char* wrong = parts.take(record.first_word, words, 1)) return wrong;
    if (record.edge_count > kMaxTerms || record.triangle_count > kMaxTerms) return kTooManyTerms;
    if (!is_near(record.rest) || !is_finite(record.normal_term) || !(record.rest_area > 1e-30f)) {
      return "holds a number that is not finite, or has no area";
    }
    bool known = is_posed_before(pass, data, record.vertex);
    bool finite = std::isfinite(record.rest_area);
    for (std::uint32_t word = 0; word < words; ++word) {
      const bool is_vertex = word >= edge_words || word % shared::kVertexFrameEdgeWords == 0;
      const std::uint32_t value = pass.table[record.first_word + word];
      if (is_vertex) {
        known = known && is_posed_before(pass, data, value);
      } else {
        finite = finite && std::isfinite(std::bit_cast<float>(value));
      }
    }
    if (!known) return kNotPosedBefore;
    return finite ? nullptr : "has a term that is not finite";
  });
}

EntryRest rest(const PassEntry& entry) {
  return {.kind = EntryKind::kVertex,
          .from_rest = affine_from_axes(glm::mat3(1.0f), -entry.read<shared::VertexFrameRecord>().rest)};
}

std::string label(const PassEntry& entry, const CharacterData& data) {
  return vertex_label(data, entry.read<shared::VertexFrameRecord>().vertex);
}

void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  sources.push_back({SourceKind::kVertex, entry.read<shared::VertexFrameRecord>().vertex, 1});
}

}  // namespace

const PoseKernelInfo kVertexFrame{.name = "vertex_frame",
                                  .record_words = kRecordWords<shared::VertexFrameRecord>,
                                  .entries_per_record = 1,
                                  .validate = validate_records,
                                  .pose = pose_records<shared::VertexFrameRecord, shared::pose_vertex_frame>,
                                  .rest = rest,
                                  .label = label,
                                  .append_sources = append_sources};

}  // namespace pelt::vertex_frame
