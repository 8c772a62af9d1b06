// SPDX-License-Identifier: MIT
// Data that drivers add to a character (tables, streams, controls, offsets, Wires): a file keeps it, and each invalid
// change of it is refused.
#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

#include <pelt/character.h>
#include <pelt/evaluate.h>
#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/pelt_file.h>
#include <pelt/surface_ffd.h>

#include "shaders/driver/key_pose/pose.h"
#include "shaders/key_weights/pose.h"
#include "shaders/morph/morph.h"
#include "tests/support/breakage.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

constexpr std::uint32_t kNanWord = 0x7FC00000u;
constexpr std::uint32_t kFar = 0xFFFFFFF0u;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// --------------------------------------------------------------------------------------------------------- the file

class DrivenFile : public testing::TestWithParam<test::Deformer> {};

// The skin has morph targets and a level of detail.
TEST_P(DrivenFile, KeepsEveryConfiguration) {
  Model model = test::make_tube({.around = 6, .along = 12, .joints = 3});
  test::add_morph_targets(model.meshes[0], 14);
  model.levels = {{0, 2, test::make_tube_mesh({.around = 5, .along = 6, .joints = 3})}};
  model.levels[0].mesh.name = "coarse";
  const test::Subject subject = test::make_subject(
      GetParam(), std::move(model), test::make_tube_mesh({.around = 8, .along = 24, .radius = 1.1f, .joints = 3}));
  const Character character = test::bound(subject.model, subject.rig).character;
  const std::vector<std::byte> bytes = serialize(character);
  const Character read = test::must(deserialize(bytes, "x.pelt"));
  EXPECT_TRUE(serialize(read) == bytes);
  ASSERT_EQ(read->controls.size(), character->controls.size());
  for (std::size_t c = 0; c < character->controls.size(); ++c) {
    const Control &kept = read->controls[c], &made = character->controls[c];
    EXPECT_EQ(std::tie(kept.kind, kept.name, kept.mesh, kept.target, kept.rest, kept.input),
              std::tie(made.kind, made.name, made.mesh, made.target, made.rest, made.input));
  }
  // Both move in the same way, as does their level.
  for (const std::uint32_t level : {0u, 2u}) {
    std::vector<std::vector<glm::vec3>> posed;
    for (const Character& whole : {character, read}) {
      const Character each = whole.at_level(level);
      Evaluator evaluator(each);
      for (std::size_t s = 0; s < each->streams.size(); ++s) {
        const std::string& name = each->meshes[each->streams[s].mesh].name;
        evaluator.stream(s, test::moved_points(each, name, test::by_matrix(test::rigid_motion())));
      }
      for (std::size_t c = 0; c < each->controls.size(); ++c) evaluator.control(c, 0.7f);
      evaluator.pose(std::vector(3, test::rigid_motion()));
      evaluator.evaluate();
      posed.emplace_back(evaluator.positions().begin(), evaluator.positions().end());
    }
    EXPECT_EQ(posed[0], posed[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DrivenFile, testing::ValuesIn(test::deformers()), testing::PrintToStringParamName());

// ----------------------------------------------------------------------------------------------------------- breakages

// Makes three tubes: one by linear blend combined, as in Wires, with a streamed cage; one by a cage with key poses of
// both kinds and a morph target; one by a patch.
CharacterData make_data() {
  Model model = test::make_tube_in_cage({.around = 3, .along = 4}, {.around = 3, .along = 4, .radius = 1.3f});
  for (const char* name : {"second", "third", "keyed cage"}) {
    model.meshes.push_back(model.meshes[name == std::string("keyed cage") ? 1 : 0]);
    model.meshes.back().name = name;
  }
  model.meshes.back().morph_targets = {
      {"lift", std::vector(model.meshes.back().positions.size(), glm::vec3(0, 1, 0)), 0.0f},
      {"push", std::vector(model.meshes.back().positions.size(), glm::vec3(0, 0, 1)), 0.5f}};
  Clip clip;
  clip.name = "lift";
  clip.duration = 1;
  clip.morph_channels.push_back({"keyed cage", 0, Interpolation::kLinear, {0, 1}, {0, 1}});
  model.clips.push_back(clip);

  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  SurfaceFfdParameters streamed = test::by_cage();
  streamed.driver.follow = Follow::kStreamed;
  rig.layers.push_back({"tube", streamed, {}, 1.0f});
  SurfaceFfdParameters keyed;
  keyed.driver.mesh = "keyed cage";
  keyed.driver.key_poses = {{{{"joint1", {0, 0, 1}}}, KeyInterpolation::kLinear, {{{90}, "", {{0, {1, 0, 0}}}}}},
                            {{{"joint1", {0, 1, 0}}}, KeyInterpolation::kRbf, {{{90}, "", {{1, {1, 0, 0}}}}}}};
  rig.layers.push_back({"second", keyed, {}, {}});
  SurfaceFfdParameters patch;
  PatchParameters& sheet = patch.driver.patches.emplace_back();
  for (int i = 0; i < 16; ++i) sheet.control.emplace_back(4 * (i / 4) - 2, 1.5f, 2 * (i % 4) - 3);
  rig.layers.push_back({"third", patch, {}, {}});
  return *test::bound(model, rig).character;
}

PalettePass& pass_of(CharacterData& data, PoseKernel kernel) {
  const auto found = std::ranges::find(data.passes, kernel, &PalettePass::kernel);
  EXPECT_NE(found, data.passes.end());
  return *found;
}

CharacterMesh& mesh_of(CharacterData& data, const std::string& name) {
  const auto found = std::ranges::find(data.meshes, name, &CharacterMesh::name);
  EXPECT_NE(found, data.meshes.end());
  return *found;
}

std::uint32_t& record(CharacterData& d, PoseKernel kernel, std::size_t word) {
  return pass_of(d, kernel).records[word];
}
// Returns a word of the table, counted from the word that the first record names.
std::uint32_t& table(CharacterData& d, PoseKernel kernel, std::size_t word) {
  PalettePass& pass = pass_of(d, kernel);
  return pass.table[pass.records[kernel == PoseKernel::kVertexFrame ? 1 : 0] + word];
}
constexpr PoseKernel kStream = PoseKernel::kStream, kFrame = PoseKernel::kVertexFrame, kPatch = PoseKernel::kPatchFrame,
                     kKey = PoseKernel::kKeyPose;
std::vector<std::uint32_t>& weight_table(CharacterData& d) { return pass_of(d, PoseKernel::kKeyWeights).table; }
// Returns a word of the list of the first weight's keys: their number, then the keys.
std::uint32_t& key_list(CharacterData& d, std::size_t word) {
  const std::uint32_t first = pass_of(d, PoseKernel::kKeyWeights).records[0];
  return weight_table(d)[weight_table(d)[first] + word];
}
// Returns a word of the first key of a kind (shaders/key_weights/pose.h): 0 control, 1 linear, 2 rbf.
std::uint32_t& key_word(CharacterData& d, std::uint32_t kind, std::size_t word) {
  PalettePass& pass = pass_of(d, PoseKernel::kKeyWeights);
  for (std::uint32_t weight = 0; weight < pass.records[1]; ++weight) {
    const std::uint32_t list = pass.table[pass.records[0] + weight];
    for (std::uint32_t k = 1; k <= pass.table[list]; ++k) {
      const std::uint32_t key = pass.table[list + k];
      if (pass.table[key] == kind) return pass.table[key + word];
    }
  }
  ADD_FAILURE() << "no key of the kind " << kind;
  return pass.table[0];
}
// Returns 1 / width^2 of the first centre of the first rbf key.
std::uint32_t& rbf_width(CharacterData& d) { return weight_table(d)[key_word(d, 2, 4) + key_word(d, 2, 1)]; }
std::uint32_t& angle_word(CharacterData& d, std::size_t word) { return weight_table(d)[key_word(d, 1, 1) + word]; }

const test::Breakage kDrivenBreakages[] = {
    // Streams, controls, inputs.
    {"StreamOfNoMesh", [](CharacterData& d) { d.streams[0].mesh = 99; }, "a stream uses mesh 99"},
    {"StreamOfSkin",
     [](CharacterData& d) { d.streams[0].mesh = static_cast<std::uint32_t>(&mesh_of(d, "tube") - d.meshes.data()); },
     "which is not a control mesh"},
    {"StreamInputsPastTheEnd", [](CharacterData& d) { d.streams[0].first_input += 1; }, "in use or missing"},
    {"StreamInputsFar", [](CharacterData& d) { d.streams[0].first_input = kFar; }, "in use or missing"},
    {"StreamTwice", [](CharacterData& d) { d.streams.push_back(d.streams[0]); }, "streamed twice"},
    {"StreamLeftOut", [](CharacterData& d) { d.streams.clear(); }, "streams and controls need"},
    {"InputsTooFew", [](CharacterData& d) { d.input_count -= 1; }, "streams and controls need"},
    {"InputsHuge", [](CharacterData& d) { d.input_count = 0xFFFFFFFFu; }, "streams and controls need"},
    {"ControlOfATakenInput", [](CharacterData& d) { d.controls[0].input = d.controls[1].input; }, "in use or missing"},
    {"ControlOfAStreamsInput", [](CharacterData& d) { d.controls[0].input = d.streams[0].first_input; }, "in use"},
    {"ControlFar", [](CharacterData& d) { d.controls[0].input = kFar; }, "'keyed cage/lift' is in use or missing"},
    {"ControlNotFinite", [](CharacterData& d) { d.controls[0].rest = kNan; }, "not finite at rest"},
    {"ControlNamesRepeat", [](CharacterData& d) { d.controls[0].name = d.controls[1].name; }, "is not unique"},
    {"MorphClipNoKeys",
     [](CharacterData& d) {
       d.clips[0].morph_channels[0].times.clear();
       d.clips[0].morph_channels[0].values.clear();
     },
     "clip 'lift'"},
    {"MorphClipValues", [](CharacterData& d) { d.clips[0].morph_channels[0].values.push_back(1); }, "clip 'lift'"},
    {"MorphClipNotFinite", [](CharacterData& d) { d.clips[0].morph_channels[0].values[1] = kNan; }, "clip 'lift'"},
    {"MorphClipTimes", [](CharacterData& d) { d.clips[0].morph_channels[0].times[0] = 1; }, "clip 'lift'"},
    {"MorphClipKind",
     [](CharacterData& d) { d.clips[0].morph_channels[0].interpolation = static_cast<Interpolation>(3); },
     "unknown kind"},
    // Offsets.
    {"OffsetsWithoutFrames",
     [](CharacterData& d) { mesh_of(d, "tube").offset_entry = mesh_of(d, "keyed cage").offset_entry; },
     "has offsets, but no frames"},
    {"OffsetsFar", [](CharacterData& d) { mesh_of(d, "keyed cage").offset_entry = kFar; }, "uses palette entry"},
    {"OffsetsOneTooFar", [](CharacterData& d) { *mesh_of(d, "keyed cage").offset_entry += 1; },
     "does not hold what its blend mode reads"},
    {"OffsetsThatAreFrames",
     [](CharacterData& d) { mesh_of(d, "keyed cage").offset_entry = mesh_of(d, "keyed cage").frame_entry; },
     "does not hold what its blend mode reads"},
    {"OffsetsFromAnyVertex", [](CharacterData& d) { mesh_of(d, "keyed cage").first_offset_vertex += 1; },
     "cannot have offsets from vertex"},
    {"OffsetsFromBehindTheEnd", [](CharacterData& d) { mesh_of(d, "keyed cage").first_offset_vertex = 1u << 20; },
     "cannot have offsets from vertex"},
    {"OffsetsPosedTooLate", [](CharacterData& d) { pass_of(d, PoseKernel::kKeyPose).stage = 1; }, "written later"},
    {"InfluencesThatAreOffsets",
     [](CharacterData& d) { mesh_of(d, "second").first_entry = *mesh_of(d, "keyed cage").offset_entry; },
     "mesh 'second'"},
    // Wires.
    {"WiresWithoutTheMode", [](CharacterData& d) { mesh_of(d, "tube").mode = BlendMode::kLinear; }, "mesh 'tube'"},
    {"WiresModeWithoutThem", [](CharacterData& d) { mesh_of(d, "tube").wires.reset(); }, "mesh 'tube'"},
    {"WiresModeOfOneGroup", [](CharacterData& d) { mesh_of(d, "tube").binding.influences[0] -= 1u << 16u; },
     "mesh 'tube': the weights of row 0"},
    {"WiresExponentNegative", [](CharacterData& d) { mesh_of(d, "tube").wires->exponent = -1; }, "exponent -1"},
    {"WiresExponentNotFinite", [](CharacterData& d) { mesh_of(d, "tube").wires->exponent = kNan; }, "exponent nan"},
    {"WiresRootFar", [](CharacterData& d) { mesh_of(d, "tube").wires->root_entry = kFar; }, "uses palette entry"},
    {"WiresRootIsAnOffset",
     [](CharacterData& d) { mesh_of(d, "tube").wires->root_entry = *mesh_of(d, "keyed cage").offset_entry; },
     "does not hold"},
    // Stream records: first input, rest position.
    {"StreamRecordFar", [](CharacterData& d) { record(d, kStream, 0) = kFar; }, "(stream): record 0 names inputs"},
    {"StreamRecordAtTheEnd", [](CharacterData& d) { record(d, kStream, 4) = d.input_count - 2; },
     "record 1 names inputs"},
    {"StreamRestNotFinite", [](CharacterData& d) { record(d, kStream, 2) = kNanWord; }, "rest position of record 0"},
    // Vertex frames: vertex, first word, edges, triangles, rest position, normal term, area.
    {"FrameVertexFar", [](CharacterData& d) { record(d, kFrame, 0) = kFar; },
     "names a vertex that no earlier stage moves"},
    {"FrameVertexOfSkin", [](CharacterData& d) { record(d, kFrame, 0) = mesh_of(d, "tube").first_vertex; },
     "names a vertex that no earlier stage moves"},
    {"FrameTableFar", [](CharacterData& d) { record(d, kFrame, 1) = kFar; }, "(vertex_frame): record 0 reads past"},
    {"FrameEdgesHuge", [](CharacterData& d) { record(d, kFrame, 2) = kFar; }, "record 0 reads past its table"},
    {"FrameTrianglesHuge", [](CharacterData& d) { record(d, kFrame, 3) = kFar; }, "record 0 reads past its table"},
    {"FrameRestNotFinite", [](CharacterData& d) { record(d, kFrame, 5) = kNanWord; }, "not finite"},
    {"FrameNormalNotFinite", [](CharacterData& d) { record(d, kFrame, 8) = kNanWord; }, "not finite"},
    {"FrameAreaZero", [](CharacterData& d) { record(d, kFrame, 10) = 0; }, "has no area"},
    {"FrameAreaInfinite", [](CharacterData& d) { record(d, kFrame, 10) = 0x7F800000u; }, "not finite"},
    {"FrameNeighbourFar", [](CharacterData& d) { table(d, kFrame, 0) = kFar; }, "no earlier stage moves"},
    {"FrameTermNotFinite", [](CharacterData& d) { table(d, kFrame, 2) = kNanWord; }, "term that is not finite"},
    {"FrameCornerFar", [](CharacterData& d) { table(d, kFrame, 4 * record(d, kFrame, 2)) = kFar; }, "no earlier stage"},
    {"FrameStageTooEarly", [](CharacterData& d) { pass_of(d, PoseKernel::kVertexFrame).stage = 0; },
     "no earlier stage"},
    // Patches: first word, count, inverse of the rest frame.
    {"PatchTableFar", [](CharacterData& d) { record(d, kPatch, 0) = kFar; }, "(patch_frame): record 0 reads past"},
    {"PatchCountHuge", [](CharacterData& d) { record(d, kPatch, 1) = kFar; }, "record 0 reads past its table"},
    {"PatchRestNotFinite", [](CharacterData& d) { record(d, kPatch, 7) = kNanWord; }, "rest frame that is not finite"},
    {"PatchControlFar", [](CharacterData& d) { table(d, kPatch, 0) = kFar; }, "no earlier stage moves"},
    {"PatchBasisNotFinite", [](CharacterData& d) { table(d, kPatch, 3) = kNanWord; },
     "basis function that is not finite"},
    // Key poses.
    {"KeyEntriesFar", [](CharacterData& d) { record(d, kKey, 0) = kFar; }, "(key_pose): record 0 reads past its table"},
    {"KeyEntriesHuge", [](CharacterData& d) { record(d, kKey, 1) = kFar; }, "record 0"},
    {"KeyOffsetNotFinite", [](CharacterData& d) { table(d, kKey, 2) = kNanWord; }, "not finite"},
    {"KeyWeightFar", [](CharacterData& d) { table(d, kKey, 0) = kFar; }, "names a weight that no earlier pass writes"},
    {"KeyWeightThatIsNone",
     [](CharacterData& d) { table(d, kKey, 0) -= table(d, kKey, 0) % shared::kMorphEntryFloats; },
     "names a weight that no earlier pass writes"},
    {"KeyWeightsAfterTheirUse",
     [](CharacterData& d) {
       std::ranges::rotate(d.passes, std::ranges::find(d.passes, PoseKernel::kKeyPose, &PalettePass::kernel));
     },
     "names a weight that no earlier pass writes"},
    {"KeyWeightsInALaterStage", [](CharacterData& d) { pass_of(d, PoseKernel::kKeyWeights).stage = 1; },
     "must be posed in stage 0"},
    {"KeyWeightsNone", [](CharacterData& d) { pass_of(d, PoseKernel::kKeyWeights).records[1] = 0; }, "no weights"},
    {"KeyWeightsTooMany", [](CharacterData& d) { pass_of(d, PoseKernel::kKeyWeights).records[1] = 12; }, "too many"},
    {"KeyWeightsFar", [](CharacterData& d) { pass_of(d, PoseKernel::kKeyWeights).records[0] = kFar; },
     "reads past its table"},
    {"KeyListFar", [](CharacterData& d) { weight_table(d)[pass_of(d, PoseKernel::kKeyWeights).records[0]] = kFar; },
     "reads past its table"},
    {"KeyListHuge", [](CharacterData& d) { key_list(d, 0) = kFar; }, "reads past its table"},
    {"KeyFar", [](CharacterData& d) { key_list(d, 1) = kFar; }, "reads past its table"},
    {"KeyAtTheEnd",
     [](CharacterData& d) {
       key_list(d, 1) = static_cast<std::uint32_t>(weight_table(d).size()) - 1;
       weight_table(d).back() = 2;
     },
     "reads past its table"},
    {"KeyKind", [](CharacterData& d) { key_word(d, 0, 0) = 5; }, "key of an unknown kind"},
    {"KeyControlFar", [](CharacterData& d) { key_word(d, 0, 1) = kFar; }, "names an input that does not exist"},
    {"KeyControlNotFinite", [](CharacterData& d) { key_word(d, 0, 2) = kNanWord; }, "not finite"},
    {"KeyAngleFar", [](CharacterData& d) { key_word(d, 1, 1) = kFar; }, "reads past its table"},
    {"KeysDoNotAscend", [](CharacterData& d) { key_word(d, 1, 3) = key_word(d, 1, 2); }, "keys that do not ascend"},
    {"KeyNotFinite", [](CharacterData& d) { key_word(d, 1, 4) = kNanWord; }, "not finite"},
    {"KeyJointFar", [](CharacterData& d) { angle_word(d, 0) = 2; }, "names a joint that does not exist"},
    {"KeyParentFar", [](CharacterData& d) { angle_word(d, 1) = 0xFFFFFFFFu; }, "names a joint that does not exist"},
    {"KeyAxisNotFinite", [](CharacterData& d) { angle_word(d, 3) = kNanWord; }, "not finite"},
    {"KeyRestNotFinite", [](CharacterData& d) { angle_word(d, 8) = kNanWord; }, "not finite"},
    {"RbfWithoutAngles", [](CharacterData& d) { key_word(d, 2, 1) = 0; }, "keyed on"},
    {"RbfOfTooManyAngles", [](CharacterData& d) { key_word(d, 2, 1) = 9; }, "keyed on too many angles"},
    {"RbfCentresHuge", [](CharacterData& d) { key_word(d, 2, 2) = kFar; }, "reads past its table"},
    {"RbfWidthNotFinite", [](CharacterData& d) { rbf_width(d) = kNanWord; }, "not finite"},
    {"RbfWidthNegative", [](CharacterData& d) { rbf_width(d) = 0xC0000000u; }, "width"},
    {"RbfAngleFar", [](CharacterData& d) { key_word(d, 2, 3) = kFar; }, "reads past its table"},
    {"RbfCentreFar", [](CharacterData& d) { key_word(d, 2, 4) = kFar; }, "reads past its table"},
    {"RbfCoefficientNotFinite", [](CharacterData& d) { key_word(d, 2, 5) = kNanWord; }, "not finite"},
};

TEST(DrivenCharacter, WithAFaultIsRefused) { test::expect_refused(kDrivenBreakages, make_data()); }

// All records name the same words: checking and posing them would take time by the square of the file's size.
TEST(DrivenCharacter, WithTablesThatOverlapIsRefused) {
  struct Kind {
    PoseKernel kernel;
    std::size_t first_word_at;
    std::uint32_t (*words)(const std::uint32_t* record);
  };
  for (const Kind& kind :
       {Kind{PoseKernel::kKeyPose, 0, [](const std::uint32_t* r) { return shared::kKeyEntryWords * r[1]; }},
        Kind{PoseKernel::kVertexFrame, 1, [](const std::uint32_t* r) { return 4 * r[2] + 2 * r[3]; }},
        Kind{PoseKernel::kPatchFrame, 0, [](const std::uint32_t* r) { return 4 * r[1]; }}}) {
    CharacterData data = make_data();
    PalettePass& pass = pass_of(data, kind.kernel);
    const std::size_t record_words = pass.records.size() / pass.record_count;
    for (std::size_t r = 1; r < pass.record_count; ++r) {
      std::copy_n(pass.records.begin(), record_words,
                  pass.records.begin() + static_cast<std::ptrdiff_t>(r * record_words));
    }
    pass.table.resize(pass.records[kind.first_word_at] + kind.words(pass.records.data()));
    EXPECT_THAT(test::create_error(data), testing::HasSubstr("takes a word of its table for two things"))
        << static_cast<std::uint32_t>(kind.kernel);
  }
}

// One invocation of the device loops over the terms of a record; a small file must not make it take seconds.
TEST(DrivenCharacter, WithARecordOfVeryManyTermsIsRefused) {
  struct Kind {
    PoseKernel kernel;
    std::size_t first_word_at, count_at, words;
  };
  for (const Kind& kind : {Kind{PoseKernel::kKeyPose, 0, 1, shared::kKeyEntryWords},
                           Kind{PoseKernel::kVertexFrame, 1, 2, 4}, Kind{PoseKernel::kPatchFrame, 0, 1, 4}}) {
    for (const std::uint32_t count : {4096u, 4097u}) {
      CharacterData data = make_data();
      PalettePass& pass = pass_of(data, kind.kernel);
      const std::uint32_t known = pass.records[kind.first_word_at];
      pass.records[kind.first_word_at] = static_cast<std::uint32_t>(pass.table.size());
      pass.records[kind.count_at] = count;
      if (kind.kernel == PoseKernel::kVertexFrame) pass.records[3] = 0;
      for (std::size_t word = 0; word < count * kind.words; ++word) {
        pass.table.push_back(pass.table[known + word % kind.words]);
      }
      EXPECT_THAT(test::create_error(data),
                  testing::HasSubstr(count == 4096 ? "made" : "record 0 has more than 4096 terms"))
          << static_cast<std::uint32_t>(kind.kernel);
    }
  }
}

TEST(DrivenCharacter, WithAWeightOfVeryManyCentresIsRefused) {
  const auto outcome = [](std::uint32_t keys, std::uint32_t centres) -> std::string {
    CharacterData data = make_data();
    std::vector<std::uint32_t>& table = weight_table(data);
    const std::uint32_t angle = key_word(data, 2, 3);
    const auto key = static_cast<std::uint32_t>(table.size());
    const std::uint32_t first_centre = key + shared::kKeyRbfHeader + centres;
    table.insert(table.end(), {shared::kKeyRbf, 1, centres, angle, first_centre});
    table.resize(first_centre + 2 * centres, std::bit_cast<std::uint32_t>(1.0f));
    table[pass_of(data, PoseKernel::kKeyWeights).records[0]] = static_cast<std::uint32_t>(table.size());
    table.push_back(keys);
    table.resize(table.size() + keys, key);
    return test::create_error(data);
  };
  EXPECT_EQ(outcome(4096, 16), "made");
  EXPECT_THAT(outcome(4097, 1), testing::HasSubstr("has more than 4096 terms"));
  EXPECT_THAT(outcome(4096, 17), testing::HasSubstr("names keys of too many centres"));
}

}  // namespace
}  // namespace pelt
