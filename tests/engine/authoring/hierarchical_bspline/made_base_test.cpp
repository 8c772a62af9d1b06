// SPDX-License-Identifier: MIT
// Surfaces whose base is made of the skin, the default of every rig without a base.
#include <gmock/gmock.h>

#include <algorithm>

#include <pelt/builtin.h>
#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/hierarchical_bspline.h>

#include "engine/authoring/hierarchical_bspline/base.h"
#include "tests/engine/authoring/hierarchical_bspline/two_sheets.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::HasSubstr;

Rig made_rig(std::uint32_t faces = 400, std::optional<float> spread = {}) {
  HierarchicalBsplineParameters parameters;
  parameters.spread = spread;
  parameters.base_faces = faces;
  return test::rig_of(parameters);
}

std::vector<glm::vec3> posed_skin(const Model& model, const Character& character, std::span<const glm::mat4> joints) {
  return test::posed(character, joints, model.meshes[0].name);
}

float size_of_mesh(const Mesh& mesh) {
  glm::vec3 low = mesh.positions[0];
  glm::vec3 high = low;
  for (const glm::vec3 p : mesh.positions) {
    low = glm::min(low, p);
    high = glm::max(high, p);
  }
  return glm::distance(low, high);
}

// Binds, and expects that the bind pose gives the rest shape back, to a millionth of the size, and that the character
// moves rigidly with all joints.
Character expect_whole(const Model& model, const Rig& rig) {
  const Character character = test::bound(model, rig).character;
  const std::vector<glm::mat4> rest = test::bind_matrices(model);
  const float size = size_of_mesh(model.meshes[0]);
  EXPECT_LT(test::farthest(model.meshes[0].positions, posed_skin(model, character, rest)), 1e-6f * size);
  std::vector<glm::mat4> moved = rest;
  for (glm::mat4& joint : moved) joint = test::rigid_motion() * joint;
  EXPECT_LT(test::worst_distance(model.meshes[0].positions, posed_skin(model, character, moved),
                                 test::by_matrix(test::rigid_motion())),
            1e-5f * size);
  return character;
}

TEST(MadeBase, IsOnTheSkin) {
  const Model model = make_limb({.around = 48, .along = 64});
  const Bound bound = test::bound(model, made_rig());
  const auto report = std::ranges::find(bound.report.meshes, model.meshes[0].name, &MeshReport::mesh);
  const HierarchicalBsplineParameters defaults;
  double sum = 0;
  for (const float distance : report->distances) sum += distance;
  EXPECT_LT(sum / static_cast<double>(report->distances.size()), defaults.tolerance * size_of_mesh(model.meshes[0]))
      << "in the mean";
  EXPECT_LT(report->worst_distance, 0.012f * size_of_mesh(model.meshes[0])) << "at the sharp edges of the ends";
}

// Returns the joint that moves a vertex; none if several do.
std::optional<std::uint32_t> only_joint(const Model& model, std::size_t vertex) {
  const std::span<const Influence> row = model.meshes[0].weights.row(vertex);
  return row.size() == 1 ? std::optional(model.bound_joints[row[0].index].joint) : std::nullopt;
}

// A skin of few vertices is its own control mesh. All its edges are sharp: vertices of one joint move with it.
TEST(MadeBase, OfFewVerticesIsTheSkinItself) {
  const Model model = make_limb({.around = 8, .along = 12, .blend_length = 1});
  const Character character = expect_whole(model, made_rig(400, 0.0f));
  const CharacterMesh& surface = test::mesh_of(character, "surface");
  std::vector<glm::vec3> control(surface.vertex_count());
  to_source_order<glm::vec3>(surface, surface.binding.points, control);
  for (const glm::vec3 p : model.meshes[0].positions) EXPECT_THAT(control, testing::Contains(p));

  const glm::mat4 rest = test::bind_matrices(model)[1];
  const std::vector<glm::mat4> joints = test::bent(model, 100);
  const std::vector<glm::vec3> posed = posed_skin(model, character, joints);
  std::size_t of_one = 0;
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const auto joint = only_joint(model, v);
    if (!joint) continue;
    const glm::mat4 motion = *joint == 1 ? joints[1] * glm::inverse(rest) : glm::mat4(1);
    EXPECT_LT(glm::distance(posed[v], test::by_matrix(motion)(model.meshes[0].positions[v])), 1e-4f) << v;
    ++of_one;
  }
  EXPECT_GT(of_one, 60u);
}

// Exact normals of the folded surface would stain a bend of few edges that is shaded smoothly: each normal turns about
// as dual quaternions turn it.
TEST(MadeBase, HasSmoothNormalsAtBendsOfFewEdges) {
  const Model model = make_limb({.around = 24, .along = 32});
  const auto normals = [&](const Rig& rig) {
    return test::posed_normals(test::bound(model, rig).character, test::bent(model, 90), model.meshes[0].name);
  };
  const std::vector<glm::vec3> made = normals(made_rig(400, 0.0f)),
                               turned = normals(test::rig_of(DualQuaternionParameters{}));
  ASSERT_EQ(made.size(), turned.size());
  float least = 1;
  for (std::size_t v = 0; v < made.size(); ++v) least = std::min(least, glm::dot(made[v], turned[v]));
  EXPECT_GT(least, 0.8f);
}

TEST(MadeBase, KeepsSheetsThatNearlyTouchApart) {
  Model model = test::make_tube({.joints = 4});
  model.meshes = {test::two_sheets("sheets", 30, 0.01f)};
  const Character character = expect_whole(model, made_rig(60));
  EXPECT_LT(test::mesh_of(character, "surface").vertex_count(), 900u) << "it is not the skin itself";
  test::expect_to_part(model, character);
}

