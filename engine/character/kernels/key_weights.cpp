// SPDX-License-Identifier: MIT
#include "engine/character/kernels/key_weights.h"

#include <bit>
#include <optional>

#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/check_records.h"
#include "engine/character/kernels/action_line.h"
#include "shaders/key_weights/pose.h"

namespace pelt::key_weights {

const char* check_angle(const TableReader& words, const CharacterData& data, std::uint64_t word) {
  if (const char* wrong = words.check_numbers(word + 2, shared::kJointAngleWords - 2)) return wrong;
  const std::size_t joints = data.skeleton.joints.size();
  const bool known = words.word(word) < joints && words.word(word + 1) < joints;
  return known ? nullptr : "names a joint that does not exist";
}

namespace {

// Reads a pass's table, within its bounds.
class Table {
 public:
  Table(const PalettePass& pass, const CharacterData& data)
      : pass_(pass), words_(pass.table), data_(data), clock_(data.clock_input()), parts_(pass) {}

  // Returns true if a weight follows a muscle.
  bool has_lines() const { return has_lines_; }

  const char* check(const shared::KeyWeightsRecord& record) {
    if (record.weight_count == 0 || record.weight_count > shared::kMorphEntryTargets) {
      return "holds no weights, or too many";
    }
    if (const char* wrong = parts_.take(record.first_word, record.weight_count, kRecord)) return wrong;
    for (std::uint32_t i = 0; i < record.weight_count; ++i) {
      if (const char* wrong = check_list(words_.word(record.first_word + i))) return wrong;
    }
    return nullptr;
  }

 private:
  enum Part : TableParts::Kind { kRecord = 1, kList, kKey, kAngle, kCentres, kLine };

  const char* check_list(std::uint64_t list) {
    if (list >= words_.size()) return "reads past its table";
    const std::uint64_t count = words_.word(list);
    if (const char* wrong = parts_.take(list, count + 1, kList)) return wrong;
    if (count > kMaxTerms) return kTooManyTerms;
    std::uint64_t centres = 0;
    for (std::uint64_t k = 1; k <= count; ++k) {
      const std::uint64_t key = words_.word(list + k);
      if (const char* wrong = check_key(key)) return wrong;
      if (words_.word(key) == shared::kKeyRbf) centres += words_.word(key + 2);
    }
    centres_ += centres;
    return centres > kMaxCentres || centres_ > kMaxAllCentres ? "names keys of too many centres" : nullptr;
  }

  // Checks each key once, even if several weights use it: a small file must not take long to check.
  const char* check_key(std::uint64_t word) {
    if (word >= words_.size()) return "reads past its table";
    const std::uint32_t kind = words_.word(word);
    if (kind == shared::kKeyRbf) return check_rbf(word);
    if (kind > shared::kKeyStretch) return "has a key of an unknown kind";
    const std::uint64_t numbers = kind == shared::kKeyControl ? 1 : 3;
    bool is_new = false;
    if (const char* wrong = parts_.share(word, 2 + numbers, kKey, is_new)) return wrong;
    if (!is_new) return nullptr;
    if (const char* wrong = words_.check_numbers(word + 2, numbers)) return wrong;
    if (kind == shared::kKeyLinear) {
      if (!(words_.number(word + 2) < words_.number(word + 3) && words_.number(word + 3) < words_.number(word + 4))) {
        return "has keys that do not ascend";
      }
      return check_one_angle(words_.word(word + 1));
    }
    if (kind != shared::kKeyControl && !(words_.number(word + 2) < words_.number(word + 3))) {
      return "has a ramp that does not ascend";
    }
    if (kind == shared::kKeyStretch) return check_line(words_.word(word + 1));
    if (words_.word(word + 1) >= data_.input_count) return "names an input that does not exist";
    return words_.word(word + 1) == clock_ ? "takes the clock for a weight" : nullptr;
  }

  const char* check_rbf(std::uint64_t word) {
    if (word + shared::kKeyRbfHeader > words_.size()) return "reads past its table";
    const std::uint64_t angles = words_.word(word + 1);
    const std::uint64_t centres = words_.word(word + 2);
    bool is_new = false;
    if (const char* wrong = parts_.share(word, shared::kKeyRbfHeader + centres, kKey, is_new)) return wrong;
    if (!is_new) return nullptr;
    if (angles == 0 || angles > std::uint64_t{shared::kMaxKeyAngles}) return "is keyed on too many angles";
    if (centres > shared::kMaxKeyCentres) return "has too many keys";
    for (std::uint64_t a = 0; a < angles; ++a) {
      if (const char* wrong = check_one_angle(words_.word(word + 3) + a * shared::kJointAngleWords)) return wrong;
    }
    const std::uint64_t first_centre = words_.word(word + 4);
    const std::uint64_t count = centres * (angles + 1);
    if (const char* wrong = words_.check_numbers(first_centre, count)) return wrong;
    if (count > 0) {
      if (const char* wrong = parts_.share(first_centre, count, kCentres, is_new)) return wrong;
    }
    for (std::uint64_t c = 0; c < centres; ++c) {
      if (!(words_.number(first_centre + c * (angles + 1) + angles) > 0)) return "has keys without a width";
    }
    return words_.check_numbers(word + shared::kKeyRbfHeader, centres);
  }

