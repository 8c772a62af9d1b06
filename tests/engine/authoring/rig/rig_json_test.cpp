// SPDX-License-Identifier: MIT
// Tests reading and writing rigs. That the keys of all deformers are read and written again is tested with the schema.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/linear_blend.h>
#include <pelt/rig_json.h>
#include <pelt/selection.h>
#include <pelt/surface_ffd.h>

#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Rigs of one layer as text.
std::string layer(const std::string& members) { return R"({"format": "pelt-rig 1", "layers": [{)" + members + "}]}"; }
std::string surface_ffd(const std::string& parameters) {
  return layer(R"("deformer": "surface_ffd", "parameters": {)" + parameters + "}");
}
std::string surface(const std::string& parameters) {
  return layer(R"("deformer": "hierarchical_bspline", "parameters": {)" + parameters + "}");
}
std::string driver(const std::string& members) { return surface_ffd(R"("driver": {)" + members + "}"); }
std::string curve_skeleton(const std::string& parameters) {
  return layer(R"("deformer": "curve_skeleton", "parameters": {)" + parameters + "}");
}
std::string curve_joint(const std::string& members) {
  return curve_skeleton(R"("joints": [{"joint": "elbow", )" + members + "}]");
}
std::string twist(const std::string& keys) {
  return curve_skeleton(R"("bones": [{"joint": "elbow", "twist": )" + keys + "}]");
}
std::string mos(const std::string& parameters) {
  return layer(R"("deformer": "mos", "parameters": {)" + parameters + "}");
}
std::string edit(const std::string& members) { return mos(R"("edits": [{)" + members + "}]"); }
std::string driven(const std::string& share) {
  return edit(R"("operation": "bulge", "driver": {"joint": "elbow"}, "share": )" + share);
}

// Returns the error of parsing `json`, or "accepted".
std::string error_of(const std::string& json) {
  const auto rig = parse_rig(json, "x.json");
  return rig ? "accepted" : rig.error().message;
}

// Expects each rig to be refused with a message that contains the text next to it.
void expect_errors(const std::vector<std::pair<std::string, std::string>>& errors) {
  for (const auto& [json, why] : errors) EXPECT_THAT(error_of(json), testing::HasSubstr(why)) << json;
}

constexpr const char* kMinimal = R"({"format": "pelt-rig 1", "layers": []})";

TEST(ParseRig, ReadsListsOfNumbersAndRanges) {
  HierarchicalBsplineParameters expected;
  expected.control = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5f}, {0, 1, 0}};
  expected.faces = {{0, 1, 2, 3}, {2, 1, 0}};
  expected.creases = {{{{0, 1, 2}, {2, 3}}, 2.5f}, {{{0, 3}}, 10}};
  expected.levels = {{.attach = {{.painted = true, .vertices = {{0, 2}}}}}};
  const Rig rig = test::must(parse_rig(surface(R"("control": [[0, 0, 0], [1, 0, 0], [1, 1, 0.5], [0, 1, 0]],
                            "faces": [[0, 1, 2, 3], [2, 1, 0]],
                            "creases": [{"paths": [[0, 1, 2], [2, 3]], "sharpness": 2.5}, {"paths": [[0, 3]]}],
                            "levels": [{"attach": [{"painted": true, "vertices": [[0, 2]]}]}])"),
                                       "x.json"));
  EXPECT_EQ(rig.layers[0].deformer, DeformerParameters(expected));
  EXPECT_EQ(test::must(parse_rig(format_rig(rig), "x.json")), rig);
}

TEST(ParseRig, WrongValuesOfSurfacesNameThePlaceAndWhatIsWanted) {
  const std::vector<std::pair<std::string, std::string>> defects{
      {R"("mesh": "a", "file": "b.obj")", "set mesh or file, not both"},
      {R"("mesh": "a", "control": [[0, 0, 0]])", "requires faces if mesh is set"},
      {R"("file": "a.obj", "faces": [[0, 1, 2]])", "/faces: belong to a base without file"},
      {R"("file": "a.obj", "control": [[0, 0, 0]])", "/control: belongs to a base without file"},
      {R"("levels": [{}, {}])", "require a base"},
      {R"("faces": [[0, 1, 2]])", "requires control"},
      {R"("creases": [{"paths": [[0, 1]]}])", "belong to a base that is a mesh"},
      {R"("control": [[0, 0, 0]], "faces": [[0, 1, 2]], "shape": [5, 4])", "/shape: belongs to a base grid"},
      {R"("control": [[0, 0, 0]], "faces": [[0, 1, 2]], "closed_u": true)", "/closed_u: belongs to a base grid"},
      {R"("mesh": "a", "closed_v": true)", "/closed_v: belongs to a base grid"},
      {R"("shape": [5, 4], "levels": [])", "/shape: belongs to a base grid"},
      {R"("shape": [4, 4], "control": [[0, 0, 0]], "creases": [{}])", "belong to a base that is a mesh"},
      {R"("faces": [0, 1, 2])", "faces"},
      {R"("mesh": "a", "levels": [{"attach": [{"painted": true, "joint": "hip"}]}])",
       "set exactly one of painted, joint, curve and plain"},
      {R"("mesh": "a", "levels": [{"attach": [{}]}])", "set exactly one of painted, joint, curve and plain"}};
  for (const auto& [parameters, why] : defects) EXPECT_THAT(error_of(surface(parameters)), HasSubstr(why));
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
       {R"({"format": "pelt-rig 1", "layers": [], "joints": [{"name": "", "parent": "a"}]})",
        "/joints/0/name: must not be empty"},
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
       {layer(R"("deformer": "surface_ffd", "parameters": {"driver": {"key_poses": [
                    {"angles": [{"joint": "a"}], "control": "tense", "poses": []}]}})"),
        "key poses are over one of angles, control and muscle"},
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
