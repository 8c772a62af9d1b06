// SPDX-License-Identifier: MIT
// Converts the records of shaders/<deformer>/pose.h to the words of a palette pass and back.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace pelt {

// Largest number of palette entries, and of vertices, of a character: 32-bit indices without kNoIndex
// (shaders/blend/blend.h).
constexpr std::uint64_t kMaxCount = 0xFFFFFFFEu;

template <class Record>
constexpr std::uint32_t kRecordWords = sizeof(Record) / sizeof(std::uint32_t);

template <class Record>
Record read_record(std::span<const std::uint32_t> words, std::size_t index) {
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % sizeof(std::uint32_t) == 0);
  assert((index + 1) * kRecordWords<Record> <= words.size());
  Record record;
  std::memcpy(&record, words.data() + index * kRecordWords<Record>, sizeof(Record));
  return record;
}

template <class Record>
void append_record(std::vector<std::uint32_t>& words, const Record& record) {
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % sizeof(std::uint32_t) == 0);
  words.resize(words.size() + kRecordWords<Record>);
  std::memcpy(words.data() + words.size() - kRecordWords<Record>, &record, sizeof(Record));
}

}  // namespace pelt
