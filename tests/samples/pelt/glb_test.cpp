// SPDX-License-Identifier: MIT
// Models that carry their rig and their character: `pelt bind -o x.glb`, the commands that read such files, and the
// findings of the Khronos validator and of the extension's schema.
#include <pelt/import.h>
#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/tools/file_io.h>

#include "tests/samples/pelt/pelt_program.h"
#include "tests/support/node.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;
using test::file_text;
using testing::HasSubstr;
using testing::IsEmpty;

class Glb : public Pelt {
 protected:
  Json info(const std::string& file) const { return json("info " + file); }

  // Replaces the first such text by one of the same length.
  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = file_text(folder / file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    ASSERT_TRUE(write_file(folder / file, std::as_bytes(std::span(text))));
  }
};

// Tests that the levels of surfaces are listed alike for a rig, a character and a model that carries both.
TEST_F(Glb, TellsOfTheLevelsOfItsSurfaces) {
  Json rig = Json::parse(file_text(PELT_SOURCE "/samples/rigs/limb_surface.json"));
  rig["layers"][0]["parameters"]["levels"].push_back({{"offsets", {{100, 0.0, 0.0, 0.1}}}});
  write("rig.json", rig.dump());
  done("bind builtin:limb --rig rig.json -o limb.pelt");
  done("bind builtin:limb --rig rig.json -o limb.glb");
  const Json surfaces = info("rig.json")["surfaces"];
  EXPECT_EQ(surfaces.size(), 2u);
  EXPECT_EQ(info("limb.pelt")["surfaces"], surfaces);
  EXPECT_EQ(info("limb.glb")["surfaces"], surfaces);
  EXPECT_THAT(done("info limb.glb"), HasSubstr("\nsurface of layer 0, level 1: "));
  EXPECT_EQ(info("builtin:limb")["surfaces"], Json::array());
}

TEST_F(Glb, HoldsTheCharacterThatAPeltFileHolds) {
  done("bind builtin:limb -o limb.pelt");
  done("bind builtin:limb -o limb.glb");
  EXPECT_TRUE(serialize(load_character(folder / "limb.glb").value()) ==
              serialize(load_pelt(folder / "limb.pelt").value()));
  for (const std::string file : {"limb.pelt", "limb.glb"}) {
    done("deform " + file + " --clip bend --time 1 --backend cpu -o " + file + ".obj");
  }
  EXPECT_EQ(file_text(folder / "limb.glb.obj"), file_text(folder / "limb.pelt.obj"));
  const Json described = info("limb.glb");
  EXPECT_EQ(described["kind"], "model");
  EXPECT_EQ(described["deformers"]["character"], true);
  EXPECT_EQ(described["deformers"]["note"], "");
  EXPECT_EQ(described["clips"].size(), info("builtin:limb")["clips"].size());
  EXPECT_THAT(done("info limb.glb"), HasSubstr("of 1 layer, and the character bound with it"));
  EXPECT_TRUE(info("builtin:limb")["deformers"].is_null());
}

TEST_F(Glb, CarriesItsRigWhereverItIsBound) {
  done("bind builtin:limb --deformer mos -o limb.glb");
  // Binding with its own rig gives the same as the rig's file.
  done("bind limb.glb --write-rig own.json -o own.pelt");
  done("bind limb.glb --rig own.json -o by_rig.pelt");
  EXPECT_EQ(file_text(folder / "own.pelt"), file_text(folder / "by_rig.pelt"));
  EXPECT_EQ(Json::parse(file_text(folder / "own.json"))["layers"][0]["deformer"], "mos");
  // Another choice replaces the rig.
  done("bind limb.glb --deformer linear-blend -o limb.glb");
  done("bind limb.glb --write-rig own.json -o own.pelt");
  EXPECT_EQ(Json::parse(file_text(folder / "own.json"))["layers"][0]["deformer"], "linear_blend");
}

TEST_F(Glb, KeepsWeightsThatWereMade) {
  EXPECT_THAT(done("bind builtin:limb --paint -o limb.glb"), HasSubstr("weights were made"));
  EXPECT_THAT(done("bind limb.glb -o again.pelt"), testing::Not(HasSubstr("weights were made")));
}

TEST_F(Glb, IsBoundAgainWhereItWasEdited) {
  done("bind builtin:limb -o limb.glb");
  edit("limb.glb", R"("name":"limb")", R"("name":"lamb")");
  const test::Outcome posed = pelt("deform limb.glb --clip bend --time 1 --backend cpu -o a.obj");
  EXPECT_EQ(posed.status, 0) << posed.errors;
  EXPECT_THAT(posed.errors, HasSubstr("limb.glb: bound again: it was changed since its character was bound"));
  EXPECT_FALSE(load_character(folder / "limb.glb"));
  EXPECT_EQ(info("limb.glb")["deformers"]["character"], false);
  done("bind limb.glb -o limb.glb");
  EXPECT_TRUE(load_character(folder / "limb.glb"));
}

