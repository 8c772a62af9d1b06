// SPDX-License-Identifier: MIT
// The joints that control vertices of a mesh follow if they are attached as painted: the mesh "cage" over a tube, whose
// weights the tests choose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <utility>

#include <pelt/tools/file_io.h>

#include "tests/engine/authoring/hierarchical_bspline/two_sheets.h"
#include "tests/support/driven.h"
#include "tests/support/program.h"
#include "tests/support/tube_surface.h"

namespace pelt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Row = std::vector<Influence>;

HierarchicalBsplineParameters over_cage() {
  HierarchicalBsplineParameters parameters;
  parameters.mesh = "cage";
  return parameters;
}

// A tube of joints at x = 0, 2 and 5 along a chain, and of two at (6, +-1, 0) that hang on the second, in a cage whose
// vertices have the rows in turn.
Model painted_tube(const std::vector<Row>& painting, bool swapped = false) {
  Model model = test::make_tube_in_cage({.along = 32, .joints = 2}, {.around = 6, .along = 6, .radius = 1.3f});
  model.skeleton.joints.clear();
  model.bound_joints.clear();
  const glm::vec3 upper(6, 1, 0);
  const std::vector<std::pair<int, glm::vec3>> joints{
      {-1, glm::vec3(0)}, {0, {2, 0, 0}}, {1, {5, 0, 0}}, {1, upper}, {1, {6, -1, 0}}};
  for (std::uint32_t j = 0; j < 5; ++j) {
    const std::uint32_t number = swapped && j > 2 ? 7 - j : j;
    const auto& [parent, place] = joints[number];
    Joint joint{.name = "joint" + std::to_string(number), .parent = parent, .rest = {}, .matrix = {}};
    joint.rest.translation = place - (parent < 0 ? glm::vec3(0) : joints[parent].second);
    model.skeleton.joints.push_back(joint);
    model.bound_joints.push_back({j, glm::translate(glm::mat4(1), -place)});
  }
  SparseRows rows;
  for (std::size_t v = 0; v < model.meshes[1].positions.size(); ++v) {
    Row row = painting[v % painting.size()];
    for (Influence& influence : row) {
      if (swapped && influence.index > 2) influence.index = 7 - influence.index;
    }
    rows.append_row(row);
  }
  model.meshes[1].weights = std::move(rows);
  return model;
}

// Returns the motion from bind of each joint, turned about itself.
std::vector<glm::mat4> motions() {
  const std::vector<glm::vec3> places{{0, 0, 0}, {2, 0, 0}, {5, 0, 0}, {6, 1, 0}, {6, -1, 0}};
  const std::vector<std::pair<float, glm::vec3>> turns{
      {20, {1, 0, 0}}, {80, {0, 0, 1}}, {-50, {0, 1, 1}}, {70, {1, 2, 0}}, {100, {0, 1, -1}}};
  const std::vector<int> parents{-1, 0, 1, 1, 1};
  std::vector<glm::mat4> result;
  for (std::size_t j = 0; j < places.size(); ++j) {
    const glm::mat4 turn = test::turn_about(places[j], turns[j].first, turns[j].second);
    result.push_back(parents[j] < 0 ? turn : result[static_cast<std::size_t>(parents[j])] * turn);
  }
  return result;
}

// Returns the positions of the cage's vertices for these motions of the joints.
std::vector<glm::vec3> painted_cage(const std::vector<Row>& painting, bool swapped = false,
                                    const std::vector<glm::mat4>& motion = motions()) {
  const Model model = painted_tube(painting, swapped);
  const Character character = test::bound(model, test::rig_of(over_cage(), "tube")).character;
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  for (std::uint32_t j = 0; j < joints.size(); ++j) joints[j] = motion[swapped && j > 2 ? 7 - j : j] * joints[j];
  return test::posed(character, joints, "surface");
}

std::vector<glm::vec3> cage_by(const Row& row, bool swapped = false, const std::vector<glm::mat4>& motion = motions()) {
  return painted_cage({row}, swapped, motion);
}

