// SPDX-License-Identifier: MIT
// The errors that pelt verify must find: all that depend on the pose, and none that rounding causes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <span>
#include <utility>

#include <pelt/rig.h>
#include <pelt/runtime/device.h>
#include <pelt/tools/bind_model.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/rounding.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/mutated_shaders.h"
#include "tests/support/shared_files.h"
#include "tests/support/tube_surface.h"

namespace pelt::samples {
namespace {

using testing::HasSubstr;

// SPIR-V: the number of an instruction and its words.
struct Instruction {
  std::uint16_t number = 0;
  std::span<std::uint32_t> words;
};

// Calls `change` with the instructions of a module.
template <class Change>
void for_instructions(std::vector<std::uint32_t>& module, const Change& change) {
  for (std::size_t at = 5; at < module.size(); at += module[at] >> 16) {
    change(
        Instruction{static_cast<std::uint16_t>(module[at] & 0xFFFF), std::span(module).subspan(at, module[at] >> 16)});
  }
}

// Turns each product into a sum and a fused a * b + c into a * b + a, and swaps the first two axes of constructed
// vectors and matrices.
void spoil(std::vector<std::uint32_t>& module) {
  constexpr std::uint32_t kExtended = 12;
  constexpr std::uint32_t kFma = 50;
  constexpr std::uint32_t kVectorType = 23;
  constexpr std::uint32_t kMatrixType = 24;
  constexpr std::uint32_t kConstruct = 80;
  constexpr std::uint32_t kSum = 129;
  constexpr std::uint32_t kProduct = 133;
  std::set<std::uint32_t> types;
  for_instructions(module, [&](Instruction instruction) {
    const std::span<std::uint32_t> words = instruction.words;
    const std::uint16_t number = instruction.number;
    if (number == kVectorType || number == kMatrixType) types.insert(words[1]);
    if (number == kProduct) words[0] = (words[0] & 0xFFFF0000u) | kSum;
    if (number == kExtended && words[4] == kFma) words[7] = words[5];
    if (number == kConstruct && types.contains(words[1])) std::swap(words[3], words[4]);
  });
}

class Verify : public testing::Test {
 protected:
  void SetUp() override {
    test::mutate_module = [](std::vector<std::uint32_t>&) {};
    const Result<runtime::Device> device = make();
    if (!device) PELT_SKIP(device.error().message);
  }
  void TearDown() override { test::mutate_module = nullptr; }

