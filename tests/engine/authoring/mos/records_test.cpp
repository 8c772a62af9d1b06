// SPDX-License-Identifier: MIT
// Tests which records and tables of a file are refused.
#include <bit>

#include <pelt/curve_keys.h>

#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"
#include "tests/engine/character/kernels/point_scene.h"
#include "tests/support/must.h"

namespace pelt::mos {
namespace {

using test::turn;

constexpr std::uint32_t kNanWord = 0x7FC00000u;
constexpr std::uint32_t kFarWord = 0x53801000u;  // 1.1e12
constexpr std::uint32_t kFar = 0xFFFFFFF0u;

std::uint32_t word_of(float number) { return std::bit_cast<std::uint32_t>(number); }

// Passes with every kind of edit, and the places of things in their tables.
struct File {
  File() {
    const Scene scene;
    MosTable table = scene.table();
    const std::uint32_t chain_word = table.put_chain(scene.limb.curve.chain);
    const key_weights::AngleWords angle{1, 0, 0, 0, word_of(1), 0, 0, 0, word_of(1)};
    driver = table.put_driver(angle, std::vector<CurveKey>{{0, 0}, {30, 1}, {60, 2}});
    const std::vector<PointEdit> edits{
        {.operation = MosOperation::kSlide, .distance = 0.4f, .from = 1, .to = 2, .driver = driver},
        {.operation = MosOperation::kScale, .scale = {1, 2, 1}}};
    point = table.put_point({.joint = 1, .position = {1, 0, 0}, .turn = scene.turn_of(2, 0.5f, 0.5f, true)},
                            std::array{chain_word}, edits);
    plain = table.put_point({.joint = 2, .position = {2, 0, 0}}, std::array{chain_word});
    chain = chain_word;
    const PalettePass anchors = table.anchor_pass();
    const std::uint32_t first_point = anchors.record_count * shared::kAnchorBlock;
    for (PalettePass* pass : {&points, &single}) {
      pass->stage = 1;
      pass->first_entry = first_point;
      pass->table = table.words();
      pass->record_count = 2;
      append_record(pass->records, shared::MosPointRecord{point});
      append_record(pass->records, shared::MosPointRecord{plain});
    }
    points.kernel = PoseKernel::kMosWindowPoint;
    single.kernel = PoseKernel::kMosPoint;
    TableWriter samples;
    for (std::uint32_t k = 0; k < 2 * shared::kMosEntries; ++k) {
      samples.put_number(0.1f * static_cast<float>(k % shared::kMosEntries));
      samples.put_inverse(affine_identity());
    }
    along.kernel = PoseKernel::kMosTable;
    along.stage = 2;
    along.first_entry = first_point + 2 * shared::kMosPointEntries;
    along.table = samples.take_words();
    along.record_count = 2;
    const std::uint32_t other = first_point + shared::kMosPointEntries;
    append_record(along.records, shared::MosTableRecord{{first_point, first_point, other, other}, 0});
    append_record(along.records, shared::MosTableRecord{{other, other, other, first_point},
                                                        shared::kMosEntries * shared::kMosSampleWords});
    data.skeleton.joints.resize(4);
    data.input_count = 4;
    data.passes = {anchors, points};
    data.palette_size = along.first_entry + 2 * shared::kMosEntries;
  }
  std::uint32_t edit() const { return points.table[point + shared::kMosPointEdits + 1]; }
  void set(std::uint32_t word, std::uint32_t value) {
    points.table[word] = value;
    single.table[word] = value;
  }

