// SPDX-License-Identifier: MIT
// The records of bounds are found in time that is linear in the influences. How well boxes fit is measured in
// tests/runtime/bounds_test.cpp.
#include "engine/character/file/bounds.h"

#include <gtest/gtest.h>

#include "shaders/blend/blend.h"

namespace pelt {
namespace {

// A slice of rows that each follow every dual quaternion that indices can name. A search through the row for every one
// of them would take minutes.
TEST(BoundsRecords, OfVeryLongRowsAreFound) {
  constexpr std::uint32_t kEntries = 32767;
  CharacterData data;
  CharacterMesh& mesh = data.meshes.emplace_back();
  mesh.mode = BlendMode::kDualQuaternion;
  for (std::uint32_t row = 0; row < shared::kSliceRows; ++row) mesh.binding.points.emplace_back(row, 0, 0);
  for (std::uint32_t k = 0; k < kEntries; ++k) {
    const std::uint32_t word = 2 * k | 2u << 16u;
    mesh.binding.influences.insert(mesh.binding.influences.end(), shared::kSliceRows, word);
  }
  mesh.binding.slices = {0, static_cast<std::uint32_t>(mesh.binding.influences.size())};

  const BoundsRecords found = find_bounds_records(data);
  ASSERT_EQ(found.records.size(), shared::kSliceRows);  // groups of one vertex each
  ASSERT_EQ(found.entries.size(), std::size_t{shared::kSliceRows} * kEntries * shared::kBoundsDualWords);
  for (const shared::BoundsRecord& record : found.records) {
    EXPECT_EQ(record.entry_count, kEntries);
    EXPECT_EQ(record.row_entries, kEntries);
  }
  // Each shares its vertex with all entries before it, of the first 32.
  for (const auto& [entry, sharing] :
       {std::pair(0u, 0u), {1u, 1u}, {5u, 31u}, {31u, ~0u >> 1}, {32u, ~0u}, {99u, ~0u}}) {
    EXPECT_EQ(found.entries[shared::kBoundsDualWords * entry], 2 * entry);
    EXPECT_EQ(found.entries[shared::kBoundsDualWords * entry + 1], sharing) << entry;
  }
}

// Entries overlap only in the vertices of the group that they move together.
TEST(BoundsRecords, KnowWhichEntriesMeet) {
  CharacterData data;
  CharacterMesh& mesh = data.meshes.emplace_back();
  mesh.mode = BlendMode::kDualQuaternion;
  mesh.binding.points = {{0, 0, 0}, {1, 0, 0}};
  mesh.binding.slices = {0, 2 * shared::kSliceRows};
  mesh.binding.influences.resize(std::size_t{2} * shared::kSliceRows);
  const auto put = [&](std::size_t row, std::size_t column, std::uint32_t entry, std::uint32_t units) {
    mesh.binding.influences[column * shared::kSliceRows + row] = 2 * entry | units << 16u;
  };
  put(0, 0, 3, 40000);
  put(0, 1, 7, 25535);
  put(1, 0, 7, 40000);
  put(1, 1, 4, 25535);
  // Each of two points that are all of the mesh is a group.
  const BoundsRecords found = find_bounds_records(data);
  ASSERT_EQ(found.records.size(), 2u);
  EXPECT_EQ(found.entries, (std::vector<std::uint32_t>{6, 0, 14, 1, 14, 0, 8, 1}));
}

}  // namespace
}  // namespace pelt