  const char* check_one_angle(std::uint64_t word) {
    bool is_new = false;
    if (const char* wrong = parts_.share(word, shared::kJointAngleWords, kAngle, is_new)) return wrong;
    return is_new ? check_angle(words_, data_, word) : nullptr;
  }

  const char* check_line(std::uint64_t word) {
    bool is_new = false;
    if (const char* wrong = parts_.share(word, shared::kLineWords, kLine, is_new)) return wrong;
    has_lines_ = true;
    return is_new ? action_line::check_line(pass_, data_, word) : nullptr;
  }

  // Most centres of one weight, 256 keys of 256 centres each, and of all weights, which are posed per instance.
  static constexpr std::uint64_t kMaxCentres = std::uint64_t{shared::kMaxKeyCentres} * shared::kMaxKeyCentres;
  static constexpr std::uint64_t kMaxAllCentres = 64 * kMaxCentres;

  const PalettePass& pass_;
  TableReader words_;
  const CharacterData& data_;
  std::optional<std::uint32_t> clock_;
  TableParts parts_;
  std::uint64_t centres_ = 0;  // of all weights so far
  bool has_lines_ = false;
};

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  Table table(pass, data);
  PELT_TRY(check_records<shared::KeyWeightsRecord>(
      pass, [&](const shared::KeyWeightsRecord& record) { return table.check(record); }));
  if (pass.stage == 0 || table.has_lines()) return {};
  return invalid("its weights must be posed in stage 0, not {}", pass.stage);
}

std::string label(const PassEntry& entry, const CharacterData&) {
  return formatted("weights of keys {}", entry.record);
}

// A weight of a pass, by the word of its list.
struct Weight {
  const std::vector<std::uint32_t>& table;
  std::uint32_t list;
};

Weight weight_of(const PassEntry& entry, std::uint32_t i) {
  const std::vector<std::uint32_t>& table = entry.pass.table;
  return {table, table[entry.read<shared::KeyWeightsRecord>().first_word + i]};
}

// Appends the joints and inputs of a weight.
void append_weight_sources(const Weight& weight, std::vector<EntrySource>& sources) {
  const auto& [table, list] = weight;
  const auto append_angle = [&](std::uint32_t angle) {
    for (const std::uint32_t word : {angle, angle + 1}) sources.push_back({SourceKind::kJoint, table[word], 0});
  };
  for (std::uint32_t k = 1; k <= table[list]; ++k) {
    const std::uint32_t key = table[list + k];
    if (table[key] == shared::kKeyControl || table[key] == shared::kKeyRamp)
      sources.push_back({SourceKind::kInput, table[key + 1], 0});
    if (table[key] == shared::kKeyLinear) append_angle(table[key + 1]);
    if (table[key] == shared::kKeyStretch) {
      sources.push_back({SourceKind::kVertex, table[table[key + 1] + shared::kLineFirstPoint], 0});
    }
    for (std::uint32_t a = 0; table[key] == shared::kKeyRbf && a < table[key + 1]; ++a) {
      append_angle(table[key + 3] + a * shared::kJointAngleWords);
    }
  }
}

void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  const std::uint32_t count = entry.read<shared::KeyWeightsRecord>().weight_count;
  for (std::uint32_t i = 0; i < count; ++i) append_weight_sources(weight_of(entry, i), sources);
}

}  // namespace

void append_weight_sources(const CharacterData& data, std::uint32_t place, std::vector<EntrySource>& sources) {
  const std::uint32_t index = place / shared::kMorphEntryFloats;
  for (const PalettePass& pass : data.passes) {
    if (pass.kernel != PoseKernel::kKeyWeights || index < pass.first_entry) continue;
    if (index - pass.first_entry >= pass.record_count) continue;
    const PassEntry entry{pass, index - pass.first_entry};
    const std::uint32_t weight = place % shared::kMorphEntryFloats;
    if (weight <= entry.read<shared::KeyWeightsRecord>().weight_count)
      append_weight_sources(weight_of(entry, weight - 1), sources);
  }
}

std::vector<RampKey> ramp_keys(const PalettePass& pass) {
  std::vector<RampKey> ramps;
  for (std::uint32_t r = 0; r < pass.record_count; ++r) {
    const PassEntry entry{pass, r};
    const std::uint32_t count = entry.read<shared::KeyWeightsRecord>().weight_count;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto& [table, list] = weight_of(entry, i);
      for (std::uint32_t k = 1; k <= table[list]; ++k) {
        const std::uint32_t key = table[list + k];
        if (table[key] != shared::kKeyRamp) continue;
        ramps.push_back({pass.first_entry + r, i, table[key + 1], std::bit_cast<float>(table[key + 2]),
                         std::bit_cast<float>(table[key + 4])});
      }
    }
  }
  return ramps;
}

const PoseKernelInfo kKeyWeights{.name = "key_weights",
                                 .record_words = kRecordWords<shared::KeyWeightsRecord>,
                                 .entries_per_record = 1,
                                 .validate = validate_records,
                                 .pose = pose_records<shared::KeyWeightsRecord, shared::pose_key_weights>,
                                 .rest = no_rest,
                                 .label = label,
                                 .append_sources = append_sources,
                                 .contents = both(EntryContent::kWeights),
                                 .posed_first = true};

}  // namespace pelt::key_weights
