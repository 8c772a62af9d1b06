// SPDX-License-Identifier: MIT
// Changes one thing after the other in the curves and twists of a file: each is kept or refused.
#include <bit>
#include <limits>

#include <pelt/curve_skeleton.h>
#include <pelt/pelt_file.h>

#include "engine/character/pose_kernels.h"
#include "shaders/curve_skeleton/pose.h"
#include "tests/support/breakage.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt::curve_skeleton {
namespace {

constexpr std::uint32_t kNanWord = 0x7FC00000u;
constexpr std::uint32_t kInfinityWord = 0x7F800000u;
constexpr std::uint32_t kFar = 0xFFFFFFF0u;

// Returns a tube that follows a curve over its four joints, the second of which has keys.
CharacterData make_data() {
  CurveSkeletonParameters parameters;
  parameters.table_error = 2e-3f;
  parameters.joints = {{.joint = "joint1", .float_distance = {{0, 0.3f}, {60, 0.5f}}}};
  return *test::bound(test::make_tube({.joints = 4}), test::rig_of(parameters)).character;
}

PalettePass& pass_of(CharacterData& d, PoseKernel kernel = PoseKernel::kCurveSkeleton) {
  return test::pass_of(d, kernel);
}

// Return words of the first record, of its curve, of anchor i of the curve, of the settings of the curve there, of the
// keys of its second joint, and of the first sample of the record.
std::uint32_t& record_word(CharacterData& d, std::size_t word) { return pass_of(d).records[word]; }
std::uint32_t& curve_word(CharacterData& d, std::size_t word) { return pass_of(d).table[record_word(d, 0) + word]; }
std::uint32_t& anchor_word(CharacterData& d, std::size_t i, std::size_t word) {
  return pass_of(d).table[curve_word(d, 2) + i * shared::kAnchorWords + word];
}
std::uint32_t& curve_anchor_word(CharacterData& d, std::size_t i, std::size_t word) {
  return pass_of(d).table[curve_word(d, shared::kCurveFirstAnchor) + i * shared::kCurveAnchorWords + word];
}
std::uint32_t& key_word(CharacterData& d, std::size_t word) {
  return pass_of(d).table[curve_anchor_word(d, 1, shared::kCurveAnchorKeys) + word];
}
std::uint32_t& sample_word(CharacterData& d, std::size_t word) { return pass_of(d).table[record_word(d, 2) + word]; }

// Makes eases of the keys of the second joint.
void ease(CharacterData& d) { curve_anchor_word(d, 1, shared::kCurveAnchorKeys + 1) = shared::kCurveEased; }

std::uint32_t table_size(CharacterData& d) { return static_cast<std::uint32_t>(pass_of(d).table.size()); }

const test::Breakage kBreakages[] = {
    // Records: curve, bone, first sample.
    {"CurveFar", [](CharacterData& d) { record_word(d, 0) = kFar; }, "(curve_skeleton): record 0 reads past its table"},
    {"CurveAtTheEnd", [](CharacterData& d) { record_word(d, 0) = table_size(d) - shared::kCurveWords + 1; },
     "record 0 reads past its table"},
    {"BoneTooMany", [](CharacterData& d) { record_word(d, 1) = curve_word(d, 0) - 1; },
     "record 0 names a bone that does not exist"},
    {"BoneFar", [](CharacterData& d) { record_word(d, 1) = 0xFFFFFFFFu; }, "names a bone that does not exist"},
    {"SamplesPastTheEnd",
     [](CharacterData& d) {
       record_word(d, 2) = table_size(d) - shared::kCurveEntries * shared::kCurveSampleWords + 1;
     },
     "record 0 reads past its table"},
    // Curves: anchors, top, first anchor, frames, reference, centre, first curve anchor.
    {"AnchorsNone", [](CharacterData& d) { curve_word(d, 0) = 0; }, "too few or too many anchors"},
    {"AnchorsOne", [](CharacterData& d) { curve_word(d, 0) = 1; }, "too few or too many anchors"},
    {"AnchorsMoreThanMost", [](CharacterData& d) { curve_word(d, 0) = shared::kMaxAnchors + 1; },
     "too few or too many anchors"},
    {"TopFar", [](CharacterData& d) { curve_word(d, 1) = curve_word(d, 0); }, "has a chain whose top does not exist"},
    {"AnchorTableAtTheEnd", [](CharacterData& d) { curve_word(d, 2) = table_size(d) - shared::kAnchorWords; },
     "record 0"},
    {"FramesUnknown", [](CharacterData& d) { curve_word(d, shared::kCurveFrames) = 3; }, "frames of an unknown kind"},
    {"FramesOfAnotherKernel", [](CharacterData& d) { curve_word(d, shared::kCurveFrames) = 2; },
     "frames of another kernel"},
    {"ReferenceUnknown", [](CharacterData& d) { curve_word(d, shared::kCurveReference) = 2; }, "unknown reference"},
    // Anchors.
    {"JointFar", [](CharacterData& d) { anchor_word(d, 1, 0) = 4; }, "names a joint that does not exist"},
    {"PositionNotFinite", [](CharacterData& d) { anchor_word(d, 0, shared::kAnchorPosition + 2) = kNanWord; },
     "not finite"},
    {"PositionFar",
     [](CharacterData& d) { anchor_word(d, 0, shared::kAnchorPosition) = std::bit_cast<std::uint32_t>(-1e13f); },
     "beyond 1e+12"},
    {"TwistFar", [](CharacterData& d) { anchor_word(d, 1, shared::kAnchorTwist) = d.input_count; },
     "names an input that does not exist"},
    // Settings of the curve at its anchors.
    {"LengthsEqual", [](CharacterData& d) { curve_anchor_word(d, 1, 0) = curve_anchor_word(d, 0, 0); },
     "rest lengths that do not ascend"},
    {"LengthsDescend", [](CharacterData& d) { std::swap(curve_anchor_word(d, 1, 0), curve_anchor_word(d, 2, 0)); },
     "rest lengths that do not ascend"},
    {"DistanceNotFinite",
     [](CharacterData& d) { curve_anchor_word(d, 2, shared::kCurveAnchorDistance) = kInfinityWord; }, "not finite"},
    {"FloatsDoNotAscend",
     [](CharacterData& d) {
       std::swap(curve_anchor_word(d, 2, shared::kCurveAnchorLeast), curve_anchor_word(d, 2, shared::kCurveAnchorMost));
     },
     "an empty range of distances"},
    {"KeysMoreThanMost",
     [](CharacterData& d) { curve_anchor_word(d, 1, shared::kCurveAnchorKeys + 1) = shared::kMaxFloatKeys + 1; },
     "too many keys"},
    {"EaseBelow", [](CharacterData& d) { ease(d), key_word(d, 0) = std::bit_cast<std::uint32_t>(-0.1f); },
     "eases that turn a curve back"},
    {"EaseAbove", [](CharacterData& d) { ease(d), key_word(d, 1) = std::bit_cast<std::uint32_t>(3.0f); },
     "eases that turn a curve back"},
    {"KeysDoNotAscend", [](CharacterData& d) { key_word(d, 2) = key_word(d, 0); }, "keys that do not ascend"},
    // Samples.
    {"LambdaBelow", [](CharacterData& d) { sample_word(d, 0) = 0xFF7FFFFFu; }, "a sample that is not on its bone"},
    {"LambdaAbove",
     [](CharacterData& d) { sample_word(d, 3 * shared::kCurveSampleWords) = std::bit_cast<std::uint32_t>(1.01f); },
     "a sample that is not on its bone"},
    // Palette entries of earlier stages.
    {"AnchorsThatNoPassPoses", [](CharacterData& d) { curve_word(d, shared::kChainFirstEntry) += 8; },
     "(curve_skeleton): record 0 turns by anchors that no earlier stage poses"},
    {"StepsThatNoPassPoses", [](CharacterData& d) { curve_word(d, shared::kCurveFirstStep) -= 1; },
     "has steps that no earlier stage poses"},
    {"AStageOfNothing", [](CharacterData& d) { pass_of(d, PoseKernel::kCurveStep).stage = 2; },
     "some of the 3 stages neither pose anything nor move a mesh"},
    {"SamplesInTheStageOfTheirSteps", [](CharacterData& d) { pass_of(d).stage = 1; },
     "(curve_skeleton): record 0 has steps that no earlier stage poses"},
    {"StepsInTheStageOfTheirAnchors",
     [](CharacterData& d) { pass_of(d, PoseKernel::kCurveStep).stage = 0, pass_of(d).stage = 1; },
     "(curve_step): record 0 turns by anchors that no earlier stage poses"},
    {"StepOfAnAnchorFar", [](CharacterData& d) { pass_of(d, PoseKernel::kCurveStep).records[1] = curve_word(d, 0); },
     "(curve_step): record 0 names an anchor that does not exist"},
    {"StepsOfAnchorsThatNoPassPoses",
     [](CharacterData& d) { pass_of(d, PoseKernel::kCurveStep).table[shared::kChainFirstEntry] = kFar; },
     "(curve_step): record 0 turns by anchors that no earlier stage poses"},
    {"BlockFar", [](CharacterData& d) { pass_of(d, PoseKernel::kAnchor).records[1] = 8; },
     "(anchor): record 0 names an anchor that does not exist"},
    {"BlockBetweenBlocks", [](CharacterData& d) { pass_of(d, PoseKernel::kAnchor).records[1] = 1; },
     "(anchor): record 0 names an anchor that does not exist"},
    {"AnchorsPosedByASoundPassAlone", [](CharacterData& d) { pass_of(d, PoseKernel::kAnchor).table[0] = 1; },
     "(anchor): record 0 has a chain of too few or too many anchors"},
    {"SkinByAnchors", [](CharacterData& d) { d.meshes[0].first_entry = 0; }, "does not hold what its blend mode reads"},
    // Words that many records name: checking and posing would take long for the size of the file.
    {"SamplesShared",
     [](CharacterData& d) {
       PalettePass& pass = pass_of(d);
       for (std::size_t r = 0; r < pass.record_count; ++r) pass.records[3 * r + 2] = pass.records[2];
       pass.table.resize(pass.records[2] + 2 * shared::kCurveEntries * shared::kCurveSampleWords);
     },
     "takes a word of its table for two things"},
    // Words with two meanings.
    {"SamplesInTheCurve", [](CharacterData& d) { record_word(d, 2) = record_word(d, 0); },
     "takes a word of its table for two things"},
    {"CurveAnchorsAsAnchors",
     [](CharacterData& d) { curve_word(d, shared::kCurveFirstAnchor) = curve_word(d, shared::kChainFirstAnchor); },
     "takes a word of its table for two things"},
    {"KeysInAnchors",
     [](CharacterData& d) {
       curve_anchor_word(d, 1, shared::kCurveAnchorKeys) = curve_word(d, shared::kChainFirstAnchor),
                               curve_anchor_word(d, 1, shared::kCurveAnchorKeys + 1) = 1;
     },
     "takes a word of its table for two things"},
    // The twist of a joint.
    {"TwistOfNoJoint", [](CharacterData& d) { d.controls[0].target = 4; }, "names joint 4, but there are only 4"},
    {"TwistNotFinite", [](CharacterData& d) { d.controls[0].rest = std::numeric_limits<float>::quiet_NaN(); },
     "not finite at rest"},
    {"TwistOfATakenInput", [](CharacterData& d) { d.controls[0].input = d.controls[1].input; }, "in use or missing"},
    {"TwistUnnamed", [](CharacterData& d) { d.controls[0].name = d.controls[1].name; }, "is not unique"},
    {"ControlOfAnUnknownKind", [](CharacterData& d) { d.controls[0].kind = static_cast<ControlKind>(9); },
     "'twist/joint1' is of an unknown kind"},
};

TEST(CurveRecords, WithAFaultAreRefused) { test::expect_refused(kBreakages, make_data()); }

TEST(CurveRecords, TwistsAreControls) {
  CharacterData data = make_data();
  const Character character = test::must(Character::create(data));
  const Character read = test::must(deserialize(serialize(character), "x.pelt"));
  std::vector<std::string> names;
  for (const Control& control : read->controls) {
    EXPECT_EQ(control.kind, ControlKind::kTwist);
    EXPECT_EQ(control.rest, 0);
    EXPECT_EQ(control.mesh, "");
    EXPECT_EQ("twist/" + read->skeleton.joints[control.target].name, control.name);
    names.push_back(control.name);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("twist/joint1", "twist/joint2", "twist/joint3"));
}

}  // namespace
}  // namespace pelt::curve_skeleton
