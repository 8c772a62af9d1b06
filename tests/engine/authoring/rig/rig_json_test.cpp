// SPDX-License-Identifier: MIT
// Tests reading and writing rigs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <pelt/curve_settings.h>
#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/selection.h>
#include <pelt/surface_ffd.h>

#include "tests/engine/authoring/rig/rig_text.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kMinimal = R"({"format": "pelt-rig 1", "layers": []})";

// That the keys of all deformers are read and written again is tested with the schema.
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
      {"deformer": "dual-quaternion", "parameters": {}},
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

TEST(ParseRig, WordsStandForAbsentNumbers) {
  const Rig rig = test::must(parse_rig(
      surface_ffd(R"("distance_unit": "auto", "precision": "quadratic", "elements": "auto", "influences": 9)"), "x"));
  const auto& ffd = rig.layers.at(0).deformer.get<SurfaceFfdParameters>();
  EXPECT_FALSE(ffd.distance_unit);
  EXPECT_EQ(ffd.precision, Precision::kQuadratic);
  EXPECT_FALSE(ffd.elements);
  EXPECT_EQ(ffd.influences, 9u);
  const Rig all = test::must(parse_rig(surface_ffd(R"("elements": "all")"), "x"));
  EXPECT_EQ(all.layers.at(0).deformer.get<SurfaceFfdParameters>().elements, 0u);
}

TEST(ParseRig, SyntaxErrorsNameLineAndColumn) {
  expect_errors({{"", "x.json: line 1, column 1: syntax error"},
                 {"{\n  \"format\": ]\n}", "x.json: line 2, column 14: syntax error"},
                 {std::string(kMinimal) + "\n x", "x.json: line 2, column 3: syntax error"},
                 {std::string(kMinimal) + kMinimal, "syntax error"},
                 {R"({"format": "pelt-rig 1)", "line 1, column 23: syntax error"},
                 {"{\"format\": \"\xff\"}", "invalid string"},
                 {"{\n\"a\": 1e999}", "x.json: line 2, column 12: number overflow"},
                 {R"({"format": NaN})", "syntax error"},
                 {std::string("{\0}", 3), "syntax error"}});
}

TEST(ParseRig, KeysGivenTwiceAreAnError) {
  expect_errors({{"{\"format\": \"pelt-rig 1\",\n\"layers\": [], \"layers\": []}",
                  "x.json: line 2, column 23: duplicate key 'layers'"},
                 {surface_ffd(R"("local": 1, "local": 1)"), "duplicate key 'local'"},
                 // The same key in two objects is allowed.
                 {layer(R"("deformer": "linear_blend"}, {"deformer": "linear_blend")"), "accepted"}});
}

