// SPDX-License-Identifier: MIT
// Tests reading and writing rigs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/linear_blend.h>
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
       // The key belongs to another deformer.
       {layer(R"("deformer": "dual_quaternion", "parameters": {"local": 4})"), "'local'"}});
  EXPECT_LT(error_of(surface_ffd("\"" + std::string(1 << 20, 'k') + "\": 4")).size(), 300u);
}

// Which values each parameter takes, and with which others, is compared with the schema.
TEST(ParseRig, WrongValuesNameThePlaceAndWhatIsWanted) {
  expect_errors(
      {{surface_ffd(R"("local": "four")"), "x.json: /layers/0/parameters/local: must be a number >= 0, is \"four\""},
       {surface_ffd(R"("distance_unit": 0)"), "must be a number > 0 or \"auto\", is 0"},
       {surface_ffd(R"("elements": 2.5)"), "must be an integer from 1 to 4294967295, \"all\" or \"auto\", is 2.5"},
       {surface_ffd(R"("raise_elements": 1)"), "must be true or false, is 1"},
       {surface_ffd(R"("cut": "contiguous")"),
        "x.json: /layers/0/parameters/cut: must be one of \"continuous\", \"hard\", is \"contiguous\"; did you mean "
        "'continuous'?"},
       {surface_ffd(R"("mode": ["basic"])"), "must be one of \"basic\", \"extended\", is an array"},
       {driver(R"("offsets": [[3, 0, 0, 1], [-1, 0, 0, 1]])"), "/driver/offsets/1"},
       {driver(R"("offsets": [[1]])"), "/driver/offsets/0: must be [number, x, y, z], is an array"},
       {driver(R"("mesh": "cage", "file": "cage.obj")"),
        "/layers/0/parameters/driver/file: a driver has one of mesh, file and patches"},
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
       {curve_skeleton(R"("curves": [{"name": "arm", "joints": ["a"]}])"),
        "/curves/0/joints: a curve runs over at least two joints"},
       {curve_joint(R"("float": 0)"),
        "/joints/0/float: must be a number > 0, one or more [at, value], or \"auto\", is 0"},
       {curve_joint(R"("float": [1])"), "/float/0: must be [at, value], is 1"},
       {curve_joint(R"("float": [[0, 1], [90, 1], [90, 2]])"), "/float/2/0: must be above 90, the previous key"},
       {curve_joint(R"("float_min": 0.5, "float_max": 0.25)"), "/joints/0/float_max: must not be below float_min"},
       {twist("[[0, 0.5], [1, 1]]"), "/bones/0/twist: must run from [0, 0] to [1, 1]"},
       {twist("[[0, 0], [0.25, 0.5], [0.75, 0.25], [1, 1]]"), "/twist: must never fall"},
       {mos(R"("width": 0.5)"), "/parameters/width: belongs to the kernel gaussian"},
       {mos(R"("strategy": "catmull_clark")"), "/cage: the strategy catmull_clark needs"},
       {mos(R"("strategy": "catmull_clark", "cage": "cage", "cage_file": "cage.obj")"),
        "/cage_file: set cage or cage_file, not both"},
       {mos(R"("edits": [{"operation": "twist"}], "strategy": "radial_basis")"),
        "/parameters/edits: a twist needs the strategy b_spline"},
       {mos(R"("chains": [{"name": "arm"}])"), "/chains/0/joints: set points or joints"},
       {mos(R"("chains": [{"name": "arm", "joints": ["a"]}])"), "/joints: a chain must have at least two joints"},
       {edit(R"("operation": "twist", "factor": 2)"), "/edits/0/factor: belongs to the operation bulge"},
       {edit(R"("operation": "bulge", "pivot": "root")"), "/pivot: must be [x, y, z] or \"joint\", is \"root\""},
       {edit(R"("operation": "bulge", "share": [[0, 0], [90, 1]])"), "/edits/0/share: needs a driver"},
       {driven("[]"), "/edits/0/driver: needs a share"},
       {driven("[[30, 0], [90, 1]]"), "/edits/0/share: must include the key [0, 0]"},
       {driven(R"([[0, 0], [90, 1]], "in_bind": false)"), "/edits/0/in_bind: must be true with a driver"}});
}

TEST(ParseRig, FormatIsChecked) {
  expect_errors(
      {{R"({"layers": []})", "x.json: /: the key 'format' is missing"},
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
