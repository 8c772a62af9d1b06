// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/bind.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/linear_blend.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using test::bind_error;
using test::by_cage;
using test::rig_of;
using Mode = SurfaceFfdParameters::Mode;

// Returns a tube inside a coarser one, "cage", which has weights.
Model tube_in_cage() {
  return test::make_tube_in_cage({.around = 16, .along = 32}, {.around = 6, .along = 8, .radius = 1.2f});
}

// Equal weights move a plate rigidly, however the limb under it bends.
TEST(SurfaceFfdBind, APlateDoesNotFollowTheLimbUnderIt) {
  Model model = test::make_tube({.around = 24, .along = 48});
  Mesh& skin = model.meshes[0];
  const auto first = static_cast<std::uint32_t>(skin.positions.size());
  const Mesh plate = test::make_tube_mesh({.around = 24, .along = 12, .radius = 1.05f, .length = 2});
  for (const glm::vec3& p : plate.positions) {
    skin.positions.push_back(p + glm::vec3(3, 0, 0));
    skin.weights.append_row(std::vector<Influence>{{0, 0.7f}, {1, 0.3f}});
  }
  for (const glm::uvec3 t : plate.triangles) skin.triangles.push_back(t + first);
  skin.parts = {};
  skin.normals.insert(skin.normals.end(), plate.normals.begin(), plate.normals.end());
  const std::vector<glm::vec3> moved =
      test::posed(test::bound(model, rig_of(SurfaceFfdParameters{})).character, test::bent(model, 90), "tube");
  for (const glm::uvec3 t : plate.triangles) {
    const float rest = glm::distance(plate.positions[t.x], plate.positions[t.y]);
    EXPECT_NEAR(glm::distance(moved[first + t.x], moved[first + t.y]), rest, 0.02f * rest);
  }
}

std::uint32_t ffd_records(const Character& character) {
  return std::ranges::find(character->passes, PoseKernel::kSurfaceFfd, &PalettePass::kernel)->record_count;
}

// A sliver has area, but its frame is left to rounding: of its edges, or of the posed corners. A narrow triangle is an
// element.
TEST(SurfaceFfdBind, SliversMoveNothing) {
  SurfaceFfdParameters parameters = by_cage();
  parameters.mode = Mode::kBasic;
  for (const float height : {1e-8f, 1e-6f, 1e-4f}) {
    Model model = tube_in_cage();
    Mesh& cage = model.meshes[1];
    const auto first = static_cast<std::uint32_t>(cage.positions.size());
    for (const glm::vec3 corner : {glm::vec3(0, 0, 0), glm::vec3(0.5f, 0, 0), glm::vec3(0.25f, 0, height)}) {
      cage.positions.push_back(corner);
      cage.normals.emplace_back(0, 1, 0);
      cage.weights.append_row(std::vector<Influence>(cage.weights.row(0).begin(), cage.weights.row(0).end()));
    }
    cage.tangents.clear();
    cage.uvs.clear();
    cage.triangles.emplace_back(first, first + 1, first + 2);
    cage.parts = {};
    const Bound bound = test::must(bind(model, rig_of(parameters)));
    const bool narrow = height > 1e-5f;
    EXPECT_EQ(ffd_records(bound.character), narrow ? 97u : 96u) << height;
    EXPECT_EQ(std::ranges::any_of(bound.report.notes,
                                  [](const std::string& note) { return note.find("1 of the 97 tri") != note.npos; }),
              !narrow)
        << height;
  }
}

TEST(SurfaceFfdBind, ElementsAreRaisedToTheValence) {
  SurfaceFfdParameters parameters = by_cage();
  parameters.mode = Mode::kBasic;
  parameters.elements = 2;
  const auto longest_row = [&] { return bind(tube_in_cage(), rig_of(parameters))->report.meshes[1].max_influences; };
  EXPECT_EQ(longest_row(), 6u);
  parameters.raise_elements = false;
  EXPECT_EQ(longest_row(), 2u);
  parameters.elements = 0;
  EXPECT_GT(longest_row(), 90u);
}

