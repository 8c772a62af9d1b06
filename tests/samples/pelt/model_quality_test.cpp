// SPDX-License-Identifier: MIT
// The figures of whole characters, which another program also computes from the files of `pelt deform`.
#include <optional>

#include <pelt/builtin.h>
#include <pelt/gltf_export.h>

#include "tests/samples/pelt/pelt_program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using test::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;

class ModelQuality : public Pelt {
 protected:
  Json rows(const std::string& arguments) const { return json("quality --model " + arguments); }
  std::string errors(const std::string& arguments, int status) const {
    return failure("quality --model " + arguments, status);
  }

  void save(const Model& model, const std::string& name) const { write(name, format_glb(model).value()); }
};

std::vector<std::string> deformers_of(const Json& rows) {
  std::vector<std::string> names;
  for (const Json& row : rows) names.push_back(row["deformer"]);
  return names;
}

TEST_F(ModelQuality, HasARowForEveryDeformer) {
  const Json measured = rows("builtin:arm");
  EXPECT_THAT(deformers_of(measured),
              ElementsAre("dual-quaternion", "surface-ffd", "curve-skeleton", "mos", "hierarchical-bspline"));
  for (const Json& row : measured) {
    EXPECT_EQ(row["poses"], "clips");
    EXPECT_EQ(row["vertices"], 10010);
    EXPECT_EQ(row["frames"], 12);  // of two clips
    EXPECT_GT(row["far"], 0);
    EXPECT_GT(row["stretch"], 1);
    EXPECT_GT(row["restored"], 0.5) << row;
    EXPECT_EQ(row["worst_stretch"]["mesh"], "skin");
    EXPECT_FALSE(row["worst_clip"].is_null());
  }
  EXPECT_EQ(measured[0]["restored"], 1);
  EXPECT_LT(measured[0]["rigid_max"], 0.01);
  const std::string text = done("quality --model builtin:arm");
  EXPECT_THAT(text, HasSubstr("builtin:arm: 10010 vertices against linear blend, in 12 frames of 2 clips."));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 5);
}

TEST_F(ModelQuality, TakesTheFramesAndClipsThatItIsTold) {
  EXPECT_EQ(rows("builtin:arm --deformer mos --frames 4 --clips 1")[0]["frames"], 4);
  EXPECT_EQ(rows("builtin:arm --deformer linear-blend")[0]["far"], 0);
}

TEST_F(ModelQuality, MeasuresARig) {
  write("mine.json", R"({"format": "pelt-rig 1", "name": "mine", "layers": [{"deformer": "dual_quaternion"}]})");
  const Json same = rows("builtin:arm --deformer dual-quaternion --rig mine.json");
  ASSERT_THAT(deformers_of(same), ElementsAre("dual-quaternion", "mine"));
  EXPECT_EQ(same[0]["far"], same[1]["far"]);
  EXPECT_EQ(same[0]["rigid99"], same[1]["rigid99"]);
  EXPECT_EQ(same[1]["restored"], 1);
}

// If a rig makes a driver of a mesh, the remaining skins are checked.
TEST_F(ModelQuality, MeasuresARigWithADriver) {
  Model arm = make_arm();
  arm.meshes.push_back(arm.meshes.front());
  arm.meshes.back().name = "body";
  save(arm, "arm.glb");
  write("driven.json", R"({"format": "pelt-rig 1", "name": "driven", "layers": [
                           {"target": "body", "deformer": "dual_quaternion"},
                           {"target": "skin", "deformer": "surface_ffd",
                            "parameters": {"driver": {"mesh": "body"}}}]})");
  const Json measured = rows("arm.glb --deformer dual-quaternion --rig driven.json");
  ASSERT_THAT(deformers_of(measured), ElementsAre("dual-quaternion", "driven"));
  // The skin moves nearly as its driver, which lies on it.
  EXPECT_NEAR(measured[1]["far"], measured[0]["far"].get<double>(), 2e-3);
  EXPECT_TRUE(measured[1]["restored"].is_null());
  EXPECT_EQ(measured[1]["worst_stretch"]["mesh"], "skin");
}

