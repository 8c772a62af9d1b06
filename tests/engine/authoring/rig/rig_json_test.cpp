// SPDX-License-Identifier: MIT
// Tests reading and writing rigs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <pelt/curve_settings.h>
#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/selection.h>
#include <pelt/surface_ffd.h>

#include "tests/engine/authoring/rig/rig_text.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kMinimal = R"({"format": "pelt-rig 1", "layers": []})";

TEST(ParseRig, ReadsEveryKey) {
  const auto rig = test::must(parse_rig(R"({
    "format": "pelt-rig 1", "name": "hero",
    "layers": [
      {"target": "body", "deformer": "surface_ffd",
       "parameters": {"mode": "basic", "local": 2.5, "distance_unit": 0.125, "elements": "all", "cut": "hard",
                      "raise_elements": false,
                      "driver": {"mesh": "cage", "triangles": 500, "follow": "closest_limb",
                                 "offsets": [[7, 0, 0.5, -1]]}},
       "mask": {"value": 0.5, "joints": ["arm", "hand"]}},
      {"deformer": "dual_quaternion", "parameters": {}},
      {"deformer": "linear_blend"}
    ]})",
                                        "x.json"));

  SurfaceFfdParameters ffd;
  ffd.mode = SurfaceFfdParameters::Mode::kBasic;
  ffd.local = 2.5f;
  ffd.distance_unit = 0.125f;
  ffd.elements = 0;
  ffd.cut = Cut::kHard;
  ffd.raise_elements = false;
  ffd.driver = {
      .mesh = "cage", .triangles = 500, .follow = Follow::kClosestLimb, .offsets = {{7, glm::vec3(0, 0.5f, -1)}}};
  Rig expected;
  expected.name = "hero";
  expected.layers = {Layer{"body", ffd, Mask{0.5f, {.joints = {"arm", "hand"}}}},
                     Layer{"*", DualQuaternionParameters{}, {}}, Layer{"*", LinearBlendParameters{}, {}}};
  EXPECT_EQ(rig, expected);
}

TEST(ParseRig, ReadsEveryKeyOfMuscles) {
  const auto rig = test::must(parse_rig(R"({
      "format": "pelt-rig 1",
      "muscles": [{"name": "biceps", "from": {"joint": "shoulder", "offset": [0, 0.5, 0]}, "to": {"joint": "elbow"},
                   "points": [{"at": 0.25, "offset": [0, 0, 0.125]}, {}], "mesh": "flesh", "radius": 0.0625,
                   "tendon": 0.25, "resolution": 8, "volume": 0.5, "bulge": 1.5}],
      "layers": [{"deformer": "linear_blend", "mask": {"near": {"mesh": "biceps", "falloff": 0.5}}}]
    })",
                                        "hero.json"));
  const Muscle biceps{.name = "biceps",
                      .from = {"shoulder", {0, 0.5f, 0}},
                      .to = {"elbow", {}},
                      .points = {{0.25f, {0, 0, 0.125f}}, {}},
                      .mesh = "flesh",
                      .radius = 0.0625f,
                      .resolution = 8,
                      .tendon = 0.25f,
                      .volume = 0.5f,
                      .bulge = 1.5f};
  EXPECT_THAT(rig.muscles, testing::ElementsAre(biceps));
  EXPECT_EQ(rig.layers[0].mask.region.near, (Near{"biceps", 0.5f}));
}

