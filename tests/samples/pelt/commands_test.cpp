// SPDX-License-Identifier: MIT
// Runs the pelt command line as a user does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <glm/gtc/constants.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <tuple>

#include <pelt/evaluate.h>
#include <pelt/import.h>
#include <pelt/pelt_file.h>
#include <pelt/point_cache.h>
#include <pelt/pose.h>

#include "tests/support/program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using Json = nlohmann::json;
using test::file_text;
using test::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

const char* const kCommands[] = {"info", "bind", "deform", "render", "bench", "quality", "skeleton"};

class Pelt : public testing::Test {
 protected:
  Outcome pelt(const std::string& arguments) const { return test::run_program(PELT_PROGRAM, arguments, folder.path()); }

  // Runs a command that must succeed, and returns its output.
  std::string done(const std::string& arguments) const {
    const Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.status, 0) << "pelt " << arguments << "\n" << outcome.errors;
    return outcome.output;
  }

  // Runs a command that must fail, and returns the only line of its error.
  std::string failure(const std::string& arguments, int status = 1) const {
    const std::set<std::string> before = files();
    const Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.status, status) << "pelt " << arguments << "\n" << outcome.output << outcome.errors;
    EXPECT_THAT(outcome.errors, StartsWith("pelt: "));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), status == 2 ? 2 : 1) << outcome.errors;
    EXPECT_EQ(files(), before) << "pelt " << arguments << " left something";
    return outcome.errors;
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) names.insert(entry.path());
    return names;
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

  test::TemporaryFolder folder;
};

// Returns the skin's vertices in the model's order, as the engine moves them.
std::vector<glm::vec3> moved(const Character& character, const std::string& clip, float seconds) {
  const Skeleton& skeleton = character->skeleton;
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  sample_clip(*find_clip(character->clips, clip), seconds, local);
  std::vector<glm::mat4> joints(local.size());
  model_matrices(skeleton, local, joints);
  Evaluator evaluator(character);
  evaluator.pose(joints);
  evaluator.evaluate();
  std::vector<glm::vec3> all;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    std::vector<glm::vec3> own(mesh.vertex_count());
    to_source_order<glm::vec3>(mesh, evaluator.positions(), own);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

float farthest(std::span<const glm::vec3> a, std::span<const glm::vec3> b) {
  if (a.size() != b.size()) return 1e30f;
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, glm::distance(a[i], b[i]));
  return most;
}

struct Pc2 {
  std::int32_t version = 0, points = 0, samples = 0;
  float first = 0, rate = 0;
  std::vector<std::vector<glm::vec3>> frames;
};

Pc2 read_pc2(const std::filesystem::path& path) {
  const std::string bytes = file_text(path);
  Pc2 cache;
  EXPECT_THAT(bytes, StartsWith(std::string("POINTCACHE2\0", 12)));
  if (bytes.size() < 32) return cache;
  std::memcpy(&cache.version, &bytes[12], 4);
  std::memcpy(&cache.points, &bytes[16], 4);
  std::memcpy(&cache.first, &bytes[20], 4);
  std::memcpy(&cache.rate, &bytes[24], 4);
  std::memcpy(&cache.samples, &bytes[28], 4);
  const std::size_t frame = sizeof(glm::vec3) * static_cast<std::size_t>(cache.points);
  EXPECT_EQ(bytes.size(), 32 + frame * static_cast<std::size_t>(cache.samples));
  for (std::size_t at = 32; at + frame <= bytes.size() && frame != 0; at += frame) {
    std::memcpy(cache.frames.emplace_back(static_cast<std::size_t>(cache.points)).data(), &bytes[at], frame);
  }
  return cache;
}

// ------------------------------------------------------------------------------------------------------ help and usage

std::set<std::string> long_options(const std::string& text) {
  std::set<std::string> options;
  const std::regex option("--[a-z][a-z-]*");
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) options.insert(at->str());
  return options;
}

TEST_F(Pelt, HelpsAndIsDocumented) {
  const std::string document = file_text(std::filesystem::path(PELT_SOURCE) / "docs/cli.md");
  std::set<std::string> in_help{"--help"};
  EXPECT_THAT(done("--help"), HasSubstr("Exit codes: 0 done, 1 failed, 2 wrong usage"));
  for (const std::string command : kCommands) {
    const std::string help = done(command + " --help");
    EXPECT_THAT(help, HasSubstr("Example:\n  pelt " + command));
    EXPECT_THAT(document, HasSubstr("## pelt " + command));
    in_help.merge(long_options(help));
  }
  EXPECT_EQ(long_options(document), in_help);
}

