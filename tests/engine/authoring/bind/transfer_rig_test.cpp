// SPDX-License-Identifier: MIT
// Rigs are carried over to other exports of their model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <glm/gtc/matrix_transform.hpp>
#include <utility>

#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/pelt_file.h>
#include <pelt/rig_json.h>
#include <pelt/selection.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/surface_vertices.h>
#include <pelt/transfer_rig.h>

#include "engine/authoring/deformer/region.h"
#include "tests/engine/authoring/bind/other_exports.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube_surface.h"

namespace pelt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --------------------------------------------------------------------------------------------------------- the rig

// A tube in a cage: a mask with values of listed vertices, an exclusion of listed triangles, a bulge of the cage.
class Transfer : public testing::Test {
 protected:
  Transfer() {
    const Mesh& tube = *model.find_mesh("tube");
    const Mesh& cage = *model.find_mesh("cage");
    Group soft{.name = "soft", .mesh = "tube"};
    for (std::uint32_t v = 0; v < tube.positions.size(); ++v) {
      const float x = tube.positions[v].x;
      if (x < 2.9f) continue;
      soft.vertices.push_back({v, v});
      soft.values.push_back(std::min(1.0f, 0.25f + 0.15f * (x - 2.9f)));
    }
    Group start{.name = "start", .mesh = "*"};
    for (std::uint32_t v = 0; v < tube.positions.size(); ++v) {
      if (tube.positions[v].x < 4) start.vertices.push_back({v, v});
    }
    Group far_end{.name = "far end"};
    for (std::uint32_t t = 0; t < cage.triangles.size(); ++t) {
      if (cage.positions[cage.triangles[t].x].x > 5 && cage.positions[cage.triangles[t].y].y > 0) {
        far_end.triangles.push_back({t, t});
      }
    }
    Group box{.name = "box"};
    box.region.box = Box{{-1, -2, -2}, {3, 2, 2}, 0.5f};
    rig.name = "sleeve";
    rig.groups = {soft, start, far_end, box};

    SurfaceFfdParameters ffd = test::by_cage();
    ffd.distance_unit = 0.6f;
    ffd.elements = 0;
    ffd.fade = 0;
    ffd.exclude = {{.elements = "far end", .vertices = "start"}};
    KeyPose bulge{.degrees = {60}};
    for (std::uint32_t v = 0; v < cage.positions.size(); ++v) {
      const glm::vec3& p = cage.positions[v];
      if (p.x > 2 && p.x < 6 && p.y > 0) bulge.offsets.push_back({v, {0, 0.3f * p.y, 0.1f * p.x}});
    }
    ffd.driver.key_poses = {{.angles = {{.joint = "joint1"}}, .poses = {bulge}}};
    rig.layers = {{.target = "tube", .deformer = LinearBlendParameters{}},
                  {.target = "tube", .deformer = ffd, .mask = {.region = {.group = "soft"}}}};
  }

  SurfaceFfdParameters& ffd() { return rig.layers[1].deformer.get<SurfaceFfdParameters>(); }
  static const SurfaceFfdParameters& ffd(const Rig& other) {
    return other.layers[1].deformer.get<SurfaceFfdParameters>();
  }

  Character character() const { return test::bound(model, rig).character; }

  Transferred transferred(const Character& old, const Model& to) const {
    Result<Transferred> result = transfer_rig(old, to, "folder");
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : Transferred{};
  }

  std::string error(const Model& to) const { return error(character(), to); }
  static std::string error(const Character& old, const Model& to) {
    const Result<Transferred> result = transfer_rig(old, to, "");
    return result ? "carried over" : result.error().message;
  }

  // Returns the character with `text` as its rig.
  static Character keeping(const Character& character, std::string text) {
    CharacterData data = *character;
    data.rig = std::move(text);
    return *Character::create(std::move(data));
  }

  Model model = test::make_tube_in_cage();
  Rig rig;
};

