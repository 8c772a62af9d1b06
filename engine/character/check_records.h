// SPDX-License-Identifier: MIT
// Checks the records of a pose pass one by one. A check returns the reason why a record is wrong, or nullptr.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include <pelt/character.h>

#include "engine/character/base/invalid.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"

namespace pelt {

// Returns an error for the first record of the pass that fails `check`.
template <class Record, class Check>
Result<void> check_records(const PalettePass& pass, const Check& check) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    if (const char* wrong = check(read_record<Record>(pass.records, i))) return invalid("record {} {}", i, wrong);
  }
  return {};
}

// Most terms of a sum, or keys, in one record; bind makes far fewer. One shader invocation processes them in sequence,
// and drivers reset a device whose invocation runs for seconds, which affects every program.
inline constexpr std::uint64_t kMaxTerms = 4096;
inline constexpr const char* kTooManyTerms = "has more than 4096 terms";

// Bounds the work: in a small file, many records could share the same words and be slow to check and pose.
class TableBudget {
 public:
  explicit TableBudget(const PalettePass& pass) : table_words_(pass.table.size()) {}

  // Takes the words [first, first + count), which one record reads.
  const char* take(std::uint64_t first, std::uint64_t count) {
    return first + count > table_words_ ? "reads past its table" : take(count);
  }
  // Takes `count` words, wherever they are.
  const char* take(std::uint64_t count) {
    taken_ += count;
    return taken_ > table_words_ ? "and those before it read more words than its table has" : nullptr;
  }

 private:
  std::uint64_t table_words_;
  std::uint64_t taken_ = 0;
};

// Assigns each word of a pass's table to one part, such as a chain or a sample. A word is never read as two kinds of
// thing: otherwise checked numbers could be reinterpreted as joints, and many records could share words, which would
// make a small file slow to check and pose.
class TableParts {
 public:
  // Defined by the caller, 1 to 127.
  using Kind = std::uint8_t;

  explicit TableParts(const PalettePass& pass) : parts_(pass.table.size(), Kind{0}) {}

  // Takes the words [first, first + count) for a part that only one record or part uses. Returns the reason why they
  // cannot be taken, or nullptr.
  const char* take(std::uint64_t first, std::uint64_t count, Kind kind) {
    if (first > parts_.size() || count > parts_.size() - first) return "reads past its table";
    if (count == 0) return nullptr;
    const auto begin = parts_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    if (std::any_of(begin, end, [](Kind taken) { return taken != 0; })) return kTwoThings;
    std::fill(begin, end, kind);
    *begin = static_cast<Kind>(kind | kStart);
    return nullptr;
  }

  // Does the same for a part of at least one word that several may use; sets `is_new` if it is used for the first time.
  const char* share(std::uint64_t first, std::uint64_t count, Kind kind, bool& is_new) {
    const std::uint64_t last = first + count - 1;
    is_new = last >= parts_.size() || parts_[first] != (kind | kStart);
    if (is_new) return take(first, count, kind);
    return (parts_[last] & ~kStart) == kind ? nullptr : kTwoThings;
  }

 private:
  static constexpr Kind kStart = 0x80;  // marks the first word of a part
  static constexpr const char* kTwoThings = "takes a word of its table for two things";

  std::vector<Kind> parts_;  // of each word; 0: not taken
};

// Runs of palette entries.
class EntryRuns {
 public:
  // `each`: entries per record.
  void add(std::uint32_t first, std::uint32_t count, std::uint32_t each = 1) {
    if (count > 0) runs_.emplace(first, Run{count, each});
  }

  // True if entries [entry, entry + count) are in one run, and the first begins a record.
  bool hold(std::uint32_t entry, std::uint64_t count = 1) const {
    const auto after = runs_.upper_bound(entry);
    if (after == runs_.begin()) return false;
    const auto& [first, run] = *std::prev(after);
    return entry - first + count <= run.count && (entry - first) % run.each == 0;
  }

 private:
  struct Run {
    std::uint32_t count, each;
  };
  std::map<std::uint32_t, Run> runs_;  // by their first palette entries
};

// Returns the entries that passes of `kernel` write in earlier stages.
inline EntryRuns entries_before(const PalettePass& pass, const CharacterData& data, PoseKernel kernel) {
  EntryRuns runs;
  for (const PalettePass& other : data.passes) {
    if (other.kernel != kernel || other.stage >= pass.stage) continue;
    const std::uint32_t each = pose_kernel(kernel).entries_per_record;
    runs.add(other.first_entry, other.record_count * each, each);
  }
  return runs;
}

// Returns the entries that passes of `kernel`, which is posed first, write before this pass.
inline EntryRuns entries_posed_first(const PalettePass& pass, const CharacterData& data, PoseKernel kernel) {
  EntryRuns runs;
  for (const PalettePass& other : data.passes) {
    if (&other == &pass) break;
    if (other.kernel == kernel && other.stage <= pass.stage) runs.add(other.first_entry, other.record_count);
  }
  return runs;
}

// The frames that a pass may read from the palette: those from passes and control meshes of earlier stages.
class FramesBefore {
 public:
  FramesBefore(const PalettePass& pass, const CharacterData& data) {
    for (const PalettePass& other : data.passes) {
      const PoseKernelInfo& kernel = pose_kernel(other.kernel);
      if (other.stage >= pass.stage || kernel.contents != both(EntryContent::kFrame)) continue;
      runs_.add(other.first_entry, other.record_count * kernel.entries_per_record);
    }
    for (const CharacterMesh& mesh : data.meshes) {
      if (mesh.frame_entry && mesh.stage < pass.stage) runs_.add(*mesh.frame_entry, mesh.vertex_count());
    }
  }

  bool hold(std::uint32_t entry) const { return runs_.hold(entry); }

 private:
  EntryRuns runs_;
};

inline constexpr const char* kNotPosedBefore = "names a vertex that no earlier stage moves";

}  // namespace pelt
