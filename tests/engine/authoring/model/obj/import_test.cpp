// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <pelt/gltf_export.h>
#include <pelt/import.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Result<Model> import_text(std::string_view text) {
  const test::TemporaryFolder folder;
  return import_obj(folder.write("cage.obj", text));
}

Model read_text(std::string_view text) { return test::must(import_text(text)); }

TEST(ImportObj, ReadsPositionsAndFaces) {
  const Model model = read_text(
      "# a comment\nmtllib gone.mtl\no thing\nv 0 0 0\nv 1 0 0 1\r\nv +1.5e0 1 0 0.5 0.5 0.5\n\tv 0 1 0\nvt 0 0\nvn 0 "
      "0 1\n"
      "usemtl gone\nf 1/1/1 2/1/1 3//1\nf -4 -2 4/1");
  EXPECT_EQ(model.name, "cage.obj");
  ASSERT_EQ(model.meshes.size(), 1u);
  const Mesh& mesh = model.meshes[0];
  EXPECT_EQ(mesh.name, "cage");
  EXPECT_THAT(mesh.positions, ElementsAre(glm::vec3(0), glm::vec3(1, 0, 0), glm::vec3(1.5f, 1, 0), glm::vec3(0, 1, 0)));
  EXPECT_THAT(mesh.triangles, ElementsAre(glm::uvec3(0, 1, 2), glm::uvec3(0, 2, 3)));
  EXPECT_THAT(mesh.normals, testing::Each(glm::vec3(0, 0, 1)));
  EXPECT_EQ(mesh.weights.row_count(), 0u);
  ASSERT_EQ(mesh.parts.size(), 1u);
  EXPECT_EQ(mesh.parts[0].triangle_count, 2u);
  EXPECT_TRUE(model.skeleton.joints.empty());
}

TEST(ImportObj, SaysWhatItDoesNotRead) {
  const auto notes = [](const std::string& text) {
    const Model model = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + text);
    return model.report.notes;
  };
  EXPECT_THAT(notes("# vt is a comment\n\np 1 2\n"), testing::IsEmpty());
  EXPECT_THAT(notes("v 0 60 0\nf 1 2 4\n"),
              testing::Contains("60.01 m across: is the file in centimetres, instead of metres?"));
  EXPECT_THAT(notes("f 1 2 3\n"), ElementsAre("no normals: smooth ones are made from the faces"));
  EXPECT_THAT(notes("vt 0 0\nvn 0 0 1\nvn 0 0 1\no head\ns off\ncurv2 1 2\nvt 1 1\nf 1/1/1 2/1/2 3/1/1\n"),
              ElementsAre("not read: objects (o), which become one mesh, smoothing groups (s), lines of 'curv2'"));
  EXPECT_THAT(notes("usemtl red\nf 1 2 3\n"), ElementsAre("no normals: smooth ones are made from the faces",
                                                          "materials in no file, which become grey: 'red'"));
  EXPECT_THAT(notes("mtllib a.mtl ../b.mtl\n"),
              ElementsAre(AllOf(HasSubstr("materials are not read: "), HasSubstr("a.mtl")),
                          "materials are not read: the file name '../b.mtl' leaves the folder"));
  EXPECT_THAT(notes("v 0 0 1 1\nl 1 2\n"), ElementsAre("not read: a fourth coordinate (v x y z w), lines (l)"));
  EXPECT_THAT(notes("v 0 0 1 0.5 0.5 0.5\n"), ElementsAre("not read: vertex colours (v x y z r g b)"));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "key" + std::to_string(i) + " 1\n";
  EXPECT_THAT(notes(many + "s 1\n"),
              ElementsAre("not read: smoothing groups (s), lines of 'key0', 'key1', 'key10', 'key11' and 96 more"));
}

