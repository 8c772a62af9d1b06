// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/driver.h"

#include <algorithm>

#include <pelt/linear_blend.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

using testing::HasSubstr;
using Mode = SurfaceFfdParameters::Mode;

constexpr float kTolerance = 5e-5f;  // for tubes that are 8 long

Mesh copy_of(const Mesh& mesh, const std::string& name) {
  Mesh copy = mesh;
  copy.name = name;
  return copy;
}

SurfaceFfdParameters by(const std::string& mesh) {
  SurfaceFfdParameters parameters;
  parameters.driver.mesh = mesh;
  return parameters;
}

// The tube is in "cage", which is in "coarse", which is in "coarsest".
class DriverChains : public testing::Test {
 protected:
  DriverChains() {
    model_.meshes.push_back(copy_of(test::make_tube_mesh({.around = 6, .along = 8, .radius = 1.5f}), "coarse"));
    model_.meshes.push_back(copy_of(test::make_tube_mesh({.around = 5, .along = 5, .radius = 1.8f}), "coarsest"));
    rig_.layers = {{"tube", by("cage"), {}, {}}, {"cage", by("coarse"), {}, {}}, {"coarse", by("coarsest"), {}, {}}};
  }
  const std::vector<glm::mat4> bent_ = test::bent(test::make_tube(), 60, {0, 0.6f, 0.8f});

  Model model_ = test::make_tube_in_cage();
  Rig rig_;
};

TEST_F(DriverChains, AreStagesInTheOrderInWhichTheyMove) {
  const Bound result = test::bound(model_, rig_);
  const Character& character = result.character;
  EXPECT_EQ(character->stage_count, 4u);
  EXPECT_EQ(test::mesh_of(character, "coarsest").stage, 0u);
  EXPECT_EQ(test::mesh_of(character, "coarse").stage, 1u);
  EXPECT_EQ(test::mesh_of(character, "cage").stage, 2u);
  EXPECT_EQ(test::mesh_of(character, "tube").stage, 3u);
  EXPECT_EQ(test::mesh_of(character, "cage").deformer, "driver by surface_ffd");
}

// Any layers may move a driver: with masks, and as in Wires.
TEST_F(DriverChains, MayBeMovedByAnyLayers) {
  rig_.layers = {{"tube", by("cage"), {}, {}},
                 {"cage", LinearBlendParameters{}, {}, {}},
                 {"cage", by("coarse"), {1.0f, {.joints = {"joint1"}}}, {}},
                 {"cage", by("coarsest"), {}, 2.0f}};
  const Character character = test::bound(model_, rig_).character;
  EXPECT_EQ(test::mesh_of(character, "cage").mode, BlendMode::kWires);
  EXPECT_LT(test::farthest(model_.meshes[0].positions, test::posed(character, test::bind_matrices(model_), "tube")),
            kTolerance);
}

TEST_F(DriverChains, MayBeListedInAnyOrder) {
  const auto skin = [&](const Rig& rig) { return test::posed(test::bound(model_, rig).character, bent_, "tube"); };
  const std::vector<glm::vec3> expected = skin(rig_);
  std::reverse(rig_.layers.begin(), rig_.layers.end());
  EXPECT_EQ(skin(rig_), expected);
  std::swap(rig_.layers[0], rig_.layers[1]);
  EXPECT_EQ(skin(rig_), expected);
}

TEST_F(DriverChains, ThatEndInThemselvesAreRefused) {
  rig_.layers[1].deformer = by("coarse");
  rig_.layers[2] = {"coarse", by("cage"), {}, {}};
  EXPECT_THAT(test::bind_error(model_, rig_),
              testing::AnyOf("layer 1 (surface-ffd): the driver 'coarse' drives itself, through other layers",
                             "layer 2 (surface-ffd): the driver 'cage' drives itself, through other layers"));
  rig_.layers = {{"tube", by("cage"), {}, {}},
                 {"cage", by("coarse"), {}, {}},
                 {"coarse", by("coarsest"), {}, {}},
                 {"coarsest", by("coarse"), {}, {}}};
  EXPECT_THAT(test::bind_error(model_, rig_),
              testing::AnyOf("layer 2 (surface-ffd): the driver 'coarsest' drives itself, through other layers",
                             "layer 3 (surface-ffd): the driver 'coarse' drives itself, through other layers"))
      << "'cage' only follows them";
  rig_.layers = {{"tube", by("tube"), {}, {}}};
  EXPECT_EQ(test::bind_error(model_, rig_), "layer 0 (surface-ffd): the target 'tube' is its own driver");
}