TEST_F(Pelt, SaysHowItIsUsed) {
  EXPECT_THAT(failure("", 2), HasSubstr("'pelt --help' explains"));
  EXPECT_THAT(failure("bnid x", 2), HasSubstr("'pelt --help' explains"));
  EXPECT_THAT(failure("bind builtin:limb", 2), HasSubstr("--output is required"));
  EXPECT_THAT(failure("bind builtin:limb -o x.obj", 2), HasSubstr(".pelt"));
  EXPECT_THAT(failure("bind builtin:limb --deformer surface-fdf -o x.pelt", 2), HasSubstr("surface_ffd"));
  EXPECT_THAT(failure("bind builtin:limb --rig r.json --deformer linear-blend -o x.pelt", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure("deform builtin:limb --frames 4:2 -o x.pc2", 2), HasSubstr("4:2"));
  EXPECT_THAT(failure("deform builtin:limb --frames 0:2 -o x.obj", 2), HasSubstr("one frame"));
  EXPECT_THAT(failure("deform builtin:limb --frames 0:2 --time 1 -o x.pc2", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure("deform builtin:limb --fps 0 -o x.pc2", 2), HasSubstr("--fps"));
  EXPECT_THAT(failure("deform builtin:limb --fps nan -o x.pc2", 2), HasSubstr("--fps"));
  EXPECT_THAT(failure("render builtin:limb --size 0x9 -o x.png", 2), HasSubstr("0x9"));
  EXPECT_THAT(failure("render builtin:limb --size 20000x9 -o x.png", 2), HasSubstr("20000x9"));
  EXPECT_THAT(failure("bench --rounds 0", 2), HasSubstr("--rounds"));
}

// ------------------------------------------------------------------------------------------------------- info and bind

TEST_F(Pelt, SaysWhatIsInAFile) {
  write("rig.json", R"({"format": "pelt-rig 1", "layers": [{"deformer": "surface_ffd"}]})");
  done("bind builtin:tail --rig rig.json -o 'a tail.pelt'");
  EXPECT_EQ(Json::parse(done("info builtin:tail --json"))["kind"], "model");
  EXPECT_EQ(Json::parse(done("info rig.json --json"))["kind"], "rig");
  const Json character = Json::parse(done("info 'a tail.pelt' --json"));
  EXPECT_EQ(character["kind"], "character");
  EXPECT_EQ(character["joints"].size(), 8u);
  EXPECT_EQ(character["meshes"].size(), 2u);
  EXPECT_THAT(done("info builtin:tail"), HasSubstr("joints: 8"));
  EXPECT_THAT(done("info 'a tail.pelt'"), HasSubstr("surface_ffd"));
  EXPECT_THAT(done("info rig.json"), HasSubstr("surface_ffd"));
  EXPECT_THAT(failure("info builtin:tial"), HasSubstr("tail"));
  EXPECT_THAT(failure("info none.glb"), HasSubstr("none.glb: no such file"));
}

// A smiling triangle: the offsets of its morph target equal its positions. Their colours are the positions, too.
const std::string kSmiling =
    R"({"asset": {"version": "2.0"}, "nodes": [{"name": "face", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 0}, "targets": [{"POSITION": 0}]}],
                    "extras": {"targetNames": ["smile"]}}],
        "materials": [{"name": "skin", "doubleSided": true}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36,
                     "uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})";

TEST_F(Pelt, SaysWhatACharacterDoesNotCarry) {
  write("face.gltf", kSmiling);
  const std::string color = "vertex attributes, which serve masks alone: COLOR_0 of 'face'";
  const std::string info = done("info face.gltf");
  EXPECT_THAT(info, HasSubstr("\na character carries: 1 mesh with normals, 1 with weights, 1 joint, 1 base colour\n"));
  EXPECT_THAT(info, HasSubstr("\nnot carried: " + color + "\nnote: "));
  EXPECT_THAT(info, HasSubstr("double sides of 1"));
  EXPECT_EQ(Json::parse(done("info face.gltf --json"))["not_carried"], Json::array({color}));
  const std::string bound = done("bind face.gltf --deformer linear-blend -o face.pelt");
  EXPECT_THAT(bound, HasSubstr("\nnote: not carried: " + color + "\nnote: "));
  const Json report = Json::parse(done("bind face.gltf --deformer linear-blend --json -o face.pelt"));
  EXPECT_EQ(report["notes"], Json::array({"not carried: " + color}));
  EXPECT_THAT(report["import_notes"].dump(), HasSubstr("double sides of 1"));
  EXPECT_EQ(Json::parse(done("info builtin:limb --json"))["not_carried"], Json::array());
}

TEST_F(Pelt, TellsAModelThatDoesNotBendOfASkeleton) {
  const std::string help = "'pelt skeleton' gives a skin joints and weights";
  write("statue.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_THAT(done("info statue.obj"), HasSubstr("note: no mesh has weights; " + help));
  for (const std::string deformer : {"surface-ffd", "linear-blend", "dual-quaternion", "curve-skeleton", "mos"}) {
    EXPECT_THAT(failure("bind statue.obj --deformer " + deformer + " -o x.pelt"), HasSubstr("; " + help)) << deformer;
  }
  write("statue.gltf", kSmiling);
  const std::string rigid = "note: no mesh bends, since each follows one joint as a whole; " + help;
  EXPECT_THAT(done("info statue.gltf"), HasSubstr(rigid));
  EXPECT_THAT(done("bind statue.gltf -o x.pelt"), HasSubstr(rigid));
  EXPECT_THAT(done("info builtin:limb"), testing::Not(HasSubstr(help)));
  EXPECT_THAT(done("bind builtin:limb -o x.pelt"), testing::Not(HasSubstr(help)));
}

TEST_F(Pelt, BindsToTheSameBytesOnAnyNumberOfCores) {
  const Json report = Json::parse(done("bind builtin:limb -o first.pelt --json"));
  EXPECT_EQ(report["output"], "first.pelt");
  EXPECT_EQ(report["bytes"], std::filesystem::file_size(folder / "first.pelt"));
  ASSERT_EQ(report["meshes"].size(), 2u);
  EXPECT_EQ(report["meshes"][1]["deformer"], "surface_ffd");
  EXPECT_GT(report["meshes"][1]["mean_influences"], 1.0);
  const Outcome one_core =
      test::run_program("/usr/bin/taskset", "-c 0 '" PELT_PROGRAM "' bind builtin:limb -o second.pelt", folder.path());
  EXPECT_EQ(one_core.status, 0) << one_core.errors;
  EXPECT_EQ(file_text(folder / "first.pelt"), file_text(folder / "second.pelt"));
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(Pelt, FitsLinearBlendToTheDeformers) {
  const Json report = Json::parse(done("bind builtin:limb --linear-fit=2 -o fitted.pelt --json"));
  const Json info = Json::parse(done("info fitted.pelt --json"));
  ASSERT_EQ(report["meshes"].size(), 2u);
  EXPECT_TRUE(report["meshes"][0]["linear_fit"].is_null()) << "a driver";
  EXPECT_TRUE(info["meshes"][0]["linear_fit"].is_null());
  const Json& fit = report["meshes"][1]["linear_fit"];
  EXPECT_GT(fit["rms"].get<double>(), 0.0);
  EXPECT_GT(fit["worst"].get<double>(), fit["rms"].get<double>());
  EXPECT_NEAR(info["meshes"][1]["linear_fit"]["rms"].get<double>(), fit["rms"].get<double>(), 1e-6);
  EXPECT_EQ(info["meshes"][1]["linear_fit"]["max_influences"], 2);
  EXPECT_EQ(info["passes"].back()["fit"], true);
  EXPECT_THAT(done("bind --linear-fit builtin:limb -o fitted.pelt"), HasSubstr("linear-blend fit"));
  EXPECT_THAT(done("info fitted.pelt"), HasSubstr("linear-blend fit"));
  EXPECT_TRUE(Json::parse(done("bind builtin:limb -o plain.pelt --json"))["meshes"][1]["linear_fit"].is_null());
  EXPECT_THAT(failure("bind builtin:limb --linear-fit=9 -o x.pelt", 2), HasSubstr("from 1 to 8"));
}

// A driver moves the first half of the limb, in a mask with a sharp edge.
constexpr const char* kHalfDriven = R"({"format": "pelt-rig 1", "name": "half", "layers": [
  {"deformer": "linear_blend"},
  {"deformer": "surface_ffd", "parameters": {"driver": {"triangles": 500}},
   "mask": {"box": {"min": [-2, -2, -2], "max": [4.03, 2, 2]}}}]})";

