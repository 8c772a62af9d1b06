// SPDX-License-Identifier: MIT
// Tests how settings of a rig for joints, bones and control points become curves, and each way in which they can be
// wrong.
#include "engine/authoring/curve_skeleton/resolve_curves.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <pelt/curve_skeleton.h>
#include <pelt/mos.h>
#include <pelt/tools/curve_place.h>
#include <pelt/try.h>

#include "engine/authoring/rig/check_rig.h"
#include "tests/support/tube.h"

namespace pelt::curve_skeleton {

using namespace chain;

namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Returns a tube whose bones are 2 long, as is its tip.
Model model() { return test::make_tube({.joints = 4}); }

using Change = void (*)(CurveSkeletonParameters&);

struct Resolved {
  Chains chains;
  std::vector<Curve> curves;
};

Result<Resolved> resolve(const CurveSkeletonParameters& parameters) {
  PELT_TRY(check_rig({.layers = {{.deformer = parameters}}}));  // as bind does first
  const Model subject = model();
  const std::vector<std::uint32_t> meshes{0};
  PELT_ASSIGN(auto chains, resolve_chains(parameters, subject, meshes, "layer 1"));
  std::vector<std::string> notes;
  PELT_ASSIGN(auto curves,
              resolve_curves(parameters, chains.chains, subject, matrices_at_bind(subject, meshes), "layer 1", notes));
  return Resolved{std::move(chains), std::move(curves)};
}

Curve resolved(Change change) {
  CurveSkeletonParameters parameters;
  change(parameters);
  Result<Resolved> result = resolve(parameters);
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->curves.at(0) : Curve{};
}

TEST(ResolveCurves, ByDefault) {
  const Curve curve = resolved([](CurveSkeletonParameters&) {});
  ASSERT_EQ(curve.anchors.size(), 5u) << "four joints and a tip";
  ASSERT_EQ(curve.spans.size(), 4u);
  EXPECT_EQ(curve.lengths.front(), 0);
  EXPECT_EQ(curve.frames, CurveFrames::kAuto);
  EXPECT_EQ(curve.reference, CurveReference::kHalfSwing);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(curve.bone_length(i), 2, 1e-5) << i;
  // f_min is an eighth of the shorter bone. f_max is half of a bone that two floats share, 0.9 of one at an end.
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    EXPECT_NEAR(curve.anchors[i].float_min, 0.25, 0.01) << i;
    EXPECT_NEAR(curve.anchors[i].float_max, 1.0, 0.02) << i;
    EXPECT_EQ(curve.anchors[i].skin_distance, 0) << "is measured";
    EXPECT_TRUE(curve.anchors[i].float_keys.empty());
  }
}

TEST(ResolveCurves, AnEndBoneLeavesNineTenths) {
  const Curve curve = resolved([](CurveSkeletonParameters& p) { p.split = {"joint2"}; });
  ASSERT_EQ(curve.anchors.size(), 3u);
  EXPECT_NEAR(curve.anchors[1].float_max, 1.8, 1e-5);
}

TEST(ResolveCurves, AGivenFloatLeavesTheRest) {
  const Curve curve = resolved([](CurveSkeletonParameters& p) {
    p.joints = {{.joint = "joint1", .skin_distance = 0.4f, .float_min = 0.1f, .float_max = 1.5f}};
  });
  EXPECT_FLOAT_EQ(curve.anchors[1].skin_distance, 0.4f);
  EXPECT_FLOAT_EQ(curve.anchors[1].float_min, 0.1f);
  EXPECT_FLOAT_EQ(curve.anchors[1].float_max, 1.5f);
  EXPECT_NEAR(curve.anchors[2].float_max, 0.5, 1e-5);
  EXPECT_NEAR(curve.anchors[3].float_max, 1, 0.05);
}

TEST(ResolveCurves, KeysAreInRadiansAndTheLargestTakesTheRoom) {
  const Curve curve = resolved([](CurveSkeletonParameters& p) {
    p.joints = {{.joint = "joint2", .float_distance = {{0, 0.2f}, {90, 1.25f}, {180, 0.5f}}}};
  });
  ASSERT_EQ(curve.anchors[2].float_keys.size(), 3u);
  EXPECT_FLOAT_EQ(curve.anchors[2].float_keys[1].at, glm::radians(90.0f));
  EXPECT_EQ(curve.anchors[2].float_keys[1].value, 1.25f);
  EXPECT_NEAR(curve.anchors[1].float_max, 0.75, 1e-5);
}