// With another order, blocks and batches have other vertices; each row must equal that of its vertex bound separately.
TEST(SurfaceFfdBind, RowsDoNotDependOnTheOrderOfVertices) {
  Model model = tube_in_cage();
  model.meshes[0] = test::make_tube_mesh({.around = 200, .along = 200});
  BindOptions options;
  options.keep_vertex_order = true;
  const auto rows_of = [&] {
    const Result<Bound> bound = bind(model, rig_of(by_cage()), options);
    return bound ? unpack_rows(bound->character->meshes[1].binding) : SparseRows{};
  };
  const SparseRows before = rows_of();
  std::vector<glm::vec3>& positions = model.meshes[0].positions;
  std::vector<std::uint32_t> place(positions.size());
  std::iota(place.begin(), place.end(), 0u);
  std::shuffle(place.begin(), place.end(), std::mt19937(1));
  const std::vector<glm::vec3> ordered = positions;
  std::vector<std::uint32_t> whence(place.size());
  for (std::uint32_t i = 0; i < place.size(); ++i) {
    positions[place[i]] = ordered[i];
    whence[place[i]] = i;
  }
  SparseRows shuffled;
  for (const std::uint32_t i : whence) shuffled.append_row(model.meshes[0].weights.row(i));
  model.meshes[0].weights = std::move(shuffled);
  const SparseRows after = rows_of();
  ASSERT_EQ(before.row_count(), ordered.size());
  ASSERT_EQ(after.row_count(), ordered.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    ASSERT_TRUE(std::ranges::equal(before.row(i), after.row(place[i]))) << i;
  }
}

// In double precision the distance to the power of 4,000 overflows, but its logarithm does not.
TEST(SurfaceFfdBind, SteepFalloffLeavesTheClosest) {
  SurfaceFfdParameters parameters = by_cage();
  parameters.mode = Mode::kBasic;
  parameters.local = 4000;
  parameters.distance_unit = 1e-3f;
  const Bound bound = test::must(bind(tube_in_cage(), rig_of(parameters)));
  EXPECT_LT(bound.report.meshes[1].mean_influences, 5.0);
}

TEST(SurfaceFfdBind, WeightsDoNotDependOnUnits) {
  const auto rows_at = [](float scale) {
    Model model = tube_in_cage();
    for (Mesh& mesh : model.meshes) {
      for (glm::vec3& p : mesh.positions) p *= scale;
    }
    return unpack_rows(bind(model, rig_of(by_cage()), {.keep_vertex_order = true})->character->meshes[1].binding);
  };
  const SparseRows metres = rows_at(1);
  for (const float scale : {1.0f / 1024, 512.0f}) {
    const SparseRows other = rows_at(scale);
    ASSERT_EQ(other.row_count(), metres.row_count());
    for (std::size_t i = 0; i < metres.row_count(); ++i) {
      std::map<std::uint32_t, double> difference;
      for (const Influence& influence : metres.row(i)) difference[influence.index] += influence.weight;
      for (const Influence& influence : other.row(i)) difference[influence.index] -= influence.weight;
      for (const auto& [index, weight] : difference) ASSERT_NEAR(weight, 0, 2e-5) << "vertex " << i << " at " << scale;
    }
  }
}

TEST(SurfaceFfdBind, ExtremeFalloffsStayFinite) {
  for (const float local : {0.0f, 1.0f, 200.0f, 1e30f}) {
    for (const float unit : {1e-20f, 1.0f, 1e20f}) {
      for (const Mode mode : {Mode::kBasic, Mode::kExtended}) {
        SurfaceFfdParameters parameters = by_cage();
        parameters.mode = mode;
        parameters.local = local;
        parameters.distance_unit = unit;
        EXPECT_EQ(bind_error(tube_in_cage(), rig_of(parameters)), "bound") << local << " " << unit;
      }
    }
  }
}

TEST(SurfaceFfdDriver, WhatCannotBeADriver) {
  SurfaceFfdParameters parameters;
  parameters.driver.mesh = "nothing";
  EXPECT_THAT(bind_error(tube_in_cage(), rig_of(parameters)),
              testing::AllOf(testing::HasSubstr("'nothing'"), testing::HasSubstr("; there are: tube, cage")));
  parameters.driver = {};
  const Model cloud = test::make_cloud(10);
  EXPECT_THAT(bind_error(cloud, rig_of(parameters, cloud.meshes[0].name)), testing::HasSubstr("no triangles"));
  EXPECT_EQ(bind_error(cloud, rig_of(parameters)), "bound") << "a layer over * leaves it to linear blend";

  Model flat = tube_in_cage();
  for (glm::vec3& p : flat.meshes[1].positions) p.y = p.z = 0;
  EXPECT_THAT(bind_error(flat, rig_of(by_cage())), testing::HasSubstr("no triangle with area"));

  flat.meshes[1].triangles.clear();
  flat.meshes[1].parts.clear();
  EXPECT_EQ(bind_error(flat, rig_of(by_cage())), "layer 0 (surface-ffd): the driver 'cage' has no triangles");

  Model bare = tube_in_cage();
  for (Mesh& mesh : bare.meshes) mesh.weights = {};
  EXPECT_THAT(bind_error(bare, rig_of(by_cage())), testing::HasSubstr("no weights"));
}