TEST_F(Pelt, ReportsEveryVertex) {
  write("half.json", kHalfDriven);
  const Json printed = Json::parse(done("bind builtin:limb --rig half.json --report r.json --json -o limb.pelt"));
  const Json report = Json::parse(file_text(folder / "r.json"));
  const Json info = Json::parse(done("info limb.pelt --json"));
  EXPECT_EQ(report["format"], "pelt-report 1");
  EXPECT_EQ(report["model"], "builtin:limb");
  EXPECT_EQ(report["notes"], printed["notes"]);
  EXPECT_EQ(info["rig"], "half");
  ASSERT_EQ(report["meshes"].size(), 2u);
  const Model model = *import_model("builtin:limb");
  for (std::size_t m = 0; m < 2; ++m) {
    const Json& mesh = report["meshes"][m];
    EXPECT_EQ(mesh["mesh"], info["meshes"][m]["name"]);
    EXPECT_EQ(mesh["driver"], info["meshes"][m]["control"]);
    EXPECT_EQ(mesh["topology"], info["meshes"][m]["topology"]);
    EXPECT_EQ(mesh["influences"].size(), info["meshes"][m]["vertices"]);
    EXPECT_EQ(mesh["repaired_vertices"], printed["meshes"][m]["repaired_vertices"]);
  }
  EXPECT_FALSE(report["meshes"][0].contains("distance"));
  const Json& limb = report["meshes"][1];
  const std::vector<glm::vec3>& positions = model.meshes.at(0).positions;
  ASSERT_EQ(limb["distance"].size(), positions.size());
  const std::set<std::size_t> unbound(limb["unbound"].begin(), limb["unbound"].end());
  std::size_t influences = 0;
  double farthest_bound = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const bool outside = positions[v].x > 4.03f;
    EXPECT_EQ(unbound.contains(v), outside) << v;
    EXPECT_EQ(limb["distance"][v].is_null(), outside) << v;
    if (!outside) farthest_bound = std::max(farthest_bound, limb["distance"][v].get<double>());
    influences += limb["influences"][v].get<std::size_t>();
  }
  EXPECT_GT(unbound.size(), positions.size() / 4);
  EXPECT_NEAR(farthest_bound, printed["meshes"][1]["worst_distance"].get<double>(), 1e-6);
  // A file's 16 bits round some weights to zero.
  EXPECT_NEAR(static_cast<double>(influences) / static_cast<double>(positions.size()),
              printed["meshes"][1]["mean_influences"].get<double>(), 0.1);
  for (const std::string remark : {"unbound", "far", "between_sheets", "beyond_hops"}) {
    EXPECT_EQ(limb[remark].size(), printed["meshes"][1]["remarks"][remark]) << remark;
  }
  EXPECT_THAT(done("bind builtin:limb --rig half.json -o limb.pelt"),
              HasSubstr("limb: " + std::to_string(unbound.size()) + " unbound"));
}

TEST_F(Pelt, WritesTheRigThatWasUsed) {
  done("bind builtin:limb --write-rig used.json -o limb.pelt");
  done("bind builtin:limb --rig used.json --write-rig again.json -o again.pelt");
  EXPECT_EQ(file_text(folder / "again.json"), file_text(folder / "used.json"));
  EXPECT_EQ(file_text(folder / "again.pelt"), file_text(folder / "limb.pelt"));

  // A written rig names files relative to its own folder.
  std::filesystem::create_directories(folder / "rigs");
  std::filesystem::create_directories(folder / "other/place");
  write("rigs/cage.obj", "v 0 -2 -2\nv 0 2 -2\nv 0 0 3\nv 8 0 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
  write("rigs/rig.json", R"({"format": "pelt-rig 1", "layers": [
    {"deformer": "surface_ffd", "parameters": {"driver": {"file": "cage.obj"}}}]})");
  done("bind builtin:limb --rig rigs/rig.json --write-rig other/place/rig.json -o limb.pelt");
  EXPECT_EQ(Json::parse(done("info other/place/rig.json --json"))["rig"]["layers"][0]["parameters"]["driver"]["file"],
            "../../rigs/cage.obj");
  done("bind builtin:limb --rig other/place/rig.json -o again.pelt");
}

// A written preset is complete: the rig gives the same character.
TEST_F(Pelt, WritesThePresetAsARig) {
  for (const std::string preset : {"limb", "tail", "biped"}) {
    done("bind builtin:" + preset + " --preset " + preset + " --write-rig rig.json -o first.pelt");
    done("bind builtin:" + preset + " --rig rig.json -o again.pelt");
    EXPECT_EQ(file_text(folder / "again.pelt"), file_text(folder / "first.pelt")) << preset;
    const Json layer = Json::parse(file_text(folder / "rig.json"))["layers"][0];
    EXPECT_EQ(layer["deformer"], "mos");
    EXPECT_EQ(layer["parameters"]["automatic"], false);
    EXPECT_FALSE(layer["parameters"]["chains"].empty());
    EXPECT_THAT(done("info first.pelt"), HasSubstr("mos"));
    std::filesystem::remove(folder / "first.pelt");
    std::filesystem::remove(folder / "again.pelt");
  }
}

// Returns an OBJ of a tube along x from 2 to 6, round the middle of builtin:limb.
std::string sleeve(int rows, int around, double radius = 1.05) {
  std::string text;
  for (int i = 0; i <= rows; ++i) {
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * 3.14159265358979 * k / around;
      text += "v " + std::to_string(2.0 + 4.0 * i / rows) + " " + std::to_string(radius * std::cos(angle)) + " " +
              std::to_string(radius * std::sin(angle)) + "\n";
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < around; ++k) {
      const int a = 1 + i * around + k;
      const int b = 1 + i * around + (k + 1) % around;
      for (const auto& [x, y, z] : {std::tuple(a, b, b + around), std::tuple(a, b + around, a + around)}) {
        text += "f " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z) + "\n";
      }
    }
  }
  return text;
}

TEST_F(Pelt, PutsAGarmentOnABody) {
  write("sleeve.obj", sleeve(16, 24));
  done("bind sleeve.obj --driver builtin:limb --write-rig worn.json -o sleeve.pelt");
  const Character worn = *load_pelt(folder / "sleeve.pelt");
  EXPECT_EQ(worn->clips.size(), 2u);
  const Model shirt = *import_model((folder / "sleeve.obj").string());
  const std::vector<glm::vec3> posed = moved(worn, "bend", 1);
  ASSERT_EQ(posed.size(), shirt.meshes[0].positions.size());
  EXPECT_GT(farthest(posed, shirt.meshes[0].positions), 1.0f);
  const Json info = Json::parse(done("info sleeve.pelt --json"));
  EXPECT_EQ(info["rig"], "garment");
  EXPECT_EQ(info["meshes"].back()["name"], "sleeve");
  EXPECT_FALSE(info["meshes"].back()["control"]);

  // The same from a .glb, with another deformer for the body, and with the rig written out.
  done("deform sleeve.pelt --time 0 --backend cpu -o sleeve.glb");
  done("bind sleeve.glb --driver builtin:limb -o from_glb.pelt");
  EXPECT_LT(farthest(moved(*load_pelt(folder / "from_glb.pelt"), "bend", 1), posed), 1e-4f);
  done("bind sleeve.obj --driver builtin:limb --deformer linear-blend -o blended.pelt");
  EXPECT_GT(farthest(moved(*load_pelt(folder / "blended.pelt"), "bend", 1), posed), 0.05f);
  done("bind sleeve.obj --driver builtin:limb --rig worn.json -o spelled.pelt");
  EXPECT_EQ(file_text(folder / "spelled.pelt"), file_text(folder / "sleeve.pelt"));

  write("points.obj", "v 0 0 0\nv 1 0 0\np 1\n");
  EXPECT_THAT(failure("bind sleeve.obj --driver none.glb -o x.pelt"), HasSubstr("none.glb: no such file"));
  EXPECT_THAT(failure("bind none.obj --driver builtin:limb -o x.pelt"), HasSubstr("none.obj: no such file"));
  EXPECT_THAT(failure("bind sleeve.obj --driver points.obj -o x.pelt"), HasSubstr("no triangles to drive with"));
  EXPECT_THAT(failure("bind sleeve.obj --driver worn.json -o x.pelt"), HasSubstr("worn.json"));
}

