// SPDX-License-Identifier: MIT
#include "samples/viewer/document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <span>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/gltf_export.h>
#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/rig_json.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

const Pointer kLocal("/layers/0/parameters/local");

// Returns a rig of surface-oriented FFD with the falloff exponent `local`.
std::string rig_text(double local) {
  return R"({"format": "pelt-rig 1", "layers": [{"deformer": "surface_ffd", "parameters": {"local": )" +
         std::to_string(local) + "}}]}";
}

Document opened(const std::string& file, const std::string& model = "") {
  return test::must(Document::open(file, model));
}

Json with(const Document& document, const Pointer& at, const Json& value) {
  Json json = document.rig_json();
  json[at] = value;
  return json;
}

// Returns true if anything had changed on disk, and takes the change.
Result<bool> reload_if_changed(Document& document, double seconds) {
  const std::optional<Document::Read> read = document.changed_on_disk(seconds);
  if (!read) return false;
  PELT_ASSIGN(auto reread, (*read)());
  document.take(std::move(reread));
  return true;
}

double local(const Document& document) { return document.rig_json()[kLocal].get<double>(); }

// Makes a file old enough for any later write to have another time.
void age(const std::filesystem::path& path) {
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - std::chrono::hours(1));
}

TEST(Document, AModelAloneGetsARigOfTheDeformer) {
  const Document document = test::must(Document::open("builtin:limb", "", "mos"));
  EXPECT_EQ(document.title(), "builtin:limb");
  EXPECT_EQ(document.model()->meshes.size(), 1u);
  EXPECT_EQ(document.rig_json()["layers"][0]["deformer"], "mos");
  EXPECT_EQ(document.rig_json()["layers"][0]["parameters"]["points_per_bone"], 2);  // every default is written out
  EXPECT_EQ(document.rig(), *rig_from_deformer_name("mos"));
  EXPECT_FALSE(document.modified());
  EXPECT_TRUE(document.rig_path().empty());
}

TEST(Document, ARigNeedsAModel) {
  const test::TemporaryFolder folder;
  folder.write("arm.json", rig_text(3));
  EXPECT_TRUE(test::refused(Document::open(folder / "arm.json"), ErrorCode::kInvalidArgument));
  const Document document = opened(folder / "arm.json", "builtin:limb");
  EXPECT_EQ(document.title(), "arm.json");
  EXPECT_EQ(document.rig_path(), folder / "arm.json");
  EXPECT_EQ(local(document), 3);
}

TEST(Document, OfAPeltFileIsItsModelAndItsRig) {
  const test::TemporaryFolder folder;
  const Model model = make_limb({.around = 12, .along = 12});
  Rig rig = *rig_from_deformer_name("surface_ffd");
  rig.layers[0].deformer.get<SurfaceFfdParameters>().local = 2.5f;
  ASSERT_TRUE(save_pelt(test::bound(model, rig).character, folder / "limb.pelt"));

  Document document = opened(folder / "limb.pelt");
  EXPECT_EQ(document.title(), "limb.pelt");
  EXPECT_EQ(local(document), 2.5);
  EXPECT_EQ(document.model()->meshes[0].positions.size(), model.meshes[0].positions.size());
  EXPECT_TRUE(document.rig_path().empty());
  EXPECT_TRUE(bind(*document.model(), document.rig()));

  // The rig gets a file of its own; then a change of the .pelt file changes only the model.
  ASSERT_TRUE(document.edit(with(document, kLocal, 5)));
  ASSERT_TRUE(document.save(folder / "limb.json"));
  age(folder / "limb.pelt");
  EXPECT_EQ(reload_if_changed(document, 1), true);
  EXPECT_EQ(local(document), 5);
}

TEST(Document, OfAGlbThatCarriesItsRigIsBoth) {
  const test::TemporaryFolder folder;
  const Model model = make_limb({.around = 12, .along = 12});
  const std::string plain = format_glb(model).value();
  const auto save = [&](float value) {
    Rig rig = *rig_from_deformer_name("surface_ffd");
    rig.layers[0].deformer.get<SurfaceFfdParameters>().local = value;
    const auto bytes = write_gltf_deformers(std::as_bytes(std::span(plain)), format_rig(rig), nullptr, "limb.glb");
    ASSERT_TRUE(write_file(folder / "limb.glb", *bytes));
  };
  save(2.5f);
  Document document = opened(folder / "limb.glb");
  EXPECT_EQ(local(document), 2.5);
  EXPECT_EQ(document.model()->meshes[0].positions.size(), model.meshes[0].positions.size());
  EXPECT_TRUE(document.rig_path().empty());
  save(3.5f);
  age(folder / "limb.glb");
  EXPECT_EQ(reload_if_changed(document, 1), true);
  EXPECT_EQ(local(document), 3.5);
}