std::vector<float> values_of(const Group& group, std::size_t count) {
  std::vector<float> values(count, 0.0f);
  std::size_t place = 0;
  for (const IndexRange& range : group.vertices) {
    for (std::uint32_t i = range.first; i <= range.last; ++i, ++place) {
      values.at(i) = group.values.empty() ? 1.0f : group.values.at(place);
    }
  }
  EXPECT_TRUE(group.values.empty() || group.values.size() == place);
  return values;
}

std::vector<bool> triangles_of(const Group& group, std::size_t count) {
  std::vector<bool> listed(count, false);
  for (const IndexRange& range : group.triangles) {
    for (std::uint32_t i = range.first; i <= range.last; ++i) listed.at(i) = true;
  }
  return listed;
}

std::vector<glm::vec3> offsets_of(const KeyPose& pose, std::size_t count) {
  std::vector<glm::vec3> offsets(count, glm::vec3(0.0f));
  for (const VertexOffset& offset : pose.offsets) offsets.at(offset.vertex) += offset.offset;
  return offsets;
}

// Returns the tube bent by 60 degrees, where the bulge is complete.
std::vector<glm::vec3> bent_tube(const Character& character) {
  std::vector<glm::mat4> joints{glm::mat4(1.0f)};
  joints.push_back(glm::rotate(glm::translate(glm::mat4(1), glm::vec3(4, 0, 0)), glm::radians(60.0f), {0, 0, 1}));
  Evaluator evaluator(character);
  evaluator.pose(joints);
  evaluator.evaluate();
  return test::positions_of(evaluator, character, "tube");
}

float farthest(const std::vector<glm::vec3>& a, const std::vector<glm::vec3>& b, std::size_t count,
               const std::function<std::size_t(std::size_t)>& other) {
  float most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float distance = glm::distance(a.at(i), b.at(other(i)));
    most = distance <= most ? most : distance;
  }
  return most;
}

// ------------------------------------------------------------------------------------------------ what is carried over

TEST_F(Transfer, TheTextOfTheRigIsInTheFile) {
  const Character written = character();
  const Result<Character> read = deserialize(serialize(written), "x.pelt");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)->rig, format_rig(rig));
  EXPECT_EQ(*parse_rig((*read)->rig, "the rig"), rig);
}

TEST_F(Transfer, NumbersHoldOnTheSameTopology) {
  // Numbers hold wherever the vertices are now.
  const Model moved = with_meshes(model, [](Mesh mesh) {
    for (glm::vec3& p : mesh.positions) p *= 1.1f;
    return mesh;
  });
  const Transferred result = transferred(character(), moved);
  Rig expected = rig;
  expected.directory = "folder";
  expected.files = NamedFiles::kNone;  // the character may come from a stranger
  EXPECT_EQ(result.rig, expected);
  EXPECT_THAT(result.notes, ElementsAre("mesh 'tube': the topology is the same, numbers hold",
                                        "mesh 'cage': the topology is the same, numbers hold"));
}