TEST_F(Pelt, SkinsAGarmentAsItsBodyIs) {
  write("sleeve.obj", sleeve(16, 24));
  EXPECT_THAT(done("bind sleeve.obj --weights-of builtin:limb --write-rig worn.json -o sleeve.pelt"),
              HasSubstr(" was chosen"));
  const Model shirt = *import_model((folder / "sleeve.obj").string());
  const std::vector<glm::vec3> posed = moved(*load_pelt(folder / "sleeve.pelt"), "bend", 1);
  ASSERT_EQ(posed.size(), shirt.meshes[0].positions.size());
  EXPECT_GT(farthest(posed, shirt.meshes[0].positions), 1.0f);
  // The weights are spread once, when they are taken over.
  const Json rig = Json::parse(file_text(folder / "worn.json"));
  EXPECT_EQ(rig["layers"][0]["parameters"]["driver"]["spread"], 0);

  done("bind sleeve.obj --weights-of builtin:limb --preset limb -o mos.pelt");
  done("bind sleeve.obj --weights-of builtin:limb --deformer linear-blend -o blended.pelt");
  EXPECT_GT(farthest(moved(*load_pelt(folder / "blended.pelt"), "bend", 1), posed), 0.05f);
  EXPECT_THAT(failure("bind sleeve.obj --weights-of sleeve.obj -o x.pelt"), HasSubstr("no weights to give"));
  EXPECT_THAT(failure("bind sleeve.obj --weights-of builtin:limb --driver builtin:limb -o x.pelt", 2),
              HasSubstr("excludes"));
}

TEST_F(Pelt, AGarmentStaysOnItsBody) {
  done("deform builtin:limb --deformer linear-blend --backend cpu -o sleeve.obj");
  done("bind sleeve.obj --driver builtin:limb -o sleeve.pelt");
  // The sleeve has no skeleton of its own: the body's clip moves it.
  done("deform sleeve.pelt --clip bend --time 1 --backend cpu -o bent.obj");
  done("deform builtin:limb --clip bend --time 1 --backend cpu -o limb.obj");
  const Model worn = *import_obj(folder / "bent.obj");
  const Model limb = *import_obj(folder / "limb.obj");
  ASSERT_EQ(worn.meshes[0].positions.size(), limb.meshes[0].positions.size());
  for (std::size_t v = 0; v < limb.meshes[0].positions.size(); ++v) {
    ASSERT_LT(glm::distance(worn.meshes[0].positions[v], limb.meshes[0].positions[v]), 0.05f) << v;
  }
}

// The basic variant moves all of the sleeve but its first two rows.
constexpr const char* kCuff = R"({"format": "pelt-rig 1", "name": "cuff",
  "groups": [{"name": "worn", "mesh": "sleeve", "vertices": [[48, 407]]}],
  "layers": [{"target": "limb", "deformer": "dual_quaternion"},
             {"target": "sleeve", "deformer": "surface_ffd", "parameters": {"driver": {"mesh": "limb"}}},
             {"target": "sleeve", "deformer": "surface_ffd", "mask": {"group": "worn"},
              "parameters": {"mode": "basic", "driver": {"mesh": "limb"}}}]})";