std::vector<glm::vec3> cage_at_rest() { return cage_by({{0, 1}}, false, std::vector(5, glm::mat4(1))); }

glm::vec3 moved_by(const glm::mat4& motion, glm::vec3 point) { return glm::vec3(motion * glm::vec4(point, 1)); }

// The part of the screw from the motion of one joint to that of the other.
glm::mat4 part_of_turn(std::size_t above, std::size_t below, float share) {
  const std::vector<glm::mat4> all = motions();
  const glm::quat from = glm::quat_cast(all[above]);
  const glm::quat way = glm::quat_cast(all[below]) * glm::conjugate(from);
  const glm::vec3 to = test::on_screw(way, glm::vec3(all[above][3]), glm::vec3(all[below][3]), share);
  return glm::translate(glm::mat4(1), to) * glm::mat4_cast(glm::slerp(from, way * from, share));
}

// The part of the screw is that of the weight.
TEST(PaintedVertices, OfAJointAndAnotherFollowTheSubSegmentBetween) {
  const std::vector<glm::vec3> rest = cage_at_rest();
  for (const float share : {1.0f / 6, 0.3f, 0.5f, 5.0f / 6}) {
    const std::vector<glm::vec3> posed = cage_by({{0, 1 - share}, {1, share}});
    EXPECT_LT(test::worst_distance(rest, posed, test::by_matrix(part_of_turn(0, 1, share))), 1e-5f) << share;
    EXPECT_LT(test::farthest(cage_by({{1, share}, {0, 1 - share}}), posed), 1e-6f) << "rows come in any order";
  }
  // A joint and the parent of its parent; two siblings.
  for (const auto& [above, below] : {std::pair(0u, 2u), std::pair(3u, 4u)}) {
    const glm::mat4 wanted = part_of_turn(above, below, 0.3f);
    EXPECT_LT(test::worst_distance(rest, cage_by({{above, 0.7f}, {below, 0.3f}}), test::by_matrix(wanted)), 1e-5f);
  }
}

// Seven different parts of a pair's turn are exact; of more the nearest two of six sub-segments are mixed.
TEST(PaintedVertices, AreMixedFromTheNearestSubSegmentsWhereTheyAreMany) {
  const std::vector<glm::vec3> rest = cage_at_rest();
  std::vector<Row> painting;
  const auto error = [&](const glm::mat4& wanted) {  // of the vertices that have the first row
    const std::vector<glm::vec3> posed = painted_cage(painting);
    float worst = 0;
    for (std::size_t v = 0; v < rest.size(); v += painting.size()) {
      worst = std::max(worst, glm::distance(posed[v], moved_by(wanted, rest[v])));
    }
    return worst;
  };
  for (const float share : {0.3f, 0.11f, 0.2f, 0.41f, 0.53f, 0.62f, 0.9f})
    painting.push_back({{0, 1 - share}, {1, share}});
  EXPECT_LT(error(part_of_turn(0, 1, 0.3f)), 1e-5f);
  painting.push_back({{0, 0.25f}, {1, 0.75f}});
  EXPECT_LT(error(0.2f * part_of_turn(0, 1, 1.0f / 6) + 0.8f * part_of_turn(0, 1, 1.0f / 3)), 1e-5f);
}

// Two of three joints of weights a, b and c share a b / (a + c) of one and a b / (b + c) of the other.
TEST(PaintedVertices, OfThreeJointsShareTheirWeightAmongPairs) {
  const std::vector<glm::vec3> rest = cage_at_rest();
  const float third = 1.0f / 3;
  const glm::mat4 wanted =
      third * part_of_turn(0, 1, 0.5f) + third * part_of_turn(0, 2, 0.5f) + third * part_of_turn(1, 2, 0.5f);
  const std::vector<glm::vec3> posed = cage_by({{0, third}, {1, third}, {2, third}});
  EXPECT_LT(test::worst_distance(rest, posed, test::by_matrix(wanted)), 1e-5f);
}