TEST_F(DriverChains, LeaveToLayersWhatMovesADriver) {
  SurfaceFfdParameters parameters = by("cage");
  const std::string expected = "layer 0 (surface-ffd): the driver 'cage' is moved by layers";
  const std::vector<std::function<void(DriverParameters&)>> changes{
      [](DriverParameters& d) { d.follow = Follow::kStreamed; },
      [](DriverParameters& d) { d.weld = 0.1f; },
      [](DriverParameters& d) { d.refine.push_back({}); },
      [](DriverParameters& d) { d.key_poses.push_back({}); },
  };
  for (const auto& change : changes) {
    parameters.driver = by("cage").driver;
    change(parameters.driver);
    rig_.layers[0].deformer = parameters;
    EXPECT_THAT(test::bind_error(model_, rig_), HasSubstr(expected));
  }
}

// --------------------------------------------------------------------------------------------------- shared drivers

// Levels of detail of a mesh, each with a layer of its own, or all under one layer.
TEST(SharedDrivers, HaveOnePaletteForAllLevelsOfDetail) {
  using Change = void (*)(SurfaceFfdParameters&);
  const std::vector<std::pair<const char*, Change>> changes{
      {"extended", [](SurfaceFfdParameters&) {}},
      {"basic", [](SurfaceFfdParameters& p) { p.mode = Mode::kBasic; }},
      {"estimated", [](SurfaceFfdParameters& p) { p.driver.estimate_frames = true; }},
      {"streamed", [](SurfaceFfdParameters& p) { p.driver.follow = Follow::kStreamed; }},
      {"refined",
       [](SurfaceFfdParameters& p) {
         p.driver.refine = {{{.joints = {"joint1"}}, 1}};
       }},
      {"keyed", [](SurfaceFfdParameters& p) {
         p.driver.key_poses = {{{{"joint1", {0, 0, 1}}}, KeyInterpolation::kLinear, {{{90}, "", {{3, {1, 1, 1}}}}}}};
       }}};
  const Model single = test::make_tube_in_cage();
  Model model = single;
  for (const std::uint32_t along : {12u, 6u}) {
    const Mesh mesh = test::make_tube_mesh({.around = 8, .along = along});
    model.meshes.push_back(copy_of(mesh, "lod" + std::to_string(along)));
  }
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    SurfaceFfdParameters parameters = test::by_cage();
    change(parameters);
    const Character one = test::bound(single, test::rig_of(parameters, "tube")).character;
    Rig rig = test::rig_of(parameters, "tube");
    rig.layers.push_back({"lod12", parameters, {}, {}});
    rig.layers.push_back({"lod6", parameters, {}, {}});
    for (const Rig& each : {rig, test::rig_of(parameters, "*")}) {
      const Character all = test::bound(model, each).character;
      EXPECT_EQ(all->palette_size, one->palette_size);
      EXPECT_EQ(all->input_count, one->input_count);
      EXPECT_EQ(all->passes.size(), one->passes.size());
      EXPECT_EQ(all->meshes.size(), 4u);
    }
  }
}

TEST(SharedDrivers, OfAPatchAreOneToo) {
  SurfaceFfdParameters parameters;
  PatchParameters patch;
  for (int i = 0; i < 16; ++i) patch.control.emplace_back(4 * (i / 4) - 2, 1.5f, 2 * (i % 4) - 3);
  parameters.driver.patches = {patch};
  Model model = test::make_tube();
  const Character one = test::bound(model, test::rig_of(parameters, "tube")).character;
  model.meshes.push_back(copy_of(model.meshes[0], "lod"));
  Rig rig = test::rig_of(parameters, "tube");
  rig.layers.push_back({"lod", parameters, {}, {}});
  // The weights of the driver come from the targets of the first layer also for the second: there is one driver.
  EXPECT_EQ(test::bound(model, rig).character->palette_size, one->palette_size);
}