TEST_F(Pelt, CarriesARigOverToAnotherExport) {
  std::filesystem::create_directory(folder / "v2");
  write("sleeve.obj", sleeve(16, 24));
  write("v2/sleeve.obj", sleeve(32, 48));
  write("cuff.json", kCuff);
  const std::string on_limb = " --driver builtin:limb ";
  done("bind sleeve.obj" + on_limb + "--rig cuff.json -o v1.pelt");
  const Json same = Json::parse(done("bind sleeve.obj" + on_limb + "--transfer v1.pelt --json -o same.pelt"));
  EXPECT_THAT(same["import_notes"], testing::Contains("mesh 'sleeve': the topology is the same, numbers hold"));
  EXPECT_EQ(file_text(folder / "same.pelt"), file_text(folder / "v1.pelt"));

  const std::string text = done("bind v2/sleeve.obj" + on_limb + "--transfer v1.pelt --write-rig v2.json -o v2.pelt");
  EXPECT_THAT(text, HasSubstr("note: mesh 'sleeve': 1584 vertices and 3072 triangles instead of 408 and 768; carried "
                              "over by the closest point"));
  const Json worn = Json::parse(file_text(folder / "v2.json"))["groups"][0];
  EXPECT_EQ(worn["vertices"], Json({{3 * 48, 33 * 48 - 1}}));
  EXPECT_NEAR(worn["values"][0].get<double>(), 0.5, 1e-3) << "between a row outside and one inside";
  EXPECT_NEAR(worn["values"].back().get<double>(), 1, 1e-3);
  done("bind sleeve.obj" + on_limb + "--transfer v2.pelt -o back.pelt");
  EXPECT_LT(
      farthest(moved(*load_pelt(folder / "back.pelt"), "bend", 1), moved(*load_pelt(folder / "v1.pelt"), "bend", 1)),
      1e-3f);

  const std::string whole = file_text(folder / "v1.pelt");
  write("cut.pelt", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(failure("bind sleeve.obj --transfer none.pelt -o x.pelt"), HasSubstr("none.pelt: no such file"));
  EXPECT_THAT(failure("bind sleeve.obj --transfer cut.pelt -o x.pelt"), HasSubstr("cut.pelt: "));
  EXPECT_THAT(failure("bind builtin:tail --transfer v1.pelt -o x.pelt"),
              HasSubstr("v1.pelt: the group 'worn' lists numbers of mesh 'sleeve', which is not in 'builtin:tail'"));
}

TEST_F(Pelt, RefusesOptionsThatDoNotGoTogether) {
  done("bind builtin:limb --deformer linear-blend -o old.pelt");
  write("r.json", R"({"format": "pelt-rig 1", "layers": []})");
  const std::string bind = "bind builtin:limb -o x.pelt ";
  EXPECT_THAT(failure(bind + "--transfer old.pelt --rig r.json", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure(bind + "--transfer old.pelt --deformer linear-blend", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure(bind + "--preset limb --rig r.json", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure(bind + "--preset limb --deformer mos", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure(bind + "--preset limb --transfer old.pelt", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure(bind + "--preset limb --driver builtin:limb", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure(bind + "--preset limbs", 2), HasSubstr("biped"));
  EXPECT_THAT(failure(bind + "--preset biped"), HasSubstr("the preset biped finds no chain"));
  EXPECT_THAT(failure(bind + "--transfer r.json", 2), HasSubstr("must end in .pelt"));
  EXPECT_THAT(failure(bind + "--report r.txt", 2), HasSubstr("must end in .json"));
  EXPECT_THAT(failure(bind + "--write-rig r.txt", 2), HasSubstr("must end in .json"));
  EXPECT_THAT(failure(bind + "--write-rig out.json --report out.json", 2), HasSubstr("out.json"));
  EXPECT_THAT(failure(bind + "--driver", 2), HasSubstr("--driver"));
  EXPECT_THAT(failure("render old.pelt --show unbound --weights 0 -o x.png", 2), HasSubstr("excludes"));
  EXPECT_THAT(failure("render old.pelt --show weights -o x.png", 2), HasSubstr("weights"));
  EXPECT_THAT(failure("deform old.pelt -o x.pc2 --cache", 2), HasSubstr("--cache"));
}

TEST_F(Pelt, GivesASkinASkeleton) {
  write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string arguments = "skeleton builtin:biped --resolution 96 ";
  const Json report = Json::parse(done(arguments + "--json -o first.glb"));
  EXPECT_EQ(report["ends"], 5u);
  EXPECT_EQ(report["bytes"], std::filesystem::file_size(folder / "first.glb"));
  EXPECT_THAT(done(arguments + "-o text.glb"), HasSubstr("note: its skeleton of 59 joints"));
  const Outcome one_core =
      test::run_program("/usr/bin/taskset", "-c 0 '" PELT_PROGRAM "' " + arguments + "-o second.glb", folder.path());
  EXPECT_EQ(one_core.status, 0) << one_core.errors;
  EXPECT_EQ(file_text(folder / "first.glb"), file_text(folder / "second.glb"));
  const Result<Model> model = import_model((folder / "first.glb").string());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->bound_joints.size(), report["joints"].size());
  done("bind first.glb --deformer linear-blend -o first.pelt");

  EXPECT_THAT(failure("skeleton none.obj -o x.glb"), HasSubstr("none.obj: no such file"));
  EXPECT_THAT(failure("skeleton sheet.obj -o x.glb"), HasSubstr("is open at the edge from vertex 0 to 1"));
  EXPECT_THAT(failure("skeleton sheet.obj", 2), HasSubstr("--output is required"));
  EXPECT_THAT(failure("skeleton sheet.obj -o x.obj", 2), HasSubstr(".glb"));
  EXPECT_THAT(failure("skeleton sheet.obj --resolution 1000 -o x.glb", 2), HasSubstr("--resolution"));
  EXPECT_THAT(failure("skeleton sheet.obj --detail nan -o x.glb", 2), HasSubstr("--detail"));
  EXPECT_THAT(failure("skeleton sheet.obj --bone-length 0 -o x.glb", 2), HasSubstr("--bone-length"));
}

TEST_F(Pelt, RefusesARigWithItsPlace) {
  write("rig.json", R"({"format": "pelt-rig 1", "layers": [{"deformer": "surface_ffd", "parameters": {"locl": 4}}]})");
  const std::string error = failure("bind builtin:limb --rig rig.json -o x.pelt");
  EXPECT_THAT(error, HasSubstr("rig.json: /layers/0/parameters/locl"));
  EXPECT_THAT(error, HasSubstr("did you mean 'local'"));
}

TEST_F(Pelt, RefusesADamagedCharacter) {
  done("bind builtin:limb --deformer linear-blend -o limb.pelt");
  const std::string whole = file_text(folder / "limb.pelt");
  write("cut.pelt", whole.substr(0, whole.size() / 2));
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 4;
  write("flipped.pelt", flipped);
  for (const std::string name : {"cut.pelt", "flipped.pelt"}) {
    for (const std::string& command : {"info " + name, "deform " + name + " --backend cpu -o x.obj"}) {
      EXPECT_THAT(failure(command), HasSubstr(name + ": "));
    }
  }
}

TEST_F(Pelt, LeavesNothingWhereItCannotWrite) {
  write("file", "");
  std::filesystem::create_directory(folder / "taken.pelt");
  for (const std::string output : {"none/x.pelt", "file/x.pelt", "taken.pelt"}) {
    EXPECT_THAT(failure("bind builtin:limb --deformer linear-blend -o " + output), HasSubstr(output + ": "));
  }
  std::filesystem::create_directory(folder / "taken.pc2");
  EXPECT_THAT(failure("deform builtin:limb --deformer linear-blend --backend cpu -o taken.pc2"),
              HasSubstr("taken.pc2: "));
  const std::string bind = "bind builtin:limb --deformer linear-blend -o x.pelt ";
  EXPECT_THAT(failure(bind + "--report none/r.json"), HasSubstr("none/r.json: "));
  EXPECT_THAT(failure(bind + "--write-rig none/r.json"), HasSubstr("none/r.json: "));
}

// -------------------------------------------------------------------------------------------------------------- deform

TEST_F(Pelt, WritesThePointCacheThatTheEngineGives) {
  done("bind builtin:tail -o tail.pelt");
  const Character character = *load_pelt(folder / "tail.pelt");
  const Clip& clip = character->clips.front();
  done("deform tail.pelt --clip " + clip.name + " --frames 3:5 --fps 10 --backend cpu -o cpu.pc2");
  const Pc2 cpu = read_pc2(folder / "cpu.pc2");
  EXPECT_EQ(cpu.version, 1);
  EXPECT_EQ(cpu.first, 3.0f);
  EXPECT_EQ(cpu.rate, 1.0f);
  ASSERT_EQ(cpu.frames.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(farthest(cpu.frames[i], moved(character, clip.name, 0.1f * static_cast<float>(3 + i))), 0.0f) << i;
  }
  EXPECT_GT(farthest(cpu.frames[0], cpu.frames[2]), 1e-3f);

  done("deform tail.pelt --validate --clip " + clip.name + " --frames 3:5 --fps 10 -o gpu.pc2");
  const Pc2 gpu = read_pc2(folder / "gpu.pc2");
  ASSERT_EQ(gpu.frames.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_LT(farthest(gpu.frames[i], cpu.frames[i]), 1e-5f * character.size()) << i;

  // The whole clip, and a frame past its end.
  done("deform tail.pelt --fps 10 --backend cpu --clip " + clip.name + " -o whole.pc2");
  EXPECT_EQ(read_pc2(folder / "whole.pc2").samples, static_cast<int>(std::floor(10 * clip.duration + 1e-3)) + 1);
  done("deform tail.pelt --frames 1000 --backend cpu --clip " + clip.name + " -o past.pc2");
  EXPECT_EQ(farthest(read_pc2(folder / "past.pc2").frames.at(0), moved(character, clip.name, clip.duration)), 0.0f);

  EXPECT_THAT(failure("deform tail.pelt --clip swingg -o x.pc2"), HasSubstr("did you mean"));
}

TEST_F(Pelt, WritesMeshesThatReadBackTheSame) {
  done("bind builtin:arm -o arm.pelt");
  const Character character = *load_pelt(folder / "arm.pelt");
  const std::vector<glm::vec3> expected = moved(character, "flex", 0.25f);
  for (const std::string name : {"frame.obj", "frame.glb"}) {
    done("deform arm.pelt --clip flex --time 0.25 --backend cpu -o " + name);
    const Result<Model> model = import_model((folder / name).string());
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_EQ(model->meshes.size(), 1u);
    EXPECT_LT(farthest(model->meshes[0].positions, expected), 1e-6f * character.size()) << name;
    EXPECT_EQ(model->meshes[0].triangles.size(), character->meshes[1].triangles.size()) << name;
  }
}

// Five points with a mask at the node "hair", and a tetrahedron over four of them at the node "cage".
constexpr const char* kPoints = R"({"asset": {"version": "2.0"},
  "nodes": [{"name": "hair", "mesh": 0}, {"name": "cage", "mesh": 1}],
  "scenes": [{"nodes": [0]}, {"nodes": [0, 1]}], "scene": 0,
  "meshes": [{"primitives": [{"mode": 0, "attributes": {"POSITION": 0, "_MASK": 1}}]},
             {"primitives": [{"attributes": {"POSITION": 0}, "indices": 2}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3"},
                {"componentType": 5126, "count": 5, "type": "SCALAR"},
                {"bufferView": 0, "byteOffset": 60, "componentType": 5121, "count": 12, "type": "SCALAR"}],
  "bufferViews": [{"buffer": 0, "byteLength": 72}],
  "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,)"
                                "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAA"
                                "AIA/AACAPwAAgD8AAIA/AAIBAAEDAAMCAQID\"}]}";
constexpr const char* kCagedRig = R"({"format": "pelt-rig 1", "layers": [
  {"deformer": "surface_ffd", "parameters": {"driver": {"mesh": "cage"}}}]})";

TEST_F(Pelt, MovesPointsThatAreNoMesh) {
  write("points.gltf", kPoints);
  Json caged = Json::parse(kPoints);
  caged["scene"] = 1;
  write("caged.gltf", caged.dump());
  write("rig.json", kCagedRig);
  const Model model = *import_model((folder / "points.gltf").string());
  const std::vector<glm::vec3>& expected = model.meshes.at(0).positions;
  const Json info = Json::parse(done("info points.gltf --json"));
  EXPECT_EQ(info["meshes"][0]["triangles"], 0);
  EXPECT_EQ(info["meshes"][0]["attributes"][0], "_MASK");
  EXPECT_THAT(done("info points.gltf"), HasSubstr("attributes of hair: 1\n  _MASK"));

  for (const std::string how :
       {"points.gltf --deformer linear-blend", "points.gltf --deformer dual-quaternion", "caged.gltf --rig rig.json"}) {
    SCOPED_TRACE(how);
    const Json bound = Json::parse(done("bind " + how + " -o points.pelt --json"));
    for (const Json& mesh : bound["meshes"]) EXPECT_TRUE(mesh["repaired_vertices"].empty());
    done("info points.pelt");
    for (const std::string name : {"points.obj", "points.glb"}) {
      done("deform points.pelt --time 0 --backend cpu -o " + name);
      const Result<Model> read = import_model((folder / name).string());
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_TRUE(read->meshes.at(0).triangles.empty());
      EXPECT_LT(farthest(read->meshes[0].positions, expected), 1e-6f);
    }
    EXPECT_THAT(file_text(folder / "points.obj"), HasSubstr("\np 1\np 2\np 3\np 4\np 5\n"));
    done("deform points.pelt --frames 0:1 --backend cpu -o points.pc2");
    const Result<PointCache> cache = load_pc2(folder / "points.pc2");
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_LT(farthest(cache->frame(1), expected), 1e-6f);
    done("render points.pelt --validate --size 160x90 -o points.png");
  }
}

// A skin in a cage with the same vertices, which a cache moves.
constexpr const char* kStreamed = R"({"format": "pelt-rig 1", "layers": [
  {"deformer": "surface_ffd", "parameters": {"driver": {"file": "cage.obj", "follow": "streamed"}}}]})";

TEST_F(Pelt, PlacesAStreamedDriverByACache) {
  write("cage.obj", sleeve(16, 24));
  write("skin.obj", sleeve(16, 24));
  write("rig.json", kStreamed);
  done("bind cage.obj --driver builtin:limb -o cage.pelt");
  done("deform cage.pelt --clip bend --frames 0:10 --fps 10 --backend cpu -o cage.pc2");
  done("bind skin.obj --rig rig.json -o skin.pelt");
  const Json info = Json::parse(done("info skin.pelt --json"));
  ASSERT_EQ(info["inputs"]["streams"].size(), 1u);
  const Json& stream = info["inputs"]["streams"][0];
  const std::string name = stream["mesh"];
  EXPECT_EQ(stream["vertices"], 17 * 24);
  EXPECT_EQ(info["inputs"]["count"], 3 * 17 * 24);
  EXPECT_THAT(done("info skin.pelt"), HasSubstr("streams: 1\n"));

  const Pc2 cage = read_pc2(folder / "cage.pc2");
  done("deform skin.pelt --cache cage.pc2 --fps 10 --backend cpu -o skin.pc2");
  const Pc2 skin = read_pc2(folder / "skin.pc2");
  ASSERT_EQ(skin.frames.size(), cage.frames.size());
  EXPECT_GT(farthest(skin.frames[0], skin.frames[10]), 1.0f);
  for (std::size_t i = 0; i < skin.frames.size(); ++i) EXPECT_LT(farthest(skin.frames[i], cage.frames[i]), 0.05f) << i;
  done("deform skin.pelt --validate --cache '" + name + "=cage.pc2' --fps 10 -o gpu.pc2");
  const Pc2 gpu = read_pc2(folder / "gpu.pc2");
  ASSERT_EQ(gpu.frames.size(), skin.frames.size());
  EXPECT_LT(farthest(gpu.frames[10], skin.frames[10]), 1e-4f);
  const std::string small = " --size 160x90 -o ";
  done("render skin.pelt" + small + "rest.png");
  done("render skin.pelt --cache cage.pc2 --fps 10 --time 1" + small + "bent.png");
  EXPECT_NE(file_text(folder / "rest.png"), file_text(folder / "bent.png"));

  write("other.obj", sleeve(8, 24));
  done("bind other.obj --driver builtin:limb -o other.pelt");
  done("deform other.pelt --frames 0 --backend cpu -o other.pc2");
  write("text.pc2", "no cache at all, and longer than the header of one");
  const std::string deform = "deform skin.pelt --backend cpu -o x.pc2 --cache ";
  EXPECT_THAT(failure(deform + "none.pc2"), HasSubstr("none.pc2: no such file"));
  EXPECT_THAT(failure(deform + "text.pc2"), HasSubstr("text.pc2: "));
  EXPECT_THAT(failure(deform + "other.pc2"), HasSubstr("other.pc2: has 216 points"));
  EXPECT_THAT(failure(deform + "cagge=cage.pc2"), HasSubstr("did you mean '" + name + "'"));
  EXPECT_THAT(failure("deform cage.pelt --backend cpu -o x.pc2 --cache cage.pc2"),
              HasSubstr("cage.pc2: 'cage.obj' has no streamed driver"));
}

TEST_F(Pelt, StreamsACage) {
  // A cage for the limb from a file, and a cache in which it rises by 1 from frame to frame.
  done("deform builtin:limb --deformer linear-blend --backend cpu -o cage.obj");
  write("cage.json", R"({"format": "pelt-rig 1", "layers": [{"deformer": "surface_ffd",
      "parameters": {"driver": {"file": "cage.obj", "follow": "streamed"}}}]})");
  done("bind builtin:limb --rig cage.json -o caged.pelt");
  const Model cage = *import_obj(folder / "cage.obj");
  const std::vector<glm::vec3>& rest = cage.meshes[0].positions;
  const Pc2Header header{.points = static_cast<std::int32_t>(rest.size()), .samples = 3};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (int frame = 0; frame < 3; ++frame) {
    for (const glm::vec3& p : rest) {
      const glm::vec3 raised = p + glm::vec3(0, static_cast<float>(frame), 0);
      bytes.append(reinterpret_cast<const char*>(&raised), sizeof raised);
    }
  }
  write("rise.pc2", bytes);
  for (const char* back_end : {"cpu", "gpu"}) {
    done(std::string("deform caged.pelt --cache rise.pc2 --frames 2 --backend ") + back_end + " -o up.obj");
    const Model up = *import_obj(folder / "up.obj");
    const Model down = *import_obj(folder / "cage.obj");
    for (std::size_t v = 0; v < rest.size(); ++v) {
      ASSERT_LT(glm::distance(up.meshes[0].positions[v], down.meshes[0].positions[v] + glm::vec3(0, 2, 0)), 1e-4f) << v;
    }
  }
  const std::string samples = done("deform caged.pelt --cache cage=rise.pc2 -o all.pc2");
  EXPECT_THAT(samples, HasSubstr("3 samples"));
  EXPECT_THAT(failure("deform caged.pelt --cache skin=rise.pc2 -o x.obj"), HasSubstr("'cage'"));
  EXPECT_THAT(failure("deform builtin:limb --cache rise.pc2 -o x.obj"), HasSubstr("no streamed driver"));
  write("cut.pc2", bytes.substr(0, bytes.size() - 4));
  EXPECT_THAT(failure("deform caged.pelt --cache cut.pc2 -o x.obj"), HasSubstr("cut.pc2"));
}