TEST(SurfaceFfdDriver, TakesTheWeightsOfTheSkin) {
  Model model = tube_in_cage();
  model.meshes[1].weights = {};
  const Bound bound = test::must(bind(model, rig_of(by_cage())));
  const CharacterMesh& cage = bound.character->meshes[0];
  const SparseRows rows = unpack_rows(cage.binding);
  // Far from the joint a single bone moves the driver; each joint has two palette entries.
  EXPECT_EQ(rows.row(0)[0].index + cage.first_entry, bound.character->passes[0].first_entry);
  EXPECT_GT(rows.row(0)[0].weight, 0.97f);
  EXPECT_EQ(rows.row(cage.vertex_count() - 1)[0].index + cage.first_entry, bound.character->passes[0].first_entry + 2);
}

TEST(SurfaceFfdDriver, ClosestLimbIsRigid) {
  SurfaceFfdParameters parameters = by_cage();
  parameters.driver.follow = Follow::kClosestLimb;
  const Bound bound = test::must(bind(tube_in_cage(), rig_of(parameters)));
  const CharacterMesh& cage = bound.character->meshes[0];
  const SparseRows rows = unpack_rows(cage.binding);
  for (std::uint32_t i = 0; i < cage.vertex_count(); ++i) {
    ASSERT_EQ(rows.row(i).size(), 1u);
    const float x = cage.binding.points[i].x;
    if (x < 3.9f) {
      EXPECT_EQ(cage.first_entry + rows.row(i)[0].index, 0u) << x;
    }
    if (x > 4.1f) {
      EXPECT_EQ(cage.first_entry + rows.row(i)[0].index, 1u) << x;
    }
  }
}

// The bone from the root, on the ground, to the hips runs between the legs, nearer to their inner sides than theirs.
TEST(SurfaceFfdDriver, FollowsNoRootOnTheGround) {
  SurfaceFfdParameters parameters;
  parameters.driver.follow = Follow::kClosestLimb;
  const Model biped = make_biped();
  const Bound bound = test::must(bind(biped, rig_of(parameters)));
  const CharacterMesh& driver = bound.character->meshes[0];
  ASSERT_TRUE(driver.control);
  const SparseRows rows = unpack_rows(driver.binding);
  std::size_t of_root = 0;
  for (const Influence& influence : rows.influences) {
    const std::uint32_t entry = driver.first_entry + influence.index - bound.character->passes[0].first_entry;
    if (biped.skeleton.joints[biped.bound_joints[entry].joint].name == "root") ++of_root;
  }
  EXPECT_EQ(of_root, 0u);
}

TEST(SurfaceFfdDriver, IsMadeByWeldingAndSimplifying) {
  // Every triangle has vertices of its own: only welding makes one surface of them.
  const Model whole = test::make_tube({.around = 32, .along = 64});
  Model split = whole;
  split.meshes[0] = test::split(whole.meshes[0]);
  SurfaceFfdParameters parameters;
  parameters.driver.triangles = 500;
  for (const Model& model : {whole, split}) {
    const Bound bound = test::must(bind(model, rig_of(parameters)));
    const CharacterMesh& driver = bound.character->meshes[0];
    EXPECT_EQ(driver.name, "driver of tube");
    EXPECT_LE(driver.triangles.size(), 500u);
    EXPECT_GT(driver.triangles.size(), 450u);
    EXPECT_LT(driver.vertex_count(), 300u) << "welded";
    // Even on a straight tube vertices remain along it, not only at its ends.
    const auto in_the_middle = std::count_if(driver.binding.points.begin(), driver.binding.points.end(),
                                             [](glm::vec3 p) { return p.x > 3 && p.x < 5; });
    EXPECT_GT(in_the_middle, 30);
  }
}

