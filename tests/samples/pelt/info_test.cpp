// SPDX-License-Identifier: MIT
// Tests pelt info.
#include "samples/pelt/table.h"
#include "tests/samples/pelt/pelt_program.h"

namespace pelt {
namespace {

using testing::HasSubstr;

TEST_F(Pelt, SaysWhatIsInAFile) {
  write("rig.json", R"({"format": "pelt-rig 1", "layers": [{"deformer": "surface_ffd"}]})");
  done("bind builtin:tail --rig rig.json -o 'a tail.pelt'");
  EXPECT_EQ(json("info builtin:tail")["kind"], "model");
  EXPECT_EQ(json("info rig.json")["kind"], "rig");
  const Json character = json("info 'a tail.pelt'");
  EXPECT_EQ(character["kind"], "character");
  EXPECT_EQ(character["joints"].size(), 8u);
  EXPECT_EQ(character["meshes"].size(), 2u);
  EXPECT_THAT(done("info builtin:tail"), HasSubstr("joints: 8"));
  EXPECT_THAT(done("info 'a tail.pelt'"), HasSubstr("surface-ffd"));
  EXPECT_THAT(done("info rig.json"), HasSubstr("surface-ffd"));
  write("rig.json", R"({"format": "pelt-rig 1", "groups": [{"name": "tip", "vertices": []}],
                        "layers": [{"deformer": "surface-ffd", "mask": {"group": "tip"}}]})");
  EXPECT_THAT(done("info rig.json"), testing::ContainsRegex("    0  \\*  +surface-ffd +1  tip\n"));
  fails("bind 'a tail.pelt' -o x.pelt", "a tail.pelt: is bound already");
  fails("info hero.fbx", "docs/blender.md#fbx");
  fails("info builtin:tial", "tail");
  fails("info none.glb", "none.glb: no such file");
}

TEST(Tables, HaveNoNegativeZero) {
  EXPECT_EQ(samples::table_of(samples::Json::array({{{"x", -1e-5}}, {{"x", -0.5}}}), {{"at", "x", "{:.1f}"}}),
            "    at\n   0.0\n  -0.5\n");
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
  const std::string color = "vertex attributes, which only masks and pictures of the model use: COLOR_0 of 'face'";
  const std::string info = done("info face.gltf");
  EXPECT_THAT(info, HasSubstr("\na character carries: 1 mesh with normals, 1 with weights, 1 joint, 1 base colour\n"));
  EXPECT_THAT(info, HasSubstr("\nnot carried: " + color + "\nnote: "));
  EXPECT_THAT(info, HasSubstr("double sides of 1 material"));
  EXPECT_EQ(json("info face.gltf")["not_carried"], Json::array({color}));
  const std::string bound = done("bind face.gltf --deformer linear-blend --verbose -o face.pelt");
  EXPECT_THAT(bound, HasSubstr("\nnote: not carried: " + color + "\nnote: "));
  const Json report = Json::parse(done("bind face.gltf --deformer linear-blend --json -o face.pelt"));
  EXPECT_EQ(report["notes"], Json::array({"not carried: " + color}));
  EXPECT_THAT(report["import_notes"].dump(), HasSubstr("double sides of 1 material"));
  EXPECT_EQ(json("info builtin:limb")["not_carried"], Json::array());
}

TEST_F(Pelt, TellsAModelThatDoesNotBendOfASkeleton) {
  const std::string help = "'pelt skeleton' adds joints and weights to a skin";
  write("statue.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_THAT(done("info statue.obj"), HasSubstr("note: no mesh has weights; " + help));
  for (const std::string deformer : {"surface-ffd", "linear-blend", "dual-quaternion", "curve-skeleton", "mos"}) {
    fails("bind statue.obj --deformer " + deformer + " -o x.pelt",
          "statue.obj: no mesh has weights; " + help + " (layer 0 (");
  }
  for (const std::string rig : {"", " --preset biped"}) {
    EXPECT_THAT(failure("bind statue.obj" + rig + " -o x.pelt"),
                testing::EndsWith("statue.obj: no mesh has weights; " + help + "\n"));
  }
  write("statue.gltf", kSmiling);
  const std::string rigid = "note: no mesh bends, since each follows a single joint; " + help;
  EXPECT_THAT(done("info statue.gltf"), HasSubstr(rigid));
  EXPECT_THAT(done("bind statue.gltf -o x.pelt"),
              testing::AllOf(HasSubstr(rigid), HasSubstr("note: linear-blend was chosen: every part of the skin"),
                             testing::Not(HasSubstr("moves nothing"))));
  EXPECT_THAT(done("info builtin:limb"), testing::Not(HasSubstr(help)));
  EXPECT_THAT(done("bind builtin:limb -o x.pelt"), testing::Not(HasSubstr(help)));
}

}  // namespace
}  // namespace pelt
