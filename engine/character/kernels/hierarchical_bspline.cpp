// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <optional>

#include <pelt/finite.h>

#include "engine/character/base/formatted.h"
#include "engine/character/check_records.h"
#include "engine/character/kernels/patch_frame.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/table_reader.h"
#include "shaders/hierarchical_bspline/action_pose.h"
#include "shaders/hierarchical_bspline/follow_pose.h"
#include "shaders/hierarchical_bspline/frame_pose.h"
#include "shaders/hierarchical_bspline/limit_pose.h"
#include "shaders/hierarchical_bspline/segment_pose.h"

namespace pelt::hierarchical_bspline {
namespace {

const char* kNoJoint = "names a joint that does not exist";
const char* kNoFrame = "names a palette entry that no earlier stage writes a frame to";
const char* kNotFinite = "holds a number that is not finite, or beyond 1e+12";

Result<void> validate_segments(const PalettePass& pass, const CharacterData& data) {
  const std::size_t joints = data.skeleton.joints.size();
  return check_records<shared::SegmentRecord>(pass, [&](const shared::SegmentRecord& record) -> const char* {
    if (record.joint >= joints || record.parent >= joints) return kNoJoint;
    for (const float share : {record.share, record.twist}) {
      if (!(share >= 0 && share <= 1)) return "has a share outside of 0 to 1";
    }
    if (!(record.most > 0 && is_near(record.most))) return "fades a twist at no swing";
    const bool finite = is_near(record.origin) && is_near(record.joint_inverse_bind) &&
                        is_near(record.parent_inverse_bind) && is_near(record.axis);
    return finite ? nullptr : kNotFinite;
  });
}

Result<void> validate_follows(const PalettePass& pass, const CharacterData& data) {
  const FramesBefore frames(pass, data);
  const TableReader words(pass.table);
  TableParts parts(pass);
  return check_records<shared::FollowRecord>(pass, [&](const shared::FollowRecord& record) -> const char* {
    if (!is_posed_before(pass, data, record.vertex) || !is_posed_before(pass, data, record.followed)) {
      return kNotPosedBefore;
    }
    if (!frames.hold(record.entry) || !frames.hold(record.root)) return kNoFrame;
    if (record.key_count == 0) return "has no keys";
    const std::uint64_t count = std::uint64_t{record.key_count} * shared::kFollowKeyWords;
    if (record.key_count > kMaxTerms) return kTooManyTerms;
    if (const char* wrong = parts.take(record.first_word, count, 1)) return wrong;
    if (const char* wrong = words.check_numbers(record.first_word, count)) return wrong;
    for (std::uint64_t key = 1; key < record.key_count; ++key) {
      const std::uint64_t word = record.first_word + key * shared::kFollowKeyWords;
      if (!(words.number(word - shared::kFollowKeyWords) < words.number(word))) return "has keys that do not ascend";
    }
    for (std::uint64_t key = 0; key < record.key_count; ++key) {
      if (const char* wrong = words.check_place(record.first_word + key * shared::kFollowKeyWords + 1)) return wrong;
    }
    const bool finite = is_near(record.rest) && is_near(record.followed_rest) && is_near(record.axis);
    return finite ? nullptr : kNotFinite;
  });
}

Result<void> validate_limits(const PalettePass& pass, const CharacterData& data) {
  const std::size_t joints = data.skeleton.joints.size();
  return check_records<shared::LimitRecord>(pass, [&](const shared::LimitRecord& record) -> const char* {
    if (!is_posed_before(pass, data, record.vertex)) return kNotPosedBefore;
    if (record.kind > shared::kLimitSeparation) return "is of an unknown kind";
    const bool separates = record.kind == shared::kLimitSeparation;
    if (record.parent >= joints || (!separates && record.joint >= joints)) return kNoJoint;
    if (separates && !is_posed_before(pass, data, record.joint)) return kNotPosedBefore;
    if (!(record.distance >= 0 && is_near(record.distance)) || std::abs(record.side) != 1.0f) {
      return "has a wrong distance or side";
    }
    const bool finite = is_near(record.rest) && is_near(record.origin) && is_near(record.before) &&
                        is_near(record.bone) && is_near(record.joint_inverse_bind) &&
                        is_near(record.parent_inverse_bind);
    return finite ? nullptr : kNotFinite;
  });
}

Result<void> validate_actions(const PalettePass& pass, const CharacterData& data) {
  const FramesBefore frames(pass, data);
  const std::optional<std::uint32_t> clock = data.clock_input();
  return check_records<shared::ActionRecord>(pass, [&](const shared::ActionRecord& record) -> const char* {
    if (!is_posed_before(pass, data, record.vertex)) return kNotPosedBefore;
    if (!frames.hold(record.entry)) return kNoFrame;
    if (record.clock != clock) return "names an input that is not a clock";
    // With this, neither motion of the pair (r, s) grows from step to step.
    const auto is_pull = [](float kept, float pull) {
      return kept >= 0 && kept <= 1 && pull >= 0 && pull * shared::kActionStep <= 2;
    };
    if (!is_pull(record.kept, record.pull) || !is_pull(record.kept_into, record.pull_into)) {
      return "pulls so that its displacement grows";
    }
    const bool finite = is_near(record.rest) && is_near(record.root) && is_near(record.normal) && is_near(record.reach);
    return finite ? nullptr : kNotFinite;
  });
}

void pose_actions(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    Affine* entry = &context.palette[pass.first_entry + i * shared::kActionEntries];
    const auto record = read_record<shared::ActionRecord>(pass.records, i);
    const shared::ActionEntries posed = shared::pose_action(record, entry[1], work);
    entry[0] = posed.shift;
    entry[1] = posed.state;
  }
}

// Numbers the passes, since all levels of a surface and its skin have control vertices of the same name.
std::string frame_label(const PassEntry& entry, const CharacterData& data) {
  const auto is_of_frames = [](const PalettePass& pass) { return pass.kernel == PoseKernel::kTangentFrame; };
  const auto before = std::count_if(data.passes.data(), &entry.pass, is_of_frames);
  return formatted("{} of pass {}", patch_frame::sample_label(entry, data), before + 1);
}

bool is_whole(const shared::SegmentRecord& record) { return std::min(record.share, record.twist) >= 1; }

EntryRest segment_rest(const PassEntry& entry) {
  const auto record = entry.read<shared::SegmentRecord>();
  if (is_whole(record)) return {.kind = EntryKind::kJoint, .from_rest = record.joint_inverse_bind};
  return {.kind = EntryKind::kControlPoint, .from_rest = affine_from_axes(glm::mat3(1.0f), -record.origin)};
}

std::string segment_label(const PassEntry& entry, const CharacterData& data) {
  const auto record = entry.read<shared::SegmentRecord>();
  const std::string& joint = data.skeleton.joints[record.joint].name;
  if (is_whole(record)) return "joint " + joint;
  if (record.share == record.twist) return formatted("{:g}% of joint {}", 100 * record.share, joint);
  return formatted("{:g}% of the bend and {:g}% of the twist of joint {}", 100 * record.share, 100 * record.twist,
                   joint);
}

void append_segment(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  const auto record = entry.read<shared::SegmentRecord>();
  const float share = std::max(record.share, record.twist);
  sources.push_back({SourceKind::kJoint, record.joint, share});
  if (share < 1) sources.push_back({SourceKind::kJoint, record.parent, 1 - share});
}

template <class Record>
std::string shift_label(const PassEntry& entry, const CharacterData& data) {
  const std::uint32_t vertex = entry.read<Record>().vertex;
  const CharacterMesh& mesh = mesh_of(data, vertex);
  return formatted("{} vertex {}", mesh.name, mesh.source_vertex[vertex - mesh.first_vertex]);
}

template <class Record>
void append_vertex(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  if (entry.in_record == 0) sources.push_back({SourceKind::kVertex, entry.read<Record>().vertex, 1});
}

}  // namespace

