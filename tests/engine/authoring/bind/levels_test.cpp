// SPDX-License-Identifier: MIT
// Levels of detail: coarser meshes that the same joints, drivers and controls move.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/curve_skeleton.h>
#include <pelt/garment.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>
#include <pelt/pelt_file.h>
#include <pelt/tools/triangle_tree.h>

#include "tests/support/breakage.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::HasSubstr;

const test::TubeOptions kFine{.around = 24, .along = 48, .joints = 4};

MeshLevel make_level(std::uint32_t level, std::uint32_t around, std::uint32_t along) {
  MeshLevel made{0, level, test::make_tube_mesh({.around = around, .along = along, .joints = 4})};
  made.mesh.name = "tube_LOD" + std::to_string(level);
  return made;
}

// Returns a tube with levels 1 and 3.
Model tube_with_levels() {
  Model model = test::make_tube(kFine);
  model.levels = {make_level(1, 16, 24), make_level(3, 12, 16)};
  return model;
}

test::Subject subject_of(const test::Deformer& deformer, Model model) {
  return test::make_subject(deformer, std::move(model),
                            test::make_tube_mesh({.around = 8, .along = 24, .radius = 1.1f, .joints = 4}));
}

std::vector<glm::mat4> bent_joints(const Character& character) {
  std::vector<glm::mat4> joints(character->skeleton.joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j] = glm::rotate(glm::mat4(1), 0.2f * static_cast<float>(j), glm::vec3(0, 0, 1));
    joints[j][3] = glm::vec4(2.0f * static_cast<float>(j), 0, 0, 1);
  }
  return joints;
}

std::vector<glm::vec3> bent(const Character& character, const std::string& mesh) {
  return test::posed(character, bent_joints(character), mesh);
}

TEST(Levels, MayStandInAnyOrder) {
  Model model = tube_with_levels();
  const std::vector<std::byte> wanted = serialize(test::bound_by(model, "linear_blend"));
  std::swap(model.levels[0], model.levels[1]);
  EXPECT_EQ(serialize(test::bound_by(model, "linear_blend")), wanted);
}

class LevelsOf : public testing::TestWithParam<test::Deformer> {};
INSTANTIATE_TEST_SUITE_P(All, LevelsOf, testing::ValuesIn(test::deformers()), testing::PrintToStringParamName());

TEST_P(LevelsOf, FollowTheFinestMesh) {
  const test::Subject subject = subject_of(GetParam(), tube_with_levels());
  const Character character = test::bound(subject.model, subject.rig).character;
  ASSERT_EQ(character->levels.size(), 2u);
  EXPECT_EQ(character->coarsest_level(), 3u);
  const std::string& name = subject.model.meshes[0].name;
  const std::vector<glm::vec3> fine = bent(character, name);
  const TriangleTree surface = test::must(TriangleTree::create(fine, subject.model.meshes[0].triangles));
  for (const MeshLevel& level : subject.model.levels) {
    const Character coarse = character.at_level(level.level);
    EXPECT_TRUE(coarse->levels.empty());
    EXPECT_EQ(coarse->palette_size, character->palette_size);
    EXPECT_EQ(coarse->input_count, character->input_count);
    EXPECT_EQ(coarse->meshes.size(), character->meshes.size());
    float worst = 0;
    for (const auto& near : surface.nearest_of_each(bent(coarse, level.mesh.name), 1)) {
      worst = std::max(worst, static_cast<float>(std::sqrt(near.closest.squared_distance)));
    }
    EXPECT_LT(worst, 0.06f) << level.mesh.name;  // metres; the tube is 1 m thick, and has facets
  }
}

TEST_P(LevelsOf, LeaveTheFinestMeshAsItIsWithoutThem) {
  Model alone = tube_with_levels();
  alone.levels.clear();
  const test::Subject with = subject_of(GetParam(), tube_with_levels());
  const test::Subject without = subject_of(GetParam(), alone);
  const std::string& name = with.model.meshes[0].name;
  const std::vector<glm::vec3> wanted = bent(test::bound(without.model, without.rig).character, name);
  const Character character = test::bound(with.model, with.rig).character;
  // Tables of curves get more samples if levels read between the samples of the finest mesh.
  EXPECT_LT(test::farthest(wanted, bent(character, name)), 1e-3f);
  EXPECT_EQ(bent(character.at_level(0), name), bent(character, name));
}

