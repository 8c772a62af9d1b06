// SPDX-License-Identifier: MIT
#include "engine/character/kernels/mos.h"

#include <algorithm>
#include <cassert>

#include "engine/character/base/formatted.h"
#include "engine/character/check_records.h"
#include "engine/character/kernels/check_chain.h"
#include "engine/character/kernels/key_weights.h"
#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"

namespace pelt::mos {

bool has_points(const PalettePass& pass) {
  return pass.kernel == PoseKernel::kMosPoint || pass.kernel == PoseKernel::kMosWindowPoint;
}

std::vector<std::uint32_t> point_words(const PalettePass& pass) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t r = 0; r < pass.record_count; ++r) {
    words.push_back(read_record<shared::MosPointRecord>(pass.records, r).point);
  }
  std::ranges::sort(words);
  return words;
}

namespace {

class Table {
 public:
  Table(const PalettePass& pass, const CharacterData& data)
      : words_(pass.table), data_(data), anchors_(entries_before(pass, data, PoseKernel::kAnchor)), parts_(pass) {}

  // Returns the reason why a point cannot be posed, or nullptr. Each point belongs to one record.
  const char* check(const shared::MosPointRecord& record) {
    const std::uint64_t word = record.point;
    if (!words_.holds(word, shared::kMosPointWords)) return "reads past its table";
    bool is_new = false;
    if (const char* wrong = parts_.share(word, shared::kMosPointWords, kPoint, is_new)) return wrong;
    return is_new ? check_point(word) : "names the point of another record";
  }

  const char* check_header() {
    if (!words_.holds(0, shared::kMosHeaderWords)) return "reads past its table";
    if (!is_joint(0)) return "names a joint that does not exist";
    if (const char* wrong = parts_.take(0, shared::kMosHeaderWords, kHeader)) return wrong;
    return words_.check_place(1, shared::kMosHeaderWords - 1);
  }

 private:
  enum Part : TableParts::Kind { kHeader = 1, kPoint, kEdits, kChain, kAnchors, kDriver };

  bool is_joint(std::uint64_t word) const { return words_.word(word) < data_.skeleton.joints.size(); }

  const char* check_point(std::uint64_t word) {
    if (!is_joint(word)) return "names a joint that does not exist";
    const std::uint64_t position = word + shared::kMosPointPosition;
    if (const char* wrong = words_.check_numbers(position, shared::kMosPointChain - shared::kMosPointPosition)) {
      return wrong;
    }
    for (const std::uint32_t place : {shared::kMosPointPosition, shared::kMosPointRest}) {
      if (const char* wrong = words_.check_place(word + place)) return wrong;
    }
    if (words_.word(word + shared::kMosPointKind) > shared::kMosAngles) return "has a point of an unknown kind";
    if (words_.word(word + shared::kMosPointChain) != shared::kMosNoWord) {
      if (const char* wrong = check_turn(word)) return wrong;
    }
    const std::uint64_t edits = words_.word(word + shared::kMosPointEdits);
    if (edits > shared::kMaxMosEdits + shared::kMaxMosOwnEdits) return "has too many edits";
    const std::uint64_t first = words_.word(word + shared::kMosPointEdits + 1);
    if (const char* wrong = parts_.take(first, edits * shared::kMosEditWords, kEdits)) return wrong;
    for (std::uint64_t e = 0; e < edits; ++e) {
      if (const char* wrong = check_edit(word, first + e * shared::kMosEditWords)) return wrong;
    }
    return nullptr;
  }

  const char* check_turn(std::uint64_t word) {
    const std::uint64_t chain = words_.word(word + shared::kMosPointChain);
    if (!words_.holds(chain, shared::kChainWords)) return "reads past its table";
    bool is_new = false;
    if (const char* wrong = parts_.share(chain, shared::kChainWords, kChain, is_new)) return wrong;
    if (is_new) {
      if (const char* wrong = chain::check_posed_chain(words_, data_, anchors_, chain)) return wrong;
      const std::uint64_t anchors = words_.word(chain) * std::uint64_t{shared::kAnchorWords};
      if (const char* wrong = parts_.take(words_.word(chain + shared::kChainFirstAnchor), anchors, kAnchors)) {
        return wrong;
      }
    }
    const std::uint32_t top = words_.word(chain + 1);
    const std::uint32_t far = words_.word(word + shared::kMosPointFar);
    if (far >= words_.word(chain) || far == top) return "turns with a bone that does not exist";
    for (const std::uint32_t part : {shared::kMosPointSwing, shared::kMosPointTwist}) {
      const float value = words_.number(word + part);
      if (!(value >= 0 && value <= 1)) return "turns outside its bone";
    }
    return words_.check_numbers(word + shared::kMosPointAxis, 3);
  }