TEST(ParseRig, ReadsEveryKeyOfCurves) {
  const auto rig = test::must(parse_rig(curve_skeleton(R"(
      "automatic": false, "split": ["hip"], "remove": ["spine..tail"],
      "curves": [{"name": "arm", "joints": ["shoulder", "elbow", "wrist"], "offset": [0, -0.5, 0],
                  "control_offsets": [[4, 0, 0, 0.25]]}],
      "frames": "endpoint", "centre": 0.25, "reference": "joint", "float_margin": 1.5,
      "bulge": {"volume": 0.5, "across": 0.25, "along": -1, "reach": 0.125},
      "joints": [{"joint": "elbow", "skin_distance": 0.0625, "float_min": 0.25, "float_max": 0.5,
                  "float": [[0, 0.25], [90, 0.5]], "twist_after": 0.75, "bulge": {"volume": 0}},
                 {"joint": "wrist", "float": 0.125}, {"joint": "knee", "float": "auto"}],
      "bones": [{"joint": "elbow", "to": "wrist", "twist": [[0, 0], [0.5, 0.25], [1, 1]], "smooth_twist": false},
                {"joint": "knee", "bendy": {"segments": 8, "ease_in": 0.5, "ease_out": "auto", "roll_in": -30,
                 "roll_out": 90, "curve_in": [0.25, -0.5], "curve_out": [0, 1], "scale_in": [1, 2, 1],
                 "scale_out": [0.5, 1, 2]}}],
      "binding": "weights", "curves_per_vertex": 2, "curve_reach": 1.5,
      "weights": [{"curve": "arm", "value": 2, "region": {"group": "armpit"}}], "table_error": 0.001)"),
                                        "x.json"));

  CurveSkeletonParameters curves;
  curves.automatic = false;
  curves.split = {"hip"};
  curves.remove = {"spine..tail"};
  curves.curves = {{"arm", {"shoulder", "elbow", "wrist"}, {0.0f, -0.5f, 0.0f}, {{4, {0.0f, 0.0f, 0.25f}}}}};
  curves.frames = CurveFrames::kEndpoint;
  curves.centre = 0.25f;
  curves.reference = CurveReference::kJoint;
  curves.float_margin = 1.5f;
  curves.bulge = {.volume = 0.5f, .across = 0.25f, .along = -1.0f, .reach = 0.125f};
  curves.joints = {{"elbow", 0.0625f, 0.25f, 0.5f, {{0.0f, 0.25f}, {90.0f, 0.5f}}, 0.75f, Bulge{.volume = 0.0f}},
                   {.joint = "wrist", .float_distance = {{0.0f, 0.125f}}},
                   {.joint = "knee"}};
  curves.bones = {{"elbow", "wrist", {{0.0f, 0.0f}, {0.5f, 0.25f}, {1.0f, 1.0f}}, false, std::nullopt},
                  {.joint = "knee",
                   .bendy = BendyBone{.segments = 8,
                                      .ease_in = 0.5f,
                                      .roll_in = -30.0f,
                                      .roll_out = 90.0f,
                                      .curve_in = {0.25f, -0.5f},
                                      .curve_out = {0.0f, 1.0f},
                                      .scale_in = {1.0f, 2.0f, 1.0f},
                                      .scale_out = {0.5f, 1.0f, 2.0f}}}};
  curves.binding = CurveBinding::kWeights;
  curves.curves_per_vertex = 2;
  curves.curve_reach = 1.5f;
  curves.weights = {{"arm", 2.0f, {.group = "armpit"}}};
  curves.table_error = 0.001f;
  EXPECT_EQ(rig.layers.at(0).deformer, DeformerParameters(curves));
}

TEST(ParseRig, AbsentKeysAreTheDefaults) {
  const auto rig = test::must(parse_rig(surface_ffd(""), "x.json"));
  EXPECT_EQ(rig.layers.at(0), (Layer{.deformer = SurfaceFfdParameters{}}));
  EXPECT_EQ(*parse_rig(kMinimal, "x.json"), Rig{});
}

TEST(ParseRig, WhatPrecisionSettlesMayBeLeftOpen) {
  const auto rig =
      test::must(parse_rig(surface_ffd(R"("precision": "quadratic", "elements": "auto", "influences": 9)"), "x.json"));
  const auto& ffd = rig.layers[0].deformer.get<SurfaceFfdParameters>();
  EXPECT_EQ(ffd.precision, Precision::kQuadratic);
  EXPECT_EQ(ffd.elements, std::nullopt);
  EXPECT_EQ(ffd.influences, 9u);
}

