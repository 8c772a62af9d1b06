// SPDX-License-Identifier: MIT
#include "engine/driver/key_pose/constant.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "engine/character/records.h"
#include "engine/driver/key_pose/tilt.h"
#include "shaders/driver/key_pose/pose.h"

namespace pelt::key_pose {
namespace {

struct Entry {
  std::uint32_t key;  // word
  glm::vec3 offset;
  glm::vec3 tilt;
};

// Calls visit(record, entry) for all entries, in order.
template <class Visit>
void for_each_entry(const PalettePass& pass, const Visit& visit) {
  for (std::size_t i = 0; i * kRecordWords<shared::KeyPoseRecord> < pass.records.size(); ++i) {
    const auto record = read_record<shared::KeyPoseRecord>(pass.records, i);
    for (std::uint32_t e = 0; e < record.entry_count; ++e) {
      const std::size_t word = record.first_word + std::size_t{e} * shared::kKeyEntryWords;
      const auto number = [&](std::size_t c) { return std::bit_cast<float>(pass.table[word + 1 + c]); };
      visit(i, Entry{pass.table[word], {number(0), number(1), number(2)}, {number(3), number(4), number(5)}});
    }
  }
}

bool is_constant(const PalettePass& pass, const Entry& entry) { return pass.table[entry.key] == shared::kKeyConstant; }

// Returns the number of words before all entries: keys, and what they refer to.
std::size_t key_words(const PalettePass& pass) {
  std::size_t words = pass.table.size();
  for (std::size_t i = 0; i * kRecordWords<shared::KeyPoseRecord> < pass.records.size(); ++i) {
    const auto record = read_record<shared::KeyPoseRecord>(pass.records, i);
    if (record.entry_count > 0) words = std::min<std::size_t>(words, record.first_word);
  }
  return words;
}

}  // namespace

bool is_constant(const PalettePass& pass) {
  bool constant = true;
  for_each_entry(pass, [&](std::size_t, const Entry& entry) { constant = constant && is_constant(pass, entry); });
  return constant;
}

std::vector<glm::vec3> constant_offsets(const PalettePass& pass) {
  std::vector<glm::vec3> offsets(pass.record_count, glm::vec3(0.0f));
  for_each_entry(pass, [&](std::size_t i, const Entry& entry) {
    if (is_constant(pass, entry)) offsets[i] += entry.offset;
  });
  return offsets;
}

Result<PalettePass> with_constant_offsets(const PalettePass& pass, std::span<const glm::vec3> offsets,
                                          const SurfaceGradient& surface) {
  assert(offsets.size() == pass.record_count);
  const std::vector<glm::vec3> tilt = tilts(surface, offsets);
  std::size_t keys = key_words(pass);
  std::vector<std::vector<Entry>> kept(pass.record_count);
  bool had_constant = false;
  for_each_entry(pass, [&](std::size_t i, const Entry& entry) {
    if (is_constant(pass, entry)) {
      had_constant = true;
    } else {
      kept[i].push_back(entry);
    }
  });
  if (had_constant && keys > 0 && pass.table[keys - 1] == shared::kKeyConstant) --keys;
  for (const std::vector<Entry>& entries : kept) {
    for (const Entry& entry : entries) {
      if (entry.key >= keys) return fail(ErrorCode::kUnsupported, "its key poses are not laid out as bind does");
    }
  }

  PalettePass result = pass;
  result.records.clear();
  result.table.resize(keys);
  const bool moved = std::any_of(offsets.begin(), offsets.end(), [](glm::vec3 o) { return o != glm::vec3(0.0f); });
  const auto constant = static_cast<std::uint32_t>(keys);
  if (moved) result.table.push_back(shared::kKeyConstant);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<Entry>& entries = kept[i];
    if (offsets[i] != glm::vec3(0.0f) || tilt[i] != glm::vec3(0.0f)) entries.push_back({constant, offsets[i], tilt[i]});
    append_record(result.records, shared::KeyPoseRecord{static_cast<std::uint32_t>(result.table.size()),
                                                        static_cast<std::uint32_t>(entries.size())});
    for (const Entry& entry : entries) {
      result.table.push_back(entry.key);
      for (const glm::vec3& vector : {entry.offset, entry.tilt}) {
        for (int c = 0; c < 3; ++c) result.table.push_back(std::bit_cast<std::uint32_t>(vector[c]));
      }
    }
  }
  return result;
}

}  // namespace pelt::key_pose
