// SPDX-License-Identifier: MIT
#include "engine/driver/patch_frame/pose.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include <pelt/finite.h>

#include "shaders/driver/patch_frame/pose.h"

namespace pelt::patch_frame {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  const auto refuse = [](std::size_t record, const char* why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("record {} {}", record, why));
  };
  std::uint64_t all_words = 0;  // records that share words could make a small file take long to check and to pose
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::PatchRecord>(pass.records, i);
    const std::uint64_t words = std::uint64_t{record.basis_count} * shared::kPatchBasisWords;
    if (record.first_word + words > pass.table.size()) return refuse(i, "reads past its table");
    all_words += words;
    if (all_words > pass.table.size()) return refuse(i, "and those before it read more of its table than there is");
    if (!is_finite(record.rest_inverse)) return refuse(i, "has a rest frame that is not finite");
    for (std::uint32_t word = 0; word < words; ++word) {
      const std::uint32_t value = pass.table[record.first_word + word];
      if (word % shared::kPatchBasisWords == 0) {
        if (!is_posed_before(pass, data, value)) return refuse(i, "names a vertex that no earlier stage moves");
      } else if (!std::isfinite(std::bit_cast<float>(value))) {
        return refuse(i, "has a basis function that is not finite");
      }
    }
  }
  return {};
}

}  // namespace pelt::patch_frame