TEST(ResolveCurves, ABoneMeansTheOneThatItNames) {
  const Curve curve = resolved([](CurveSkeletonParameters& p) {
    p.bones = {{"joint1", "", {{0, 0}, {0.5f, 0.25f}, {1, 1}}, false}, {"joint2", "joint3", {{0, 0}, {1, 1}}, true}};
  });
  EXPECT_TRUE(curve.spans[0].twist.empty());
  ASSERT_EQ(curve.spans[1].twist.size(), 3u);
  EXPECT_FALSE(curve.spans[1].smooth_twist);
  EXPECT_EQ(curve.spans[2].twist.size(), 2u);
  EXPECT_TRUE(curve.spans[2].smooth_twist);
}

// On a curve that runs up to its top, the twist of a bone still counts from its upper joint.
TEST(ResolveCurves, TwistRunsAgainstTheCurveAboveItsTop) {
  CurveSkeletonParameters parameters;
  parameters.automatic = false;
  parameters.curves = {{"up", {"joint2", "joint1", "joint0"}, {}, {}}};
  parameters.bones = {{"joint0", "joint1", {{0, 0}, {0.25f, 0.125f}, {1, 1}}, true}};
  const Result<Resolved> result = resolve(parameters);
  ASSERT_TRUE(result) << result.error().message;
  const Curve& curve = result->curves[0];
  EXPECT_EQ(curve.chain.top, 2u);
  const std::vector<CurveKey> expected{{0, 0}, {0.75f, 0.875f}, {1, 1}};
  EXPECT_EQ(curve.spans[1].twist, expected);
  EXPECT_TRUE(curve.spans[0].twist.empty());
}

TEST(ResolveCurves, ControlPointsAreMoved) {
  // The control points are J0, B1-, J1, B1+, B2-, J2, B2+ ..
  CurveSkeletonParameters parameters;
  parameters.automatic = false;
  parameters.curves = {{"c", {"joint0", "joint1", "joint2"}, {0.5f, 0, 0}, {}}};
  parameters.curves[0].control_offsets = {{0, {0, 1, 0}}, {1, {0, 2, 0}}, {2, {0, 3, 0}},
                                          {3, {0, 4, 0}}, {3, {1, 0, 0}}, {4, {0, 5, 0}}};
  const Result<Resolved> result = resolve(parameters);
  ASSERT_TRUE(result) << result.error().message;
  const Curve& curve = result->curves[0];
  ASSERT_EQ(curve.chain.anchors.size(), 3u);
  EXPECT_EQ(curve.chain.anchors[0].position, glm::vec3(0.5f, 1, 0));
  EXPECT_EQ(curve.chain.anchors[1].position, glm::vec3(2.5f, 3, 0));
  EXPECT_EQ(curve.chain.anchors[2].position, glm::vec3(4.5f, 5, 0));
  EXPECT_EQ(curve.anchors[1].before, glm::vec3(0, 2, 0));
  EXPECT_EQ(curve.anchors[1].after, glm::vec3(1, 4, 0));
}

// ------------------------------------------------------------------------------------------------------------ errors

struct Wrong {
  const char* name;
  Change change;
  ErrorCode code;
  const char* says;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

class ResolveWrong : public testing::TestWithParam<Wrong> {};

TEST_P(ResolveWrong, SaysSo) {
  CurveSkeletonParameters parameters;
  ASSERT_TRUE(resolve(parameters));
  GetParam().change(parameters);
  const Result<Resolved> result = resolve(parameters);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, GetParam().code);
  EXPECT_THAT(result.error().message, testing::StartsWith("layer 1"));
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().says));
}

constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;
constexpr ErrorCode kMissing = ErrorCode::kNotFound;

void with_joint(CurveSkeletonParameters& p, const CurveJoint& joint) {
  p.joints = {joint};
  p.joints[0].joint = "joint1";
}

void with_twist(CurveSkeletonParameters& p, std::vector<CurveKey> keys) {
  p.bones = {{"joint1", "", std::move(keys), true}};
}

void with_bulge(CurveSkeletonParameters& p, const Bulge& bulge) { with_joint(p, {.bulge = bulge}); }

void with_control(CurveSkeletonParameters& p, std::uint32_t point, const glm::vec3& offset) {
  p.curves = {{"c", {"joint0", "joint1"}, {}, {{point, offset}}}};
}