TEST(SurfaceFfdDriver, ComesFromAFile) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "surface_ffd_driver";
  std::filesystem::create_directories(folder);
  {
    std::ofstream file(folder / "box.obj");
    const Mesh cage = test::make_tube_mesh({.around = 6, .along = 8, .radius = 1.2f});
    for (const glm::vec3 p : cage.positions) file << "v " << p.x << " " << p.y << " " << p.z << "\n";
    for (const glm::uvec3 t : cage.triangles) file << "f " << t.x + 1 << " " << t.y + 1 << " " << t.z + 1 << "\n";
  }
  SurfaceFfdParameters parameters;
  parameters.driver.file = "box.obj";
  Rig rig = rig_of(parameters);
  rig.directory = folder.string();
  const Bound bound = test::must(bind(test::make_tube(), rig));
  EXPECT_EQ(bound.character->meshes[0].name, "box");
  EXPECT_EQ(bound.character->meshes[0].vertex_count(), 54u);
  EXPECT_THAT(bound.report.notes, testing::Contains(testing::HasSubstr("the driver's file 'box.obj': no normals")));
  rig.directory = (folder / "elsewhere").string();
  EXPECT_THAT(bind_error(test::make_tube(), rig), testing::HasSubstr("elsewhere"));
}

// Binds a tube and a separate part; vertex i of the part follows joint 1 by weight(i), and joint 0 by the remainder.
Result<Bound> bind_with_eye(const std::function<float(std::uint32_t)>& weight) {
  Model model = test::make_tube({.around = 24, .along = 48});
  Mesh& mesh = model.meshes[0];
  const Mesh eye = test::make_tube_mesh({.around = 6, .along = 4, .radius = 0.1f, .length = 0.2f});
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (std::uint32_t i = 0; i < eye.positions.size(); ++i) {
    mesh.positions.push_back(eye.positions[i] + glm::vec3(5, 1, 0));
    mesh.normals.push_back(eye.normals[i]);
    std::vector<Influence> row{{1, weight(i)}};
    if (weight(i) < 1) row.insert(row.begin() + i % 2, {0, 1 - weight(i)});  // in any order
    mesh.weights.append_row(row);
  }
  for (const glm::uvec3 t : eye.triangles) mesh.triangles.push_back(t + first);
  mesh.parts = {};
  BindOptions options;
  options.keep_vertex_order = true;
  return bind(model, rig_of(SurfaceFfdParameters{}), options);
}

const auto kSaysRigid = testing::Contains(testing::HasSubstr("stay on linear blend"));

TEST(SurfaceFfdBind, RigidPartsStayOnLinearBlend) {
  const Result<Bound> bound = bind_with_eye([](std::uint32_t) { return 1.0f; });
  ASSERT_TRUE(bound) << bound.error().message;
  const CharacterMesh& skin = bound->character->meshes[1];
  const SparseRows rows = unpack_rows(skin.binding);
  for (std::uint32_t i = skin.vertex_count() - 30; i < skin.vertex_count(); ++i) EXPECT_EQ(rows.row(i).size(), 1u);
  EXPECT_GT(statistics(rows).mean_influences, 2);
  for (const glm::vec3 p : bound->character->meshes[0].binding.points) EXPECT_LT(std::abs(p.y), 1.001f) << "no driver";
  EXPECT_THAT(bound->report.notes, kSaysRigid);
}

TEST(SurfaceFfdBind, PartsThatFollowOneJointAllButAloneAreRigid) {
  const auto notes = [](const std::function<float(std::uint32_t)>& weight) {
    const Result<Bound> bound = bind_with_eye(weight);
    EXPECT_TRUE(bound);
    return bound ? bound->report.notes : std::vector<std::string>();
  };
  EXPECT_THAT(notes([](std::uint32_t i) { return i == 0 ? 0.8f : 0.98f; }), kSaysRigid);
  EXPECT_THAT(notes([](std::uint32_t i) { return i == 0 ? 0.7f : 1.0f; }), testing::Not(kSaysRigid)) << "one vertex";
  EXPECT_THAT(notes([](std::uint32_t) { return 0.93f; }), testing::Not(kSaysRigid)) << "the mean";
  EXPECT_THAT(notes([](std::uint32_t i) { return i == 0 ? 0.0f : 1.0f; }), testing::Not(kSaysRigid)) << "another joint";
}

}  // namespace
}  // namespace pelt
