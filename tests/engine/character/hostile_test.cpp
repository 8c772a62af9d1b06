// SPDX-License-Identifier: MIT
// Finite but useless numbers from files and games are refused, or posed without a read out of bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include <pelt/bind.h>
#include <pelt/curve_skeleton.h>
#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/import.h>
#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/rig.h>
#include <pelt/rig_json.h>

#include "engine/character/pose_kernels.h"
#include "tests/support/breakage.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/sealed.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using test::Bytes;
using testing::HasSubstr;

Character bound_by(const test::Deformer& deformer) {
  const test::Subject subject = test::make_subject(deformer);
  return test::bound(subject.model, subject.rig).character;
}

// Poses the character in its rest pose and by joint matrices that a game's exploding ragdoll may give.
void pose_wildly(const Character& character) {
  const std::size_t count = character->skeleton.joints.size();
  Evaluator evaluator(character);
  evaluator.evaluate();
  for (const float far : {1e6f, 1e15f, 1e25f, 3e38f}) {
    for (const glm::vec3 scale : {glm::vec3(1), glm::vec3(far), glm::vec3(1, far, 0), glm::vec3(1 / far)}) {
      std::vector<glm::mat4> joints(count);
      for (std::size_t j = 0; j < count; ++j) {
        const glm::vec3 place(j % 2 == 0 ? far : -far, j % 3 == 0 ? 0.0f : far, 1);
        joints[j] = glm::scale(glm::translate(glm::mat4(1.0f), place), scale);
      }
      evaluator.pose(joints);
      evaluator.evaluate();
    }
  }
  // NaN: one among good numbers, one joint, all joints. Results may be NaN too.
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<glm::mat4> rest(count);
  rest_matrices(character->skeleton, rest);
  std::vector<float> inputs = test::inputs_at_rest(*character);
  for (const float none : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity, 1e30f, -1e30f}) {
    for (std::size_t j = 0; j < count; ++j) {
      for (const glm::ivec2 place : {glm::ivec2(3, 1), glm::ivec2(0, 0), glm::ivec2(1, 2)}) {
        std::vector<glm::mat4> joints = rest;
        joints[j][place.x][place.y] = none;
        evaluator.pose(joints);
        evaluator.evaluate();
      }
    }
    evaluator.pose(std::vector<glm::mat4>(count, glm::mat4(none)));
    evaluator.inputs(std::vector<float>(inputs.size(), none));
    evaluator.evaluate();
    evaluator.inputs(inputs);
  }
  // It is as good as new after them.
  evaluator.pose(rest);
  evaluator.evaluate();
  for (const glm::vec3& position : evaluator.positions()) EXPECT_TRUE(is_finite(position));
}

class WildPoses : public testing::TestWithParam<test::Deformer> {};

