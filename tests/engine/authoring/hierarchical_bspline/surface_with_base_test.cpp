// SPDX-License-Identifier: MIT
// A base that is written into the rig binds the same character as its source.
#include <gmock/gmock.h>

#include <pelt/builtin.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/rig_json.h>
#include <pelt/tools/surface_vertices.h>
#include <pelt/tools/write_out.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/program.h"

namespace pelt {
namespace {

using hierarchical_bspline::surface_with_base;
using testing::HasSubstr;

// Returns a pose in which every joint but the root is turned against its parent.
std::vector<glm::mat4> bent(Model model) {
  for (std::size_t j = 1; j < model.skeleton.joints.size(); ++j) {
    glm::quat& rotation = model.skeleton.joints[j].rest.rotation;
    rotation = rotation * glm::angleAxis(0.3f, glm::normalize(glm::vec3(1, 2, 3)));
  }
  return test::bind_matrices(model);
}

// Returns all posed vertices, those of control meshes, too.
std::vector<glm::vec3> posed(const Character& character, const Model& model) {
  Evaluator evaluator(character);
  evaluator.pose(bent(model));
  evaluator.evaluate();
  return {evaluator.positions().begin(), evaluator.positions().end()};
}

// Binds by the rig and by its surface, written out and read again; returns the latter.
HierarchicalBsplineParameters expect_same(const Model& model, Rig rig) {
  const Character before = test::bound(model, rig).character;
  rig.layers[0].deformer = test::must(surface_with_base(model, rig, 0));
  Rig read = test::must(parse_rig(format_rig(rig), "the rig"));
  EXPECT_EQ(read, rig);
  EXPECT_EQ(posed(test::bound(model, read).character, model), posed(before, model));
  EXPECT_EQ(test::must(surface_with_base(model, read, 0)), rig.layers[0].deformer.get<HierarchicalBsplineParameters>())
      << "once written it stays";
  return read.layers[0].deformer.get<HierarchicalBsplineParameters>();
}

Model tube() { return test::make_tube({.around = 12, .along = 32}); }

// A tube that follows one joint stays on linear blend, and so does a point of it that no triangle has.
TEST(SurfaceWithBase, StaysUnmadeWhereTheLayerMovesNothing) {
  for (const bool loose : {false, true}) {
    Model model = tube();
    Mesh& mesh = model.meshes[0];
    if (loose) {
      mesh.positions.emplace_back(1, 2, 3);
      mesh.normals.emplace_back(0, 0, 1);
    }
    SparseRows rows;
    const Influence only{0, 1};
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) rows.append_row(std::span(&only, 1));
    mesh.weights = std::move(rows);
    for (const char* deformer : {"surface_ffd", "hierarchical_bspline"}) {
      const Bound bound = test::must(bind(model, test::must(rig_from_deformer_name(deformer))));
      EXPECT_THAT(bound.report.notes, testing::Contains(testing::HasSubstr("moves nothing"))) << deformer << loose;
    }
    const Rig rig = test::rig_of(HierarchicalBsplineParameters{});
    EXPECT_EQ(test::must(surface_with_base(model, rig, 0)), HierarchicalBsplineParameters{});
  }
}

TEST(SurfaceWithBase, IsThatMadeOfTheSkin) {
  const Model model = make_biped();
  HierarchicalBsplineParameters surface;
  surface.base_faces = 300;
  const auto written = expect_same(model, test::rig_of(surface));
  EXPECT_GT(written.faces.size(), 200u);
  EXPECT_GT(written.levels.size(), 1u);
  EXPECT_TRUE(written.frames_per_span);
  const auto vertices = test::must(hierarchical_bspline::surface_vertices(written));
  EXPECT_TRUE(vertices.grids[0].is_mesh());
  EXPECT_EQ(vertices.grids[0].stored, written.control.size());
}

// All vertices of a coarse skin are in the base, each at its own position.
TEST(SurfaceWithBase, IsACoarseSkinItself) {
  const auto written = expect_same(test::make_tube(), test::rig_of(HierarchicalBsplineParameters{}));
  EXPECT_FALSE(written.creases.empty());
}

TEST(SurfaceWithBase, IsAGridAsItIs) {
  HierarchicalBsplineParameters surface;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j)
      surface.control.emplace_back(3.0f * static_cast<float>(i), 0, static_cast<float>(j) - 1.5f);
  }
  EXPECT_EQ(expect_same(tube(), test::rig_of(surface)), surface);
}

