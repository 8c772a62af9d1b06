// SPDX-License-Identifier: MIT
// The note on a layer that moves nothing gives the cause.
#include <utility>

#include <pelt/bind.h>
#include <pelt/linear_blend.h>
#include <pelt/rig.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Binds a tube by linear blend and, above it, surface FFD by a mask. Returns the note that this moves nothing.
std::string note_of(const Mask& mask, const std::vector<Group>& groups = {}, const Model& model = test::make_tube()) {
  Rig rig;
  rig.layers = {{"*", LinearBlendParameters{}, {}}, {"*", SurfaceFfdParameters{}, mask}};
  rig.groups = groups;
  const std::string begin = "layer 1 (surface-ffd): moves nothing: ";
  for (const std::string& note : test::must(bind(model, rig)).report.notes) {
    if (note.starts_with(begin)) return note.substr(begin.size());
  }
  return "moves something";
}

TEST(IdleLayer, NamesTheMaskThatIsZero) {
  EXPECT_EQ(note_of({}), "moves something");
  EXPECT_EQ(note_of({.value = 0}), "the value of its mask is 0");
}

TEST(IdleLayer, NamesJointsThatNoSkinFollows) {
  Model model = test::make_tube();
  model.skeleton.joints.push_back({.name = "control", .parent = 0});
  model.skeleton.joints.push_back({.name = "null", .parent = 0});
  EXPECT_EQ(note_of({.region = {.joints = {"control", "null"}, .joint_falloff = 3}}, {}, model),
            "no vertex of mesh 'tube' follows the joints 'control', 'null'");
}

// The tube has the radius 1 and runs from 0 to 8 along x.
TEST(IdleLayer, GivesTheDistanceOfTheNearestSkin) {
  EXPECT_EQ(note_of({.region = {.box = Box{{10, 0, 0}, {11, 1, 1}, 0.5f}}}),
            "mesh 'tube' is at least 2 m from the box, beyond the falloff of 0.5 m");
  EXPECT_EQ(note_of({.region = {.sphere = Sphere{{4, 0, 0}, 0.25f, 0.5f}}}),
            "mesh 'tube' is at least 0.75 m from the sphere, beyond the falloff of 0.5 m");
  Model model = test::make_tube();
  Mesh plate;
  plate.name = "plate";
  plate.positions = {{-99, 4, -99}, {-99, 4, 99}, {99, 4, 0}};
  plate.normals.assign(3, {0, 1, 0});
  plate.triangles = {{0, 1, 2}};
  plate.weights = test::rows_on(0, 3);
  model.meshes.push_back(plate);
  Rig rig;
  rig.layers = {{"tube", LinearBlendParameters{}, {}},
                {"tube", SurfaceFfdParameters{}, {.region = {.near = Near{"plate", 1}}}}};
  EXPECT_THAT(
      test::must(bind(model, rig)).report.notes,
      Contains("layer 1 (surface-ffd): moves nothing: mesh 'tube' is at least 3 m from mesh 'plate', beyond the "
               "falloff of 1 m"));
}

TEST(IdleLayer, NamesGroupsAndAttributes) {
  EXPECT_EQ(note_of({.region = {.group = "none"}}, {{.name = "none", .vertices = {{3, 4}}, .values = {0, 0}}}),
            "the group 'none' has no vertex of mesh 'tube'");
  EXPECT_EQ(note_of({.region = {.group = "far"}}, {{.name = "far", .region = {.sphere = Sphere{{0, 0, 9}, 1, 2}}}}),
            "in the group 'far', mesh 'tube' is at least 7 m from the sphere, beyond the falloff of 2 m");
  Model model = test::make_tube();
  model.meshes[0].attributes.push_back({"_MASK", std::vector<float>(model.meshes[0].positions.size(), -1)});
  EXPECT_EQ(note_of({.region = {.attribute = "_MASK"}}, {}, model), "the attribute '_MASK' is 0 on all of mesh 'tube'");
}

TEST(IdleLayer, SaysThatPartsOfTheMaskDoNotMeet) {
  EXPECT_EQ(note_of({.region = {.box = Box{{-1, -1, -1}, {1, 1, 1}}, .sphere = Sphere{{8, 0, 0}, 2}}}),
            "no vertex of mesh 'tube' is in all parts of the mask at once");
}

TEST(IdleLayer, NamesTheLayerThatHidesIt) {
  Rig rig;
  rig.layers = {{"*", LinearBlendParameters{}, {}}, {"tube", SurfaceFfdParameters{}, {}}};
  EXPECT_THAT(test::must(bind(test::make_tube(), rig)).report.notes,
              Contains("layer 0 (linear-blend): moves nothing: layer 1 (surface-ffd) hides it at mesh 'tube'"));
}

TEST(IdleLayer, SaysWhatIsLeftToLinearBlend) {
  Model model = test::make_tube();
  const SparseRows painted = std::exchange(model.meshes[0].weights, test::rows_on(1, model.meshes[0].positions.size()));
  EXPECT_THAT(note_of({}, {}, model), HasSubstr("'tube' is in parts that follow one joint"));
  model.meshes[0].weights = painted;
  model.skeleton.joints[0].name = "head";
  model.skeleton.joints[1].name = "jaw";
  EXPECT_THAT(note_of({}, {}, model),
              HasSubstr("'tube' follows facial joints, heads, or other ends thicker than "
                        "their limbs, and stays on linear blend; a layer with the target 'tube' moves it"));
}

// The tube's last third follows joint 2. As a head, three times as thick, it stays as it is painted.
TEST(IdleLayer, LeavesAHeadWithoutAName) {
  const auto left = [](float thicker) {
    Model model = test::make_tube({.along = 48, .radius = 0.5f, .joints = 3, .blend_length = 1});
    for (glm::vec3& p : model.meshes[0].positions) {
      const float factor = 1 + (thicker - 1) * glm::smoothstep(5.0f, 5.5f, p.x);
      p = {p.x, factor * p.y, factor * p.z};
    }
    return test::must(bind(model, test::rig_of(SurfaceFfdParameters{}))).report.pieces.rigid_regions;
  };
  EXPECT_EQ(left(1), 0);
  EXPECT_NEAR(left(3), 0.5, 0.1);  // of the area
}

// A layer over * has a mesh in every model that can be bound.
TEST(IdleLayer, IsNotBoundWhereEveryMeshIsADriver) {
  Model model = test::make_tube_in_cage();
  SurfaceFfdParameters by_tube;
  by_tube.driver.mesh = "tube";
  Rig rig;
  rig.layers = {{"cage", LinearBlendParameters{}, {}}, {"tube", test::by_cage(), {}}, {"*", by_tube, {}}};
  EXPECT_THAT(test::bind_error(model, rig), HasSubstr("the character has no skin"));
}

// A skin without area moves all the same.
TEST(IdleLayer, NamesSkinWithoutArea) {
  Model model = test::make_tube();
  for (glm::vec3& p : model.meshes[0].positions) p = {p.x, 0, 0};
  for (const char* deformer : {"surface_ffd", "hierarchical_bspline"}) {
    const Bound bound = test::must(bind(model, test::must(rig_from_deformer_name(deformer))));
    EXPECT_THAT(bound.report.notes, Contains(HasSubstr("moves nothing: mesh 'tube' has no triangle with area")));
    EXPECT_EQ(bound.report.meshes[0].deformer, "linear_blend");
  }
}

}  // namespace
}  // namespace pelt