TEST(ParseRig, WordsStandForAbsentNumbers) {
  const auto rig = test::must(parse_rig(surface_ffd(R"("distance_unit": "auto", "elements": "all")"), "x.json"));
  const auto& ffd = rig.layers.at(0).deformer.get<SurfaceFfdParameters>();
  EXPECT_FALSE(ffd.distance_unit);
  EXPECT_EQ(ffd.elements, 0u);
}

TEST(ParseRig, SyntaxErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of("").find("x.json: line 1, column 1: syntax error"), 0u) << error_of("");
  EXPECT_THAT(error_of("{\n  \"format\": ]\n}"), StartsWith("x.json: line 2, column 14: syntax error"));
  EXPECT_THAT(error_of(std::string(kMinimal) + "\n x"), StartsWith("x.json: line 2, column 3: syntax error"));
  EXPECT_THAT(error_of(std::string(kMinimal) + kMinimal), HasSubstr("syntax error"));
  EXPECT_THAT(error_of(R"({"format": "pelt-rig 1)"), HasSubstr("line 1, column 23: syntax error"));
  EXPECT_THAT(error_of("{\"format\": \"\xff\"}"), HasSubstr("invalid string"));
  EXPECT_THAT(error_of("{\n\"a\": 1e999}"), AllOf(HasSubstr("line 2"), HasSubstr("number overflow")));
  EXPECT_THAT(error_of(R"({"format": NaN})"), HasSubstr("syntax error"));
  EXPECT_THAT(error_of(std::string("{\0}", 3)), HasSubstr("syntax error"));
}

TEST(ParseRig, KeysGivenTwiceAreAnError) {
  EXPECT_EQ(error_of("{\"format\": \"pelt-rig 1\",\n\"layers\": [], \"layers\": []}"),
            "x.json: line 2, column 23: the key 'layers' is given twice");
  EXPECT_THAT(error_of(surface_ffd(R"("local": 1, "local": 1)")), HasSubstr("the key 'local' is given twice"));
  // The same key in two objects is allowed.
  EXPECT_TRUE(parse_rig(R"({"format": "pelt-rig 1", "layers": [{"deformer": "linear_blend"},
                                                                {"deformer": "linear_blend"}]})",
                        "x.json"));
}