// Two faces at an edge; corners name points in every form that the format has.
TEST(ImportObj, KeepsNormalsAndTextureCoordinates) {
  const Model model = read_text(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\n"
      "vt 0 0\nvt 1 0.25\nvt 0.5\n"
      "vn 0 0 2\nvn -1 0 0\nvn 0 0 0\n"
      "f 1/1/1 2/2/-3 3//1 4/3/1\nf 1/2/2 4/3/2 5/-1/3\n");
  const Mesh& mesh = model.meshes[0];
  const float half = std::sqrt(0.5f);
  ASSERT_EQ(mesh.normals.size(), 5u);
  EXPECT_THAT(mesh.normals, ElementsAre(glm::vec3(-half, 0, half), glm::vec3(0, 0, 1), glm::vec3(0, 0, 1),
                                        glm::vec3(-half, 0, half), glm::vec3(1, 0, 0)));
  EXPECT_THAT(mesh.uvs,
              ElementsAre(glm::vec2(0, 1), glm::vec2(1, 0.75f), glm::vec2(0), glm::vec2(0.5f, 1), glm::vec2(0.5f, 1)));
  EXPECT_THAT(model.report.notes, ElementsAre("1 vertices without normals, which get smooth ones from the faces",
                                              "2 vertices with several normals, which get their mean",
                                              "1 vertices with several texture coordinates, which get the first"));
}

// An empty index after a slash counts as missing, as if there were no slash.
TEST(ImportObj, ReadsCornersThatEndInSlashes) {
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0.5\nvt 0 1\nvn 1 0 0\nvn 0 0 1\nvn 0 1 0\n";
  for (const auto& [with, without] : {std::pair<std::string, std::string>{"f 1// 2// 3//", "f 1 2 3"},
                                      {"f 1/ 2/ 3/", "f 1 2 3"},
                                      {"f 1/1/ 2/2/ 3/3/", "f 1/1 2/2 3/3"},
                                      {"f 1//2 2// 3/3/ ", "f 1//2 2 3/3"}}) {
    const Model is = read_text(points + with);
    const Model was = read_text(points + without);
    EXPECT_EQ(is.meshes[0].normals, was.meshes[0].normals) << with;
    EXPECT_EQ(is.meshes[0].uvs, was.meshes[0].uvs) << with;
    EXPECT_EQ(is.report.notes, was.report.notes) << with;
  }
}

// Programs write NaN for faces without area.
TEST(ImportObj, TakesNormalsAndTextureCoordinatesOfNanAsMissing) {
  for (const std::string nan : {"nan", "-nan(ind)", "NaN", "inf", "-Inf", "1.#QNAN0", "-1.#IND00"}) {
    const Model model = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 " + nan + "\nvt 1 1\nvn 0 " + nan +
                                  " 0\nvn 1 0 0\nf 1/1/1 2/2/1 3/1/2\n");
    EXPECT_THAT(model.meshes[0].normals, ElementsAre(glm::vec3(0, 0, 1), glm::vec3(0, 0, 1), glm::vec3(1, 0, 0)));
    EXPECT_THAT(model.meshes[0].uvs, ElementsAre(glm::vec2(0, 1), glm::vec2(1, 0), glm::vec2(0, 1)));
    EXPECT_THAT(model.report.notes, ElementsAre("1 normals that are NaN or infinite, treated as missing",
                                                "1 texture coordinates that are NaN or infinite, treated as 0",
                                                "2 vertices without normals, which get smooth ones from the faces"));
  }
}

constexpr std::string_view kTwoFaces =
    "mtllib my materials.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\n"
    "f 1//1 2//1 3//1\nusemtl light blue\nf 1//1 3//1 4//1\nusemtl gone\nf 4//1 3//1 1//1\nusemtl light blue\n"
    "f 1//1 2//1 4//1\n";

TEST(ImportObj, ReadsMaterials) {
  const test::TemporaryFolder folder;
  folder.write("my materials.mtl",
               "# comment\nnewmtl light blue\r\nKd 0.25 0.5 1\nKs 1 x 1\nd 0.5\nmap_Kd -s 1 1 1 skin.png\n"
               "newmtl halo\nKd spectral a.rfl\nd -halo 0.1\n");
  folder.write("skin.png", std::string_view("\x89PNG\r\n\x1a\n and so on"));
  std::vector<std::filesystem::path> beside;
  const Model model = test::must(import_obj(folder.write("a.obj", kTwoFaces), &beside));
  ASSERT_EQ(model.materials.size(), 2u);
  EXPECT_EQ(model.materials[0].name, "light blue");
  EXPECT_EQ(model.materials[0].base_color, glm::vec4(0.25f, 0.5f, 1, 0.5f));
  EXPECT_EQ(model.materials[0].base_color_image, 0);
  EXPECT_EQ(model.materials[1].name, "gone");
  EXPECT_EQ(model.materials[1].base_color, Material().base_color);
  ASSERT_EQ(model.images.size(), 1u);
  EXPECT_EQ(model.images[0].name, "skin.png");
  EXPECT_EQ(model.images[0].bytes.size(), 18u);
  EXPECT_THAT(beside, ElementsAre(folder / "my materials.mtl", folder / "skin.png"));
  std::vector<std::int32_t> materials;
  for (const MeshPart& part : model.meshes[0].parts) {
    EXPECT_EQ(part.first_triangle, materials.size());
    EXPECT_EQ(part.triangle_count, 1u);
    materials.push_back(part.material);
  }
  EXPECT_THAT(materials, ElementsAre(-1, 0, 1, 0));
  EXPECT_THAT(model.report.notes, ElementsAre("materials in no file, which become grey: 'gone'"));
}