// The cage of kPoints grows to twice its size: its own positions are the offsets; bytes 8 to 15 hold times and weights.
TEST_F(Pelt, PlaysMorphTargetsOfDrivers) {
  Json caged = Json::parse(kPoints);
  caged["scene"] = 1;
  caged["meshes"][1]["primitives"][0]["targets"] = {{{"POSITION", 0}}};
  caged["accessors"].push_back({{"bufferView", 0},
                                {"byteOffset", 8},
                                {"componentType", 5126},
                                {"count", 2},
                                {"type", "SCALAR"},
                                {"min", {0}},
                                {"max", {1}}});
  caged["animations"] = {{{"name", "grow"},
                          {"samplers", {{{"input", 3}, {"output", 3}}}},
                          {"channels", {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "weights"}}}}}}}};
  write("caged.gltf", caged.dump());
  write("rig.json", kCagedRig);
  done("bind caged.gltf --rig rig.json -o caged.pelt");
  const Json info = Json::parse(done("info caged.pelt --json"));
  ASSERT_EQ(info["inputs"]["controls"].size(), 1u);
  EXPECT_EQ(info["inputs"]["controls"][0]["name"], "cage/target_0");
  EXPECT_EQ(info["inputs"]["controls"][0]["clips"], Json({"grow"}));
  EXPECT_EQ(info["inputs"]["controls"][0]["rest"], 0.0);
  EXPECT_THAT(done("info caged.pelt"), testing::ContainsRegex("cage/target_0 +0  grow"));
  done("deform caged.pelt --clip grow --frames 0:2 --fps 2 --backend cpu -o grown.pc2");
  const Pc2 grown = read_pc2(folder / "grown.pc2");
  ASSERT_EQ(grown.frames.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<glm::vec3> expected = grown.frames[0];
    for (glm::vec3& p : expected) p *= 1 + 0.5f * static_cast<float>(i);
    EXPECT_LT(farthest(grown.frames[i], expected), 1e-4f) << i;
  }
}

