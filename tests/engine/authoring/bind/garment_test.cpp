// SPDX-License-Identifier: MIT
// Garments on a body follow it through bends and twists and stay outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/garment.h>
#include <pelt/surface_ffd.h>

#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

constexpr float kOffset = 0.01f;  // metres from the body at bind

// Makes a shirt: the biped's torso and arms, moved outward, without weights and skeleton, as a garment is modelled.
// `beneath`: gets the vertex of the body under each of its vertices.
Model make_shirt(const Model& body, std::vector<std::uint32_t>* beneath = nullptr) {
  const std::set<std::string> worn = {"spine",        "chest",          "left_shoulder",   "left_upper_arm",
                                      "left_forearm", "right_shoulder", "right_upper_arm", "right_forearm"};
  const Mesh& skin = body.meshes[0];
  const auto share = [&](std::uint32_t v) {
    double sum = 0;
    for (const Influence& influence : skin.weights.row(v)) {
      const std::string& joint = body.skeleton.joints[body.bound_joints[influence.index].joint].name;
      if (worn.contains(joint)) sum += influence.weight;
    }
    return sum;
  };
  Mesh shirt;
  shirt.name = "shirt";
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> number(skin.positions.size(), kNone);
  for (const glm::uvec3 t : skin.triangles) {
    if (share(t.x) < 0.9 || share(t.y) < 0.9 || share(t.z) < 0.9) continue;
    glm::uvec3 corners;
    for (int c = 0; c < 3; ++c) {
      std::uint32_t& vertex = number[t[c]];
      if (vertex == kNone) {
        vertex = static_cast<std::uint32_t>(shirt.positions.size());
        shirt.positions.push_back(skin.positions[t[c]] + kOffset * skin.normals[t[c]]);
        if (beneath != nullptr) beneath->push_back(t[c]);
      }
      corners[c] = vertex;
    }
    shirt.triangles.push_back(corners);
  }
  shirt.normals = vertex_normals(shirt.positions, shirt.triangles);
  Model model;
  model.name = "shirt";
  model.meshes = {std::move(shirt)};
  return model;
}

TEST(Garment, TakesTheBodysSkeletonAndClips) {
  const Model body = make_biped();
  const Dressed dressed = test::must(dress(make_shirt(body), body));
  EXPECT_EQ(dressed.body, "body");
  ASSERT_EQ(dressed.model.meshes.size(), 2u);
  EXPECT_EQ(dressed.model.meshes[0].name, "shirt");
  // The positions of the body include its eyes.
  std::vector<glm::vec3> positions;
  for (const Mesh& mesh : body.meshes) {
    positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
  }
  EXPECT_EQ(dressed.model.meshes[1].positions, positions);
  EXPECT_EQ(dressed.model.skeleton.joints.size(), body.skeleton.joints.size());
  EXPECT_EQ(dressed.model.clips.size(), body.clips.size());
  EXPECT_TRUE(dressed.notes.empty());
}

// The shirt stays outside, at its distance, when elbows bend past 120 degrees, forearms turn by 180 and arms swing,
// except for a few places inside elbows and armpits, at which the body itself folds.
TEST(Garment, OverABodyBySurfaceFfdStaysOutside) {
  constexpr int kFrames = 3;
  std::vector<std::uint32_t> beneath;
  const Model biped = make_biped();
  const Dressed dressed = test::must(dress(make_shirt(biped, &beneath), biped));
  const Model& model = dressed.model;
  const Mesh& rest = *model.find_mesh(dressed.body);
  SurfaceFfdParameters worn;
  worn.driver.mesh = dressed.body;
  worn.driver.offsets = {{}};  // one that moves nothing, so that the whole body is posed and can be measured
  Rig rig;
  rig.layers = {{.target = dressed.body, .deformer = SurfaceFfdParameters{}}, {.target = "*", .deformer = worn}};
  const Character character = test::bound(model, rig).character;
  for (const char* name : {"flex", "walk"}) {
    const Clip* clip = find_clip(model.clips, name);
    for (int i = 0; i < kFrames; ++i) {
      const float seconds = clip->duration * (static_cast<float>(i) + 0.5f) / kFrames;
      const std::vector<glm::mat4> joints = test::clip_joints(model.skeleton, clip, seconds);
      const std::vector<glm::vec3> body = test::posed(character, joints, dressed.body);
      const std::vector<glm::vec3> normals = vertex_normals(body, rest.triangles);
      const std::vector<glm::vec3> shirt = test::posed(character, joints, "shirt");
      std::size_t inside = 0;
      for (std::size_t v = 0; v < shirt.size(); ++v) {
        const std::uint32_t b = beneath[v];
        const float distance = glm::dot(shirt[v] - body[b], normals[b]);
        inside += distance < 0;
        ASSERT_LT(distance, kOffset + 0.001f) << name << ' ' << v;
        ASSERT_LT(glm::distance(shirt[v], body[b]), 2 * kOffset) << name << ' ' << v;
      }
      EXPECT_LT(static_cast<double>(inside), 0.005 * static_cast<double>(shirt.size())) << name << ' ' << seconds;
    }
  }
}

