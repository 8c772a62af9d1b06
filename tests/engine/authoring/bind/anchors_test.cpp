// SPDX-License-Identifier: MIT
// Anchors of a rig and of a model's marks.
#include <gtest/gtest.h>

#include <pelt/anchor.h>
#include <pelt/bind.h>
#include <pelt/rig_json.h>

#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using test::must;
using test::refused;

Rig anchored_rig(std::vector<RigAnchor> anchors) {
  Rig rig = must(rig_from_deformer_name("surface_ffd"));
  rig.anchors = std::move(anchors);
  return rig;
}

glm::vec3 at_bind(const Character& character, const char* name) {
  Evaluator evaluator(character);
  evaluator.evaluate_controls();
  return affine_origin(must(Anchor::named(character, name)).frame(evaluator));
}

// Whatever the packed order, each is at the point of the model, on every level.
TEST(RigAnchors, AreAtTheirPointsOnEveryLevel) {
  Model model = test::make_tube({.around = 9, .along = 20, .joints = 3});
  model.meshes.push_back(test::make_tube_mesh({.around = 5, .along = 8, .radius = 0.3f}));
  model.meshes[1].name = "inner";
  model.levels.push_back({0, 1, test::make_tube_mesh({.around = 9, .along = 10})});
  model.levels[0].mesh.name = "coarse";
  const Mesh& tube = model.meshes[0];
  const Mesh& inner = model.meshes[1];
  const glm::uvec3 corners = tube.triangles[40];
  const glm::vec3 inside =
      0.2f * tube.positions[corners.x] + 0.3f * tube.positions[corners.y] + 0.5f * tube.positions[corners.z];
  const glm::vec3 joint(test::bind_matrices(model)[1][3]);
  const Rig rig = anchored_rig({{.name = "vertex", .mesh = "inner", .vertex = 7},
                                {.name = "triangle", .mesh = "tube", .triangle = 40, .barycentric = {0.2f, 0.3f, 0.5f}},
                                {.name = "near", .near = inside},
                                {.name = "node", .node = "joint1"},
                                {.name = "on tube", .mesh = "tube", .node = "joint1"}});
  const Character character = must(bind(model, rig)).character;
  for (const std::uint32_t level : {0u, 1u}) {
    const Character shown = character.at_level(level);
    const float rounding = level == 0 ? 1e-5f : 0.2f;  // of the coarser tube's sides
    EXPECT_LT(glm::distance(at_bind(shown, "vertex"), inner.positions[7]), 1e-5f);
    EXPECT_LT(glm::distance(at_bind(shown, "triangle"), inside), rounding);
    EXPECT_LT(glm::distance(at_bind(shown, "near"), inside), rounding);
    EXPECT_NEAR(glm::distance(at_bind(shown, "node"), joint), 0.3f, 0.06f);
    EXPECT_NEAR(glm::distance(at_bind(shown, "on tube"), joint), 1.0f, 0.1f);
  }
  EXPECT_TRUE(refused(Anchor::named(character, "neer"), ErrorCode::kNotFound, "did you mean 'near'"));
}

// A mark stands in the character's rig, so that the character can be bound again; the rig's own of that name wins.
TEST(RigAnchors, IncludeThoseThatTheModelMarks) {
  Model model = test::make_tube({.joints = 3});
  model.anchors = {{"hilt", 2}, {"mine", 1}};
  const Character character =
      must(bind(model, anchored_rig({{.name = "mine", .mesh = "tube", .vertex = 0}}))).character;
  ASSERT_EQ(character->anchors.size(), 2u);
  const Rig stored = must(parse_rig(character->rig, "rig"));
  ASSERT_EQ(stored.anchors.size(), 2u);
  EXPECT_EQ(stored.anchors[0].vertex, 0u);
  EXPECT_EQ(stored.anchors[1].name, "hilt");
  EXPECT_EQ(stored.anchors[1].node, "joint2");
  EXPECT_EQ(format_rig(anchored_rig({})).find("anchors"), std::string::npos) << "older rigs keep their text";
  model.anchors[0].joint = 7;
  EXPECT_TRUE(refused(bind(model, anchored_rig({})), ErrorCode::kInvalidArgument, "marks joint 7"));
}

TEST(RigAnchors, RefuseWhatIsNoPointOfASkin) {
  const Model model = test::make_tube();
  const auto bound = [&](const RigAnchor& anchor) { return bind(model, anchored_rig({anchor})); };
  constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;
  EXPECT_TRUE(refused(bound({.name = "a"}), kInvalid, "set exactly one of"));
  EXPECT_TRUE(refused(bound({.name = "a", .near = glm::vec3(0), .node = "joint0"}), kInvalid, "set exactly one of"));
  EXPECT_TRUE(refused(bound({.name = "a", .vertex = 0}), kInvalid, "need a mesh"));
  EXPECT_TRUE(refused(bound({.name = "a", .mesh = "tub", .vertex = 0}), ErrorCode::kNotFound, "the anchor 'a'"));
  EXPECT_TRUE(refused(bound({.name = "a", .mesh = "tube", .vertex = 9999}), kInvalid, "vertex 9999 of 'tube'"));
  EXPECT_TRUE(refused(bound({.name = "a", .mesh = "tube", .triangle = 9999}), kInvalid, "triangle 9999 of 'tube'"));
  EXPECT_TRUE(refused(bound({.name = "a", .mesh = "tube", .triangle = 0, .barycentric = glm::vec3(0.5f)}), kInvalid,
                      "the sum of barycentric is not 1"));
  EXPECT_TRUE(refused(bound({.name = "a", .node = "joint9"}), ErrorCode::kNotFound, "the anchor 'a'"));
  const RigAnchor good{.name = "a", .node = "joint0"};
  EXPECT_TRUE(refused(bind(model, anchored_rig({good, good})), kInvalid, "two anchors are 'a'"));
  EXPECT_TRUE(refused(bind(test::make_cloud(40), anchored_rig({good})), kInvalid, "no skin has triangles"));
}

}  // namespace
}  // namespace pelt
