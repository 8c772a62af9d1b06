// SPDX-License-Identifier: MIT
// Tests how settings of a rig for joints, bones and control points become curves, and each way in which they can be
// wrong.
#include "engine/authoring/curve_skeleton/resolve_curves.h"

#include <limits>

#include <pelt/curve_skeleton.h>
#include <pelt/mos.h>
#include <pelt/tools/curve_offset_pointer.h>
#include <pelt/try.h>

#include "engine/authoring/rig/check_rig.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt::curve_skeleton {

using namespace chain;

namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

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
  PELT_ASSIGN(auto chains, resolve_chains(parameters, subject, meshes, "layer 0"));
  std::vector<std::string> notes;
  PELT_ASSIGN(auto curves,
              resolve_curves(parameters, chains.chains, subject, matrices_at_bind(subject, meshes), "layer 0", notes));
  return Resolved{std::move(chains), std::move(curves)};
}

Curve resolved(Change change) {
  CurveSkeletonParameters parameters;
  change(parameters);
  return test::must(resolve(parameters)).curves.at(0);
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
  const Curve curve = test::must(resolve(parameters)).curves[0];
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
  const Curve curve = test::must(resolve(parameters)).curves[0];
  ASSERT_EQ(curve.chain.anchors.size(), 3u);
  EXPECT_EQ(curve.chain.anchors[0].position, glm::vec3(0.5f, 1, 0));
  EXPECT_EQ(curve.chain.anchors[1].position, glm::vec3(2.5f, 3, 0));
  EXPECT_EQ(curve.chain.anchors[2].position, glm::vec3(4.5f, 5, 0));
  EXPECT_EQ(curve.anchors[1].before, glm::vec3(0, 2, 0));
  EXPECT_EQ(curve.anchors[1].after, glm::vec3(1, 4, 0));
}

// A curve drawn as an arc off the joints.
TEST(ResolveCurves, LiesOnItsDrawnLines) {
  Model subject = model();
  Mesh drawn{.name = "drawn"};
  MeshLines lines{"drawn", {}};
  for (std::uint32_t i = 0; i <= 40; ++i) {
    const float x = 0.2f * static_cast<float>(i);
    drawn.positions.emplace_back(x, 0.1f * x * (4 - x), 0.3f);
    if (i > 0) lines.segments.emplace_back(i, i - 1);
  }
  subject.meshes.push_back(drawn);
  subject.lines = {lines};
  CurveSkeletonParameters parameters;
  parameters.frames = CurveFrames::kTangent;
  parameters.automatic = false;
  parameters.curves = {{.name = "c", .joints = {"joint0", "joint1", "joint2"}, .line = "drawn"}};
  const std::vector<std::uint32_t> meshes{0};
  const std::vector<glm::dmat4> at_bind = matrices_at_bind(subject, meshes);
  const Chains chains = test::must(resolve_chains(parameters, subject, meshes, "layer 0"));
  std::vector<std::string> notes;
  std::vector<Curve> curves = test::must(resolve_curves(parameters, chains.chains, subject, at_bind, "layer 0", notes));
  lay_on_lines(parameters, subject, at_bind, curves);
  const auto off = [](glm::vec3 p) {  // the sagitta of a segment is 1e-3
    return glm::length(glm::vec2(p.y - 0.1f * p.x * (4 - p.x), p.z - 0.3f));
  };
  const std::vector<Anchor>& anchors = curves[0].chain.anchors;
  for (const Anchor& anchor : anchors) EXPECT_LT(off(anchor.position), 2e-3f);
  EXPECT_NEAR(anchors[1].position.y, 0.4f, 2e-3f) << "nearest to (2, 0, 0), by symmetry";
  const PosedCurve posed(curves[0], at_bind, std::vector(at_bind.size(), shared::kNoInput),
                         std::vector<glm::mat4>(at_bind.begin(), at_bind.end()), {});
  for (const bool before : {true, false}) {
    const glm::vec3 way = glm::normalize(anchors[before ? 0 : 2].position - anchors[1].position);
    const glm::vec3 moved = before ? curves[0].anchors[1].before : curves[0].anchors[1].after;
    EXPECT_GT(glm::length(moved), 0.01f);
    EXPECT_LT(off(anchors[1].position + way * posed.floating_distance(1) + moved), 0.02f);
  }
  parameters.curves[0].line = "drown";
  EXPECT_THAT(resolve_chains(parameters, subject, meshes, "layer 0").error().message,
              HasSubstr("there is no mesh of lines 'drown'; did you mean 'drawn'?"));
}

// ------------------------------------------------------------------------------------------------------------ errors

struct Wrong {
  const char* name;
  Change change;
  ErrorCode code;
  const char* says;
};

constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;
constexpr ErrorCode kMissing = ErrorCode::kNotFound;

