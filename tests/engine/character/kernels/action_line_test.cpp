// SPDX-License-Identifier: MIT
// Changes one thing after the other in the action lines of a file: each is kept or refused.
#include <bit>

#include <pelt/linear_blend.h>

#include "engine/character/pose_kernels.h"
#include "shaders/driver/action_line/pose.h"
#include "tests/support/breakage.h"
#include "tests/support/driven.h"

namespace pelt::action_line {
namespace {

constexpr std::uint32_t kNanWord = 0x7FC00000u;

CharacterData make_data() {
  Rig rig = test::rig_of(LinearBlendParameters{});
  rig.muscles = {{.name = "muscle", .from = {"joint0", {1, 0.5f, 0}}, .to = {"joint1", {1, 0.5f, 0}}, .radius = 0.3f}};
  return *test::bound(test::make_tube(), rig).character;
}

PalettePass& pass_of(CharacterData& d) { return test::pass_of(d, PoseKernel::kActionLine); }
std::uint32_t& record_word(CharacterData& d, std::size_t word) { return pass_of(d).records[word]; }
std::uint32_t& line_word(CharacterData& d, std::size_t word) { return pass_of(d).table[record_word(d, 0) + word]; }
std::uint32_t& sample_word(CharacterData& d, std::size_t word) { return pass_of(d).table[record_word(d, 1) + word]; }
std::uint32_t table_size(CharacterData& d) { return static_cast<std::uint32_t>(pass_of(d).table.size()); }
std::uint32_t word_of(float number) { return std::bit_cast<std::uint32_t>(number); }

const test::Breakage kLineBreakages[] = {
    {"LineAtTheEnd", [](CharacterData& d) { record_word(d, 0) = table_size(d) - shared::kLineWords + 1; },
     "record 0 reads past its table"},
    {"SamplesPastTheEnd",
     [](CharacterData& d) { record_word(d, 1) = table_size(d) - shared::kLineEntries * shared::kLineSampleWords + 1; },
     "record 0 reads past its table"},
    {"SamplesOfAnotherRecord", [](CharacterData& d) { record_word(d, 3) = record_word(d, 1); },
     "record 1 takes a word of its table for two things"},
    {"LineInSamples", [](CharacterData& d) { record_word(d, 2) = record_word(d, 1); },
     "record 1 takes a word of its table for two things"},
    {"NoPoints", [](CharacterData& d) { line_word(d, shared::kLinePointCount) = 0; }, "too few or too many points"},
    {"OnePoint", [](CharacterData& d) { line_word(d, shared::kLinePointCount) = 1; }, "too few or too many points"},
    {"UnknownFlag", [](CharacterData& d) { line_word(d, shared::kLinePointCount) += 2 * shared::kLineWrings; },
     "too few or too many points"},
    {"OtherSideOfTheMuscle", [](CharacterData& d) { line_word(d, shared::kLinePointCount) += shared::kLineWrings; },
     "no earlier stage moves"},
    {"NinePoints", [](CharacterData& d) { line_word(d, shared::kLinePointCount) = 9; }, "too few or too many points"},
    {"SideNotThere",
     [](CharacterData& d) {
       line_word(d, shared::kLineFirstPoint) = d.vertex_count() - line_word(d, shared::kLinePointCount);
     },
     "point that does not exist"},
    {"PointsOfTheSkin",
     [](CharacterData& d) {
       line_word(d, shared::kLineFirstPoint) = test::mesh_of(*Character::create(d), "tube").first_vertex;
     },
     "no earlier stage moves"},
    {"LengthZero", [](CharacterData& d) { line_word(d, shared::kLineLength) = word_of(0); }, "not positive"},
    {"SideNegative", [](CharacterData& d) { line_word(d, shared::kLineSide) = word_of(-1); }, "not positive"},
    {"LeastZero", [](CharacterData& d) { line_word(d, shared::kLineLeast) = word_of(0); }, "shape out of range"},
    {"PlaceAboveOne", [](CharacterData& d) { sample_word(d, 0) = word_of(1.5f); }, "do not ascend from 0 to 1"},
    {"PlacesDescend", [](CharacterData& d) { sample_word(d, 0) = word_of(0.9f); }, "do not ascend from 0 to 1"},
    {"ShareNegative", [](CharacterData& d) { sample_word(d, 1) = word_of(-0.1f); }, "shape out of range"},
    {"IntegralAboveOne", [](CharacterData& d) { sample_word(d, 2) = word_of(1.1f); }, "shape out of range"},
    {"ExponentLarge", [](CharacterData& d) { sample_word(d, 3) = word_of(5); }, "shape out of range"},
    {"InverseNan", [](CharacterData& d) { sample_word(d, 9) = kNanWord; }, "not finite"},
};

TEST(LineRecords, WithAFaultAreRefused) { test::expect_refused(kLineBreakages, make_data()); }

}  // namespace
}  // namespace pelt::action_line