TEST_F(Pelt, TakesVrm) {
  Json person = Json::parse(kPoints);
  person["scene"] = 1;
  person["meshes"][1]["primitives"][0]["targets"] = {{{"POSITION", 0}}};
  person["extensions"]["VRMC_vrm"] = {
      {"humanoid", {{"humanBones", {{"head", {{"node", 1}}}}}}},
      {"expressions", {{"preset", {{"happy", {{"morphTargetBinds", {{{"node", 1}, {"index", 0}}}}}}}}}}};
  write("person.vrm", person.dump());
  const Json model = Json::parse(done("info person.vrm --json"));
  EXPECT_EQ(model["expressions"], Json({"happy"}));
  EXPECT_EQ(model["human_bones"], Json({"head"}));
  EXPECT_THAT(done("info person.vrm"), HasSubstr("1 human bone, 1 expression"));
  done("bind person.vrm --deformer linear-blend -o person.pelt");
  const Json control = Json::parse(done("info person.pelt --json"))["inputs"]["controls"][0];
  EXPECT_EQ(control["name"], "happy");
  EXPECT_EQ(control["kind"], "expression");
}

// The limb's clip "twist" turns by 90 degrees a second, a whole turn in all.
TEST_F(Pelt, PlaysTwistsBeyondHalfATurn) {
  done("bind builtin:limb --deformer curve-skeleton -o limb.pelt");
  const Character limb = load_pelt((folder / "limb.pelt").string()).value();
  std::vector<glm::mat4> joints(limb->skeleton.joints.size());
  rest_matrices(limb->skeleton, joints);
  Evaluator evaluator(limb);
  for (const int quarters : {1, 3, 4}) {
    const float angle = static_cast<float>(quarters) * glm::half_pi<float>();
    std::vector<glm::mat4> turned = joints;
    turned.back() *= glm::mat4_cast(glm::angleAxis(angle, glm::vec3(1, 0, 0)));
    evaluator.pose(turned);
    evaluator.control(limb->find_control("twist/joint").value(), angle);
    evaluator.evaluate();
    std::vector<glm::vec3> expected(limb->meshes.front().vertex_count());
    to_source_order<glm::vec3>(limb->meshes.front(), evaluator.positions(), expected);
    done("deform limb.pelt --clip twist --time " + std::to_string(quarters) + " --backend cpu -o twisted.obj");
    const Model twisted = import_model((folder / "twisted.obj").string()).value();
    EXPECT_LT(farthest(twisted.meshes.front().positions, expected), 1e-4f) << quarters;
  }
}