TEST_F(Transfer, SubdividedMeshesTakeWhatTheirTrianglesHad) {
  const Model fine = with_meshes(model, subdivided);
  const Transferred result = transferred(character(), fine);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("mesh 'tube': "), HasSubstr("mesh 'cage': ")));
  const Mesh& tube = model.meshes[0];
  const Mesh& cage = model.meshes[1];
  for (const std::size_t g : {0u, 1u}) {
    SCOPED_TRACE(rig.groups[g].name);
    EXPECT_EQ(result.rig.groups[g].mesh, "tube");
    const std::vector<float> old = values_of(rig.groups[g], tube.positions.size());
    const std::vector<float> now = values_of(result.rig.groups[g], fine.meshes[0].positions.size());
    for (std::size_t t = 0; t < tube.triangles.size(); ++t) {
      const glm::uvec3 corners = tube.triangles[t];
      const glm::uvec3 middles = fine.meshes[0].triangles[4 * t + 3];
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(now[corners[c]], old[corners[c]], 1e-5);
        EXPECT_NEAR(now[middles[c]], 0.5 * (old[corners[c]] + old[corners[(c + 1) % 3]]), 1e-5);
      }
    }
  }
  const std::vector<bool> old = triangles_of(rig.groups[2], cage.triangles.size());
  const std::vector<bool> now = triangles_of(result.rig.groups[2], fine.meshes[1].triangles.size());
  ASSERT_NE(std::find(old.begin(), old.end(), true), old.end());
  for (std::size_t t = 0; t < now.size(); ++t) EXPECT_EQ(now[t], old[t / 4]) << t;
  EXPECT_EQ(result.rig.groups[3], rig.groups[3]);

  const std::vector<glm::vec3> was = offsets_of(ffd().driver.key_poses[0].poses[0], cage.positions.size());
  const KeyPose& pose = ffd(result.rig).driver.key_poses[0].poses[0];
  const std::vector<glm::vec3> is = offsets_of(pose, fine.meshes[1].positions.size());
  EXPECT_LT(farthest(was, is, was.size(), [](std::size_t i) { return i; }), 1e-5f);
  EXPECT_LT(pose.offsets.size(), is.size()) << "vertices that the pose does not move are listed";
}

TEST_F(Transfer, ASubdividedSkinMovesAsItDid) {
  const Character old = character();
  Model fine = model;
  fine.meshes[0] = subdivided(fine.meshes[0]);
  const std::vector<glm::vec3> was = bent_tube(old);
  const std::vector<glm::vec3> is = bent_tube(test::bound(fine, transferred(old, fine).rig).character);
  EXPECT_LT(farthest(was, is, was.size(), [](std::size_t i) { return i; }), 1e-5f);

  // A driver with four times the triangles gets other weights.
  const Model finer = with_meshes(model, subdivided);
  const std::vector<glm::vec3> near = bent_tube(test::bound(finer, transferred(old, finer).rig).character);
  EXPECT_LT(farthest(was, near, was.size(), [](std::size_t i) { return i; }), 0.06f);
}

TEST_F(Transfer, AnotherOrderMovesAsItDid) {
  const Character old = character();
  const Shuffled tube = shuffled(model.meshes[0]);
  const Shuffled cage = shuffled(model.meshes[1]);
  Model other = model;
  other.meshes = {tube.mesh, cage.mesh};
  const Transferred result = transferred(old, other);
  for (const std::size_t g : {0u, 1u}) {
    const std::vector<float> was = values_of(rig.groups[g], tube.vertex.size());
    const std::vector<float> is = values_of(result.rig.groups[g], tube.vertex.size());
    for (std::size_t v = 0; v < was.size(); ++v) EXPECT_NEAR(is[tube.vertex[v]], was[v], 1e-5);
  }
  const std::vector<bool> was = triangles_of(rig.groups[2], cage.triangle.size());
  const std::vector<bool> is = triangles_of(result.rig.groups[2], cage.triangle.size());
  for (std::size_t t = 0; t < was.size(); ++t) EXPECT_EQ(is[cage.triangle[t]], was[t]);
  // The rounding of a weight, 1 in 65535, is carried in the order of the palette entries.
  const std::vector<glm::vec3> now = bent_tube(test::bound(other, result.rig).character);
  EXPECT_LT(farthest(bent_tube(old), now, tube.vertex.size(), [&](std::size_t v) { return tube.vertex[v]; }), 5e-4f);
}

// The engine finds in a group what was at its place before.
// A surface is no mesh of the model: its own numbers stay, and what masks it is carried over.
TEST_F(Transfer, SurfacesMoveTheirSkinAsTheyDid) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  test::add_overlays(surface);
  surface.frames_per_span = 0;
  surface.levels[0].limits = {{SurfaceLimitKind::kDistance, "joint1", 0.9f, {{56, 63}}}};
  surface.levels[1].moves = {{8 * 16 + 3, {0, 0, 0.1f}}};
  rig.layers[1].deformer = surface;
  const Character old = character();
  const std::vector<glm::vec3> was = bent_tube(old);
  const Shuffled tube = shuffled(model.meshes[0]);
  for (const bool is_finer : {false, true}) {
    Model other = model;
    other.meshes[0] = is_finer ? subdivided(model.meshes[0]) : tube.mesh;
    const Transferred result = transferred(old, other);
    EXPECT_EQ(result.rig.layers[1].deformer.get<HierarchicalBsplineParameters>(), surface);
    const std::vector<glm::vec3> is = bent_tube(test::bound(other, result.rig).character);
    EXPECT_LT(farthest(was, is, was.size(), [&](std::size_t i) { return is_finer ? i : tube.vertex[i]; }), 2e-5f);
  }
}