TEST(ImportObj, SkipsMarksOfUtf8AndRefusesUtf16) {
  const test::TemporaryFolder folder;
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n", uses = "usemtl red\nf 1 2 3\n";
  folder.write("red.mtl", "\xef\xbb\xbfnewmtl red\nKd 1 0 0\n");
  const auto path = folder.write("a.obj", "\xef\xbb\xbfmtllib red.mtl\n" + points + uses);
  EXPECT_EQ(test::must(import_obj(path)).materials.at(0).base_color, glm::vec4(1, 0, 0, 1));
  EXPECT_EQ(read_text("\xef\xbb\xbf" + points + "f 1 2 3\n").meshes[0].positions.size(), 3u);
  for (const std::string mark : {"\xff\xfe", "\xfe\xff"}) {
    EXPECT_THAT(import_text(mark + "v").error().message, HasSubstr("cage.obj: is UTF-16; save it as UTF-8"));
    folder.write("red.mtl", mark + "n");
    EXPECT_THAT(import_obj(path).error().message, HasSubstr("red.mtl: is UTF-16; save it as UTF-8"));
  }
}

TEST(ImportObj, ContinuesLines) {
  const Model plain =
      read_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\nf -4/1/1 -3/1/1 -2/1/1 -1/1/1\n");
  for (const std::string end : {"\\\n", "\\\r\n", "\\\r", "\\ \t\n"}) {
    const Model model =
        read_text("# C:\\cage\\\nv 0 0 0\nv 1 " + end + "0 0\nv 1 1 0\nv " + end + end + "\t0 1 0 # C:\\\nvt 0" + end +
                  " 1\nvn 0 0" + end + "1\nf -4/1/1\t-3/1/1" + end + " -2/1/1 -1/1/1 " + end);
    EXPECT_EQ(model.meshes[0].positions, plain.meshes[0].positions);
    EXPECT_EQ(model.meshes[0].normals, plain.meshes[0].normals);
    EXPECT_EQ(model.meshes[0].uvs, plain.meshes[0].uvs);
    EXPECT_EQ(model.meshes[0].triangles, plain.meshes[0].triangles);
    EXPECT_EQ(model.report.notes, plain.report.notes);
    EXPECT_THAT(import_text("v 0 " + end + end + "0 0\nv x 0 0\n").error().message, HasSubstr("cage.obj:4: coord"));
  }
}

TEST(ImportObj, SkipsCommentsBehindValues) {
  const Model model = read_text(
      "v 0 0 0 # 1 2 3\nv 1 0 0 #a\nv 0 1 0\t#\nvt 0 1 # nan\nvn 0 0 1 #nan\ng\no\ng # all\np 1 # 9\nf 1/1/1 2/1/1 "
      "3/1/1 \t # x\nf "
      "3/1/1 2/1/1 1/1/1 #x\n");
  EXPECT_EQ(model.meshes[0].triangles.size(), 2u);
  EXPECT_THAT(model.report.notes,
              ElementsAre("not read: objects (o), which become one mesh, groups (g), which become one mesh"));
}

// Returns the materials of a model as "NAME RED". `uses`: names after usemtl.
std::vector<std::string> materials_of(const std::string& library, const std::vector<std::string>& uses) {
  const test::TemporaryFolder folder;
  folder.write("m.mtl", library);
  std::string text = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (const std::string& use : uses) text += "usemtl " + use + "\nf 1 2 3\n";
  std::vector<std::string> materials;
  for (const Material& material : test::must(import_obj(folder.write("a.obj", text))).materials) {
    materials.push_back(fmt::format("{} {}", material.name, material.base_color.r));
  }
  return materials;
}