TEST(ParseRig, DepthAndSizeAreLimited) {
  EXPECT_THAT(error_of("\n" + std::string(33, '[')), HasSubstr("line 2, column 33: nested deeper than 32"));
  EXPECT_THAT(error_of(std::string(1 << 20, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(error_of(std::string(32, '[') + std::string(32, ']')), HasSubstr("must be an object, is an array"));
  // Brackets in strings do not nest.
  EXPECT_TRUE(
      parse_rig(R"({"format": "pelt-rig 1", "layers": [], "name": "\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})", ""));
  const auto big = parse_rig(std::string((16u << 20) + 1, ' '), "x.json");
  ASSERT_FALSE(big);
  EXPECT_EQ(big.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(big.error().message, HasSubstr("limit"));
}

TEST(ParseRig, UnknownKeysNameThemselvesAndTheNearest) {
  EXPECT_EQ(error_of(R"({"format": "pelt-rig 1", "layer": [], "layers": []})"),
            "x.json: /layer: unknown key 'layer'; did you mean 'layers'?");
  EXPECT_EQ(error_of(surface_ffd(R"("locl": 4)")),
            "x.json: /layers/0/parameters/locl: unknown key 'locl'; did you mean 'local'?");
  EXPECT_EQ(error_of(driver(R"("folow": "linear_blend")")),
            "x.json: /layers/0/parameters/driver/folow: unknown key 'folow'; did you mean 'follow'?");
  EXPECT_EQ(error_of(layer(R"("deformer": "linear_blend", "mask": {"joint": []})")),
            "x.json: /layers/0/mask/joint: unknown key 'joint'; did you mean 'joints'?");
  EXPECT_EQ(error_of(layer(R"("deformer": "linear_blend", "parameters": {"a/b~": 1})")),
            "x.json: /layers/0/parameters/a~1b~0: unknown key 'a/b~'");
  // The key belongs to another deformer.
  EXPECT_THAT(error_of(layer(R"("deformer": "dual_quaternion", "parameters": {"local": 4})")), HasSubstr("'local'"));
  EXPECT_LT(error_of(surface_ffd("\"" + std::string(1 << 20, 'k') + "\": 4")).size(), 300u);
}

TEST(ParseRig, WrongValuesNameThePlaceAndWhatIsWanted) {
  EXPECT_EQ(error_of(surface_ffd(R"("local": "four")")),
            "x.json: /layers/0/parameters/local: must be a number >= 0, is \"four\"");
  EXPECT_EQ(error_of(surface_ffd(R"("local": -1)")),
            "x.json: /layers/0/parameters/local: must be a number >= 0, is -1");
  EXPECT_THAT(error_of(surface_ffd(R"("local": 1e39)")), HasSubstr("must be a number >= 0, is 1e+39"));
  EXPECT_THAT(error_of(surface_ffd(R"("distance_unit": 0)")), HasSubstr("must be a number > 0 or \"auto\", is 0"));
  EXPECT_THAT(error_of(surface_ffd(R"("distance_unit": "Auto")")), HasSubstr("is \"Auto\""));
  EXPECT_THAT(error_of(surface_ffd(R"("elements": 0)")),
              HasSubstr("must be an integer from 1 to 4294967295, \"all\" or \"auto\""));
  EXPECT_THAT(error_of(surface_ffd(R"("elements": 2.5)")), HasSubstr("is 2.5"));
  EXPECT_THAT(error_of(surface_ffd(R"("elements": 4294967296)")), HasSubstr("must be an integer"));
  EXPECT_THAT(error_of(surface_ffd(R"("raise_elements": 1)")), HasSubstr("must be true or false, is 1"));
  EXPECT_EQ(
      error_of(surface_ffd(R"("cut": "contiguous")")),
      "x.json: /layers/0/parameters/cut: must be one of \"continuous\", \"hard\", is \"contiguous\"; did you mean "
      "'continuous'?");
  EXPECT_THAT(error_of(surface_ffd(R"("mode": ["basic"])")),
              HasSubstr("must be one of \"basic\", \"extended\", is an array"));
  EXPECT_THAT(error_of(driver(R"("offsets": [[3, 0, 0, 1], [-1, 0, 0, 1]])")),
              HasSubstr("/driver/offsets/1: must be [number, x, y, z], is an array"));
  EXPECT_THAT(error_of(driver(R"("triangles": 0)")), HasSubstr("/driver/triangles: must be an integer"));
  EXPECT_THAT(error_of(driver(R"("mesh": "cage", "file": "cage.obj")")),
              HasSubstr("/layers/0/parameters/driver/file: a driver has one of mesh, file and patches"));
  EXPECT_THAT(error_of(layer(R"("deformer": "linear_blend", "mask": {"value": 1.5})")),
              HasSubstr("/layers/0/mask/value: must be a number from 0 to 1, is 1.5"));
  EXPECT_THAT(error_of(layer(R"("deformer": "linear_blend", "mask": {"joints": ["a", 2]})")),
              HasSubstr("/layers/0/mask/joints/1: must be a string, is 2"));
  EXPECT_THAT(error_of(layer(R"("deformer": "linear_blend", "mask": 1)")),
              HasSubstr("/layers/0/mask: must be an object, is 1"));
  EXPECT_THAT(error_of(layer(R"("deformer": "linear_blend", "target": "")")),
              HasSubstr("/layers/0/target: must not be empty"));
  EXPECT_THAT(error_of(layer(R"("deformer": "surface-ffd")")),
              HasSubstr("\"surface-ffd\"; did you mean 'surface_ffd'?"));
  EXPECT_EQ(error_of(layer(R"("target": "body")")), "x.json: /layers/0: the key 'deformer' is missing");
  EXPECT_EQ(error_of("[]"), "x.json: /: must be an object, is an array");
  EXPECT_EQ(error_of(R"({"format": "pelt-rig 1"})"), "x.json: /: the key 'layers' is missing");
}

TEST(ParseRig, WrongValuesOfCurvesNameThePlaceAndWhatIsWanted) {
  EXPECT_EQ(error_of(curve_skeleton(R"("frames": "tangents")")),
            "x.json: /layers/0/parameters/frames: must be one of \"auto\", \"tangent\", \"endpoint\", is \"tangents\"; "
            "did you mean 'tangent'?");
  EXPECT_THAT(error_of(curve_skeleton(R"("reference": "swing")")), HasSubstr("one of \"half_swing\", \"joint\""));
  EXPECT_THAT(error_of(curve_skeleton(R"("binding": "weight")")), HasSubstr("did you mean 'weights'?"));
  EXPECT_THAT(error_of(curve_skeleton(R"("centre": 1.25)")), HasSubstr("/centre: must be a number from 0 to 1"));
  EXPECT_THAT(error_of(curve_skeleton(R"("float_margin": 0)")),
              HasSubstr("/float_margin: must be a number above 0 to 1000"));
  EXPECT_THAT(error_of(curve_skeleton(R"("curve_reach": 1)")), HasSubstr("/curve_reach: must be a number > 1, is 1"));
  EXPECT_THAT(error_of(curve_skeleton(R"("table_error": 0)")), HasSubstr("/table_error: must be a number > 0"));
  for (const char* count : {"0", "4", "1.5", "-1"}) {
    EXPECT_THAT(error_of(curve_skeleton(R"("curves_per_vertex": )" + std::string(count))),
                HasSubstr("/curves_per_vertex: must be an integer from 1 to 3, is " + std::string(count)));
  }
  EXPECT_THAT(error_of(curve_skeleton(R"("bulge": {"volume": 2})")),
              HasSubstr("/bulge/volume: must be a number from 0 to 1, is 2"));
  EXPECT_THAT(error_of(curve_skeleton(R"("bulge": {"across": -1.5})")),
              HasSubstr("/bulge/across: must be a number from -1 to 4, is -1.5"));
  EXPECT_THAT(error_of(curve_skeleton(R"("bulge": {"along": 5})")),
              HasSubstr("/bulge/along: must be a number from -1"));
  EXPECT_THAT(error_of(curve_skeleton(R"("bulge": {"reach": 0})")),
              HasSubstr("/bulge/reach: must be a number > 0 or \"auto\", is 0"));
  EXPECT_THAT(error_of(curve_skeleton(R"("curves": [{"name": "", "joints": ["a", "b"]}])")),
              HasSubstr("/curves/0/name: must not be empty"));
  EXPECT_THAT(error_of(curve_skeleton(R"("curves": [{"name": "arm", "joints": ["a"]}])")),
              HasSubstr("/curves/0/joints: a curve runs over at least two joints"));
  EXPECT_THAT(
      error_of(curve_skeleton(R"("curves": [{"name": "arm", "joints": ["a", "b"], "control_offsets": [[1]]}])")),
      HasSubstr("/curves/0/control_offsets/0: must be [number, x, y, z], is an array"));
  EXPECT_THAT(error_of(curve_skeleton(R"("joints": [{"float": 1}])")), HasSubstr("/joints/0/joint: must not be empty"));
  EXPECT_THAT(error_of(curve_skeleton(R"("bones": [{}])")), HasSubstr("/bones/0/joint: must not be empty"));
  EXPECT_THAT(error_of(curve_skeleton(R"("weights": [{}])")), HasSubstr("/weights/0/curve: must not be empty"));
  EXPECT_THAT(error_of(curve_skeleton(R"("weights": [{"curve": "arm", "value": 101}])")),
              HasSubstr("/weights/0/value: must be a number from 0 to 100, is 101"));
}

TEST(ParseRig, FloatsAreANumberOrAscendingKeys) {
  EXPECT_EQ(
      error_of(curve_joint(R"("float": 0)")),
      "x.json: /layers/0/parameters/joints/0/float: must be a number > 0, one or more [at, value], or \"auto\", is "
      "0");
  EXPECT_THAT(error_of(curve_joint(R"("float": [])")), HasSubstr("/float: must be a number > 0, one or more"));
  EXPECT_THAT(error_of(curve_joint(R"("float": [1])")), HasSubstr("/float/0: must be [at, value], is 1"));
  EXPECT_THAT(error_of(curve_joint(R"("float": [[0, 1], [90]])")), HasSubstr("/float/1: must be [at, value], is"));
  EXPECT_THAT(error_of(curve_joint(R"("float": [[-1, 1]])")), HasSubstr("/float/0/0: must be a number from 0 to 180"));
  EXPECT_THAT(error_of(curve_joint(R"("float": [[181, 1]])")), HasSubstr("/float/0/0: must be a number from 0 to 180"));
  EXPECT_THAT(error_of(curve_joint(R"("float": [[90, 0]])")), HasSubstr("/float/0/1: must be a number > 0, is 0"));
  EXPECT_THAT(error_of(curve_joint(R"("float": [[0, 1], [90, 1], [90, 2]])")),
              HasSubstr("/float/2/0: must be above 90, where the key before it is"));
  EXPECT_THAT(error_of(curve_joint(R"("skin_distance": 0)")), HasSubstr("/skin_distance: must be a number > 0 or"));
  EXPECT_THAT(error_of(curve_joint(R"("float_min": 0.5, "float_max": 0.25)")),
              HasSubstr("/joints/0/float_max: must not be below float_min"));
  EXPECT_EQ(error_of(curve_joint(R"("float_min": 0.5, "float_max": 0.5, "float": 0.5)")), "accepted");
}

TEST(ParseRig, TwistRunsFromNoneToAllAndNeverFalls) {
  for (const char* keys : {"[]", "[[0, 0], [1, 1]]", "[[0, 0], [0.5, 0], [0.75, 1], [1, 1]]"}) {
    EXPECT_EQ(error_of(twist(keys)), "accepted");
  }
  for (const char* keys : {"[[0, 0]]", "[[1, 1]]", "[[0, 0], [0.5, 1]]", "[[0, 0], [1, 0.5]]", "[[0, 0.5], [1, 1]]"}) {
    EXPECT_THAT(error_of(twist(keys)), HasSubstr("/bones/0/twist: must run from [0, 0] to [1, 1]"));
  }
  EXPECT_THAT(error_of(twist("[[0, 0], [0.25, 0.5], [0.75, 0.25], [1, 1]]")), HasSubstr("/twist: must never fall"));
  EXPECT_THAT(error_of(twist("[[0, 0], [0.5, 0.5], [0.5, 0.75], [1, 1]]")), HasSubstr("/twist/2/0: must be above 0.5"));
  EXPECT_THAT(error_of(twist("[[0, 0], [0.5, 1.5], [1, 1]]")), HasSubstr("/twist/1/1: must be a number from 0 to 1"));
  EXPECT_THAT(error_of(twist("0.5")), HasSubstr("/twist: must be an array of [at, value], is 0.5"));
}

TEST(ParseRig, FormatIsChecked) {
  EXPECT_EQ(error_of(R"({"layers": []})"), "x.json: /: the key 'format' is missing");
  EXPECT_THAT(error_of(R"({"format": "pelt-cases 1", "layers": []})"),
              HasSubstr("/format: must be \"pelt-rig 1\", is"));
  const auto newer = parse_rig(R"({"format": "pelt-rig 2", "bones": []})", "x.json");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(newer.error().message, HasSubstr("the only version that this program reads, is \"pelt-rig 2\""));
}

TEST(FormatRig, RoundTripIsExact) {
  Rig rig;
  rig.name = "a \"name\" with \xc3\xa9 and \n";
  SurfaceFfdParameters ffd;
  rig.layers.push_back({.deformer = ffd});
  ffd.mode = SurfaceFfdParameters::Mode::kBasic;
  ffd.local = 0.1f;
  ffd.distance_unit = 1.17549435e-38f;
  ffd.elements = 0;
  ffd.cut = Cut::kHard;
  ffd.raise_elements = false;
  ffd.driver = {.mesh = "", .file = "cage.obj", .triangles = 4294967295u, .follow = Follow::kLinearBlend};
  ffd.driver.offsets = {{4294967295u, {0.1f, -1.17549435e-38f, 3}}, {0, glm::vec3(0)}};
  rig.layers.push_back({"body", ffd, Mask{1.0f / 3.0f, {.joints = {"", "arm"}}}});
  ffd.elements = 4294967295u;
  ffd.local = 3.402823466e38f;
  rig.layers.push_back({"head", ffd, {}});
  rig.layers.push_back({"hat", DualQuaternionParameters{}, {}});
  rig.layers.push_back({"shoe", LinearBlendParameters{}, Mask{0.0f, {}}});

  const std::string text = format_rig(rig);
  const auto read = parse_rig(text, "x.json");
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  EXPECT_EQ(*read, rig);
  EXPECT_EQ(format_rig(*read), text);
  EXPECT_THAT(text, AllOf(HasSubstr("\"local\": 0.1,"), HasSubstr("\"distance_unit\": \"auto\"")));
}

// The shortest decimals of these floats, read as doubles, round to the next ones.
TEST(FormatRig, NumbersNextToTheMiddleBetweenFloatsAreExact) {
  const Box box{.min = {0x1.5c87fap-84f, -0x1.5c87fap-84f, 0}};
  const Rig rig{.layers = {Layer{.deformer = LinearBlendParameters{}, .mask = Mask{1, {.box = box}}}}};
  const std::string text = format_rig(rig);
  const auto read = parse_rig(text, "x.json");
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  EXPECT_EQ(*read, rig) << text;
}

TEST(FormatRig, AConstantFloatIsWrittenAsANumber) {
  CurveSkeletonParameters curves;
  curves.joints = {{.joint = "a", .float_distance = {{0.0f, 0.1f}}},
                   {.joint = "b", .float_distance = {{90.0f, 0.1f}}},
                   {.joint = "c"}};
  const Rig rig{.layers = {Layer{.deformer = curves}}};
  const std::string text = format_rig(rig);
  EXPECT_THAT(text, AllOf(HasSubstr("\"float\": 0.1\n"), HasSubstr("\"float\": \"auto\"\n")));
  const auto read = parse_rig(text, "x.json");
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  EXPECT_EQ(*read, rig);
}

TEST(LoadRig, KnowsItsFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pelt_load_rig";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "rig.json") << kMinimal;
  const auto rig = test::must(load_rig(folder / "rig.json"));
  EXPECT_EQ(rig.directory, folder.string());

  std::ofstream(folder / "bad.json") << "{";
  EXPECT_THAT(load_rig(folder / "bad.json").error().message, StartsWith((folder / "bad.json").string() + ": line 1"));
  EXPECT_EQ(load_rig(folder / "none.json").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(load_rig(folder).error().code, ErrorCode::kReadFailed);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pelt
