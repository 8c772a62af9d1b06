// SPDX-License-Identifier: MIT
// Tests pelt bind and pelt learn.
#include <fmt/format.h>

#include <pelt/import.h>
#include <pelt/pelt_file.h>

#include "tests/samples/pelt/pelt_program.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

using testing::HasSubstr;

using test::file_text;

TEST_F(Pelt, PrintsItsReport) {
  const Json report = json("bind builtin:limb -o first.pelt");
  EXPECT_EQ(report["output"], "first.pelt");
  EXPECT_EQ(report["bytes"], std::filesystem::file_size(folder / "first.pelt"));
  ASSERT_EQ(report["meshes"].size(), 2u);
  EXPECT_EQ(report["meshes"][1]["deformer"], "surface_ffd");
  EXPECT_GT(report["meshes"][1]["mean_influences"], 1.0);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(Pelt, SaysWhichSkinsHaveTheModelsWeights) {
  done("bind builtin:limb -o limb.pelt");
  const Json info = json("info limb.pelt");
  EXPECT_EQ(info["meshes"][0]["painted"], false) << "a driver";
  EXPECT_EQ(info["meshes"][1]["painted"], true);
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
  const Json info = json("info limb.pelt");
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
  EXPECT_THAT(done("bind builtin:limb --rig half.json --verbose -o limb.pelt"),
              HasSubstr("limb: " + std::to_string(unbound.size()) + " on linear blend"));
}

TEST_F(Pelt, WritesTheRigThatWasUsed) {
  EXPECT_THAT(done("bind builtin:limb --write-rig used.json -o limb.pelt"),
              testing::AllOf(HasSubstr(": no defect\ncreases to look at; "),
                             HasSubstr("\nsee them: pelt_viewer used.json --model builtin:limb, tab Report\n"),
                             HasSubstr("'limb', moved by surface-ffd\n")));
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
  EXPECT_EQ(json("info other/place/rig.json")["rig"]["layers"][0]["parameters"]["driver"]["file"],
            "../../rigs/cage.obj");
  // A rig is not trusted with files outside of its folder.
  fails("bind builtin:limb --rig other/place/rig.json -o no.pelt",
        "the name of the file '../../rigs/cage.obj' leaves the folder");
  done("bind builtin:limb --rig other/place/rig.json --any-file -o again.pelt");
  write("rigs/rig.json", R"({"format": "pelt-rig 1", "layers": [
    {"deformer": "hierarchical_bspline", "parameters": {"file": "cage.obj"}}]})");
  done("bind builtin:limb --rig rigs/rig.json --write-rig other/place/rig.json -o limb.pelt");
  fails("bind builtin:limb --rig other/place/rig.json -o no.pelt", "leaves the folder");
  done("bind builtin:limb --rig other/place/rig.json --any-file -o again.pelt");
}

TEST_F(Pelt, ReadsNoFilesThatOthersNameWithoutLeave) {
  std::filesystem::create_directories(folder / "rigs");
  write("secret.obj", "v 0 0 top-secret-token\nf 1 2 3\n");
  write("rigs/cage.obj", "v 0 -2 -2\nv 0 2 -2\nv 0 0 3\nv 8 0 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
  const auto write_rig = [&](const std::string& layer) {
    write("rigs/rig.json", R"({"format": "pelt-rig 1", "layers": [)" + layer + "]}");
  };
  std::filesystem::create_symlink(folder / "secret.obj", folder / "rigs/link.obj");
  std::filesystem::create_directory_symlink(folder.path(), folder / "rigs/up");
  const std::string absolute = (folder / "secret.obj").string();
  for (const std::string& name :
       {std::string("../secret.obj"), absolute, std::string("link.obj"), std::string("up/secret.obj")}) {
    for (const std::string layer :
         {R"("deformer": "surface_ffd", "parameters": {"driver": {"file": "NAME"}})",
          R"("deformer": "hierarchical_bspline", "parameters": {"file": "NAME"})",
          R"("deformer": "mos", "parameters": {"strategy": "catmull_clark", "cage_file": "NAME"})"}) {
      std::string named = "{" + layer + "}";
      named.replace(named.find("NAME"), 4, name);
      write_rig(named);
      EXPECT_THAT(failure("bind builtin:limb --rig rigs/rig.json -o x.pelt"),
                  testing::AllOf(HasSubstr("the name of the file '" + name + "' lea"), HasSubstr("--any-file")));
      // Files that are read by leave are not quoted.
      EXPECT_THAT(
          failure("bind builtin:limb --rig rigs/rig.json --any-file -o x.pelt"),
          testing::AllOf(HasSubstr(".obj:1: coordinate 3 must be a number"), testing::Not(HasSubstr("top-secret"))));
    }
  }
}

// --any-file also allows the other commands what it allows bind.
TEST_F(Pelt, ReadsFilesThatOthersNameByLeaveInEveryCommand) {
  std::filesystem::create_directories(folder / "rigs");
  write("cage.obj", "v 0 -2 -2\nv 0 2 -2\nv 0 0 3\nv 8 0 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
  write("rigs/rig.json", R"({"format": "pelt-rig 1", "layers": [
    {"deformer": "surface_ffd", "parameters": {"driver": {"file": "../cage.obj"}}}]})");
  for (const std::string command : {"quality --rig rigs/rig.json --deformer linear-blend --radius 1",
                                    "quality --model builtin:limb --deformer dual-quaternion --rig rigs/rig.json"}) {
    fails(command, "'../cage.obj' leaves the folder");
    done(command + " --any-file");
  }

  // A tetrahedron, of 4 positions and 4 triangles, whose buffer is a symbolic link.
  const float places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::uint8_t corners[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  std::string bytes(reinterpret_cast<const char*>(places), sizeof(places));
  bytes.append(reinterpret_cast<const char*>(corners), sizeof(corners));
  write("mesh.bin", bytes);
  std::filesystem::create_symlink(folder / "mesh.bin", folder / "rigs/link.bin");
  write("rigs/mesh.gltf", R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                   "min": [0, 0, 0], "max": [1, 1, 1]},
                  {"bufferView": 0, "byteOffset": 48, "componentType": 5121, "count": 12, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 60}], "buffers": [{"byteLength": 60, "uri": "link.bin"}]})");
  for (const std::string command :
       {"info rigs/mesh.gltf", "skeleton rigs/mesh.gltf -o x.glb", "quality --model rigs/mesh.gltf"}) {
    fails(command, "'link.bin' leads out of the folder");
  }
  done("info rigs/mesh.gltf --any-file");
  done("skeleton rigs/mesh.gltf --resolution 32 --any-file -o x.glb");
  fails("quality --model rigs/mesh.gltf --any-file", "no joint that moves");
}