// A weight that vanishes changes nothing, however it vanishes.
TEST(PaintedVertices, PassSmoothlyToFewerJoints) {
  const std::vector<Row> few{{{1, 1}}, {{0, 0.3f}, {1, 0.7f}}, {{3, 0.4f}, {1, 0.6f}}};
  for (const Row& row : few) {
    const std::vector<glm::vec3> without = cage_by(row);
    for (const float weight : {1e-3f, 1e-6f, 1.1e-7f, 1e-8f, 1e-20f, 1e-42f}) {
      Row more = row;
      for (Influence& influence : more) influence.weight *= 1 - weight;
      more.push_back({2, weight});
      EXPECT_LT(test::farthest(cage_by(more), without), 20 * weight + 2e-5f) << row.size() << ' ' << weight;
    }
  }
}

// Siblings have no order except that in the file, which has no meaning.
TEST(PaintedVertices, DoNotDependOnTheOrderOfTheJoints) {
  for (const Row& row : {Row{{3, 0.5f}, {4, 0.5f}}, Row{{3, 0.8f}, {4, 0.2f}}, Row{{1, 0.4f}, {3, 0.3f}, {4, 0.3f}}}) {
    EXPECT_LT(test::farthest(cage_by(row), cage_by(row, true)), 1e-4f);
  }
}

// ------------------------------------------------------------------------------------------ the painting of the
// surface

// A cage of rings at the tube's rings, by its control vertices.
HierarchicalBsplineParameters tube_cage(std::uint32_t rings) {
  const Mesh cage = test::make_tube_mesh({.around = 8, .along = rings - 1, .radius = 1.2f});
  HierarchicalBsplineParameters parameters;
  parameters.control = cage.positions;
  for (std::uint32_t i = 0; i + 1 < rings; ++i) {
    for (std::uint32_t k = 0; k < 8; ++k) {
      const std::uint32_t next = (k + 1) % 8;
      parameters.faces.push_back({i * 8 + k, i * 8 + next, i * 8 + 8 + next, i * 8 + 8 + k});
    }
  }
  return parameters;
}

// Returns a tube of two joints with the second one turned, posed.
std::vector<glm::vec3> bent_surface(const HierarchicalBsplineParameters& parameters, const Model& model) {
  const Character character = test::bound(model, test::rig_of(parameters, "tube")).character;
  return test::posed(character, test::bent(model, 80), "surface");
}

glm::vec3 turned_about_joint(glm::vec3 point, float degrees) {
  return moved_by(test::turn_about({4, 0, 0}, degrees), point);
}

// Without spread the surface is painted like the skin next to it: over 6 m, a sixth from ring to ring. Vertices that an
// attachment names follow it instead.
TEST(Painting, IsThatOfTheSkinWhereNothingIsSpread) {
  HierarchicalBsplineParameters parameters = tube_cage(9);
  parameters.spread = 0.0f;
  const Model model = test::make_tube({.along = 32, .blend_length = 6});
  for (const std::size_t attached : {72u, 60u}) {
    if (attached < 72) parameters.levels = {{.attach = {{.joint = "joint0", .vertices = {{60, 71}}}}}};
    const std::vector<glm::vec3> posed = bent_surface(parameters, model);
    for (std::size_t v = 0; v < posed.size(); ++v) {
      const float share = v >= attached ? 0 : std::clamp((static_cast<float>(v / 8) - 1) / 6, 0.0f, 1.0f);
      EXPECT_LT(glm::distance(posed[v], turned_about_joint(parameters.control[v], 80 * share)), 1e-4f) << v;
    }
  }
  parameters.levels.clear();
  // Spread, a joint reaches further.
  const Model sudden = test::make_tube({.along = 32, .blend_length = 0.5f});
  EXPECT_LT(glm::distance(bent_surface(parameters, sudden)[3 * 8], parameters.control[3 * 8]), 1e-5f);
  parameters.spread = 6.0f;
  EXPECT_GT(glm::distance(bent_surface(parameters, sudden)[3 * 8], parameters.control[3 * 8]), 0.05f);
}