void with_joint(CurveSkeletonParameters& p, const CurveJoint& joint) {
  p.joints = {joint};
  p.joints[0].joint = "joint1";
}

void with_twist(CurveSkeletonParameters& p, float middle) {
  p.bones = {{"joint1", "", {{0, 0}, {middle, 0.5f}, {1, 1}}, true}};
}

void with_control(CurveSkeletonParameters& p, std::uint32_t point, const glm::vec3& offset) {
  p.curves = {{"c", {"joint0", "joint1"}, {}, {{point, offset}}}};
}

void with_curve(CurveSkeletonParameters& p, const char* end) { p.curves = {{"c", {"joint0", end}, {}, {}}}; }

const Wrong kWrong[] = {
    // Some of the numbers: the schema has the ranges, and the tests of reading rigs cover keys.
    {"CentreNan", [](auto& p) { p.centre = kNan; }, kInvalid, "/centre: must be a number from 0 to 1"},
    {"NoSuchJoint", [](auto& p) { p.joints = {{.joint = "jiont1"}}; }, kMissing,
     "there is no joint 'jiont1'; did you mean 'joint1'?"},
    {"NoSuchBone", [](auto& p) { p.bones = {{.joint = "joint9"}}; }, kMissing, "there is no joint 'joint9'"},
    {"NoSuchBoneEnd", [](auto& p) { p.bones = {{.joint = "joint1", .to = "elbow"}}; }, kMissing,
     "there is no joint 'elbow'"},
    {"NoSuchCurve", [](auto& p) { p.weights = {{.curve = "spine"}}; }, kMissing, "there is no curve 'spine'"},
    {"FloatsOverlap", [](auto& p) { with_joint(p, {.float_max = 2.5f}); }, kInvalid,
     "the floats of 'joint0' and 'joint1' need 2.5 m, but have 2 m between them on the curve 'joint0..joint3'"},
    {"KeysOverlap",
     [](auto& p) {
       p.joints = {{.joint = "joint1", .float_distance = {{0, 1.5f}}}, {.joint = "joint2", .float_max = 0.6f}};
     },
     kInvalid, "the floats of 'joint1' and 'joint2' need 2.1 m, but have 2 m between them"},
    {"TwistNan", [](auto& p) { with_twist(p, kNan); }, kInvalid, "/bones/0/twist/1/"},
    {"NoSuchControlPoint", [](auto& p) { with_control(p, 2, {}); }, kInvalid,
     "offsets control point 2, but there are 2 on the curve 'c'"},
    {"JointsOnEachOther", [](auto& p) { with_control(p, 0, glm::vec3(2, 0, 0)); }, kInvalid,
     "of the curve 'c' coincide"},
    {"NoSuchJointOfACurve", [](auto& p) { with_curve(p, "joint7"); }, kMissing, "'joint7'"},
    {"NoSuchSplit", [](auto& p) { p.split = {"joint7"}; }, kMissing, "'joint7'"},
    {"NoSuchRemoved", [](auto& p) { p.remove = {"spine"}; }, kMissing, "'spine'"},
    {"NoSuchCurveToMove", [](auto& p) { p.curves = {{.name = "spine", .offset = glm::vec3(0, 1, 0)}}; }, kMissing,
     "'spine'"},
    {"NothingLeft", [](auto& p) { p.automatic = false; }, kInvalid, "curve"},
};

TEST(ResolveCurves, SaysWhatIsWrong) {
  ASSERT_TRUE(resolve({}));
  for (const Wrong& wrong : kWrong) {
    SCOPED_TRACE(wrong.name);
    CurveSkeletonParameters parameters;
    wrong.change(parameters);
    const Result<Resolved> result = resolve(parameters);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, wrong.code);
    EXPECT_THAT(result.error().message, testing::AllOf(testing::StartsWith("layer 0"), HasSubstr(wrong.says)));
  }
}

TEST(CurveLocation, IsThatOfTheCurveOverTheJoints) {
  CurveSkeletonParameters curves;
  curves.curves = {{"legs", {"hip", "knee"}}, {"arms", {"shoulder", "elbow", "hand"}}};
  const Rig rig{.layers = {{.deformer = MosParameters{}}, {}, {.deformer = curves}}};
  const auto place = [&](const std::vector<std::string>& joints) { return curve_offset_pointer(rig, joints); };
  EXPECT_EQ(place({"hip", "knee"}), "/layers/2/parameters/curves/0/offset");
  EXPECT_EQ(place({"shoulder", "elbow", "hand"}), "/layers/2/parameters/curves/1/offset");
  EXPECT_EQ(place({"hand", "elbow", "shoulder"}), "");
  EXPECT_EQ(place({"shoulder", "elbow"}), "");
}

}  // namespace
}  // namespace pelt::curve_skeleton