  CharacterData data;
  PalettePass points, single, along;
  std::uint32_t chain = 0, driver = 0, point = 0, plain = 0;
};

struct Breakage {
  const char* name;
  void (*change)(File&);
  const char* says;
};

void expect_refused(const Result<void>& result, const char* says) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(result.error().message, testing::HasSubstr(says));
}

const Breakage kSampleBreakages[] = {
    {"SamplesFar", [](File& f) { f.along.records[4] = kFar; }, "record 0 reads past its table"},
    {"SamplesPastTheEnd", [](File& f) { f.along.records[9] += 1; }, "record 1 reads past its table"},
    {"SampleBelow", [](File& f) { f.along.table[0] = word_of(-0.1f); }, "not in its window"},
    {"SampleAbove", [](File& f) { f.along.table[shared::kMosSampleWords] = word_of(1.1f); }, "not in its window"},
    {"SampleNotFinite", [](File& f) { f.along.table[5] = kNanWord; }, "not finite"},
    {"SamplesShared",
     [](File& f) {
       append_record(f.along.records, read_record<shared::MosTableRecord>(f.along.records, 0));
       ++f.along.record_count;
     },
     "record 2 takes a word of its table for two things"},
    {"PointFar", [](File& f) { f.along.records[2] = kFar; }, "record 0 blends a point that no earlier stage poses"},
    {"PointPastTheLast", [](File& f) { f.along.records[8] = f.along.first_entry - shared::kMosPointEntries + 1; },
     "record 1 blends a point that no earlier stage poses"},
    {"PointBetweenRecords", [](File& f) { f.along.records[0] += 1; }, "blends a point that no earlier stage poses"},
    {"PointOfItsOwnStage", [](File& f) { f.data.passes[1].stage = 2; }, "blends a point that no earlier stage poses"},
    {"PointThatIsAnAnchor", [](File& f) { f.along.records[0] = 0; }, "blends a point that no earlier stage poses"},
};

TEST(MosRecords, OfSamplesWithAFaultAreRefused) {
  for (const Breakage& breakage : kSampleBreakages) {
    SCOPED_TRACE(breakage.name);
    File file;
    test::must(kMosTable.validate(file.along, file.data));
    breakage.change(file);
    expect_refused(kMosTable.validate(file.along, file.data), breakage.says);
  }
}

const Breakage kBreakages[] = {
    {"NoTable",
     [](File& f) {
       f.points.table.resize(shared::kMosHeaderWords - 1);
       f.single.table = f.points.table;
     },
     "record 0 reads past its table"},
    {"RootFar", [](File& f) { f.set(0, 4); }, "record 0 names a joint that does not exist"},
    {"RootNotFinite", [](File& f) { f.set(5, kNanWord); }, "not finite"},
    {"RootBoundFar", [](File& f) { f.set(5, kFarWord); }, "beyond 1e+12"},
    // Records.
    {"PointFar",
     [](File& f) {
       f.points.records[0] = kFar;
       f.single.records[0] = kFar;
     },
     "record 0 reads past its table"},
    {"PointAtTheEnd",
     [](File& f) {
       const auto end = static_cast<std::uint32_t>(f.points.table.size());
       f.points.records[1] = f.single.records[1] = end - shared::kMosPointWords + 1;
     },
     "record 1 reads past its table"},
    {"PointTwice", [](File& f) { f.points.records[1] = f.single.records[1] = f.point; },
     "record 1 names the point of another record"},
    // Points.
    {"JointFar", [](File& f) { f.set(f.point, 4); }, "names a joint that does not exist"},
    {"PositionNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointPosition, kNanWord); }, "not finite"},
    {"FrameNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointFrame + 8, kNanWord); }, "not finite"},
    {"RestNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointRest + 2, kNanWord); }, "not finite"},
    {"RestFar", [](File& f) { f.set(f.plain + shared::kMosPointRest + 2, word_of(1e13f)); }, "beyond 1e+12"},
    {"ChainFar", [](File& f) { f.set(f.point + shared::kMosPointChain, kFar); }, "reads past its table"},
    {"AnchorFar", [](File& f) { f.set(f.point + shared::kMosPointFar, 4); }, "a bone that does not exist"},
    {"AnchorAtTheTop", [](File& f) { f.set(f.point + shared::kMosPointFar, 0); }, "a bone that does not exist"},
    {"SwingBeside", [](File& f) { f.set(f.point + shared::kMosPointSwing, word_of(1.5f)); }, "outside its bone"},
    {"TwistNotFinite", [](File& f) { f.set(f.point + shared::kMosPointTwist, kNanWord); }, "outside its bone"},
    {"AxisNotFinite", [](File& f) { f.set(f.point + shared::kMosPointAxis + 1, kNanWord); }, "not finite"},
    {"KindUnknown", [](File& f) { f.set(f.plain + shared::kMosPointKind, 3); }, "a point of an unknown kind"},
    {"EditsTooMany", [](File& f) { f.set(f.point + shared::kMosPointEdits, 67); }, "too many edits"},
    {"EditsFar", [](File& f) { f.set(f.point + shared::kMosPointEdits + 1, kFar); }, "reads past its table"},
    // Chains.
    {"AnchorsOne", [](File& f) { f.set(f.chain, 1); }, "too few or too many anchors"},
    {"AnchorsHuge", [](File& f) { f.set(f.chain, kFar); }, "too few or too many anchors"},
    {"TopFar", [](File& f) { f.set(f.chain + 1, 4); }, "top does not exist"},
    {"AnchorsFar", [](File& f) { f.set(f.chain + shared::kChainFirstAnchor, kFar); }, "reads past its table"},
    {"AnchorsJointFar", [](File& f) { f.set(f.chain + shared::kChainWords, 4); }, "names a joint that does not exist"},
    {"AnchorsThatNoPassPoses", [](File& f) { f.set(f.chain + shared::kChainFirstEntry, 5); },
     "turns by anchors that no earlier stage poses"},
    {"AnchorsOfItsOwnStage", [](File& f) { f.data.passes[0].stage = 1; },
     "turns by anchors that no earlier stage poses"},
    {"TwistInputFar",
     [](File& f) { f.set(f.chain + shared::kChainWords + shared::kAnchorWords + shared::kAnchorTwist, 4); },
     "names an input that does not exist"},
    // Edits.
    {"OperationUnknown", [](File& f) { f.set(f.edit(), 7); }, "an edit of an unknown kind"},
    {"RollerFar",
     [](File& f) {
       f.set(f.edit(), shared::kMosRoll);
       f.set(f.edit() + shared::kMosEditValues + 1, 4);
     },
     "rolls with an anchor that does not exist"},
    {"RollerAtTheTop",
     [](File& f) {
       f.set(f.edit(), shared::kMosRoll);
       f.set(f.edit() + shared::kMosEditValues + 1, 0);
     },
     "rolls with an anchor that does not exist"},
    {"RollNotFinite",
     [](File& f) {
       f.set(f.edit(), shared::kMosRoll);
       f.set(f.edit() + shared::kMosEditValues, kNanWord);
       f.set(f.edit() + shared::kMosEditValues + 1, 1);
     },
     "not finite"},
    {"OutwardAtTheEnd",
     [](File& f) {
       f.set(f.edit(), shared::kMosOutward);
       f.set(f.point + shared::kMosPointFar, 3);
     },
     "slides outward, but not at an inner joint of a chain"},
    {"OutwardWithoutAChain",
     [](File& f) {
       f.set(f.edit(), shared::kMosOutward);
       f.set(f.point + shared::kMosPointChain, shared::kMosNoWord);
     },
     "slides outward, but not at an inner joint of a chain"},
    {"DriverFar", [](File& f) { f.set(f.edit() + shared::kMosEditDriver, kFar); }, "reads past its table"},
    {"SlideFromFar", [](File& f) { f.set(f.edit() + shared::kMosEditValues + 1, 4); }, "names a joint"},
    {"SlideToFar", [](File& f) { f.set(f.edit() + shared::kMosEditValues + 2, kFar); }, "names a joint"},
    {"SlideDistanceNotFinite", [](File& f) { f.set(f.edit() + shared::kMosEditValues, kNanWord); }, "not finite"},
    {"SlideOffsetNotFinite", [](File& f) { f.set(f.edit() + shared::kMosEditValues + 5, kNanWord); }, "not finite"},
    {"ScaleNotFinite", [](File& f) { f.set(f.edit() + shared::kMosEditWords + shared::kMosEditValues + 5, kNanWord); },
     "not finite"},
    // Drivers.
    {"KeysTooFew", [](File& f) { f.set(f.driver, 1); }, "too few or too many keys"},
    {"KeysTooMany", [](File& f) { f.set(f.driver, 65); }, "too few or too many keys"},
    {"DriverJointFar", [](File& f) { f.set(f.driver + shared::kMosDriverAngle, 4); }, "names a joint"},
    {"DriverParentFar", [](File& f) { f.set(f.driver + shared::kMosDriverAngle + 1, 4); }, "names a joint"},
    {"DriverAxisNotFinite", [](File& f) { f.set(f.driver + shared::kMosDriverAngle + 2, kNanWord); }, "not finite"},
    {"KeyNotFinite", [](File& f) { f.set(f.driver + shared::kMosDriverKeys + 4, kNanWord); }, "not finite"},
    {"KeysDoNotAscend", [](File& f) { f.set(f.driver + shared::kMosDriverKeys + shared::kMosKeyWords, word_of(0)); },
     "keys that do not ascend"},
    // Words with two meanings: each was checked as the first, and would be posed as the second.
    {"DriverAsChain",
     [](File& f) {
       f.set(f.plain + shared::kMosPointChain, f.driver);
       f.set(f.plain + shared::kMosPointFar, 0);
     },
     "takes a word of its table for two things"},
    {"ChainAsDriver", [](File& f) { f.set(f.edit() + shared::kMosEditDriver, f.chain); },
     "takes a word of its table for two things"},
    {"EditsAsAnchors", [](File& f) { f.set(f.point + shared::kMosPointEdits + 1, f.chain + shared::kChainWords); },
     "takes a word of its table for two things"},
    {"HeaderAsEdits", [](File& f) { f.set(f.point + shared::kMosPointEdits + 1, 0); },
     "takes a word of its table for two things"},
    {"PointAsChain", [](File& f) { f.set(f.plain + shared::kMosPointChain, f.point); },
     "takes a word of its table for two things"},
};

TEST(MosRecords, WithAFaultAreRefused) {
  for (const Breakage& breakage : kBreakages) {
    SCOPED_TRACE(breakage.name);
    File file;
    test::must(kMosWindowPoint.validate(file.points, file.data));
    test::must(kMosPoint.validate(file.single, file.data));
    breakage.change(file);
    expect_refused(kMosWindowPoint.validate(file.points, file.data), breakage.says);
    expect_refused(kMosPoint.validate(file.single, file.data), breakage.says);
  }
}

}  // namespace
}  // namespace pelt::mos
