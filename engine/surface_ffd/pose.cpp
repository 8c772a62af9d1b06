// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/pose.h"

#include <fmt/format.h>

#include <pelt/finite.h>

#include "shaders/surface_ffd/pose.h"

namespace pelt::surface_ffd {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::TriangleRecord>(pass.records, i);
    for (const std::uint32_t vertex : {record.a, record.b, record.c}) {
      if (!is_posed_before(pass, data, vertex)) {
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

}  // namespace pelt::surface_ffd