  static Result<runtime::Device> make() {
    return runtime::Device::create({.get_instance_proc_addr = test::mutated_entry_point});
  }
  static VerifyReport verified(const Character& character) {
    const runtime::Device device = test::must(make());
    return test::must(verify(device, character, "character"));
  }
  // Tests that nothing is wrong, and that more than `least` comparisons count.
  static void agrees_by_every_deformer(const Model& model, std::size_t least) {
    for (const std::string_view deformer : deformer_names()) {
      const VerifyReport report = verified(test::bound_by(model, std::string(deformer)));
      EXPECT_EQ(report.wrong, 0u) << deformer << report.text;
      EXPECT_GT(report.count, least) << deformer << report.text;
    }
  }
  static Character arm_by(const std::string& deformer) {
    return test::must(bind_model("builtin:arm", {.deformer = deformer})).bound.character;
  }
};

// Each module once is spoiled. One for each pass is found wrong, and the blend; a box that is too large is not, nor a
// blend of drivers that the arm does not have.
TEST_F(Verify, FindsWrongShaders) {
  for (const char* deformer : {"linear-blend", "dual-quaternion", "mos"}) {
    const Character arm = arm_by(deformer);
    std::size_t modules = 0;
    test::mutate_module = [&](std::vector<std::uint32_t>&) { ++modules; };
    const VerifyReport right = verified(arm);
    EXPECT_EQ(right.wrong, 0u) << deformer << right.text;
    EXPECT_EQ(right.left_out, 0u) << deformer << right.text;
    std::size_t found = 0;
    for (std::size_t wrong = 0; wrong < modules; ++wrong) {
      std::size_t module = 0;
      test::mutate_module = [&](std::vector<std::uint32_t>& words) {
        if (module++ == wrong) spoil(words);
      };
      const VerifyReport report = verified(arm);
      EXPECT_EQ(report.wrong > 0, report.text.find("WRONG") != std::string::npos);
      found += report.wrong > 0 ? 1 : 0;
    }
    std::set<PoseKernel> kernels;
    for (const PalettePass& pass : arm->passes) kernels.insert(pass.kernel);
    EXPECT_GE(found, kernels.size() + 1) << deformer << right.text;
  }
}

// Masses begin to swing at the same position on both sides.
TEST_F(Verify, AgreesOnSecondaryAction) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels[0].secondary = {{.rigidity = 2000, .damping = 2, .damping_into = 8, .vertices = {{64, 79}}}};
  Model model = test::make_tube();
  model.clips = {
      {.name = "shake",
       .duration = 0.2f,
       .channels = {
           {.joint = 1, .path = ChannelPath::kTranslation, .times = {0, 0.2f}, .values = {4, 0, 0, 4, 1, 0.5f}}}}};
  const VerifyReport report = verified(test::bound(model, test::rig_of(surface)).character);
  EXPECT_EQ(report.wrong, 0u) << report.text;
  EXPECT_THAT(report.text, HasSubstr("secondary_action"));
}

// A joint that is scaled to nothing, along one axis or along all, has no turn.
TEST_F(Verify, HoldsNothingToWhatRoundingDecides) {
  Model model = test::make_tube({.joints = 3});
  model.clips = {
      {.name = "shrink",
       .duration = 1,
       .channels = {
           {.joint = 1, .path = ChannelPath::kScale, .times = {0, 0.5f, 1}, .values = {1, 1, 1, 0, 1, 0, 0, 0, 0}}}}};
  agrees_by_every_deformer(model, 3);
}

// A skin whose joint is scaled to 0 in the rest pose.
TEST_F(Verify, AgreesWhereAJointIsNothingAtRest) {
  Model model = test::make_tube({.joints = 3});
  model.skeleton.joints[1].rest.scale = glm::vec3(0);
  agrees_by_every_deformer(model, 0);
}

TEST(Rounding, LetsQuaternionsTurnTheirSigns) {
  Affine one(glm::vec4(1, 2, 3, 4), glm::vec4(5, 6, 7, 8), glm::vec4(9, 10, 11, 12));
  Affine other = one;
  other[1] = -other[1];
  const auto off = [&](PoseKernel kernel, std::size_t entry) {
    return distance_between(numbers_of(one), numbers_of(other), quaternions_of(kernel, entry));
  };
  EXPECT_EQ(off(PoseKernel::kAnchor, 0), 0);
  EXPECT_EQ(off(PoseKernel::kLinearBlend, 0), 16);
  EXPECT_EQ(off(PoseKernel::kDualQuaternion, 0), 8) << "one of two is another motion";
  other[0] = -other[0];
  EXPECT_EQ(off(PoseKernel::kDualQuaternion, 0), 0);
  EXPECT_EQ(off(PoseKernel::kDualQuaternion, 1), 16) << "a stretch is no quaternion";
  EXPECT_EQ(off(PoseKernel::kAnchor, 0), 8);
  other[1].x = 5.5f;
  EXPECT_EQ(off(PoseKernel::kAnchor, 0), 10.5);
}

TEST(Rounding, ForgivesNoNumberThatIsNotFiniteOnOneSide) {
  const glm::vec3 none(1, NAN, 0);
  const glm::vec3 endless(INFINITY, 0, 0);
  for (const glm::vec3 bad : {none, endless}) {
    EXPECT_EQ(distance_between(bad, glm::vec3(1)), kNoNumber);
    EXPECT_EQ(distance_between(glm::vec3(1), bad), kNoNumber);
    EXPECT_EQ(degrees_between(glm::vec3(1, 0, 0), bad), kNoNumber);
    EXPECT_EQ(distance_between(bad, none), 0);
    EXPECT_EQ(degrees_between(bad, endless), 0);
  }
  const Affine one(1);
  for (const float number : {NAN, INFINITY}) {
    for (const int row : {0, 1, 2}) {
      Affine bad(1);
      bad[row].y = number;
      EXPECT_EQ(distance_between(numbers_of(one), numbers_of(bad), {4, 4}), kNoNumber);
      EXPECT_EQ(distance_between(numbers_of(bad), numbers_of(one), {4, 4}), kNoNumber);
      EXPECT_EQ(distance_between(numbers_of(bad), numbers_of(bad), {4, 4}), 0);
      EXPECT_EQ(largest_of(numbers_of(bad)), 1) << "it hides no other number by its size";
    }
  }
}

}  // namespace
}  // namespace pelt::samples