TEST_P(WildPoses, ReadNothingOutOfBounds) { pose_wildly(bound_by(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Deformers, WildPoses, testing::ValuesIn(test::deformers()), testing::PrintToStringParamName());

// NaN as a number, and so large as an index or a count that sums with it overflow.
constexpr std::uint32_t kNoNumberAndFar = 0xFFFFFFF0u;

TEST_P(WildPoses, WordsOfPassesThatAreNoNumbersAndFarAreRefusedOrUnread) {
  CharacterData data = *bound_by(GetParam());
  std::vector<glm::mat4> joints(data.skeleton.joints.size());
  rest_matrices(data.skeleton, joints);
  joints.back() = glm::rotate(joints.back(), 1.0f, glm::vec3(0, 0.6f, 0.8f));
  const auto posed = [&] {
    const Result<Character> made = Character::create(data);
    if (!made) return std::vector<glm::vec3>();
    Evaluator evaluator(*made);
    evaluator.pose(joints);
    evaluator.evaluate();
    return std::vector(evaluator.positions().begin(), evaluator.positions().end());
  };
  const std::vector<glm::vec3> expected = posed();
  for (PalettePass& pass : data.passes) {
    for (std::vector<std::uint32_t>* words : {&pass.records, &pass.table}) {
      for (std::size_t w = 0; w < std::min<std::size_t>(words->size(), 400); ++w) {
        const std::uint32_t before = std::exchange((*words)[w], kNoNumberAndFar);
        const std::vector<glm::vec3> moved = posed();
        (*words)[w] = before;
        EXPECT_TRUE(moved.empty() || moved == expected)
            << "word " << w << (words == &pass.records ? " of the records of " : " of the table of ")
            << pose_kernel(pass.kernel).name;
      }
    }
  }
}

// Returns the message of reading the file; or poses the character and returns "accepted".
std::string outcome_of(const Bytes& bytes) {
  const Result<Character> character = deserialize(bytes, "x.pelt");
  if (!character) return character.error().message;
  pose_wildly(*character);
  return "accepted";
}

TEST(HostileFile, PlacesAndKeysThatAreFarAwayAreRefused) {
  Model model = test::make_tube();
  model.skeleton.joints[1].rest.translation.y = 0.71828f;
  model.clips = {{"c", 1, {{0, ChannelPath::kTranslation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0.31831f, 0}}}}};
  model.meshes[0].positions[5].z = 0.57721f;
  const Bytes file = serialize(test::bound(model, test::rig_of(LinearBlendParameters{})).character);
  const auto error = [&](float known, float wanted) {
    return outcome_of(test::replaced(file, std::as_bytes(std::span(&known, 1)), std::as_bytes(std::span(&wanted, 1))));
  };
  for (const float far : {1.1e12f, 1e25f, -3e38f}) {
    EXPECT_THAT(error(0.71828f, far), HasSubstr("rest transform of joint 'joint1'"));
    EXPECT_THAT(error(0.31831f, far), HasSubstr("clip 'c': a channel of joint 0"));
    EXPECT_THAT(error(0.57721f, far), HasSubstr("the point of row"));
  }
  EXPECT_EQ(error(0.71828f, 1e12f), "accepted");
}

TEST(HostileFile, InverseBindMatricesThatReachFarAreRefused) {
  for (const char* deformer : {"linear-blend", "dual-quaternion"}) {
    const Character sound = test::bound_by(test::make_tube(), deformer);
    for (const float far : {1.1e12f, -3e38f}) {
      CharacterData data = *sound;
      data.bound_joints[1].inverse_bind[3].y = far;
      EXPECT_THAT(test::create_error(data),
                  HasSubstr("inverse bind matrix of joint 'joint1' is not finite, or beyond"));
      data = *sound;
      data.passes[0].records[4] = std::bit_cast<std::uint32_t>(far);  // after the number of the joint
      EXPECT_THAT(test::create_error(data), HasSubstr("the inverse bind matrix of record 0 is not finite, or beyond"));
    }
  }
}

// Checks compare passes with each other.
TEST(HostileFile, VeryManyPassesAreRefused) {
  CharacterData data = *test::bound(test::make_tube(), test::rig_of(LinearBlendParameters{})).character;
  PalettePass none = data.passes[0];
  none.records.clear();
  none.record_count = 0;
  none.painted = false;
  data.passes.resize(16384, none);
  EXPECT_EQ(test::create_error(data), "made");
  data.passes.push_back(none);
  EXPECT_THAT(test::create_error(data), HasSubstr("there are 16385 palette passes, more than 16384"));
}

// Every value of correctives and helper joints in turn is something else.
TEST(HostileRig, OfCorrectivesAndHelperJointsIsRefusedOrBound) {
  using nlohmann::json;
  Model model = test::make_tube({.around = 3, .along = 4, .joints = 3});
  model.skeleton.joints[2].parent = 0;
  test::add_morph_targets(model.meshes[0], 2);
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.helper_joints = {{.joint = "joint2", .source = "joint1", .twist = 0.5f}};
  for (const KeyInterpolation interpolation : {KeyInterpolation::kLinear, KeyInterpolation::kRbf}) {
    const KeyPoseSet keys{{{"joint1", {0, 0, 1}}}, interpolation, {{{40}, "target1", {{2, {0, 0.1f, 0}}}}}};
    rig.correctives.push_back({"tube", keys});
  }
  const json original = json::parse(format_rig(rig));
  const json hostile = json::parse(R"([null, true, "", "joint0", "tube", "target0", "auto", -1e6, -1, 0, 1, 3, 89.99,
      180.0, 1e-30, 1e30, 1e300, 4294967296, [], {}, [0], [0, 0, 0]])");
  std::vector<json::json_pointer> places{"/correctives"_json_pointer, "/helper_joints"_json_pointer};
  for (std::size_t p = 0; p < places.size(); ++p) {
    const json& value = original[places[p]];
    for (const auto& [key, member] : value.items()) {
      if (value.is_structured()) places.push_back(value.is_array() ? places[p] / std::stoul(key) : places[p] / key);
    }
  }
  std::size_t bound = 0;
  std::size_t refused = 0;
  for (const json::json_pointer& place : places) {
    for (const json& value : hostile) {
      json document = original;
      document[place] = value;
      const Result<Rig> read = parse_rig(document.dump(), "x.json");
      const Result<Bound> made = read ? bind(model, *read) : Result<Bound>(tl::unexpected(read.error()));
      ++(made ? bound : refused);
      if (made) {
        pose_wildly(made->character);
      } else {
        EXPECT_FALSE(made.error().message.empty()) << place.to_string() << " = " << value.dump();
      }
    }
  }
  EXPECT_GT(bound, 50u);
  EXPECT_GT(refused, 200u);
}