// A surface that was made of the skin knows its vertices by number: those of another skin are others.
TEST(TransferSurface, ForgetsTheSkinThatItWasMadeOf) {
  const Model tube = test::make_tube();
  Rig made = test::rig_of(HierarchicalBsplineParameters{});
  made.layers[0].deformer = test::must(hierarchical_bspline::surface_with_base(tube, made, 0));
  const Character old = test::bound(tube, made).character;
  const auto same = test::must(transfer_rig(old, tube, ""));
  EXPECT_EQ(same.rig.layers, made.layers);
  EXPECT_TRUE(same.notes.empty());
  Model other = tube;
  other.meshes[0] = shuffled(tube.meshes[0]).mesh;
  const auto result = test::must(transfer_rig(old, other, ""));
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("made of another skin")));
  auto expected = made.layers[0].deformer.get<HierarchicalBsplineParameters>();
  expected.made_of.clear();
  EXPECT_EQ(result.rig.layers[0].deformer.get<HierarchicalBsplineParameters>(), expected);
  EXPECT_EQ(test::bind_error(other, result.rig), "bound");
}

TEST_F(Transfer, FinerMeshesInAnotherOrderHaveGroupsAndOffsetsWhereTheyWere) {
  const Mesh& cage = model.meshes[1];
  std::vector<VertexOffset>& offsets = ffd().driver.key_poses[0].poses[0].offsets;
  offsets = {{50, {0, 0.1f, 0}}};
  ffd().driver.offsets = offsets;
  rig.correctives = {{model.meshes[0].name, ffd().driver.key_poses[0]}};
  rig.correctives[0].keys.poses[0].morph_target.clear();
  const Model fine = with_meshes(model, [](const Mesh& mesh) { return shuffled(subdivided(mesh)).mesh; });
  const Transferred result = transferred(character(), fine);
  EXPECT_THAT(result.notes, testing::Each(HasSubstr("carried over by the closest point")));

  std::size_t corrected = 0;
  for (const std::string name : {"soft", "start"}) {
    const auto was = group_values(name, model.meshes[0], model, rig, "test");
    const auto is = group_values(name, fine.meshes[0], fine, result.rig, "test");
    ASSERT_TRUE(was && is);
    std::size_t found = 0;
    for (std::size_t v = 0; v < was->size(); ++v) {
      for (std::size_t w = 0; w < is->size(); ++w) {
        if (glm::distance(model.meshes[0].positions[v], fine.meshes[0].positions[w]) > 1e-6f) continue;
        EXPECT_NEAR((*is)[w], (*was)[v], 1e-5f);
        ++found;
      }
    }
    EXPECT_GE(found, was->size());
  }
  for (const VertexOffset& offset : result.rig.correctives[0].keys.poses[0].offsets) {
    if (glm::distance(fine.meshes[0].positions[offset.vertex], model.meshes[0].positions[50]) > 1e-6f) continue;
    EXPECT_NEAR(glm::distance(offset.offset, glm::vec3(0, 0.1f, 0)), 0, 1e-5f);
    ++corrected;
  }
  EXPECT_EQ(corrected, 1u);
  const auto was = group_triangles("far end", cage, model, rig, "test");
  const auto is = group_triangles("far end", fine.meshes[1], fine, result.rig, "test");
  ASSERT_TRUE(was && is);
  EXPECT_EQ(std::count(is->begin(), is->end(), 1), 4 * std::count(was->begin(), was->end(), 1));

  const std::vector<VertexOffset>& carried = ffd(result.rig).driver.key_poses[0].poses[0].offsets;
  const auto largest = std::max_element(
      carried.begin(), carried.end(),
      [](const VertexOffset& a, const VertexOffset& b) { return glm::length(a.offset) < glm::length(b.offset); });
  ASSERT_NE(largest, carried.end());
  EXPECT_LT(glm::distance(fine.meshes[1].positions[largest->vertex], cage.positions[50]), 1e-6f);
  EXPECT_NEAR(largest->offset.y, 0.1f, 1e-6f);
  EXPECT_EQ(ffd(result.rig).driver.offsets, carried);
}