  const char* check_edit(std::uint64_t point, std::uint64_t word) {
    const std::uint64_t values = word + shared::kMosEditValues;
    if (words_.word(word) > shared::kMosRoll) return "has an edit of an unknown kind";
    const std::uint32_t chain = words_.word(point + shared::kMosPointChain);
    const std::uint32_t anchors = chain == shared::kMosNoWord ? 0 : words_.word(chain);
    if (words_.word(word) == shared::kMosOutward) {
      const std::uint32_t far = words_.word(point + shared::kMosPointFar);
      if (anchors == 0 || far == 0 || far + 1 >= anchors) return "slides outward, but not at an inner joint of a chain";
      if (const float around = words_.number(values + 1); !(around >= 0 && around <= 1)) return "turns beyond its joint";
    }
    if (words_.word(word) == shared::kMosSlide) {
      if (!is_joint(values + 1) || !is_joint(values + 2)) return "names a joint that does not exist";
      if (const char* wrong = words_.check_numbers(values, 1)) return wrong;
      if (const char* wrong = words_.check_numbers(values + 3, 3)) return wrong;
    } else if (words_.word(word) == shared::kMosRoll) {
      const std::uint32_t roller = words_.word(values + 1);
      if (roller >= anchors || roller == words_.word(chain + 1)) return "rolls with an anchor that does not exist";
      if (const char* wrong = words_.check_numbers(values, 1)) return wrong;
    } else if (const char* wrong = words_.check_numbers(values, shared::kMosEditWords - shared::kMosEditValues)) {
      return wrong;
    }
    const std::uint64_t driver = words_.word(word + shared::kMosEditDriver);
    if (driver == shared::kMosNoWord) return nullptr;
    return check_driver(driver);
  }

  const char* check_driver(std::uint64_t word) {
    if (!words_.holds(word, shared::kMosDriverKeys)) return "reads past its table";
    const std::uint64_t count = words_.word(word);
    if (count < shared::kMinMosKeys || count > shared::kMaxMosKeys) return "has too few or too many keys";
    const std::uint64_t size = shared::kMosDriverKeys + count * shared::kMosKeyWords;
    bool is_new = false;
    if (const char* wrong = parts_.share(word, size, kDriver, is_new)) return wrong;
    if (!is_new) return nullptr;
    if (const char* wrong = key_weights::check_angle(words_, data_, word + shared::kMosDriverAngle)) return wrong;
    const std::uint64_t first = word + shared::kMosDriverKeys;
    if (const char* wrong = words_.check_numbers(first, count * shared::kMosKeyWords)) return wrong;
    for (std::uint64_t k = 1; k < count; ++k) {
      const std::uint64_t key = first + k * shared::kMosKeyWords;
      if (!(words_.number(key) > words_.number(key - shared::kMosKeyWords))) return "has keys that do not ascend";
    }
    return nullptr;
  }