// ------------------------------------------------------------------------------------------------------ skins with
// breakages

// On a fine and on a coarse tube.
TEST(MadeBase, BearsBrokenSkins) {
  const std::pair<const char*, void (*)(Mesh&)> breakages[] = {
      {"edges of many triangles",
       [](Mesh& mesh) {
         const std::vector<glm::uvec3> once(mesh.triangles.begin(), mesh.triangles.begin() + 20);
         for (const glm::uvec3 t : once) {
           mesh.triangles.push_back(t);                     // twice
           mesh.triangles.emplace_back(t.z, t.y, t.x);      // and the other way round
           mesh.triangles.emplace_back(t.x, t.y, t.z + 9);  // fins
         }
       }},
      {"triangles without area",
       [](Mesh& mesh) {
         mesh.triangles.insert(mesh.triangles.begin(), {{3, 3, 4}, {5, 5, 5}, {7, 8, 7}});
         mesh.positions[mesh.triangles.back().x] = mesh.positions[mesh.triangles.back().y];
         for (std::uint32_t v = 20; v < 24; ++v) mesh.positions[v] = mesh.positions[19];
       }},
      {"winding that turns",
       [](Mesh& mesh) {
         for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) std::swap(mesh.triangles[t].x, mesh.triangles[t].y);
       }},
      {"points of no triangle", [](Mesh& mesh) { mesh.triangles.resize(mesh.triangles.size() / 2); }}};
  for (const auto& [name, spoil] : breakages) {
    for (const std::uint32_t along : {12u, 64u}) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(along));
      Model model = test::make_tube({.around = along == 12 ? 6u : 32u, .along = along});
      spoil(model.meshes[0]);
      model.meshes[0].parts = {{0, static_cast<std::uint32_t>(model.meshes[0].triangles.size()), -1}};
      expect_whole(model, made_rig());
    }
  }
}

// A mesh without weights takes none from a neighbour that has some.
TEST(MadeBase, BearsAMeshWithoutWeightsBeforeTheSkin) {
  for (const std::uint32_t around : {6u, 32u}) {
    Model model = test::make_tube({.around = around, .along = 2 * around});
    Mesh bare = test::make_tube_mesh({.around = around, .along = 8, .radius = 0.5f});
    bare.name = "bare";
    bare.weights = {};
    model.meshes.insert(model.meshes.begin(), bare);
    const Character character = test::bound(model, made_rig()).character;
    std::swap(model.meshes[0], model.meshes[1]);
    const Character after = test::bound(model, made_rig()).character;
    const std::vector<glm::mat4> joints = test::bent(model, 86);
    const float off = test::farthest(posed_skin(model, character, joints), posed_skin(model, after, joints));
    EXPECT_LT(off, 0.1f) << "the order of the meshes says nothing";
  }
}

TEST(MadeBase, ErrorsSayWhatIsMissing) {
  Model bare = test::make_tube();
  bare.meshes[0].weights = {};
  EXPECT_THAT(test::bind_error(bare, made_rig()), HasSubstr("no target has weights that the surface could follow"));
  const Model points = test::make_cloud(100);
  Rig rig = made_rig();
  rig.layers[0].target = points.meshes[0].name;
  EXPECT_THAT(test::bind_error(points, rig), HasSubstr("the layer has no skin to make a surface from"));
  EXPECT_THAT(test::bind_error(test::make_cloud(0), made_rig()), HasSubstr("no skin to make a surface from"));
}

TEST(MadeBase, LeavesPointsWithoutTrianglesToLinearBlend) {
  const Bound bound = test::must(bind(test::make_cloud(100), made_rig()));
  EXPECT_THAT(bound.report.notes, testing::Contains(HasSubstr("has no triangle with area")));
}

// A pyramid upside down; a sliver, 0 1 2, lies on its top.
TEST(MadeBase, TurnsTheLongEdgeOfASliver) {
  const std::vector<glm::vec3> points = {{-1, 0, 0}, {1, 0, 0}, {0, 0.1f, 0}, {0, -1, 0}, {-3, -3, 0},
                                         {3, -3, 0}, {3, 3, 0}, {-3, 3, 0},   {0, 0, -3}};
  const std::vector<glm::uvec3> given = {{0, 1, 2}, {1, 0, 3}, {4, 5, 3}, {5, 1, 3}, {5, 6, 1}, {6, 2, 1}, {6, 7, 2},
                                         {7, 0, 2}, {7, 4, 0}, {4, 3, 0}, {5, 4, 8}, {6, 5, 8}, {7, 6, 8}, {4, 7, 8}};
  std::vector<glm::uvec3> turned = given;
  turned[0] = {2, 0, 3};
  turned[1] = {2, 3, 1};
  std::vector<glm::uvec3> triangles = given;
  hierarchical_bspline::turn_edges(triangles, points);
  EXPECT_EQ(triangles, turned);

  triangles = given;
  triangles.resize(10);  // open: its border is not that of the sliver
  hierarchical_bspline::turn_edges(triangles, points);
  EXPECT_EQ(triangles, std::vector(turned.begin(), turned.begin() + 10));

  triangles = std::vector(given.begin(), given.begin() + 2);
  hierarchical_bspline::turn_edges(triangles, points);
  EXPECT_EQ(triangles, std::vector(given.begin(), given.begin() + 2)) << "at a border";
}

}  // namespace
}  // namespace pelt