TEST(Document, SaysWhyItCannotOpen) {
  const test::TemporaryFolder folder;
  folder.write("broken.json", "{");
  folder.write("broken.pelt", "no");
  EXPECT_FALSE(Document::open(folder / "broken.json", "builtin:limb"));
  EXPECT_FALSE(Document::open(folder / "broken.pelt"));
  EXPECT_FALSE(Document::open(folder / "missing.glb"));
  EXPECT_FALSE(Document::open("builtin:nobody"));
  EXPECT_FALSE(Document::open("builtin:limb", "", "nothing"));
}

TEST(Document, UndoesAndRedoes) {
  Document document = opened("builtin:limb");
  EXPECT_FALSE(document.can_undo());
  document.undo();
  document.redo();
  const std::uint64_t first = document.revision();
  ASSERT_TRUE(document.edit(with(document, kLocal, 2)));
  ASSERT_TRUE(document.edit(with(document, kLocal, 3)));
  EXPECT_TRUE(document.modified());
  EXPECT_NE(document.revision(), first);
  EXPECT_EQ(document.rig().layers[0].deformer.get<SurfaceFfdParameters>().local, 3);
  document.undo();
  EXPECT_EQ(local(document), 2);
  document.undo();
  EXPECT_EQ(local(document), 4);
  EXPECT_FALSE(document.can_undo());
  EXPECT_FALSE(document.modified());
  document.redo();
  EXPECT_EQ(local(document), 2);
  ASSERT_TRUE(document.edit(with(document, kLocal, 7)));
  EXPECT_FALSE(document.can_redo());
  document.undo();
  EXPECT_EQ(local(document), 2);
}

TEST(Document, EditsOfOneKeyAreOneStepUntilTheyEnd) {
  Document document = opened("builtin:limb");
  for (const double value : {2.0, 2.5, 3.0}) ASSERT_TRUE(document.edit(with(document, kLocal, value), "local"));
  document.end_edit();
  for (const double value : {3.5, 4.5}) ASSERT_TRUE(document.edit(with(document, kLocal, value), "local"));
  EXPECT_EQ(local(document), 4.5);
  document.undo();
  EXPECT_EQ(local(document), 3);
  document.undo();
  EXPECT_EQ(local(document), 4);
  EXPECT_FALSE(document.can_undo());

  ASSERT_TRUE(document.edit(with(document, kLocal, 1), "local"));
  ASSERT_TRUE(document.edit(with(document, Pointer("/layers/0/parameters/fade"), 9), "fade"));
  ASSERT_TRUE(document.edit(with(document, kLocal, 2), "local"));
  document.undo();
  EXPECT_EQ(local(document), 1);
}

TEST(Document, WhatIsRefusedChangesNothing) {
  Document document = opened("builtin:limb");
  ASSERT_TRUE(document.edit(with(document, kLocal, 2)));
  const Json before = document.rig_json();
  const std::uint64_t revision = document.revision();
  const std::vector<Json> wrong = {with(document, kLocal, -1),
                                   with(document, kLocal, "many"),
                                   with(document, Pointer("/layers/0/parameters/locla"), 1),
                                   Json(),
                                   Json::array(),
                                   with(document, kLocal, std::nan(""))};
  for (const Json& json : wrong) {
    EXPECT_TRUE(test::refused(document.edit(json, "local"), "builtin:limb")) << json;
    EXPECT_EQ(document.rig_json(), before);
    EXPECT_EQ(document.revision(), revision);
  }
  document.undo();
  EXPECT_EQ(local(document), 4);
}

