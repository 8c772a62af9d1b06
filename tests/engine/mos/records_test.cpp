// SPDX-License-Identifier: MIT
// Tests what is refused in the records and tables of a file.
#include <bit>

#include <pelt/curve_keys.h>

#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"
#include "tests/engine/mos/point_scene.h"
#include "tests/support/must.h"

namespace pelt::mos {
namespace {

using test::turn;

constexpr std::uint32_t kNanWord = 0x7FC00000u;
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
    for (int r = 0; r < 2; ++r) {
      for (std::uint32_t k = 0; k < shared::kMosSlots; ++k) {
        const std::uint32_t word = table.put_sample(0.1f * static_cast<float>(k), affine_identity());
        if (r == 0 && k == 0) sample = word;
      }
    }
    along.kernel = PoseKernel::kMosTable;
    along.table = table.take_words();
    along.record_count = 2;
    const std::uint32_t samples = shared::kMosSlots * shared::kMosSampleWords;
    append_record(along.records, shared::MosTableRecord{{point, point, plain, plain}, sample});
    append_record(along.records, shared::MosTableRecord{{plain, plain, plain, point}, sample + samples});
    single.kernel = PoseKernel::kMosPoint;
    single.table = along.table;
    single.record_count = 2;
    append_record(single.records, shared::MosPointRecord{point});
    append_record(single.records, shared::MosPointRecord{plain});
    data.skeleton.joints.resize(4);
    data.input_count = 4;
  }
  std::uint32_t edit() const { return along.table[point + shared::kMosPointEdits + 1]; }
  void set(std::uint32_t word, std::uint32_t value) {
    along.table[word] = value;
    single.table[word] = value;
  }

  CharacterData data;
  PalettePass along, single;
  std::uint32_t chain = 0, driver = 0, point = 0, plain = 0, sample = 0;
};