TEST(SharedDrivers, CannotFollowInTwoWays) {
  Model model = test::make_tube_in_cage();
  model.meshes.push_back(copy_of(model.meshes[0], "other"));
  Rig rig = test::rig_of(test::by_cage(), "tube");
  SurfaceFfdParameters other = test::by_cage();
  other.driver.follow = Follow::kStreamed;
  rig.layers.push_back({"other", other, {}, {}});
  EXPECT_EQ(test::bind_error(model, rig),
            "layer 1 (surface-ffd): the driver 'cage' is already used with other parameters");
}

// Each layer makes a driver of its own targets.
TEST(SharedDrivers, MadeFromTargetsAreNotShared) {
  Model model = test::make_tube();
  model.meshes.push_back(copy_of(test::make_tube_mesh({.radius = 0.5f}), "other"));
  Rig rig = test::rig_of(SurfaceFfdParameters{}, "tube");
  rig.layers.push_back({"other", SurfaceFfdParameters{}, {}, {}});
  const Character character = test::bound(model, rig).character;
  EXPECT_EQ(character->meshes.size(), 4u);
  EXPECT_NO_FATAL_FAILURE(test::mesh_of(character, "driver of tube"));
  EXPECT_NO_FATAL_FAILURE(test::mesh_of(character, "driver of other"));
}

// ---------------------------------------------------------------------------------------------------------- sources

TEST(DriverSources, AreGivenOnce) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.file = "cage.obj";
  EXPECT_EQ(test::bind_error(test::make_tube_in_cage(), test::rig_of(parameters, "tube")),
            "layer 0 (surface-ffd): /driver/file: a driver has one of mesh, file and patches");
}

TEST(DriverSources, TessellationIsBounded) {
  SurfaceFfdParameters parameters;
  PatchParameters patch{.shape = {4, 4}};
  for (int i = 0; i < 16; ++i) patch.control.emplace_back(i / 4, i % 4, 0);
  parameters.driver.patches = {patch};
  parameters.driver.tessellation = 512;
  const auto error = [&] { return test::bind_error(test::make_tube(), test::rig_of(parameters, "tube")); };
  EXPECT_THAT(error(), HasSubstr("a patch of 513 x 513 vertices has more than 262144"));
  parameters.driver.tessellation = 400;
  parameters.driver.patches.push_back(patch);
  EXPECT_THAT(error(), HasSubstr("the patches of the driver have more than 262144 vertices"));
}

TEST(DriverSources, RefinementIsBounded) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.refine = {{{}, 40}};
  EXPECT_THAT(test::bind_error(test::make_tube_in_cage(), test::rig_of(parameters, "tube")),
              HasSubstr("refinement 0 makes a driver of more than 524288 triangles"));
  parameters.driver.refine = {{{.joints = {"elbow"}}, 1}};
  EXPECT_THAT(test::bind_error(test::make_tube_in_cage(), test::rig_of(parameters, "tube")),
              testing::StartsWith("layer 0 (surface-ffd): refinement 0 of the driver: there is no joint 'elbow'"));
}

// No triangle is wholly in the region: refining ends at once, and huge levels cost nothing.
TEST(DriverSources, RefinedWhereNothingIsAreAsTheyWere) {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.refine = {{{.sphere = Sphere{{100, 0, 0}, 1, 0}}, 0xFFFFFFFFu}};
  const Model model = test::make_tube_in_cage();
  const Character character = test::bound(model, test::rig_of(parameters, "tube")).character;
  EXPECT_EQ(test::mesh_of(character, "cage").vertex_count(), model.meshes[1].positions.size());
}

}  // namespace
}  // namespace pelt