TEST(ImportObj, ReadsNamesOfMaterials) {
  EXPECT_THAT(
      materials_of("newmtl red # paint\n\tKd 1 0 0 # red\n", {"red", "red # a", "red\t# b", "\"red\"", "\\\nred"}),
      ElementsAre("red 1"));
  EXPECT_THAT(materials_of("newmtl \"a # b\"\nKd 1 \\\n0 0\n", {"\"a # b\" # c", "\"a # b\""}), ElementsAre("a # b 1"));
  // A '#' that belongs to the name.
  EXPECT_THAT(
      materials_of(
          "newmtl Material #1\nKd 0 0 0\nnewmtl Material #2\nKd 1 0 0\nnewmtl a#3\nKd 1 0 0\nnewmtl #f\nKd 1 0 0\n",
          {"Material #2", "Material #1", "a#3", "#f"}),
      ElementsAre("Material #2 1", "Material #1 0", "a#3 1", "#f 1"));
  // The file decides whether it does.
  EXPECT_THAT(materials_of("newmtl red\nKd 1 0 0\n", {"red #paint"}), ElementsAre("red 1"));
}

TEST(ImportObj, ReadsNamesOfFiles) {
  for (const std::string line : {"\"my red.mtl\"", "my red.mtl # x", "\"my red.mtl\" # x", "gone.mtl \"my red.mtl\"",
                                 "my \\\nred.mtl", "sub\\other.mtl", "\"sub\\other.mtl\" #x", "sub/other.mtl #x"}) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "sub");
    for (const std::string file : {"my red.mtl", "sub/other.mtl"}) {
      folder.write(file, "newmtl red\nKd 1 0 0\nmap_Kd -s 1 1 1 \"sub\\a skin.png\" # x\n");
    }
    folder.write("sub/a skin.png", "\x89PNG\r\n\x1a\n");
    const Model model = test::must(
        import_obj(folder.write("a.obj", "mtllib " + line + "\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n")));
    EXPECT_EQ(model.materials.at(0).base_color, glm::vec4(1, 0, 0, 1)) << line;
    EXPECT_EQ(model.images.size(), 1u) << line;
  }
}

TEST(ImportObj, NotesDigitsThatRoundingTakes) {
  const auto notes = [](double x, double size, double other) {
    const Model model = read_text(
        fmt::format("v {} 0 0\nv {} 0 0\nv {} {} 0\nv {} 0 0\nf 1 2 3\n", x + 0.0101, x + size, x, size, other));
    return model.report.notes;
  };
  EXPECT_THAT(notes(4e6, 1, 0),
              testing::Contains("'cage.obj' is so far from the origin that rounding moves vertices by up to 0.01, at a "
                                "size of 1.4; move it to the origin before export"));
  EXPECT_EQ(notes(4e4, 20, 0).size(), 1u);
  EXPECT_EQ(notes(100, 1, 4e6 + 0.1).size(), 1u);  // in no face
}

TEST(ImportObj, MakesNamesUtf8) {
  const test::TemporaryFolder folder;
  folder.write("m.mtl", "newmtl caf\xe9\nKd 1 0 0\nmap_Kd \xe9.png\n");
  folder.write("\xe9.png", "\x89PNG\r\n\x1a\n");
  const std::string obj = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl caf\xe9\nf 1 2 3\n";
  const Model model = test::must(import_obj(folder.write("caf\xe9.obj", obj)));
  EXPECT_EQ(model.name, "caf\ufffd.obj");
  EXPECT_EQ(model.meshes[0].name, "caf\ufffd");
  EXPECT_EQ(model.materials[0].name, "caf\ufffd");
  EXPECT_EQ(model.materials[0].base_color, glm::vec4(1, 0, 0, 1));
  test::must(format_glb(model));
}

TEST(ImportObj, ClampsColors) {
  const test::TemporaryFolder folder;
  folder.write("my materials.mtl", "newmtl   light blue\nKd -1 0.5 3e5\nd 2\nnewmtl\nnewmtl gone\nKd 0 1 0\nTr 1\n");
  const Model model = test::must(import_obj(folder.write("a.obj", kTwoFaces)));
  EXPECT_EQ(model.materials[0].base_color, glm::vec4(0, 0.5f, 1, 1));
  EXPECT_EQ(model.materials[1].base_color, glm::vec4(0, 1, 0, 0));
  EXPECT_THAT(model.report.notes,
              ElementsAre("materials with colour or opacity outside 0 to 1, which are clamped: 'light blue'"));
}