// -------------------------------------------------------------------------------------------------------------- render

TEST_F(Pelt, DrawsWhatIsAsked) {
  done("bind builtin:limb -o limb.pelt");
  const std::string small = " --validate --size 160x90 -o ";
  EXPECT_THAT(done("render limb.pelt" + small + "plain.png"),
              testing::ContainsRegex("within [0-9.]+e-0[6-9] of the size of the CPU's"));
  const std::string plain = file_text(folder / "plain.png");
  ASSERT_GT(plain.size(), 24u);
  EXPECT_EQ(plain.substr(16, 8), std::string("\0\0\0\xA0\0\0\0\x5A", 8));  // width and height of the header
  const Json info = Json::parse(done("info limb.pelt --json"));
  const std::string joint = info["joints"].back();
  std::set<std::string> pictures{plain};
  for (const std::string option : {"--wire", "--driver", "--compare linear-blend", "--yaw 90", "--pitch 60"}) {
    done("render limb.pelt " + option + small + "other.png");
    EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second) << option << " changes nothing";
  }
  done("render limb.pelt --weights " + joint + small + "other.png");
  EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second);
  done("render limb.pelt --weights 0" + small + "other.png");
  EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second);
  for (const std::string what : {"unbound", "distance", "influences"}) {
    done("render limb.pelt --show " + what + small + "other.png");
    EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second) << what;
  }
  done("bind builtin:limb --deformer linear-blend -o blend.pelt");
  EXPECT_THAT(failure("render blend.pelt --show distance -o x.png"), HasSubstr("blend.pelt: there is no driver"));
  EXPECT_THAT(failure("render limb.pelt --weights none -o x.png"), HasSubstr("there is no joint 'none'"));
  EXPECT_THAT(failure("render limb.pelt --weights 999999 -o x.png"), HasSubstr("999999"));
  EXPECT_THAT(failure("render limb.pelt --device none -o x.png"), HasSubstr("none"));
}

// --------------------------------------------------------------------------------------------------------------- bench

TEST_F(Pelt, MeasuresEveryDeformer) {
  const Json result = Json::parse(done("bench --vertices 2000 --instances 3 --rounds 2 --validate --json"));
  std::set<std::string> rows;
  for (const Json& row : result["rows"]) {
    rows.insert(row["backend"].get<std::string>() + " " + row["method"].get<std::string>());
    EXPECT_GT(row["vertices_per_second"], 0.0) << row;
    EXPECT_GT(row["copy_bytes_per_second"], 0.0) << row;
    EXPECT_GT(row["bytes_in_per_vertex"], 20.0) << row;
    EXPECT_GE(row["bytes_out_per_vertex"], 20.0) << row;
    EXPECT_LT(row["error"], 1e-5) << row;
    EXPECT_LE(row["seconds"]["low_quartile"], row["seconds"]["median"]) << row;
    EXPECT_TRUE(row.contains("time_of_linear_blend_4")) << row;
    if (row["method"] == "linear blend, 4") {
      EXPECT_EQ(row["time_of_linear_blend_4"], 1.0) << row;
    }
    EXPECT_EQ(row.contains("palette_seconds"), row["backend"] == "cpu") << row;
  }
  for (const std::string backend : {"cpu", "gpu"}) {
    for (const std::string method :
         {"linear blend, 4", "dual quaternion, 4", "surface FFD, K = 8", "curve skeleton", "mos"}) {
      EXPECT_TRUE(rows.contains(backend + " " + method)) << backend << " " << method;
    }
  }
  ASSERT_EQ(result["kernels"].size(), 8u);
  for (const Json& kernel : result["kernels"]) {
    EXPECT_LT(kernel["error"], 1e-5) << kernel;
    if (!kernel["normal_error"].is_null()) {
      EXPECT_LT(kernel["normal_error"], 1e-4) << kernel;
    }
  }
}

TEST_F(Pelt, MeasuresBinding) {
  const Json result = Json::parse(done("bench --bind --vertices 20000 --rounds 2 --json"));
  const std::vector<std::string> methods{"surface FFD, driver given", "surface FFD, driver made", "curve skeleton",
                                         "mos", "mos, inverse distance"};
  ASSERT_EQ(result["bind"].size(), 2 * methods.size());
  for (std::size_t i = 0; i < 2 * methods.size(); ++i) {
    const Json& row = result["bind"][i];
    EXPECT_EQ(row["method"], methods[i % methods.size()]);
    const double vertices = i < methods.size() ? 2000 : 20'000;
    EXPECT_NEAR(row["vertices"].get<double>(), vertices, 0.25 * vertices);
    EXPECT_GT(row["influences"], 1.0);
    EXPECT_GT(row["vertices_per_second"], 0.0);
    if (!row["peak_bytes_per_vertex"].is_null()) {
      EXPECT_GT(row["peak_bytes_per_vertex"], 20.0) << "less than the result holds";
    }
  }
  EXPECT_FALSE(result.contains("rows"));
  EXPECT_THAT(failure("bench --bind --backend cpu", 2), HasSubstr("--bind"));
}

TEST_F(Pelt, MeasuresCrowds) {
  const Json result = Json::parse(done("bench --crowd --instances 10 --rounds 2 --validate --json"));
  const std::vector<std::string> crowds{"biped, linear blend", "biped, surface FFD", "mix of four characters"};
  ASSERT_EQ(result["crowds"].size(), 2 * crowds.size());
  for (std::size_t c = 0; c < crowds.size(); ++c) {
    const Json& least = result["crowds"][2 * c];
    const Json& most = result["crowds"][2 * c + 1];
    const bool mix = c + 1 == crowds.size();
    EXPECT_EQ(least["instances"], mix ? 4 : 1);
    EXPECT_EQ(most["instances"], mix ? 12 : 10);
    EXPECT_EQ(least["seconds_per_vertex_of_least"], 1.0);
    for (const Json& row : {least, most}) {
      EXPECT_EQ(row["crowd"], crowds[c]);
      EXPECT_LT(row["error"], 1e-5) << row;
      EXPECT_GT(row["seconds"]["median"], 0.0) << row;
      EXPECT_GT(row["host_seconds"]["median"], 0.0) << row;
      EXPECT_EQ(row["dispatches"], least["dispatches"]) << row;
      EXPECT_EQ(row["barriers"], least["barriers"]) << row;
    }
  }
  EXPECT_FALSE(result.contains("rows"));
  EXPECT_THAT(failure("bench --crowd --bind", 2), HasSubstr("--bind"));
  EXPECT_THAT(failure("bench --crowd --vertices 2000", 2), HasSubstr("--vertices"));
}

}  // namespace
}  // namespace pelt