TEST(Levels, MoveByTheirOwnWeights) {
  const Model model = tube_with_levels();
  Model alone = model;
  alone.meshes = {model.levels[1].mesh};
  alone.levels.clear();
  EXPECT_EQ(bent(test::bound_by(model, "linear_blend").at_level(3), "tube_LOD3"),
            bent(test::bound_by(alone, "linear_blend"), "tube_LOD3"));
}

TEST(Levels, AreChosenNoFinerThanAsked) {
  const Character character = test::bound_by(tube_with_levels(), "linear_blend");
  const auto shown = [&](std::uint32_t level) { return character.at_level(level)->meshes[0].name; };
  EXPECT_EQ(shown(0), "tube");
  EXPECT_EQ(shown(1), "tube_LOD1");
  EXPECT_EQ(shown(2), "tube_LOD1");
  EXPECT_EQ(shown(3), "tube_LOD3");
  EXPECT_EQ(shown(9), "tube_LOD3");
}

TEST(Levels, AreMorphedByTheControlsOfTheFinestMesh) {
  Model model = tube_with_levels();
  test::add_morph_targets(model.meshes[0], 3);
  test::add_morph_targets(model.levels[0].mesh, 3);
  // In another order, and without the first.
  std::vector<MorphTarget>& targets = model.levels[0].mesh.morph_targets;
  targets.erase(targets.begin());
  std::swap(targets[0], targets[1]);
  // A far offset takes no digits of others.
  MorphTarget& far = model.meshes[0].morph_targets[1];
  far.offsets[0] = std::ranges::find(targets, far.name, &MorphTarget::name)->offsets[0] = {0, 100, 0};
  const Character character = test::bound_by(model, "linear_blend");
  ASSERT_EQ(character->controls.size(), 3u);
  const Character coarse = character.at_level(1);
  ASSERT_EQ(coarse->controls.size(), 3u);
  const std::vector<glm::vec3> rest = model.levels[0].mesh.positions;
  for (std::size_t c = 0; c < 3; ++c) {
    Evaluator evaluator(coarse);
    evaluator.control(c, 1);
    evaluator.pose(test::bind_matrices(model));
    evaluator.evaluate();
    std::vector<glm::vec3> wanted = rest;
    const std::string name(coarse->controls[c].target_name());
    const auto target = std::ranges::find(targets, name, &MorphTarget::name);
    for (std::size_t v = 0; target != targets.end() && v < wanted.size(); ++v) wanted[v] += target->offsets[v];
    const std::vector<glm::vec3> posed = test::positions_of(evaluator, coarse, "tube_LOD1");
    EXPECT_LT(test::farthest(wanted, posed), 1e-4f) << name;
  }
}

// Returns the mesh with its vertices in the opposite order.
Mesh reversed(const Mesh& mesh) {
  Mesh result = mesh;
  const auto last = static_cast<std::uint32_t>(mesh.positions.size()) - 1;
  std::ranges::reverse(result.positions);
  std::ranges::reverse(result.normals);
  for (glm::uvec3& triangle : result.triangles) triangle = last - triangle;
  result.weights = {};
  for (std::size_t v = 0; v <= last; ++v) result.weights.append_row(mesh.weights.row(last - v));
  return result;
}

TEST(Levels, HaveTheMasksOfTheFinestMesh) {
  Model model = test::make_tube(kFine);
  model.levels = {{0, 1, reversed(model.meshes[0])}};
  model.levels[0].mesh.name = "tube_LOD1";
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.groups = {{.name = "half", .mesh = "tube"}};  // numbers vertices of the finest mesh
  for (std::uint32_t v = 0; v < model.meshes[0].positions.size(); ++v) {
    if (model.meshes[0].positions[v].x > 5) rig.groups[0].vertices.push_back({v, v});
  }
  rig.layers.push_back(test::rig_of(CurveSkeletonParameters{}, "tube").layers[0]);
  rig.layers[1].mask.region.group = "half";
  const Character character = test::bound(model, rig).character;
  std::vector<glm::vec3> wanted = bent(character, "tube");
  std::ranges::reverse(wanted);
  const std::vector<glm::vec3> coarse = bent(character.at_level(1), "tube_LOD1");
  EXPECT_LT(test::farthest(wanted, coarse), 1e-3f);
}