TEST(ImportObj, NotesTexturesThatItDoesNotRead) {
  for (const std::string name : {"gone.png", "../skin.png", "C:\\skin.png", "text.png"}) {
    const test::TemporaryFolder folder;
    folder.write("text.png", "no image");
    folder.write("my materials.mtl", "newmtl light blue\nmap_Kd " + name + "\nnewmtl gone\nTr 0.25\n");
    const Model model = test::must(import_obj(folder.write("a.obj", kTwoFaces)));
    EXPECT_TRUE(model.images.empty());
    EXPECT_EQ(model.materials[0].base_color_image, -1);
    EXPECT_FLOAT_EQ(model.materials[1].base_color.a, 0.75f);
    EXPECT_THAT(model.report.notes, ElementsAre("textures that are not read: '" + name + "'"));
  }
}

TEST(ImportObj, FollowsNoLinkOutOfItsFolder) {
  const test::TemporaryFolder folder;
  folder.write("secret.mtl", "newmtl red\nKd 1 0 0\n");
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink(folder / "secret.mtl", folder / "sub/link.mtl");
  const auto path = folder.write("sub/a.obj", "mtllib link.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n");
  const Model model = test::must(import_obj(path));
  EXPECT_THAT(model.report.notes, testing::Contains("materials are not read: the file name 'link.mtl' leads out of "
                                                    "the folder by a symbolic link"));
  const Model by_leave = test::must(import_obj(path, nullptr, NamedFiles::kAnywhere));
  EXPECT_EQ(by_leave.materials.at(0).base_color, glm::vec4(1, 0, 0, 1));
}

TEST(ImportObj, NamesTheLineOfAMaterialThatIsWrong) {
  for (const auto& [text, why] :
       {std::pair<std::string, std::string>{"newmtl a\nKd 0 red 0\n", ":2: number 2 of Kd must be a number within"},
        {"newmtl a\nKd 0 0\n", ":2: Kd has 2 numbers and needs 3"},
        {"newmtl a\n\nd\n", ":3: d has 0 numbers and needs 1"},
        {"newmtl a\nTr 1e99\n", ":2: number 1 of Tr must be a number within"},
        {"Kd nan 0 0\n", ":1: number 1 of Kd must be a number within"},
        {std::string("newmtl \0a\n", 10), ":1: contains a zero byte"}}) {
    const test::TemporaryFolder folder;
    folder.write("my materials.mtl", text);
    EXPECT_TRUE(test::refused(import_obj(folder.write("a.obj", kTwoFaces)), "my materials.mtl" + why)) << text;
  }
}

TEST(ImportObj, SplitsPolygons) {
  const Model model = read_text("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\nf 1 2 3 4 5\n");
  EXPECT_EQ(model.meshes[0].triangles.size(), 3u);
}