TEST_F(Transfer, WhatWasCarriedOverCanBeCarriedOn) {
  const Character old = character();
  const Model fine = with_meshes(model, subdivided);
  const Character finer = test::bound(fine, transferred(old, fine).rig).character;
  const Result<Character> read = deserialize(serialize(finer), "fine.pelt");
  ASSERT_TRUE(read) << read.error().message;
  const Transferred back = transferred(*read, model);
  const Mesh& tube = model.meshes[0];
  for (const std::size_t g : {0u, 1u}) {
    const std::vector<float> was = values_of(rig.groups[g], tube.positions.size());
    const std::vector<float> is = values_of(back.rig.groups[g], tube.positions.size());
    for (std::size_t v = 0; v < was.size(); ++v) EXPECT_NEAR(is[v], was[v], 1e-5);
  }
  EXPECT_EQ(triangles_of(back.rig.groups[2], model.meshes[1].triangles.size()),
            triangles_of(rig.groups[2], model.meshes[1].triangles.size()));
  const std::vector<glm::vec3> was = bent_tube(old);
  EXPECT_LT(
      farthest(was, bent_tube(test::bound(model, back.rig).character), was.size(), [](std::size_t i) { return i; }),
      1e-4f);
}

TEST_F(Transfer, NumbersThatTheRigItselfBringsStay) {
  PatchParameters patch;
  for (int u = 0; u < 4; ++u) {
    for (int v = 0; v < 4; ++v) {
      patch.control.emplace_back(-4 + 5 * u, -2 + 1.5f * static_cast<float>(v), 0);
    }
  }
  ffd().driver = {.patches = {patch}};
  ffd().driver.key_poses = {
      {.angles = {{.joint = "joint1"}}, .poses = {{.degrees = {60}, .offsets = {{5, {0, 1, 0}}}}}}};
  ffd().exclude.clear();
  rig.groups.pop_back();
  const Model fine = with_meshes(model, subdivided);
  const Transferred result = transferred(character(), fine);
  EXPECT_EQ(ffd(result.rig), ffd());
  EXPECT_EQ(result.rig.groups[1], rig.groups[1]) << "which nothing uses";
}

// -------------------------------------------------------------------------------------------------------------- errors

TEST_F(Transfer, NeedsARigThatIsWhole) {
  EXPECT_EQ(error(keeping(character(), ""), model), "'tube' keeps no rig to carry over");
  EXPECT_THAT(error(keeping(character(), "{"), model), HasSubstr("the rig of 'tube'"));
}

TEST_F(Transfer, NeedsTheMeshes) {
  Model renamed = model;
  renamed.name = "hero";
  renamed.meshes[0].name = "sleeve";
  EXPECT_EQ(error(renamed), "the group 'soft' lists numbers of mesh 'tube', which is not in 'hero'");
  renamed = model;
  renamed.name = "hero";
  renamed.meshes[1].name = "box";
  EXPECT_EQ(error(renamed), "the group 'far end' lists numbers of mesh 'cage', which is not in 'hero'");
  rig.groups[2] = {.name = "far end", .region = {.box = Box{{6, -2, -2}, {9, 2, 2}, 0}}};
  EXPECT_EQ(error(renamed), "a key pose of the driver 'cage' lists numbers of mesh 'cage', which is not in 'hero'");
}