TEST_F(Glb, ARigThatNamesFilesStaysOutside) {
  done("deform builtin:limb --deformer linear-blend --backend cpu -o cage.obj");
  write("rig.json", R"({"format": "pelt-rig 1", "layers": [
    {"deformer": "surface_ffd", "parameters": {"driver": {"file": "cage.obj"}}}]})");
  fails("bind builtin:limb --rig rig.json -o x.glb",
        "x.glb: layer 0: names the file 'cage.obj', but a rig inside a glTF file cannot name files");
}

TEST_F(Glb, TheKhronosValidatorFindsNothingNew) {
  PELT_REQUIRE_SHARED();
  const fs::path scripts = fs::path(PELT_SOURCE) / "tests/samples/pelt/validator";
  const fs::path work = PELT_VALIDATOR_WORK;
  if (const std::string why = test::install_packages(scripts, work); !why.empty()) PELT_SKIP(why);

  // Pairs: the file that was bound, if any, and the file that was written. The sources are a file with its own buffers
  // and images, one that names files next to it, and a built-in model.
  const fs::path characters = *test::shared_folder() / "assets/characters";
  const std::vector<std::pair<std::string, std::string>> bindings = {
      {"builtin:biped", "--preset biped"},
      {"builtin:limb", ""},
      {(characters / "CesiumMan.glb").string(), ""},
      {(characters / "RiggedSimple.gltf").string(), "--deformer curve-skeleton"},
      {(characters / "Fox.glb").string(), "--deformer linear-blend"},
      {(characters / "quad_skin.glb").string(), "--deformer mos"}};
  const fs::path docs = fs::path(PELT_SOURCE) / "docs/PELT_deformers/schema";
  const std::string uri = "pelt:/docs/PELT_deformers/schema/";
  Json schemas = Json::array();
  for (const char* name : {"glTF.PELT_deformers.schema.json", "glTF.PELT_deformers.character.schema.json"}) {
    schemas.push_back({uri + name, (docs / name).string()});
  }
  schemas.push_back({"pelt:/engine/authoring/rig/rig.schema.json",
                     (fs::path(PELT_SOURCE) / "engine/authoring/rig/rig.schema.json").string()});
  std::string files;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const auto& [source, options] = bindings[i];
    const std::string written = (folder / std::to_string(i)).string() + ".glb";
    done("bind " + source + " " + options + " -o " + written);
    files += " '" + (source.starts_with("builtin:") ? written : source) + "' '" + written + "'";

    // Other readers see the same model.
    const Model before = import_model(source).value();
    const Model after = import_model(written).value();
    ASSERT_EQ(after.meshes.size(), before.meshes.size()) << source;
    for (std::size_t m = 0; m < after.meshes.size(); ++m) {
      EXPECT_EQ(after.meshes[m].triangles, before.meshes[m].triangles) << source;
      if (!source.starts_with("builtin:")) {
        EXPECT_EQ(after.meshes[m].positions, before.meshes[m].positions) << source;
        EXPECT_EQ(after.meshes[m].weights, before.meshes[m].weights) << source;
      }
    }
    EXPECT_EQ(after.images.size(), before.images.size()) << source;
    ASSERT_EQ(after.clips.size(), before.clips.size()) << source;
    for (std::size_t c = 0; c < after.clips.size(); ++c) {
      EXPECT_EQ(after.clips[c].name, before.clips[c].name);
      EXPECT_EQ(after.clips[c].duration, before.clips[c].duration);
      EXPECT_EQ(after.clips[c].channels.size(), before.clips[c].channels.size());
    }
  }
  const test::Outcome said = test::run_program("node", "validate.js '" + schemas.dump() + "'" + files, work);
  ASSERT_EQ(said.status, 0) << said.errors;
  const Json reports = Json::parse(said.output);
  ASSERT_EQ(reports.size(), 2 * bindings.size());
  int clean = 0;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    SCOPED_TRACE(bindings[i].first);
    const Json& source = reports[2 * i];
    const Json& written = reports[2 * i + 1];
    EXPECT_EQ(written["extension"], true);
    EXPECT_THAT(written["schema"], IsEmpty()) << written["schema"];
    if (bindings[i].first.starts_with("builtin:")) {
      EXPECT_THAT(written["errors"], IsEmpty()) << written["errors"];
      EXPECT_THAT(written["warnings"], IsEmpty()) << written["warnings"];
    } else {  // some of these files have weights that do not sum to 1, or skins below other nodes
      EXPECT_EQ(written["errors"], source["errors"]);
      EXPECT_EQ(written["warnings"], source["warnings"]);
      clean += written["errors"].empty();
    }
  }
  EXPECT_GE(clean, 2);
}

}  // namespace
}  // namespace pelt