  TableReader words_;
  const CharacterData& data_;
  EntryRuns anchors_;
  TableParts parts_;
};

Result<void> validate_points(const PalettePass& pass, const CharacterData& data) {
  Table table(pass, data);
  const char* header = pass.record_count > 0 ? table.check_header() : nullptr;
  return check_records<shared::MosPointRecord>(
      pass, [&](const shared::MosPointRecord& record) { return header != nullptr ? header : table.check(record); });
}

Result<void> validate_samples(const PalettePass& pass, const CharacterData& data) {
  const TableReader words(pass.table);
  const EntryRuns points = entries_before(pass, data, PoseKernel::kMosWindowPoint);
  TableParts parts(pass);
  return check_records<shared::MosTableRecord>(pass, [&](const shared::MosTableRecord& record) -> const char* {
    for (const std::uint32_t first : record.points) {
      if (!points.hold(first, shared::kMosPointEntries)) return "blends a point that no earlier stage poses";
    }
    const std::uint64_t count = std::uint64_t{shared::kMosEntries} * shared::kMosSampleWords;
    if (const char* wrong = words.check_numbers(record.first_sample, count)) return wrong;
    for (std::uint64_t k = 0; k < shared::kMosEntries; ++k) {
      const float u = words.number(record.first_sample + k * shared::kMosSampleWords);
      if (!(u >= 0 && u <= 1)) return "has a sample that is not in its window";
    }
    return parts.take(record.first_sample, count, 1);
  });
}

EntryRest point_rest(const PassEntry&) { return {.kind = EntryKind::kControlPoint}; }

std::uint32_t sample_word(const PassEntry& entry) {
  return entry.read<shared::MosTableRecord>().first_sample + entry.in_record * shared::kMosSampleWords;
}

EntryRest table_rest(const PassEntry& entry) {
  const auto record = entry.read<shared::MosTableRecord>();
  const std::uint32_t sample = sample_word(entry);
  return {.kind = EntryKind::kWindowSample,
          .from_rest = shared::table_affine(entry.table(), sample + shared::kMosSampleInverse),
          .line = {record.points[0], record.points[1], record.points[2], record.points[3]},
          .along = entry.number(sample)};
}

std::uint32_t joint_of(const PassEntry& entry) { return entry.pass.table[entry.read<shared::MosPointRecord>().point]; }

// Returns the joint of the point with this palette entry.
std::uint32_t joint_of(std::uint32_t index, const CharacterData& data) {
  const auto pass = std::ranges::find_if(data.passes, [&](const PalettePass& one) {
    return one.kernel == PoseKernel::kMosWindowPoint && index >= one.first_entry &&
           index - one.first_entry < one.record_count * shared::kMosPointEntries;
  });
  assert(pass != data.passes.end());
  return joint_of({*pass, (index - pass->first_entry) / shared::kMosPointEntries});
}

std::string point_label(const PassEntry& entry, const CharacterData& data) {
  return formatted("point {} of {}", entry.record, data.skeleton.joints[joint_of(entry)].name);
}

std::string table_label(const PassEntry& entry, const CharacterData& data) {
  const auto record = entry.read<shared::MosTableRecord>();
  const std::string& first = data.skeleton.joints[joint_of(record.points[1], data)].name;
  const std::string& second = data.skeleton.joints[joint_of(record.points[2], data)].name;
  return formatted("points of {}{} at {:.2f}", first, first == second ? "" : ".." + second,
                   entry.number(sample_word(entry)));
}

// A control point moves only with its own joint, whatever turns it.
void append_point_source(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  sources.push_back({SourceKind::kJoint, joint_of(entry), 1});
}

void append_table_sources(const PassEntry& entry, const CharacterData& data, std::vector<EntrySource>& sources) {
  const auto record = entry.read<shared::MosTableRecord>();
  const glm::vec4 weights = shared::spline_basis(entry.number(sample_word(entry)));
  for (std::uint32_t k = 0; k < shared::kMosWindow; ++k) {
    sources.push_back({SourceKind::kJoint, joint_of(record.points[k], data), weights[static_cast<glm::length_t>(k)]});
  }
}

void append_handles(const PalettePass& pass, const PoseContext& context, std::vector<PosedHandle>& handles) {
  const shared::PoseWork work = pose_work(pass, context);
  for (const std::uint32_t point : point_words(pass)) {
    handles.push_back({.kind = EntryKind::kControlPoint,
                       .joint = pass.table[point],
                       .rest = shared::table_vector(work, point + shared::kMosPointRest),
                       .frame = shared::mos_frame(pose_window_point({point}, work))});
  }
}

}  // namespace

const PoseKernelInfo kMosPoint{.name = "mos_point",
                               .record_words = kRecordWords<shared::MosPointRecord>,
                               .entries_per_record = 1,
                               .validate = validate_points,
                               .pose = pose_records<shared::MosPointRecord, shared::pose_mos_entry>,
                               .rest = point_rest,
                               .label = point_label,
                               .append_sources = append_point_source,
                               .append_handles = append_handles};

const PoseKernelInfo kMosWindowPoint{.name = "mos_window_point",
                                     .record_words = kRecordWords<shared::MosPointRecord>,
                                     .entries_per_record = shared::kMosPointEntries,
                                     .validate = validate_points,
                                     .pose = pose_records<shared::MosPointRecord, shared::pose_window_point>,
                                     .rest = no_rest,
                                     .label = point_label,
                                     .append_sources = append_point_source,
                                     .append_handles = append_handles,
                                     .contents = both(EntryContent::kNumbers)};

const PoseKernelInfo kMosTable{
    .name = "mos_table",
    .record_words = kRecordWords<shared::MosTableRecord>,
    .entries_per_record = shared::kMosEntries,
    .validate = validate_samples,
    .pose = pose_entries<shared::MosTableRecord, shared::kMosEntries, shared::pose_mos_sample>,
    .rest = table_rest,
    .label = table_label,
    .append_sources = append_table_sources,
    .invocation_per_entry = true};

}  // namespace pelt::mos