TEST_F(Transfer, NeedsToKnowWhichMeshIsMeant) {
  model.meshes.push_back(model.meshes[0]);
  model.meshes.back().name = "other tube";
  rig.groups[0].mesh = "*";
  for (Layer& layer : rig.layers) layer.target = "*";
  EXPECT_EQ(error(model), "the group 'soft' lists numbers and is used on 2 meshes; say which mesh it is of");
}

TEST_F(Transfer, NeedsADriverAsTheModelHasIt) {
  const std::string before = ", which is welded or refined; they cannot be carried over";
  const SurfaceFfdParameters whole = ffd();
  ffd().driver.refine = {{.region = {.group = "box"}}};
  EXPECT_EQ(error(model), "the group 'far end' lists numbers of 'cage'" + before);
  ffd().exclude.clear();
  EXPECT_EQ(error(model), "a key pose of the driver 'cage' lists numbers of 'cage'" + before);
  ffd() = whole;
  ffd().driver.weld = 1e-4f;
  EXPECT_EQ(error(model), "the group 'far end' lists numbers of 'cage'" + before);
  ffd() = whole;
  ffd().driver = {.triangles = 100};
  rig.groups[2].triangles = {{0, 9}};
  EXPECT_EQ(error(model),
            "the group 'far end' lists numbers of a driver that is no mesh of the model; they cannot be carried over");
}

TEST_F(Transfer, NeedsNumbersThatAreThere) {
  const Character old = character();
  const Model fine = with_meshes(model, subdivided);
  const Rig whole = rig;
  rig.groups[0].vertices = {{3, 208}};
  EXPECT_EQ(error(keeping(old, format_rig(rig)), fine),
            "the group 'soft' lists 3 to 208, but mesh 'tube' of the old character has 204");
  rig = whole;
  rig.groups[2].triangles = {{0, 192}};
  EXPECT_EQ(error(keeping(old, format_rig(rig)), fine),
            "the group 'far end' lists 0 to 192, but mesh 'cage' of the old character has 192");
  rig = whole;
  ffd().driver.key_poses[0].poses[0].offsets = {{104, {0, 1, 0}}};
  EXPECT_EQ(error(keeping(old, format_rig(rig)), fine), "a key pose of the driver 'cage' offsets vertex 104");
}

// A group without a list and a region would be the whole mesh.
TEST_F(Transfer, AGroupDoesNotGrowToAll) {
  Model coarse = model;
  coarse.meshes[0] = test::make_tube_mesh({.around = 12, .along = 3});
  const std::vector<Group> groups = rig.groups;
  rig.groups[1].vertices = {{13, 13}};
  EXPECT_EQ(error(coarse), "nothing of the new mesh 'tube' is in the group 'start'");
  rig.groups[1].region = groups[3].region;
  const Group left = transferred(character(), coarse).rig.groups[1];
  EXPECT_TRUE(left.vertices.empty());
  EXPECT_EQ(left.region, groups[3].region);

  rig.groups = groups;
  Model elsewhere = with_meshes(model, subdivided);
  for (glm::vec3& p : elsewhere.meshes[0].positions) p.x += 100;
  EXPECT_EQ(error(elsewhere), "nothing of the new mesh 'tube' is in the group 'start'");
}

TEST_F(Transfer, PointsHaveNoClosestTriangle) {
  model = test::make_cloud(20);
  rig = {};
  rig.groups = {{.name = "some", .vertices = {{0, 4}}}};
  rig.layers = {{.deformer = LinearBlendParameters{}},
                {.deformer = LinearBlendParameters{}, .mask = {.region = {.group = "some"}}}};
  const Character old = character();
  EXPECT_EQ(transferred(old, test::make_cloud(20)).rig.groups[0].vertices, rig.groups[0].vertices);
  EXPECT_THAT(error(old, test::make_cloud(21)), HasSubstr("mesh 'cloud' of the old character: "));
}

}  // namespace
}  // namespace pelt