TEST(ParseRig, DepthAndSizeAreLimited) {
  expect_errors(
      {{"\n" + std::string(33, '['), "line 2, column 33: nested deeper than 32"},
       {std::string(1 << 20, '['), "nested deeper"},
       {std::string(32, '[') + std::string(32, ']'), "must be an object, is an array"},
       // Brackets in strings do not nest.
       {R"({"format": "pelt-rig 1", "layers": [], "name": "\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})", "accepted"}});
  EXPECT_TRUE(test::refused(parse_rig(std::string((16u << 20) + 1, ' '), "x.json"), ErrorCode::kUnsupported, "limit"));
}

TEST(ParseRig, UnknownKeysNameThemselvesAndTheNearest) {
  expect_errors(
      {{R"({"format": "pelt-rig 1", "layer": [], "layers": []})",
        "x.json: /layer: unknown key 'layer'; did you mean 'layers'?"},
       {surface_ffd(R"("locl": 4)"), "x.json: /layers/0/parameters/locl: unknown key 'locl'; did you mean 'local'?"},
       {driver(R"("folow": "linear_blend")"),
        "x.json: /layers/0/parameters/driver/folow: unknown key 'folow'; did you mean 'follow'?"},
       {layer(R"("deformer": "linear_blend", "parameters": {"a/b~": 1})"),
        "x.json: /layers/0/parameters/a~1b~0: unknown key 'a/b~'"},
       {layer(R"("deformer": "linear_blend", "driver": {})"), "unknown key 'driver'; there are: target, deformer, "},
       // The key belongs to another deformer.
       {layer(R"("deformer": "dual_quaternion", "parameters": {"local": 4})"), "'local'"}});
  EXPECT_LT(error_of(surface_ffd("\"" + std::string(1 << 20, 'k') + "\": 4")).size(), 400u);
}

// Which values each parameter takes is compared with the schema.
TEST(ParseRig, WrongValuesNameThePlaceAndWhatIsWanted) {
  expect_errors(
      {{surface_ffd(R"("local": "four")"), "x.json: /layers/0/parameters/local: must be a number >= 0, is \"four\""},
       {surface_ffd(R"("local": -1)"), "x.json: /layers/0/parameters/local: must be a number >= 0, is -1"},
       {surface_ffd(R"("local": 1e39)"), "must be a number >= 0, is 1e+39"},
       {surface_ffd(R"("distance_unit": 0)"), "must be a number > 0 or \"auto\", is 0"},
       {surface_ffd(R"("distance_unit": "Auto")"), "is \"Auto\""},
       {surface_ffd(R"("elements": 0)"), "must be an integer from 1 to 4294967295, \"all\" or \"auto\""},
       {surface_ffd(R"("elements": 2.5)"), "is 2.5"},
       {surface_ffd(R"("elements": 4294967296)"), "must be an integer"},
       {surface_ffd(R"("raise_elements": 1)"), "must be true or false, is 1"},
       {surface_ffd(R"("cut": "contiguous")"),
        "x.json: /layers/0/parameters/cut: must be one of \"continuous\", \"hard\", is \"contiguous\"; did you mean "
        "'continuous'?"},
       {surface_ffd(R"("mode": ["basic"])"), "must be one of \"basic\", \"extended\", is an array"},
       {driver(R"("offsets": [[3, 0, 0, 1], [-1, 0, 0, 1]])"), "/driver/offsets/1"},
       {driver(R"("offsets": [[1]])"), "/driver/offsets/0: must be [number, x, y, z], is an array"},
       {driver(R"("mesh": "cage", "file": "cage.obj")"),
        "/layers/0/parameters/driver/file: a driver has one of mesh, file and patches"},
       {layer(R"("deformer": "linear_blend", "mask": {"value": 1.5})"),
        "/layers/0/mask/value: must be a number from 0 to 1, is 1.5"},
       {layer(R"("deformer": "linear_blend", "mask": {"joints": ["a", 2]})"),
        "/layers/0/mask/joints/1: must be a string, is 2"},
       {layer(R"("deformer": "linear_blend", "mask": 1)"), "/layers/0/mask: must be an object, is 1"},
       {layer(R"("deformer": "linear_blend", "target": "")"), "/layers/0/target: must not be empty"},
       {layer(R"("deformer": "surface-fdd")"), "did you mean 'surface_ffd'?"},
       {layer(R"("target": "body")"), "x.json: /layers/0: the key 'deformer' is missing"},
       {"[]", "x.json: /: must be an object, is an array"},
       {R"({"format": "pelt-rig 1"})", "x.json: /: the key 'layers' is missing"},
       {curve_skeleton(R"("float_margin": 0)"), "/float_margin: must be a number above 0 to 1000"},
       {curve_skeleton(R"("curve_reach": 1)"), "/curve_reach: must be a number > 1, is 1"},
       {curve_skeleton(R"("curves_per_vertex": 4)"), "/curves_per_vertex: must be an integer from 1 to 3, is 4"},
       {curve_skeleton(R"("curves": [{"name": "arm", "joints": ["a"]}])"),
        "/curves/0/joints: a curve runs over at least two joints"}});
}

TEST(ParseRig, FloatsAreANumberOrAscendingKeys) {
  expect_errors(
      {{curve_joint(R"("float": 0)"),
        "x.json: /layers/0/parameters/joints/0/float: must be a number > 0, one or more [at, value], or "
        "\"auto\", is 0"},
       {curve_joint(R"("float": [])"), "/float: must be a number > 0, one or more"},
       {curve_joint(R"("float": [1])"), "/float/0: must be [at, value], is 1"},
       {curve_joint(R"("float": [[0, 1], [90]])"), "/float/1: must be [at, value], is"},
       {curve_joint(R"("float": [[-1, 1]])"), "/float/0/0: must be a number from 0 to 180"},
       {curve_joint(R"("float": [[181, 1]])"), "/float/0/0: must be a number from 0 to 180"},
       {curve_joint(R"("float": [[90, 0]])"), "/float/0/1: must be a number > 0, is 0"},
       {curve_joint(R"("float": [[0, 1], [90, 1], [90, 2]])"), "/float/2/0: must be above 90, the previous key"},
       {curve_joint(R"("float_min": 0.5, "float_max": 0.25)"), "/joints/0/float_max: must not be below float_min"},
       {curve_joint(R"("float_min": 0.5, "float_max": 0.5, "float": 0.5)"), "accepted"}});
}

TEST(ParseRig, TwistRunsFromNoneToAllAndNeverFalls) {
  for (const char* keys : {"[]", "[[0, 0], [1, 1]]", "[[0, 0], [0.5, 0], [0.75, 1], [1, 1]]"}) {
    EXPECT_EQ(error_of(twist(keys)), "accepted");
  }
  for (const char* keys : {"[[0, 0]]", "[[1, 1]]", "[[0, 0], [0.5, 1]]", "[[0, 0], [1, 0.5]]", "[[0, 0.5], [1, 1]]"}) {
    expect_errors({{twist(keys), "/bones/0/twist: must run from [0, 0] to [1, 1]"}});
  }
  expect_errors({{twist("[[0, 0], [0.25, 0.5], [0.75, 0.25], [1, 1]]"), "/twist: must never fall"},
                 {twist("[[0, 0], [0.5, 0.5], [0.5, 0.75], [1, 1]]"), "/twist/2/0: must be above 0.5"},
                 {twist("[[0, 0], [0.5, 1.5], [1, 1]]"), "/twist/1/1: must be a number from 0 to 1"},
                 {twist("0.5"), "/twist: must be an array of [at, value], is 0.5"}});
}

TEST(ParseRig, FormatIsChecked) {
  expect_errors(
      {{R"({"layers": []})", "x.json: /format: must be \"pelt-rig 1\", is missing"},
       {R"({"format": "pelt-cases 1", "layers": []})", "/format: must be \"pelt-rig 1\", is"},
       {R"({"format": "pelt-rig 2", "bones": []})", "the only version that this program reads, is \"pelt-rig 2\""}});
  EXPECT_EQ(parse_rig(R"({"format": "pelt-rig 2", "bones": []})", "x.json").error().code, ErrorCode::kUnsupported);
}

// Writes the rig, reads it, and returns the text.
std::string round_trip(const Rig& rig) {
  const std::string text = format_rig(rig);
  const Rig read = test::must(parse_rig(text, "x.json"));
  EXPECT_EQ(read, rig) << text;
  EXPECT_EQ(format_rig(read), text);
  return text;
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

  EXPECT_THAT(round_trip(rig), AllOf(HasSubstr("\"local\": 0.1,"), HasSubstr("\"distance_unit\": \"auto\"")));
}

// The shortest decimals of these floats, read as doubles, round to the next ones.
TEST(FormatRig, NumbersNextToTheMiddleBetweenFloatsAreExact) {
  const Box box{.min = {0x1.5c87fap-84f, -0x1.5c87fap-84f, 0}};
  const Rig rig{.layers = {Layer{.deformer = LinearBlendParameters{}, .mask = Mask{1, {.box = box}}}}};
  round_trip(rig);
}

TEST(FormatRig, AConstantFloatIsWrittenAsANumber) {
  CurveSkeletonParameters curves;
  curves.joints = {{.joint = "a", .float_distance = {{0.0f, 0.1f}}},
                   {.joint = "b", .float_distance = {{90.0f, 0.1f}}},
                   {.joint = "c"}};
  const Rig rig{.layers = {Layer{.deformer = curves}}};
  EXPECT_THAT(round_trip(rig), AllOf(HasSubstr("\"float\": 0.1\n"), HasSubstr("\"float\": \"auto\"\n")));
}

TEST(LoadRig, KnowsItsFolder) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(test::must(load_rig(folder.write("rig.json", kMinimal))).directory, folder.path().string());
  const std::filesystem::path bad = folder.write("bad.json", "{");
  EXPECT_THAT(load_rig(bad).error().message, StartsWith(bad.string() + ": line 1"));
  EXPECT_EQ(load_rig(folder / "none.json").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(load_rig(folder.path()).error().code, ErrorCode::kReadFailed);
}

}  // namespace
}  // namespace pelt