struct Fault {
  const char* name;
  void (*change)(File&);
  const char* says;
  bool of_points = true;  // or of the table's records alone
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class MosFault : public testing::TestWithParam<Fault> {};

TEST_P(MosFault, IsRefused) {
  File file;
  test::must(kMosTable.validate(file.along, file.data));
  test::must(kMosPoint.validate(file.single, file.data));
  GetParam().change(file);
  const Result<void> along = kMosTable.validate(file.along, file.data);
  ASSERT_FALSE(along);
  EXPECT_EQ(along.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(along.error().message, testing::HasSubstr(GetParam().says));
  if (!GetParam().of_points) return;
  const Result<void> single = kMosPoint.validate(file.single, file.data);
  ASSERT_FALSE(single);
  EXPECT_THAT(single.error().message, testing::HasSubstr(GetParam().says));
}

const Fault kFaults[] = {
    {"NoTable",
     [](File& f) {
       f.along.table.resize(shared::kMosHeaderWords - 1);
       f.single.table = f.along.table;
     },
     "record 0 reads past its table"},
    {"RootFar", [](File& f) { f.set(0, 4); }, "record 0 names a joint that is not there"},
    {"RootNotFinite", [](File& f) { f.set(5, kNanWord); }, "not finite"},
    // Records.
    {"PointFar",
     [](File& f) {
       f.along.records[2] = kFar;
       f.single.records[0] = kFar;
     },
     "record 0 reads past its table"},
    {"PointAtTheEnd",
     [](File& f) {
       const auto end = static_cast<std::uint32_t>(f.along.table.size());
       f.along.records[5] = f.single.records[1] = end - shared::kMosPointWords + 1;
     },
     "record 1 reads past its table"},
    {"SamplesFar", [](File& f) { f.along.records[4] = kFar; }, "record 0 reads past its table", false},
    {"SamplesPastTheEnd", [](File& f) { f.along.records[9] += 1; }, "record 1 reads past its table", false},
    {"SampleBelow", [](File& f) { f.set(f.sample, word_of(-0.1f)); }, "not in its window", false},
    {"SampleAbove", [](File& f) { f.set(f.sample + shared::kMosSampleWords, word_of(1.1f)); }, "not in its window",
     false},
    {"SampleNotFinite", [](File& f) { f.set(f.sample + 5, kNanWord); }, "not finite", false},
    // Points.
    {"JointFar", [](File& f) { f.set(f.point, 4); }, "names a joint that is not there"},
    {"PositionNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointPosition, kNanWord); }, "not finite"},
    {"FrameNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointFrame + 8, kNanWord); }, "not finite"},
    {"RestNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointRest + 2, kNanWord); }, "not finite"},
    {"ChainFar", [](File& f) { f.set(f.point + shared::kMosPointChain, kFar); }, "reads past its table"},
    {"AnchorFar", [](File& f) { f.set(f.point + shared::kMosPointFar, 4); }, "a bone that is not there"},
    {"AnchorAtTheTop", [](File& f) { f.set(f.point + shared::kMosPointFar, 0); }, "a bone that is not there"},
    {"SwingBeside", [](File& f) { f.set(f.point + shared::kMosPointSwing, word_of(1.5f)); }, "beside its bone"},
    {"TwistNotFinite", [](File& f) { f.set(f.point + shared::kMosPointTwist, kNanWord); }, "beside its bone"},
    {"AxisNotFinite", [](File& f) { f.set(f.point + shared::kMosPointAxis + 1, kNanWord); }, "not finite"},
    {"KindUnknown", [](File& f) { f.set(f.plain + shared::kMosPointKind, 3); }, "a point of an unknown kind"},
    {"EditsTooMany", [](File& f) { f.set(f.point + shared::kMosPointEdits, 67); }, "too many edits"},
    {"EditsFar", [](File& f) { f.set(f.point + shared::kMosPointEdits + 1, kFar); }, "reads past its table"},
    // Chains.
    {"AnchorsOne", [](File& f) { f.set(f.chain, 1); }, "too few or too many anchors"},
    {"AnchorsHuge", [](File& f) { f.set(f.chain, kFar); }, "too few or too many anchors"},
    {"TopFar", [](File& f) { f.set(f.chain + 1, 4); }, "top is not there"},
    {"AnchorsFar", [](File& f) { f.set(f.chain + shared::kChainFirstAnchor, kFar); }, "reads past its table"},
    {"AnchorsJointFar", [](File& f) { f.set(f.chain + shared::kChainWords, 4); }, "names a joint that is not there"},
    {"TwistInputFar",
     [](File& f) { f.set(f.chain + shared::kChainWords + shared::kAnchorWords + shared::kAnchorTwist, 4); },
     "names an input that is not there"},
    // Edits.
    {"OperationUnknown", [](File& f) { f.set(f.edit(), 7); }, "an edit of an unknown kind"},
    {"RollerFar",
     [](File& f) {
       f.set(f.edit(), shared::kMosRoll);
       f.set(f.edit() + shared::kMosEditValues + 1, 4);
     },
     "rolls with an anchor that is not there"},
    {"RollerAtTheTop",
     [](File& f) {
       f.set(f.edit(), shared::kMosRoll);
       f.set(f.edit() + shared::kMosEditValues + 1, 0);
     },
     "rolls with an anchor that is not there"},
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
     "is slid outward at no joint of a chain"},
    {"OutwardWithoutAChain",
     [](File& f) {
       f.set(f.edit(), shared::kMosOutward);
       f.set(f.point + shared::kMosPointChain, shared::kMosNoWord);
     },
     "is slid outward at no joint of a chain"},
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
    {"PointAsChain", [](File& f) { f.set(f.plain + shared::kMosPointChain, f.point); },
     "takes a word of its table for two things"},
    // Words that many records name.
    {"SamplesShared",
     [](File& f) {
       for (int i = 0; i < 40; ++i)
         append_record(f.along.records, read_record<shared::MosTableRecord>(f.along.records, 0));
       f.along.record_count += 40;
     },
     "read more of its table than there is", false},
};

INSTANTIATE_TEST_SUITE_P(All, MosFault, testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

// Many records of one point at the far end of a long chain, with as many edits as there may be.
TEST(MosRecords, ThatTakeTooLongForTheirSizeAreRefused) {
  std::vector<glm::dmat4> at_bind{glm::dmat4(1.0)};
  const std::vector<std::uint32_t> inputs{shared::kNoInput};
  chain::Chain chain;
  for (int i = 0; i < 1024; ++i) chain.anchors.push_back({0, glm::vec3(static_cast<float>(i), 0, 0)});
  MosTable table(at_bind, inputs, 0, MosFrames::kRelative);
  const std::uint32_t chain_word = table.put_chain(chain);
  const PointTurn far{.chain = 0, .far = 1023, .axis = {1, 0, 0}, .angles = true};
  const std::uint32_t word = table.put_point({.turn = far}, std::array{chain_word});
  CharacterData data;
  data.skeleton.joints.resize(1);
  PalettePass pass;
  pass.kernel = PoseKernel::kMosPoint;
  pass.table = table.take_words();
  const auto with_records = [&](std::uint32_t count) {
    pass.records.clear();
    for (std::uint32_t i = 0; i < count; ++i) append_record(pass.records, shared::MosPointRecord{word});
    pass.record_count = count;
    return kMosPoint.validate(pass, data);
  };
  EXPECT_TRUE(with_records(100));
  const Result<void> many = with_records(5000);
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, testing::HasSubstr("take too long for the size of its table"));
}

// Whichever word of the tables changes, the passes are refused or can be posed.
TEST(MosRecords, AnyOtherWordIsRefusedOrPoses) {
  File file;
  const Scene scene;
  std::vector<Affine> palette(2 * shared::kMosSlots);
  for (std::uint32_t word = 0; word < file.along.table.size(); ++word) {
    for (const std::uint32_t value : {0u, 1u, 7u, 40u, 0x3F800000u, 0xBF800000u, 0x7F7FFFFFu, 0xFFFFFFFFu}) {
      const std::uint32_t before = file.along.table[word];
      file.set(word, value);
      for (const PalettePass* pass : {&file.along, &file.single}) {
        const PoseKernelInfo& kernel = pose_kernel(pass->kernel);
        if (kernel.validate(*pass, file.data)) kernel.pose(*pass, 0, 2, {scene.joints, {}, scene.twists, palette});
      }
      file.set(word, before);
    }
  }
  EXPECT_TRUE(kMosTable.validate(file.along, file.data));
}

}  // namespace
}  // namespace pelt::mos