const PoseKernelInfo kTangentFrame{.name = "tangent_frame",
                                   .record_words = kRecordWords<shared::PatchRecord>,
                                   .entries_per_record = 1,
                                   .validate = patch_frame::validate_records,
                                   .pose = pose_records<shared::PatchRecord, shared::pose_tangent_frame>,
                                   .rest = patch_frame::sample_rest,
                                   .label = frame_label,
                                   .append_sources = patch_frame::append_sample};

const PoseKernelInfo kMeshFrame{.name = "mesh_frame",
                                .record_words = kRecordWords<shared::PatchRecord>,
                                .entries_per_record = 1,
                                .validate = patch_frame::validate_records,
                                .pose = pose_records<shared::PatchRecord, shared::pose_mesh_frame>,
                                .rest = patch_frame::sample_rest,
                                .label = patch_frame::sample_label,
                                .append_sources = patch_frame::append_sample};

const PoseKernelInfo kSegment{.name = "segment",
                              .record_words = kRecordWords<shared::SegmentRecord>,
                              .entries_per_record = 1,
                              .validate = validate_segments,
                              .pose = pose_records<shared::SegmentRecord, shared::pose_segment>,
                              .rest = segment_rest,
                              .label = segment_label,
                              .append_sources = append_segment};

const PoseKernelInfo kFollow{.name = "follow",
                             .record_words = kRecordWords<shared::FollowRecord>,
                             .entries_per_record = 1,
                             .validate = validate_follows,
                             .pose = pose_records<shared::FollowRecord, shared::pose_follow>,
                             .rest = no_rest,
                             .label = shift_label<shared::FollowRecord>,
                             .append_sources = append_vertex<shared::FollowRecord>};

const PoseKernelInfo kLimit{.name = "limit",
                            .record_words = kRecordWords<shared::LimitRecord>,
                            .entries_per_record = 1,
                            .validate = validate_limits,
                            .pose = pose_records<shared::LimitRecord, shared::pose_limit>,
                            .rest = no_rest,
                            .label = shift_label<shared::LimitRecord>,
                            .append_sources = append_vertex<shared::LimitRecord>};

const PoseKernelInfo kSecondaryAction{.name = "secondary_action",
                                      .record_words = kRecordWords<shared::ActionRecord>,
                                      .entries_per_record = shared::kActionEntries,
                                      .validate = validate_actions,
                                      .pose = pose_actions,
                                      .rest = no_rest,
                                      .label = shift_label<shared::ActionRecord>,
                                      .append_sources = append_vertex<shared::ActionRecord>,
                                      .contents = {EntryContent::kFrame, EntryContent::kNumbers}};

}  // namespace pelt::hierarchical_bspline