TEST(Painting, OfTheBaseItselfStays) {
  HierarchicalBsplineParameters parameters = over_cage();
  parameters.spread = 4.0f;
  Model model = test::make_tube_in_cage({.along = 32}, {.around = 8, .along = 8, .radius = 1.2f, .blend_length = 0.5f});
  const std::vector<glm::vec3> posed = bent_surface(parameters, model);
  const std::vector<glm::vec3> rest = model.meshes[1].positions;
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const float share = rest[v].x < 3.9f ? 0.0f : rest[v].x > 4.1f ? 1.0f : 0.5f;
    EXPECT_LT(glm::distance(posed[v], turned_about_joint(rest[v], 80 * share)), 1e-4f) << v;
  }
}

// On a grid a vertex has another number on each level; still, finer levels do not change what coarser ones follow.
TEST(Painting, OfAGridIsThatOfEachLevel) {
  HierarchicalBsplineParameters parameters = test::tube_surface();
  parameters.spread = 0.0f;
  parameters.levels = {{.attach = {{.painted = true, .vertices = {{0, 87}}}}}};
  const Model model = test::make_tube({.along = 32, .blend_length = 4});
  const std::vector<glm::vec3> one_level = bent_surface(parameters, model);
  const std::vector<float> shares{0, 0, 0, 0, 0.25f, 0.5f, 0.75f, 1, 1, 1, 1};
  for (std::size_t v = 8; v < 80; ++v) {
    EXPECT_LT(glm::distance(one_level[v], turned_about_joint(parameters.control[v], 80 * shares[v / 8])), 0.02f) << v;
  }
  parameters.levels.push_back({.attach = {{.painted = true, .vertices = {{9 * 16, 9 * 16 + 15}}}}});
  const Character character = test::bound(model, test::rig_of(parameters, "tube")).character;
  EXPECT_LT(test::farthest(bent_surface(parameters, model), one_level), 0.02f);
  const std::vector<glm::vec3> rest = test::posed(character, test::bind_matrices(model), "surface level 1");
  // Ring 9 of the second level lies at x = 4: each joint has a half.
  const std::vector<glm::vec3> posed = test::posed(character, test::bent(model, 80), "surface level 1");
  for (std::size_t v = 0; v < posed.size(); ++v) {
    EXPECT_NEAR(rest[v].x, 4, 1e-5f);
    EXPECT_LT(glm::distance(posed[v], turned_about_joint(rest[v], 40)), 0.02f) << v;
  }
}

// Skin finds the sheet of the base that is painted as it is, though another lies as near.
TEST(Painting, KeepsTheSheetsOfAGivenBaseApart) {
  Model model = test::make_tube({.joints = 4});
  model.meshes = {test::two_sheets("tube", 21, 0.02f), test::two_sheets("cage", 7, 0.02f)};  // whose bends are cut off
  test::expect_to_part(model, test::bound(model, test::rig_of(over_cage(), "tube")).character);
}

// ---------------------------------------------------------------------------------------------------- bases in the rig

constexpr const char* kBoxObj =
    "v -1 -2 -2\nv 9 -2 -2\nv 9 2 -2\nv -1 2 -2\nv -1 -2 2\nv 9 -2 2\nv 9 2 2\nv -1 2 2\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

// Returns a rig whose base is the OBJ of this text.
Rig rig_with_file(const test::TemporaryFolder& folder, std::string_view text) {
  folder.write("base.obj", text);
  HierarchicalBsplineParameters parameters;
  parameters.file = "base.obj";
  Rig rig = test::rig_of(parameters, "tube");
  rig.directory = folder.path().string();
  return rig;
}