TEST(GarmentByWeights, PassesSmoothlyFromOneStiffPartToTheNext) {
  Model limb = make_limb();
  for (Influence& influence : limb.meshes[0].weights.influences)
    influence.weight = influence.weight > (influence.index == 0 ? 0.4999f : 0.5001f) ? 1.0f : 0.0f;
  Model sleeve;  // a tube round the limb, without weights
  sleeve.meshes = {limb.meshes[0]};
  sleeve.meshes[0].weights = {};
  for (glm::vec3& p : sleeve.meshes[0].positions) p = {p.x, 1.1f * p.y, 1.1f * p.z};
  const Dressed dressed = test::must(dress_by_weights(sleeve, limb));
  EXPECT_TRUE(dressed.copied_weights);
  EXPECT_TRUE(dressed.body.empty());
  ASSERT_EQ(dressed.model.meshes.size(), 1u);
  const Mesh& mesh = dressed.model.meshes[0];
  const auto below = [&](std::uint32_t v) {  // the weight on the second joint
    float sum = 0;
    for (const Influence& influence : mesh.weights.row(v)) sum += influence.index == 1 ? influence.weight : 0.0f;
    return sum;
  };
  float steepest = 0;
  float most = 0;
  for (const glm::uvec3 t : mesh.triangles) {
    for (int c = 0; c < 3; ++c) {
      const float step = below(t[c]) - below(t[(c + 1) % 3]);
      const float length = std::abs(mesh.positions[t[c]].x - mesh.positions[t[(c + 1) % 3]].x);
      if (length > 0) steepest = std::max(steepest, std::abs(step) / length);
      most = std::max(most, below(t[c]));
    }
  }
  EXPECT_EQ(most, 1);
  // The limb's own step is over one edge, an eighth of a metre: a slope of 8. A smoothstep over half a radius, which is
  // one metre, has 3; the spread step is somewhat steeper in the middle.
  EXPECT_LT(steepest, 4.5f);
}

TEST(GarmentByWeights, TakesThoseOfTheClosestPointsAndKeepsItsOwn) {
  const Model body = make_biped();
  Model shirt = make_shirt(body);
  const Dressed dressed = test::must(dress_by_weights(shirt, body));
  EXPECT_EQ(dressed.model.meshes.size(), 1u);
  EXPECT_EQ(dressed.model.clips.size(), body.clips.size());
  EXPECT_TRUE(dressed.copied_weights);
  EXPECT_EQ(dressed.model.meshes[0].weights.row_count(), shirt.meshes[0].positions.size());

  shirt.skeleton.joints = {{.name = "head"}};
  shirt.bound_joints = {{0, glm::mat4(1.0f)}};
  shirt.meshes[0].weights = test::rows_on(0, shirt.meshes[0].positions.size());
  const Dressed by_head = test::must(dress_by_weights(shirt, body));
  EXPECT_FALSE(by_head.copied_weights);
  const Influence kept = by_head.model.meshes[0].weights.row(0)[0];
  EXPECT_EQ(by_head.model.skeleton.joints[by_head.model.bound_joints[kept.index].joint].name, "head");
}