TEST(ImportObj, NamesTheLineThatIsWrong) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> defects{
      {"cage.obj:1: coordinate 2 must be a number within 1e+12 of 0",
       {"v 0 nan 0\n", "v 0 inf 0\n", "v 0 1e39 0\n", "v 0 1,5 0\n", "vn 0 x 0\n", "vn 0 1e400 1\n", "vt 0 1e39\n"}},
      {"cage.obj:1: coordinate 3 must be a number within 1e+12 of 0",
       {"v 0 0 -1e13\n", "v 0 0 +-1\n", "v 0 0 1" + std::string(400, '0') + "e-400\n"}},
      {"cage.obj:1: 2 coordinates, but 3 are needed", {"v 0 0\n", "vn 0 1\n"}},
      {"cage.obj:1: 0 coordinates, but 1 are needed", {"vt\n"}},
      {"cage.obj:4: contains a zero byte", {corners + "f 1 2" + std::string(1, '\0') + " 3\n"}},
      {"cage.obj:4: 2 corners, but 3 are needed", {corners + "f 1 2\n"}},
      {"cage.obj:4: corner 3 names no vertex",
       {corners + "f 1 2 0\n", corners + "f 1 2 x\n", corners + "f 1 2 99999999999\n", corners + "f 1 2 3/1/1/1\n",
        corners + "f 1 2 3/x\n", corners + "f 1 2 3/0\n"}},
      {"cage.obj:4: names vertex 0, but there are only 3", {corners + "f 1 2 -4\n"}},
      {"cage.obj:4: names vertex 4, but there are only 3", {corners + "p 1 4\nl 1 3\n"}},
      {"cage.obj:4: point 1 names no vertex", {corners + "p 0\n", corners + "p a\n", corners + "l -4 1\n"}},
      {"cage.obj:6: names vertex 4, but there are only 3", {corners + "\n# comment\r\nf 1 2 4\n"}},
      {"cage.obj:5: names texture coordinates 2, but there are only 1", {corners + "vt 0 0\nf 1/1 2/1 3/2\n"}},
      {"cage.obj:5: names texture coordinates 0, but there are only 1", {corners + "vt 0 0\nf 1/1 2/1 3/-2\n"}},
      {"cage.obj:5: names normal 9, but there are only 1", {corners + "vn 0 0 1\nf 1//1 2//1 3//9\n"}},
      {"cage.obj:6: names normal 0, but there are only 1", {corners + "f 1//1 2 3\nvn 0 0 1\nf 1 2 3//-2\n"}},
      {"has no vertex", {"", "# nothing\n"}},
  };
  for (const auto& [why, texts] : defects) {
    for (const std::string& text : texts) {
      const auto model = import_text(text);
      ASSERT_FALSE(model) << text;
      EXPECT_THAT(model.error().message, HasSubstr(why)) << text;
    }
  }
}

TEST(ImportObj, ReadsPointsAndLinesAsVertices) {
  const std::string positions = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\n";
  for (const std::string elements : {"", "p 1\np 2 3 4\n", "l 1/1 2/2 -1\n"}) {
    const Model model = read_text(positions + elements);
    const Mesh& mesh = model.meshes.at(0);
    EXPECT_EQ(mesh.positions.size(), 4u);
    EXPECT_TRUE(mesh.triangles.empty());
    EXPECT_TRUE(mesh.parts.empty());
    EXPECT_THAT(mesh.normals, testing::Each(glm::vec3(0, 0, 1)));
  }
  // The same next to faces.
  const Model both = read_text(positions + "p 4\nf 1 2 3\n");
  EXPECT_EQ(both.meshes[0].positions.size(), 4u);
  EXPECT_EQ(both.meshes[0].triangles.size(), 1u);
}

TEST(ImportObj, BoundsTheCornersOfAFace) {
  std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf";
  for (int i = 0; i < 1001; ++i) text += " 1";
  EXPECT_EQ(import_text(text).error().code, ErrorCode::kUnsupported);
}

// A thin strip along an arc, of which ears are found late: its splitting takes time by the cube of its corners.
TEST(ImportObj, BoundsTheSplittingOfPolygons) {
  constexpr int kSide = 500;
  std::string text;
  for (int i = 0; i < 2 * kSide; ++i) {
    const double angle = (i < kSide ? i : 2 * kSide - 1 - i) * 3.0 / kSide;
    const double radius = i < kSide ? 1 : 1.0001;
    text += fmt::format("v {} {} 0\n", radius * std::cos(angle), radius * std::sin(angle));
  }
  std::string face = "f";
  for (int i = 1; i <= 2 * kSide; ++i) face += fmt::format(" {}", i);
  const auto with_faces = [&](int count) {
    std::string all = text;
    for (int f = 0; f < count; ++f) all += face + "\n";
    return import_text(all);
  };
  EXPECT_TRUE(with_faces(1));
  EXPECT_TRUE(test::refused(with_faces(12), ErrorCode::kUnsupported,
                            "cage.obj: its polygons, of up to 1000 corners, take too long to split"));
}

TEST(ImportModel, ChoosesByName) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(import_model(folder.write("a.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").string()));
  EXPECT_TRUE(import_model(folder.write("a.gltf", test::GltfFile::triangle().text()).string()));
  EXPECT_TRUE(import_model(folder.write("a.glb", test::GltfFile::triangle().glb()).string()));
  EXPECT_THAT(import_model("a.fbx").error().message, HasSubstr(".gltf, .glb, .vrm or .obj"));
  EXPECT_EQ(import_model("gone.glb").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(import_model("").error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace pelt