TEST(GivenBase, OfAFileHasItsPolygons) {
  const test::TemporaryFolder folder;
  const Character character = test::bound(test::make_tube(), rig_with_file(folder, kBoxObj)).character;
  const CharacterMesh& surface = test::mesh_of(character, "surface");
  ASSERT_EQ(surface.vertex_count(), 8u);
  std::vector<glm::vec3> rest(8);
  to_source_order<glm::vec3>(surface, surface.binding.points, rest);
  EXPECT_EQ(rest[6], glm::vec3(9, 2, 2));
  // Points of no face are no part of the surface.
  EXPECT_EQ(test::bind_error(test::make_tube(), rig_with_file(folder, std::string(kBoxObj) + "v 50 50 50\n")), "bound");
}

TEST(GivenBase, ErrorsNameWhatIsWrong) {
  const test::TemporaryFolder folder;
  const Model model = test::make_tube_in_cage();
  EXPECT_THAT(test::bind_error(model, rig_with_file(folder, "v 0 0 0\n")), HasSubstr("base.obj: has no face"));
  EXPECT_THAT(test::bind_error(model, rig_with_file(folder, std::string(kBoxObj) + "f 1 2 8\n")),
              HasSubstr("belongs to more than two faces"));
  Rig rig = rig_with_file(folder, kBoxObj);
  rig.layers[0].deformer.get<HierarchicalBsplineParameters>().file = "other.obj";
  EXPECT_THAT(test::bind_error(model, rig), HasSubstr("other.obj"));

  HierarchicalBsplineParameters parameters = over_cage();
  const auto expect_refused = [&](const char* why) {
    EXPECT_THAT(test::bind_error(model, test::rig_of(parameters, "tube")), AllOf(HasSubstr(why), HasSubstr("layer")));
    parameters = over_cage();
  };
  parameters.mesh = "coge";
  expect_refused("cage");
  parameters.frames_per_span = 0;
  expect_refused("frames_per_span every_vertex requires a grid");
  parameters.mapping = SurfaceMapping::kTextureCoordinates;
  expect_refused("mapping by texture_coordinates requires a grid");
  parameters.levels = {{.attach = {{.joint = "joint9", .vertices = {{0, 3}}}}}};
  expect_refused("joint9");
  const SurfaceAttachment painted{.painted = true, .vertices = {{20, 25}}};
  parameters.levels = {{.attach = {{.joint = "joint1", .vertices = {{0, 30}}}, painted}}};
  expect_refused("vertex 20 is attached twice");
  parameters.levels = {{.attach = {{.joint = "joint1", .vertices = {{900, 900}}}}}};
  expect_refused("no vertex 900");
  parameters.creases = {{{{0, 50}}, 10}};
  expect_refused("a crease follows no edge: from point 0 to 50");
}

// A base mesh of the model is no skin.
TEST(GivenBase, OfTheModelIsNoSkin) {
  const Character character = test::bound(test::make_tube_in_cage(), test::rig_of(over_cage())).character;
  for (const CharacterMesh& mesh : character->meshes) EXPECT_NE(mesh.name, "cage");
}

// Skin on the creases of a box stays on them; without creases the surface is far within its control mesh.
TEST(GivenBase, CreasesReachTheirEdges) {
  const test::TemporaryFolder folder;
  Rig rig = rig_with_file(folder, kBoxObj);
  Model model = test::make_tube();
  Mesh& tube = model.meshes[0];
  tube.positions[0] = {4, 2, 2};  // in the middle of an edge
  const auto distance = [&] {
    const Bound bound = test::bound(model, rig);
    return std::ranges::find(bound.report.meshes, "tube", &MeshReport::mesh)->distances.at(0);
  };
  EXPECT_GT(distance(), 0.3f);
  auto& parameters = rig.layers[0].deformer.get<HierarchicalBsplineParameters>();
  parameters.creases = {{{{0, 1, 2, 3, 0}, {4, 5, 6, 7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}}};
  EXPECT_LT(distance(), 1e-5f);
}

}  // namespace
}  // namespace pelt