TEST(Levels, AreMovedByTheModelsOwnWeights) {
  const Character coarse = test::bound_by(tube_with_levels(), "dual_quaternion").at_level(1);
  Evaluator evaluator(coarse);
  evaluator.set_detail(Detail::kLinearBlend);
  evaluator.pose(bent_joints(coarse));
  evaluator.evaluate();
  const std::vector<glm::vec3> wanted =
      bent(test::bound_by(tube_with_levels(), "linear_blend").at_level(1), "tube_LOD1");
  const std::vector<glm::vec3> posed = test::positions_of(evaluator, coarse, "tube_LOD1");
  EXPECT_LT(test::farthest(wanted, posed), 1e-3f);
}

TEST(Levels, OfADriverAreLeftOut) {
  Model model = test::make_tube_in_cage();
  model.levels = {{1, 1, test::make_tube_mesh({.around = 6, .along = 8})}};
  model.levels[0].mesh.name = "cage_LOD1";
  const Bound bound = test::bound(model, test::rig_of(test::by_cage(), "tube"));
  EXPECT_TRUE(bound.character->levels.empty());
  EXPECT_THAT(bound.report.notes,
              testing::Contains("'cage_LOD1' is left out, since it is a level of detail of a driver"));
}

TEST(Levels, OfAGarmentFollowTheBody) {
  const Model body = test::make_tube(kFine);
  Model garment = tube_with_levels();
  garment.meshes[0].name = "sleeve";
  for (Mesh* mesh : {&garment.meshes[0], &garment.levels[0].mesh, &garment.levels[1].mesh}) mesh->weights = {};
  const Model dressed = test::must(dress_by_weights(garment, body)).model;
  ASSERT_EQ(dressed.levels.size(), 2u);
  EXPECT_TRUE(has_weights(dressed.levels[1].mesh));
  EXPECT_EQ(test::bound_by(dressed, "linear_blend")->levels.size(), 2u);
}

TEST(Levels, NeedASurface) {
  Model model = tube_with_levels();
  model.meshes[0].triangles.clear();
  model.meshes[0].parts.clear();
  EXPECT_THAT(test::bind_error(model, test::rig_of(LinearBlendParameters{})), HasSubstr("no triangle with area"));
}

TEST(Levels, OfAModelAreChecked) {
  const auto error = [](auto change) {
    Model model = tube_with_levels();
    change(model.levels[0]);
    return test::bind_error(model, test::rig_of(LinearBlendParameters{}));
  };
  EXPECT_THAT(error([](MeshLevel& level) { level.of = 1; }), HasSubstr("of mesh 1 (there are 1)"));
  EXPECT_THAT(error([](MeshLevel& level) { level.level = 0; }), HasSubstr("level of detail 0 (allowed: 1 to 63)"));
  EXPECT_THAT(error([](MeshLevel& level) { level.level = 3; }), HasSubstr("is repeated"));
  EXPECT_THAT(error([](MeshLevel& level) { level.mesh.name = "tube"; }), HasSubstr("two meshes have the name 'tube'"));
  EXPECT_THAT(error([](MeshLevel& level) { level.mesh.positions[0].x = NAN; }), HasSubstr("must be finite"));
}

TEST(Levels, OfACharacterAreChecked) {
  const Character character = test::bound_by(tube_with_levels(), "surface_ffd");
  const auto error = [&](auto change) {
    CharacterData data = *character;
    change(data.levels[0]);
    return test::create_error(data);
  };
  EXPECT_EQ(error([](SkinLevel&) {}), "made");
  EXPECT_THAT(error([](SkinLevel& level) { level.of = 0; }), HasSubstr("which is not a skin"));  // the driver
  EXPECT_THAT(error([](SkinLevel& level) { level.of = 9; }), HasSubstr("mesh 9, which is not a skin"));
  EXPECT_THAT(error([](SkinLevel& level) { level.level = 64; }), HasSubstr("64, which must be 1 to 63"));
  EXPECT_THAT(error([](SkinLevel& level) { level.level = 3; }), HasSubstr("repeated or out of order"));
  EXPECT_THAT(error([](SkinLevel& level) { level.skin.stage = 0; }), HasSubstr("is not a skin in the last stage"));
  EXPECT_THAT(error([](SkinLevel& level) { level.skin.first_vertex = 1; }),
              HasSubstr("is not a skin in the last stage"));
  EXPECT_THAT(error([](SkinLevel& level) { level.skin.binding.points[0].x = NAN; }), HasSubstr("not finite"));
  EXPECT_NE(error([](SkinLevel& level) { level.skin.first_entry = 0xFFFFFF; }), "made");
}

}  // namespace
}  // namespace pelt