TEST(Document, AnEditThatChangesNothingIsNoStep) {
  Document document = opened("builtin:limb");
  const std::uint64_t revision = document.revision();
  ASSERT_TRUE(document.edit(document.rig_json()));
  ASSERT_TRUE(document.edit(Json::parse(R"({"format": "pelt-rig 1", "name": "surface_ffd",
                                           "layers": [{"deformer": "surface_ffd"}]})")));
  EXPECT_FALSE(document.can_undo());
  EXPECT_EQ(document.revision(), revision);
}

TEST(Document, KeepsTwoHundredStates) {
  Document document = opened("builtin:limb");
  for (int i = 1; i <= 250; ++i) ASSERT_TRUE(document.edit(with(document, kLocal, 4 + i)));
  int undone = 0;
  for (; document.can_undo(); ++undone) document.undo();
  EXPECT_EQ(undone, 199);
  EXPECT_EQ(local(document), 4 + 250 - 199);
  EXPECT_TRUE(document.modified());
}

TEST(Document, SavesAndIsThenNotModified) {
  const test::TemporaryFolder folder;
  Document document = opened("builtin:limb");
  ASSERT_TRUE(document.edit(with(document, kLocal, 2)));
  ASSERT_TRUE(document.save(folder / "limb.json"));
  EXPECT_FALSE(document.modified());
  EXPECT_EQ(document.title(), "limb.json");
  EXPECT_EQ(document.rig_path(), folder / "limb.json");
  const Rig loaded = test::must(load_rig(folder / "limb.json"));
  EXPECT_EQ(loaded, document.rig());
  EXPECT_EQ(reload_if_changed(document, 1), false);  // the document's own write
  document.undo();
  EXPECT_TRUE(document.modified());
  document.redo();
  EXPECT_FALSE(document.modified());

  EXPECT_FALSE(document.save(folder / "no/limb.json"));
  EXPECT_EQ(document.rig_path(), folder / "limb.json");
}

TEST(Document, SavedElsewhereNamesTheSameFiles) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "out");
  folder.write("rigs/a.json", R"({"format": "pelt-rig 1", "layers": [
    {"deformer": "surface_ffd", "parameters": {"driver": {"file": "cages/cage.obj"}}},
    {"deformer": "mos", "parameters": {"strategy": "catmull_clark", "cage_file": "/abs/cage.obj"}}]})");
  Document document = opened(folder / "rigs/a.json", "builtin:limb");
  ASSERT_TRUE(document.edit(with(document, Pointer("/name"), "moved")));
  ASSERT_TRUE(document.save(folder / "out/b.json"));
  const Json& layers = document.rig_json()["layers"];
  EXPECT_EQ(layers[0]["parameters"]["driver"]["file"], "../rigs/cages/cage.obj");
  EXPECT_EQ(layers[1]["parameters"]["cage_file"], "/abs/cage.obj");
  EXPECT_EQ(document.rig().directory, folder / "out");

  // A previous state names files relative to the rig's previous folder.
  document.undo();
  EXPECT_EQ(document.rig_json()["layers"][0]["parameters"]["driver"]["file"], "cages/cage.obj");
  EXPECT_EQ(document.rig().directory, folder / "rigs");
  ASSERT_TRUE(document.save(folder / "out/b.json"));
  EXPECT_EQ(document.rig_json()["layers"][0]["parameters"]["driver"]["file"], "../rigs/cages/cage.obj");
}

TEST(Document, NamesFilesAsFarAsIsAllowed) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "out");
  folder.write("cage.obj", "v 0 -2 -2\nv 0 2 -2\nv 0 0 3\nv 8 0 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
  folder.write("a.json", R"({"format": "pelt-rig 1", "layers": [
    {"deformer": "surface_ffd", "parameters": {"driver": {"file": "cage.obj"}}}]})");
  Document document = opened(folder / "a.json", "builtin:limb");
  ASSERT_TRUE(save_pelt(test::must(bind(*document.model(), document.rig())).character, folder / "a.pelt"));
  // A rig that is saved elsewhere still reads the same files; opened again, it does not.
  ASSERT_TRUE(document.save(folder / "out/b.json"));
  EXPECT_TRUE(bind(*document.model(), document.rig()));
  const Document anew = opened(folder / "out/b.json", "builtin:limb");
  EXPECT_FALSE(bind(*anew.model(), anew.rig()));
  // The rig of a character, which may come from a stranger, names no file without leave.
  const Document stranger = opened(folder / "a.pelt");
  EXPECT_FALSE(bind(*stranger.model(), stranger.rig()));
  for (const auto& path : {folder / "a.pelt", folder / "out/b.json"}) {
    const Document trusted = test::must(Document::open(path, "builtin:limb", "surface_ffd", NamedFiles::kAnywhere));
    test::must(bind(*trusted.model(), trusted.rig()));
  }
}