// Points without triangles fall back to linear blend with deformers that make a surface of the skin.
TEST_F(ModelQuality, HasARowForPoints) {
  Model arm = make_arm();
  arm.meshes.front().triangles.clear();
  arm.meshes.front().parts.clear();
  save(arm, "points.glb");
  const Json measured = rows("points.glb --deformer surface-ffd,dual-quaternion");
  ASSERT_THAT(deformers_of(measured), ElementsAre("surface-ffd", "dual-quaternion"));
  EXPECT_EQ(measured[0]["far"], 0);
  EXPECT_GT(measured[1]["far"], 0);
  EXPECT_EQ(measured[1]["stretch"], 0);
}

TEST_F(ModelQuality, TurnsJointsWhereThereAreNoClips) {
  const Json samples = rows("builtin:arm --deformer mos --poses samples");
  EXPECT_EQ(samples[0]["poses"], "samples");
  EXPECT_TRUE(samples[0]["worst_clip"].is_null());
  EXPECT_THAT(samples[0]["worst_stretch"]["pose"], testing::AnyOf(HasSubstr("elbow"), HasSubstr("wrist")));
  EXPECT_THAT(done("quality --model builtin:arm --deformer mos --poses samples"), HasSubstr("in 7 sample poses."));
}

TEST_F(ModelQuality, SaysWhatIsWrong) {
  EXPECT_THAT(errors("none.glb", 1), HasSubstr("none.glb: "));
  EXPECT_THAT(errors("builtin:arm --deformer mos,surface-fdf", 2), HasSubstr("did you mean 'surface-ffd'"));
  EXPECT_THAT(errors("builtin:arm --rig none.json", 1), HasSubstr("none.json: "));
  EXPECT_THAT(errors("builtin:arm --poses clip", 2), HasSubstr("--poses"));
  EXPECT_THAT(errors("builtin:arm --frames 0", 2), HasSubstr("--frames"));
  EXPECT_THAT(errors("builtin:arm --radius 1", 2), HasSubstr("--radius"));
  write("skin.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_THAT(errors("skin.obj", 1), HasSubstr("skin.obj: "));
  fails("quality --poses clips", "--model", 2);
}

// ----------------------------------------------------------------------------------------------- against the reference

class ModelQualityOf : public ModelQuality, public testing::WithParamInterface<const char*> {};

TEST_P(ModelQualityOf, AgreesWithTheReference) {
  PELT_REQUIRE_SHARED();
  const std::optional<std::string> python = test::find_python_with_numpy();
  if (!python) PELT_SKIP("there is no python3 with NumPy: package python3-numpy");
  const std::filesystem::path script = *test::shared_folder() / "cases/characters.py";
  if (!std::filesystem::exists(script)) PELT_SKIP(script.string() + " is not there");
  const std::string model = (*test::shared_folder() / "assets/characters" / GetParam()).string();
  // The others are compared with linear blend that spreads the twists of limbs, which the script does not know.
  const bool has_limbs = model.ends_with("Fox.glb") || model.ends_with("CesiumMan.glb");
  const std::string others = std::string(" --deformers dual-quaternion") + (has_limbs ? "" : ",curve-skeleton,mos");
  const Outcome outcome = test::run_program(
      *python, script.string() + " " PELT_PROGRAM " " + model + others + " --json reference.json", folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const Json expected = Json::parse(test::file_text(folder / "reference.json"));
  std::string deformers;
  for (const Json& row : expected) deformers += (deformers.empty() ? "" : ",") + row["deformer"].get<std::string>();
  const Json measured = rows(model + " --deformer " + deformers);
  ASSERT_EQ(measured.size(), expected.size()) << outcome.output;
  ASSERT_GE(expected.size(), has_limbs ? 1u : 3u);
  for (std::size_t r = 0; r < expected.size(); ++r) {
    for (const auto& [key, value] : expected[r].items()) {
      if (key == "model") continue;
      ASSERT_TRUE(measured[r].contains(key)) << key;
      const Json& got = measured[r][key];
      if (value.is_number_float()) {
        const double wanted = value.get<double>();
        EXPECT_NEAR(got.get<double>(), wanted, 5e-4 * std::abs(wanted) + 1e-7) << key << " of " << expected[r];
      } else {
        EXPECT_EQ(got, value) << key << " of " << expected[r];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Characters, ModelQualityOf,
                         testing::Values("SimpleSkin.gltf", "leftHandLow.glb", "Fox.glb", "CesiumMan.glb"),
                         [](const testing::TestParamInfo<const char*>& character) {
                           return std::filesystem::path(character.param).stem().string();
                         });

}  // namespace
}  // namespace pelt