// One mesh of the body has no weights, and the number of threads does not matter; a garment of points gets the weights
// of the closest points unchanged.
TEST(GarmentByWeights, AreThoseOfTheMeshesThatHaveThem) {
  Model body = make_biped();
  Model shirt = make_shirt(body);
  Model points = shirt;
  points.meshes[0].triangles.clear();
  body.meshes.back().weights = {};
  const SparseRows weights = test::must(dress_by_weights(shirt, body, 1)).model.meshes[0].weights;
  EXPECT_EQ(weights.influences, test::must(dress_by_weights(shirt, body, 0)).model.meshes[0].weights.influences);
  std::size_t most = 0;
  for (std::size_t v = 0; v < weights.row_count(); ++v) most = std::max(most, weights.row(v).size());
  EXPECT_GT(most, 2u);
  EXPECT_LE(most, 8u);
  EXPECT_EQ(test::must(dress_by_weights(points, body)).model.meshes[0].weights.row_count(),
            points.meshes[0].positions.size());
}

TEST(GarmentByWeights, NeedsABodyWithWeights) {
  Model bare = make_biped();
  for (Mesh& mesh : bare.meshes) mesh.weights = {};
  EXPECT_TRUE(test::refused(dress_by_weights(make_shirt(make_biped()), bare), "no weights to copy"));
}

TEST(Garment, KeepsWeightsOfJointsThatTheBodyHas) {
  const Model body = make_biped();
  Model shirt = make_shirt(body);
  shirt.skeleton.joints = {{.name = "left_forearm"}, {.name = "head"}};
  shirt.bound_joints = {{0, glm::mat4(1.0f)}, {1, glm::mat4(1.0f)}};
  for (std::size_t v = 0; v < shirt.meshes[0].positions.size(); ++v) {
    shirt.meshes[0].weights.append_row({{Influence{static_cast<std::uint32_t>(v % 2), 1.0f}}});
  }
  const Model kept = test::must(dress(shirt, body)).model;
  const auto joint_of = [&](std::size_t v) {
    return kept.skeleton.joints[kept.bound_joints[kept.meshes[0].weights.row(v)[0].index].joint].name;
  };
  EXPECT_EQ(joint_of(0), "left_forearm");
  EXPECT_EQ(joint_of(1), "head");

  shirt.skeleton.joints[1].name = "collar";
  const Dressed dropped = test::must(dress(shirt, body));
  EXPECT_EQ(dropped.model.meshes[0].weights.row_count(), 0u);
  EXPECT_THAT(dropped.notes, testing::ElementsAre(testing::HasSubstr("left out")));
}

TEST(Garment, MovesItsAnchorsToTheBodysJoints) {
  Model body = make_biped();
  Model shirt = make_shirt(body);
  shirt.skeleton.joints = {{.name = "brooch"}, {.name = "head"}};
  shirt.anchors = {{"pin", 0}, {"collar", 1}};
  const Dressed dressed = test::must(dress(shirt, body));
  ASSERT_EQ(dressed.model.anchors.size(), 1u);
  EXPECT_EQ(dressed.model.anchors[0].name, "collar");
  EXPECT_EQ(dressed.model.skeleton.joints[dressed.model.anchors[0].joint].name, "head");
  EXPECT_THAT(dressed.notes, testing::ElementsAre(testing::HasSubstr("no joint 'brooch'")));
  body.meshes[0].morph_targets = {{"long", std::vector(body.meshes[0].positions.size() + 1, glm::vec3(0)), 0}};
  EXPECT_TRUE(test::refused(dress(shirt, body), "one finite offset per vertex"));
}

TEST(Garment, KeepsItsMorphTargetsAndSaysThatItsClipsAreLeftOut) {
  const Model body = make_biped();
  Model shirt = make_shirt(body);
  shirt.name = "shirt.glb";
  shirt.meshes[0].morph_targets.push_back({"wide", shirt.meshes[0].positions, 0});
  shirt.clips.push_back({.name = "blow"});
  const Dressed dressed = test::must(dress(shirt, body));
  EXPECT_THAT(
      dressed.notes,
      testing::ElementsAre(testing::StartsWith("the clips of 'shirt.glb' are left out: it moves by the clips of")));
  const std::vector<MorphTarget>& targets = dressed.model.meshes.front().morph_targets;
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_EQ(targets[0].name, "wide");
  EXPECT_EQ(targets[0].offsets, shirt.meshes[0].morph_targets[0].offsets);
}

TEST(Garment, NeedsMeshesAndABodyWithTriangles) {
  EXPECT_FALSE(dress(Model{}, make_biped()));
  Model points = make_biped();
  for (Mesh& mesh : points.meshes) mesh.triangles.clear();
  EXPECT_FALSE(dress(make_shirt(make_biped()), points));
}

}  // namespace
}  // namespace pelt