TEST(Document, ReadsARigThatChangesOnDisk) {
  const test::TemporaryFolder folder;
  folder.write("a.json", rig_text(3));
  age(folder / "a.json");
  Document document = opened(folder / "a.json", "builtin:limb");
  EXPECT_EQ(reload_if_changed(document, 1), false);
  ASSERT_TRUE(document.edit(with(document, kLocal, 8)));
  folder.write("a.json", rig_text(5));
  EXPECT_EQ(reload_if_changed(document, 1.25), false);  // too soon to look
  EXPECT_EQ(reload_if_changed(document, 1.5), true);
  EXPECT_EQ(local(document), 5);
  EXPECT_FALSE(document.modified());
  EXPECT_EQ(reload_if_changed(document, 3), false);
  document.undo();
  EXPECT_EQ(local(document), 8);
  EXPECT_TRUE(document.modified());
}

TEST(Document, SaysOnceThatWhatChangedOnDiskIsBroken) {
  const test::TemporaryFolder folder;
  folder.write("a.json", rig_text(3));
  age(folder / "a.json");
  Document document = opened(folder / "a.json", "builtin:limb");
  folder.write("a.json", "{");
  EXPECT_TRUE(test::refused(reload_if_changed(document, 1), "a.json"));
  EXPECT_EQ(reload_if_changed(document, 2), false);
  EXPECT_EQ(local(document), 3);
  std::filesystem::remove(folder / "a.json");
  EXPECT_EQ(reload_if_changed(document, 3), false);
  folder.write("a.json", rig_text(6));
  EXPECT_EQ(reload_if_changed(document, 4), true);
  EXPECT_EQ(local(document), 6);
}

// Writes a triangle with its positions in another file, whose name has a space.
void write_triangle(const test::TemporaryFolder& folder, float height) {
  const float positions[] = {0, 0, 0, 1, 0, 0, 0, height, 0};
  folder.write("the points.bin", std::string_view(reinterpret_cast<const char*>(positions), sizeof positions));
  folder.write("triangle.gltf", R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"name": "triangle", "mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "buffers": [{"uri": "the%20points.bin", "byteLength": 36}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0],
                   "max": [1, 9, 0]}]})");
  age(folder / "triangle.gltf");
}

TEST(Document, ReadsAModelThatChangesOnDiskAndKeepsTheRig) {
  const test::TemporaryFolder folder;
  write_triangle(folder, 1);
  age(folder / "the points.bin");
  Document document = opened(folder / "triangle.gltf");
  EXPECT_EQ(reload_if_changed(document, 1), false);
  ASSERT_TRUE(document.edit(with(document, kLocal, 2)));
  const std::uint64_t revision = document.revision();
  write_triangle(folder, 2);
  age(folder / "triangle.gltf");  // the .gltf keeps its time
  EXPECT_EQ(reload_if_changed(document, 2), true);
  EXPECT_NE(document.revision(), revision);
  EXPECT_EQ(local(document), 2);
  EXPECT_TRUE(document.modified());
  const std::vector<glm::vec3>& positions = document.model()->meshes[0].positions;
  EXPECT_NE(std::ranges::find(positions, glm::vec3(0, 2, 0)), positions.end());
  EXPECT_EQ(reload_if_changed(document, 3), false);

  // After a failed read it is read again, once the file is complete.
  folder.write("the points.bin", "short");
  EXPECT_FALSE(reload_if_changed(document, 4));
  EXPECT_EQ(reload_if_changed(document, 5), false);
  write_triangle(folder, 3);
  EXPECT_EQ(reload_if_changed(document, 6), true);
}

TEST(Document, HasAnotherRevisionWhenAFileOfItsRigChangesOnDisk) {
  const test::TemporaryFolder folder;
  write_triangle(folder, 1);
  age(folder / "the points.bin");
  folder.write("cage.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  age(folder / "cage.obj");
  folder.write("a.json", R"({"format": "pelt-rig 1", "layers": [
    {"deformer": "surface_ffd", "parameters": {"driver": {"file": "triangle.gltf"}}},
    {"deformer": "mos", "parameters": {"strategy": "catmull_clark", "cage_file": "cage.obj"}}]})");
  Document document = opened(folder / "a.json", "builtin:limb");
  EXPECT_EQ(reload_if_changed(document, 1), false);
  double now = 1;
  const auto expect_change = [&](bool changes) {
    const std::uint64_t revision = document.revision();
    const Json rig = document.rig_json();
    EXPECT_EQ(reload_if_changed(document, ++now), changes);
    EXPECT_EQ(document.revision() != revision, changes);
    EXPECT_EQ(document.rig_json(), rig);
    EXPECT_FALSE(document.modified());
  };
  folder.write("cage.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_change(true);
  expect_change(false);
  write_triangle(folder, 2);  // the file next to the driver
  age(folder / "triangle.gltf");
  expect_change(true);
  expect_change(false);
}

}  // namespace
}  // namespace pelt::viewer