// A mesh of the model paints the base with its own weights and is no skin; both stay so.
TEST(SurfaceWithBase, KeepsThePaintingOfAMesh) {
  Model model = test::make_tube_in_cage();
  for (const bool painted : {true, false}) {
    HierarchicalBsplineParameters surface;
    surface.mesh = "cage";
    if (!painted) {
      for (Mesh& mesh : model.meshes) {
        if (mesh.name == "cage") mesh.weights = {};
      }
    }
    auto written = expect_same(model, test::rig_of(surface));
    EXPECT_EQ(written.mesh, "cage");
    EXPECT_FALSE(written.levels[0].attach.empty());
    written.control.pop_back();
    written.faces = {{0, 1, 2}};
    written.levels.clear();
    EXPECT_THAT(test::bind_error(model, test::rig_of(written)), HasSubstr("mesh 'cage' has"));
  }
}

TEST(SurfaceWithBase, TakesAFileIn) {
  const test::TemporaryFolder folder;
  std::string obj;
  for (int x = 0; x < 2; ++x) {
    for (const char* corner : {"-1 -1", "1 -1", "1 1", "-1 1"})
      obj += "v " + std::to_string(8 * x) + " " + corner + "\n";
  }
  folder.write("box.obj", obj + "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  HierarchicalBsplineParameters surface;
  surface.file = "box.obj";
  surface.levels.resize(1);
  surface.levels[0].attach.push_back({.joint = "joint0", .vertices = {{0, 3}}});
  Rig rig = test::rig_of(surface);
  rig.directory = folder.path().string();
  const Character before = test::bound(tube(), rig).character;
  rig.layers[0].deformer = test::must(surface_with_base(tube(), rig, 0));
  const auto& written = rig.layers[0].deformer.get<HierarchicalBsplineParameters>();
  EXPECT_EQ(written.file, "");
  EXPECT_EQ(written.control.size(), 8u);
  ASSERT_EQ(written.levels[0].attach.size(), 2u);
  EXPECT_TRUE(written.levels[0].attach[1].painted);
  rig.directory.clear();
  EXPECT_EQ(posed(test::bound(tube(), rig).character, tube()), posed(before, tube()));
}

TEST(SurfaceWithBase, IsRefusedOnAnotherSkin) {
  const Model model = tube();
  Rig rig = test::rig_of(HierarchicalBsplineParameters{});
  rig.layers[0].deformer = test::must(surface_with_base(model, rig, 0));
  auto written = rig.layers[0].deformer.get<HierarchicalBsplineParameters>();
  EXPECT_THAT(test::bind_error(test::make_tube({.around = 6, .along = 8}), rig), HasSubstr("from another skin"));
  written.made_of = {{0, 4'000'000'000u}};
  EXPECT_THAT(test::bind_error(model, test::rig_of(written)), HasSubstr("made_of names"));
  written.made_of = {{0, 3}};
  EXPECT_THAT(test::bind_error(model, test::rig_of(written)),
              HasSubstr("made_of names 4 vertices, and needs one for each"));
  written.faces.clear();
  written.creases.clear();
  EXPECT_THAT(test::bind_error(model, test::rig_of(written)), HasSubstr("made_of requires a base of control"));
}

TEST(WriteOut, HasTheBasesMadeOfTheSkinAlone) {
  const Model model = tube();
  Rig rig = test::rig_of(HierarchicalBsplineParameters{});
  rig.layers.insert(rig.layers.begin(), {.deformer = SurfaceFfdParameters{}});
  Rig expected = rig;
  expected.layers[1].deformer = test::must(surface_with_base(model, rig, 1));
  EXPECT_NE(expected, rig);
  EXPECT_EQ(test::must(write_out(model, rig)), expected);
  EXPECT_EQ(test::must(write_out(model, expected)), expected);
  HierarchicalBsplineParameters named;
  named.mesh = "cage";
  const Model in_cage = test::make_tube_in_cage();
  EXPECT_EQ(test::must(write_out(in_cage, test::rig_of(named))), test::rig_of(named));
}

TEST(SurfaceWithBase, IsOfASurfaceAlone) {
  const Rig rig = test::must(rig_from_deformer_name("linear_blend"));
  EXPECT_THAT(surface_with_base(tube(), rig, 0).error().message, HasSubstr("layer 0 of the rig is not a surface"));
  EXPECT_FALSE(surface_with_base(tube(), rig, 1));
}

}  // namespace
}  // namespace pelt
