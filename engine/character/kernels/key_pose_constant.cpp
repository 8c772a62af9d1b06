// SPDX-License-Identifier: MIT
#include "engine/character/kernels/key_pose_constant.h"

#include <bit>
#include <cassert>
#include <cstdint>

#include "engine/character/records.h"
#include "engine/character/rows/tilt.h"
#include "shaders/driver/key_pose/pose.h"

namespace pelt::key_pose {
namespace {

struct Entry {
  std::uint32_t place;  // index of its weight
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

bool is_constant(const Entry& entry) { return entry.place == shared::kKeyConstant; }

}  // namespace

bool is_constant(const PalettePass& pass) {
  bool constant = true;
  for_each_entry(pass, [&](std::size_t, const Entry& entry) { constant = constant && is_constant(entry); });
  return constant;
}

std::vector<glm::vec3> constant_offsets(const PalettePass& pass) {
  std::vector<glm::vec3> offsets(pass.record_count, glm::vec3(0.0f));
  for_each_entry(pass, [&](std::size_t i, const Entry& entry) {
    if (is_constant(entry)) offsets[i] += entry.offset;
  });
  return offsets;
}

PalettePass with_constant_offsets(const PalettePass& pass, std::span<const glm::vec3> offsets,
                                  const SurfaceGradient& surface) {
  assert(offsets.size() == pass.record_count);
  const std::vector<glm::vec3> tilt = tilts(surface, offsets);
  std::vector<std::vector<Entry>> kept(pass.record_count);
  for_each_entry(pass, [&](std::size_t i, const Entry& entry) {
    if (!is_constant(entry)) kept[i].push_back(entry);
  });
  PalettePass result = pass;
  result.records.clear();
  result.table.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<Entry>& entries = kept[i];
    if (offsets[i] != glm::vec3(0.0f) || tilt[i] != glm::vec3(0.0f)) {
      entries.push_back({shared::kKeyConstant, offsets[i], tilt[i]});
    }
    append_record(result.records, shared::KeyPoseRecord{static_cast<std::uint32_t>(result.table.size()),
                                                        static_cast<std::uint32_t>(entries.size())});
    for (const Entry& entry : entries) {
      result.table.push_back(entry.place);
      for (const glm::vec3& vector : {entry.offset, entry.tilt}) {
        for (int c = 0; c < 3; ++c) result.table.push_back(std::bit_cast<std::uint32_t>(vector[c]));
      }
    }
  }
  return result;
}

}  // namespace pelt::key_pose