const Wrong kWrong[] = {
    {"CentreBelow", [](auto& p) { p.centre = -0.1f; }, kInvalid, "/centre: must be a number from 0 to 1, is -0.1"},
    {"CentreAbove", [](auto& p) { p.centre = 1.1f; }, kInvalid, "/centre: must be a number from 0 to 1, is 1.1"},
    {"CentreNan", [](auto& p) { p.centre = kNan; }, kInvalid, "/centre: must be a number from 0 to 1"},
    {"MarginZero", [](auto& p) { p.float_margin = 0; }, kInvalid,
     "/float_margin: must be a number above 0 to 1000, is 0"},
    {"MarginHuge", [](auto& p) { p.float_margin = 3e38f; }, kInvalid,
     "/float_margin: must be a number above 0 to 1000, is 3e+38"},
    {"MarginNan", [](auto& p) { p.float_margin = kNan; }, kInvalid, "/float_margin: must be a number above 0 to 1000"},
    {"TableErrorZero", [](auto& p) { p.table_error = 0; }, kInvalid, "/table_error: must be a number > 0, is 0"},
    {"TableErrorInfinite", [](auto& p) { p.table_error = kInfinity; }, kInvalid, "/table_error: must be a number > 0"},
    {"ReachOne", [](auto& p) { p.curve_reach = 1; }, kInvalid, "/curve_reach: must be a number > 1, is 1"},
    {"ReachNan", [](auto& p) { p.curve_reach = kNan; }, kInvalid, "/curve_reach: must be a number > 1"},
    {"NoCurves", [](auto& p) { p.curves_per_vertex = 0; }, kInvalid,
     "/curves_per_vertex: must be an integer from 1 to 3, is 0"},
    {"FourCurves", [](auto& p) { p.curves_per_vertex = 4; }, kInvalid,
     "/curves_per_vertex: must be an integer from 1 to 3, is 4"},
    {"VolumeAbove", [](auto& p) { p.bulge.volume = 1.5f; }, kInvalid,
     "/bulge/volume: must be a number from 0 to 1, is 1.5"},
    {"VolumeNan", [](auto& p) { p.bulge.volume = kNan; }, kInvalid, "/bulge/volume: must be a number from 0 to 1"},
    {"AcrossBelow", [](auto& p) { p.bulge.across = -2; }, kInvalid,
     "/bulge/across: must be a number from -1 to 4, is -2"},
    {"AlongAbove", [](auto& p) { with_bulge(p, {.along = 5}); }, kInvalid,
     "/joints/0/bulge/along: must be a number from -1 to 4, is 5"},
    {"BulgeNowhere", [](auto& p) { with_bulge(p, {.reach = 0.0f}); }, kInvalid,
     "/joints/0/bulge/reach: must be a number > 0"},
    {"NoSuchJoint", [](auto& p) { p.joints = {{.joint = "jiont1"}}; }, kMissing,
     "there is no joint 'jiont1'; did you mean 'joint1'?"},
    {"NoSuchBone",
     [](auto& p) {
       p.bones = {{"joint9", "", {}, true}};
     },
     kMissing, "there is no joint 'joint9'"},
    {"NoSuchBoneEnd",
     [](auto& p) {
       p.bones = {{"joint1", "elbow", {}, true}};
     },
     kMissing, "there is no joint 'elbow'"},
    {"NoSuchCurve",
     [](auto& p) {
       p.weights = {{"spine", 1, {}}};
     },
     kMissing, "there is no curve 'spine'"},
    {"WeightBelow",
     [](auto& p) {
       p.weights = {{"joint0..joint3", -1, {}}};
     },
     kInvalid, "/weights/0/value: must be a number from 0 to 100, is -1"},
    {"DistanceNan", [](auto& p) { with_joint(p, {.skin_distance = kNan}); }, kInvalid,
     "/joints/0/skin_distance: must be a number > 0"},
    {"FloatMinBelow", [](auto& p) { with_joint(p, {.float_min = -1.0f}); }, kInvalid,
     "/joints/0/float_min: must be a number > 0"},
    {"FloatMaxInfinite", [](auto& p) { with_joint(p, {.float_max = kInfinity}); }, kInvalid,
     "/joints/0/float_max: must be a number > 0"},
    {"FloatsOverlap", [](auto& p) { with_joint(p, {.float_max = 2.5f}); }, kInvalid,
     "the floats of 'joint0' and 'joint1' take 2.5 m of the 2 m between them on the curve 'joint0..joint3'"},
    {"KeysOverlap",
     [](auto& p) {
       p.joints = {{.joint = "joint1", .float_distance = {{0, 1.5f}}}, {.joint = "joint2", .float_max = 0.6f}};
     },
     kInvalid, "the floats of 'joint1' and 'joint2' take 2.1 m of the 2 m between them"},
    {"KeyAngleAbove",
     [](auto& p) {
       with_joint(p, {.float_distance = {{200, 0.5f}}});
     },
     kInvalid, "/joints/0/float/0/0: must be a number from 0 to 180, is 200"},
    {"KeyDistanceZero",
     [](auto& p) {
       with_joint(p, {.float_distance = {{20, 0}}});
     },
     kInvalid, "/joints/0/float/0/1: must be a number > 0"},
    {"KeyNan",
     [](auto& p) {
       with_joint(p, {.float_distance = {{20, kNan}}});
     },
     kInvalid, "/joints/0/float/0/1: must be a number > 0"},
    {"KeysDoNotAscend",
     [](auto& p) {
       with_joint(p, {.float_distance = {{20, 0.5f}, {20, 0.6f}}});
     },
     kInvalid, "/joints/0/float/1/0: must be above 20"},
    {"TooManyKeys",
     [](auto& p) {
       std::vector<CurveKey> keys;
       for (std::uint32_t k = 0; k <= shared::kMaxFloatKeys; ++k) keys.push_back({static_cast<float>(k), 0.5f});
       with_joint(p, {.float_distance = keys});
     },
     kInvalid, "/joints/0/float: must have at most 64 keys"},
    {"TwistOfOneKey",
     [](auto& p) {
       with_twist(p, {{0, 0}});
     },
     kInvalid, "/bones/0/twist: must run from [0, 0] to [1, 1]"},
    {"TwistFromElsewhere",
     [](auto& p) {
       with_twist(p, {{0, 0.1f}, {1, 1}});
     },
     kInvalid, "/bones/0/twist: must run from [0, 0] to [1, 1]"},
    {"TwistToElsewhere",
     [](auto& p) {
       with_twist(p, {{0, 0}, {0.9f, 1}});
     },
     kInvalid, "/bones/0/twist: must run from [0, 0] to [1, 1]"},
    {"TwistGoesBack",
     [](auto& p) {
       with_twist(p, {{0, 0}, {0.4f, 0.5f}, {0.6f, 0.4f}, {1, 1}});
     },
     kInvalid, "/bones/0/twist: must never fall"},
    {"TwistNan",
     [](auto& p) {
       with_twist(p, {{0, 0}, {kNan, 0.5f}, {1, 1}});
     },
     kInvalid, "/bones/0/twist/1/"},
    {"TwistValueNan",
     [](auto& p) {
       with_twist(p, {{0, 0}, {0.5f, kNan}, {1, 1}});
     },
     kInvalid, "/bones/0/twist/1/"},
    {"NoSuchControlPoint", [](auto& p) { with_control(p, 2, {}); }, kInvalid,
     "offsets control point 2 of the 2 of the curve 'c'"},
    {"ControlNan",
     [](auto& p) {
       with_control(p, 0, {kNan, 0, 0});
     },
     kInvalid, "/curves/0/control_offsets/0/1: must be a number, is nan"},
    {"InnerControlInfinite",
     [](auto& p) {
       p.curves = {{"c", {"joint0", "joint1", "joint2"}, {}, {{1, {0, kInfinity, 0}}}}};
     },
     kInvalid, "/curves/0/control_offsets/0/2: must be a number, is inf"},
    {"OffsetNan",
     [](auto& p) {
       p.curves = {{"c", {"joint0", "joint1"}, {0, kNan, 0}, {}}};
     },
     kInvalid, "/curves/0/offset/1: must be a number, is nan"},
    {"JointsOnEachOther",
     [](auto& p) {
       with_control(p, 0, {2, 0, 0});
     },
     kInvalid, "of the curve 'c' lie on each other"},
    {"NoSuchJointOfACurve",
     [](auto& p) {
       p.curves = {{"c", {"joint0", "joint7"}, {}, {}}};
     },
     kMissing, "'joint7'"},
    {"NoSuchSplit", [](auto& p) { p.split = {"joint7"}; }, kMissing, "'joint7'"},
    {"NoSuchRemoved", [](auto& p) { p.remove = {"spine"}; }, kMissing, "'spine'"},
    {"NoSuchCurveToMove",
     [](auto& p) {
       p.curves = {{"spine", {}, {0, 1, 0}, {}}};
     },
     kMissing, "'spine'"},
    {"NothingLeft", [](auto& p) { p.automatic = false; }, kInvalid, "curve"},
};

INSTANTIATE_TEST_SUITE_P(All, ResolveWrong, testing::ValuesIn(kWrong),
                         [](const testing::TestParamInfo<Wrong>& wrong) { return wrong.param.name; });

TEST(CurvePlace, IsThatOfTheCurveOverTheJoints) {
  CurveSkeletonParameters curves;
  curves.curves = {{"legs", {"hip", "knee"}}, {"arms", {"shoulder", "elbow", "hand"}}};
  const Rig rig{.layers = {{.deformer = MosParameters{}}, {}, {.deformer = curves}}};
  const auto place = [&](const std::vector<std::string>& joints) { return curve_offset_place(rig, joints); };
  EXPECT_EQ(place({"hip", "knee"}), "/layers/2/parameters/curves/0/offset");
  EXPECT_EQ(place({"shoulder", "elbow", "hand"}), "/layers/2/parameters/curves/1/offset");
  EXPECT_EQ(place({"hand", "elbow", "shoulder"}), "");
  EXPECT_EQ(place({"shoulder", "elbow"}), "");
}

}  // namespace
}  // namespace pelt::curve_skeleton