// Bind attaches every vertex to its curve, or reports which is too far away.
class FarOffset : public testing::TestWithParam<float> {};

TEST_P(FarOffset, BindsOrIsRefused) {
  const auto model = test::must(import_model("builtin:limb"));
  const float far = GetParam();
  MosParameters points;
  points.automatic = false;
  points.chains = {{.name = "c", .points = {{.joint = "root", .offset = {0, 0, far}}, {.joint = "joint"}}}};
  CurveSkeletonParameters whole;
  whole.curves = {{.name = "root..joint", .joints = {"root", "joint"}, .offset = {0, far, 0}}};
  CurveSkeletonParameters one = whole;
  one.curves[0].offset = glm::vec3(0.0f);
  one.curves[0].control_offsets = {{1, {far, 0, 0}}};
  Rig muscle = test::rig_of(LinearBlendParameters{});
  muscle.muscles = {{.name = "m", .from = {"root", {1, far, 0}}, .to = {"joint", {1, 0, 0}}, .radius = 0.3f}};
  for (const Rig& rig : {test::rig_of(points), test::rig_of(whole), test::rig_of(one), muscle}) {
    const Result<Bound> bound = bind(model, rig);
    if (far > 1e12f) {
      ASSERT_FALSE(bound);
      EXPECT_EQ(bound.error().code, ErrorCode::kInvalidArgument) << bound.error().message;
    } else if (bound) {
      pose_wildly(bound->character);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, FarOffset, testing::Values(1e3f, 1e6f, 1e9f, 1e12f, 1.1e12f, 1e20f, 3e38f));

// A skin binds a joint far away, as in a model made by code; import refuses such files.
TEST(HostileModel, JointsThatAreBoundFarAwayAreRefused) {
  for (const test::Deformer& deformer : test::deformers()) {
    test::Subject subject = test::make_subject(deformer);
    for (const glm::mat4& wild :
         {glm::translate(glm::mat4(1.0f), glm::vec3(0, 1e30f, 0)), glm::scale(glm::mat4(1.0f), glm::vec3(1e-25f)),
          glm::scale(glm::mat4(1.0f), glm::vec3(1e-38f)), glm::scale(glm::mat4(1.0f), glm::vec3(1e13f, 0, 1))}) {
      subject.model.bound_joints[1].inverse_bind = wild;
      EXPECT_THAT(test::bind_error(subject.model, subject.rig), HasSubstr("joint 'joint1' is bound farther than"))
          << deformer.name;
    }
  }
}

// Files that once broke readers, binds or frames now end with an error, or work.
TEST(HostileFile, FilesThatWereFoundAreHarmless) {
  PELT_REQUIRE_SHARED();
  for (const auto& path : test::shared_files("assets/hostile", {".pelt"})) {
    SCOPED_TRACE(path);
    if (const Result<Character> character = load_pelt(path)) pose_wildly(*character);
  }
  for (const auto& path : test::shared_files("assets/hostile", {".glb", ".obj"})) {
    SCOPED_TRACE(path);
    const Result<Model> model = import_model(path.string());
    for (const std::string_view deformer : deformer_names()) {
      if (!model) break;
      const Rig rig = *rig_from_deformer_name(std::string(deformer));
      if (const Result<Bound> bound = bind(*model, rig)) pose_wildly(bound->character);
    }
  }
  const auto limb = test::must(import_model("builtin:limb"));
  for (const auto& path : test::shared_files("assets/hostile", {".json"})) {
    SCOPED_TRACE(path);
    if (path.stem() == "tess" || path.stem() == "muscles") continue;  // long binds that do what the file asks for
    const Result<Rig> rig = load_rig(path);
    if (!rig) continue;
    if (const Result<Bound> bound = bind(limb, *rig)) pose_wildly(bound->character);
  }
}

}  // namespace
}  // namespace pelt
