// SPDX-License-Identifier: MIT
#include "engine/driver/vertex_frame/pose.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include <pelt/finite.h>

#include "shaders/driver/vertex_frame/pose.h"

namespace pelt::vertex_frame {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  const auto refuse = [](std::size_t record, const char* why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("record {} {}", record, why));
  };
  std::uint64_t all_words = 0;  // records that share words could make a small file take long to check and to pose
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::VertexFrameRecord>(pass.records, i);
    const std::uint64_t edge_words = std::uint64_t{record.edge_count} * shared::kVertexFrameEdgeWords;
    const std::uint64_t words = edge_words + std::uint64_t{record.triangle_count} * shared::kVertexFrameTriangleWords;
    if (record.first_word + words > pass.table.size()) return refuse(i, "reads past its table");
    all_words += words;
    if (all_words > pass.table.size()) return refuse(i, "and those before it read more of its table than there is");
    if (!is_finite(record.rest) || !is_finite(record.normal_term) || !(record.rest_area > 1e-30f)) {
      return refuse(i, "holds a number that is not finite, or has no area");
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
    if (!known) return refuse(i, "names a vertex that no earlier stage moves");
    if (!finite) return refuse(i, "has a term that is not finite");
  }
  return {};
}

}  // namespace pelt::vertex_frame