// A surface that is made of the skin is written out, to be edited, and moves the skin as it did.
TEST_F(Pelt, WritesTheSurfaceThatWasMade) {
  done("bind builtin:limb --deformer hierarchical-bspline --no-check --write-rig surface.json -o first.pelt");
  const Json surface = Json::parse(file_text(folder / "surface.json"))["layers"][0]["parameters"];
  EXPECT_FALSE(surface["control"].empty());
  EXPECT_FALSE(surface["faces"].empty());
  done("bind builtin:limb --rig surface.json --write-rig again.json -o again.pelt");
  EXPECT_EQ(file_text(folder / "again.json"), file_text(folder / "surface.json"));
  EXPECT_EQ(moved(*load_pelt(folder / "again.pelt"), "bend", 1), moved(*load_pelt(folder / "first.pelt"), "bend", 1));
  const std::string count = std::to_string(surface["control"].size());
  EXPECT_THAT(done("info again.pelt"), HasSubstr("level 0: " + count + " control vertices stored of " + count + "\n"));
  EXPECT_EQ(json("info again.pelt")["surfaces"][0]["vertices"], surface["control"].size());
}

// A written preset is complete: the rig gives the same character.
TEST_F(Pelt, WritesThePresetAsARig) {
  for (const std::string preset : {"limb", "biped"}) {
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

TEST_F(Pelt, PutsAGarmentOnABody) {
  write("sleeve.obj", sleeve(16, 24));
  done("bind sleeve.obj --driver builtin:limb --write-rig worn.json -o sleeve.pelt");
  const Character worn = *load_pelt(folder / "sleeve.pelt");
  EXPECT_EQ(worn->clips.size(), 2u);
  const Model shirt = *import_model((folder / "sleeve.obj").string());
  const std::vector<glm::vec3> posed = moved(worn, "bend", 1);
  ASSERT_EQ(posed.size(), shirt.meshes[0].positions.size());
  EXPECT_GT(test::farthest(posed, shirt.meshes[0].positions), 1.0f);
  const Json info = json("info sleeve.pelt");
  EXPECT_EQ(info["rig"], "garment");
  EXPECT_EQ(info["meshes"].back()["name"], "sleeve");
  EXPECT_FALSE(info["meshes"].back()["control"]);

  // The same from a .glb, with another deformer for the body, and with the rig written out.
  done("deform sleeve.pelt --time 0 --backend cpu -o sleeve.glb");
  done("bind sleeve.glb --driver builtin:limb -o from_glb.pelt");
  EXPECT_LT(test::farthest(moved(*load_pelt(folder / "from_glb.pelt"), "bend", 1), posed), 1e-4f);
  done("bind sleeve.obj --driver builtin:limb --deformer linear-blend -o blended.pelt");
  EXPECT_GT(test::farthest(moved(*load_pelt(folder / "blended.pelt"), "bend", 1), posed), 0.05f);
  done("bind sleeve.obj --driver builtin:limb --rig worn.json -o spelled.pelt");
  EXPECT_EQ(file_text(folder / "spelled.pelt"), file_text(folder / "sleeve.pelt"));

  write("points.obj", "v 0 0 0\nv 1 0 0\np 1\n");
  fails("bind sleeve.obj --driver none.glb -o x.pelt", "none.glb: no such file");
  fails("bind none.obj --driver builtin:limb -o x.pelt", "none.obj: no such file");
  fails("bind sleeve.obj --driver points.obj -o x.pelt", "no triangles to drive the garment");
  fails("bind sleeve.obj --driver worn.json -o x.pelt", "worn.json");
}

TEST_F(Pelt, SkinsAGarmentAsItsBodyIs) {
  write("sleeve.obj", sleeve(16, 24));
  EXPECT_THAT(done("bind sleeve.obj --weights-of builtin:limb --write-rig worn.json -o sleeve.pelt"),
              HasSubstr(" was chosen"));
  const Model shirt = *import_model((folder / "sleeve.obj").string());
  const std::vector<glm::vec3> posed = moved(*load_pelt(folder / "sleeve.pelt"), "bend", 1);
  ASSERT_EQ(posed.size(), shirt.meshes[0].positions.size());
  EXPECT_GT(test::farthest(posed, shirt.meshes[0].positions), 1.0f);
  // The weights are spread once, when they are taken over.
  const Json rig = Json::parse(file_text(folder / "worn.json"));
  EXPECT_EQ(rig["layers"][0]["parameters"]["driver"]["spread"], 0);

  done("bind sleeve.obj --weights-of builtin:limb --preset limb -o mos.pelt");
  done("bind sleeve.obj --weights-of builtin:limb --deformer linear-blend -o blended.pelt");
  EXPECT_GT(test::farthest(moved(*load_pelt(folder / "blended.pelt"), "bend", 1), posed), 0.05f);
  fails("bind sleeve.obj --weights-of sleeve.obj -o x.pelt", "no weights to copy");
  fails("bind sleeve.obj --weights-of builtin:limb --driver builtin:limb -o x.pelt", "excludes", 2);
}

TEST_F(Pelt, LearnsFromCaches) {
  done("deform builtin:limb --deformer surface-ffd --clip bend --frames 0:15 --fps 8 --backend cpu -o bend.pc2");
  const std::string blend = "learn builtin:limb --deformer linear-blend ", learn = blend + "--fps 8 --cache bend.pc2 ";
  const std::string printed = done(learn + "--poses bend --write-rig rig.json -o a.pelt");
  const Json certificate = Json::parse(done(learn + "--poses bend --write-rig rig.json --json -o b.pelt"));
  EXPECT_THAT(printed, HasSubstr("\nlearnt from 16 poses in 1 cache, within"));
  for (const char* row : {"base", "fitted", "held_out"}) {
    EXPECT_THAT(printed, HasSubstr(fmt::format(" {:.3f} ", 1000 * certificate[row]["rms"].get<double>()))) << row;
  }
  EXPECT_LT(certificate["fitted"]["rms"], 0.5 * certificate["base"]["rms"].get<double>());
  EXPECT_THAT(printed, testing::EndsWith("wrote a.pelt\n"));
  EXPECT_EQ(file_text(folder / "a.pelt"), file_text(folder / "b.pelt"));
  EXPECT_EQ(json("info a.pelt")["learnt"], certificate);
  EXPECT_THAT(pelt(learn + "--poses bend --progress -o c.pelt").errors, HasSubstr("% learning\n"));
  // The rig has the shapes.
  done("bind builtin:limb --rig rig.json --no-check -o c.pelt");
  const std::vector<glm::vec3> is = moved(*load_pelt(folder / "c.pelt"), "bend", 1);
  EXPECT_LT(test::farthest(is, moved(*load_pelt(folder / "a.pelt"), "bend", 1)), 1e-4f);

  write("poses.json", R"([{"joint": [0, 0]}])");
  fails(learn + "-o x.pelt", "--poses is required", 2);
  fails(learn + "--poses bend --poses twist -o x.pelt", "2 for 1 --cache", 2);
  fails(learn + "--poses bend --within 0 -o x.pelt", "'0' is not a length", 2);
  fails(learn + "--poses bent -o x.pelt", "bend.pc2: there is no clip 'bent'");
  fails(learn + "--poses poses.json -o x.pelt", "poses.json: pose 0: joint 'joint' needs");
  fails(blend + "--cache none.pc2 --poses bend -o x.pelt", "none.pc2: no such file");
  fails(learn + "--poses bend -o none/x.pelt", "none/x.pelt: ");
}

}  // namespace
}  // namespace pelt
