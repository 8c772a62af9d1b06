// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <atomic>
#include <limits>
#include <set>

#include <pelt/bind.h>
#include <pelt/dual_quaternion.h>
#include <pelt/linear_blend.h>
#include <pelt/selection.h>
#include <pelt/shaders/octahedral.h>

#include "tests/support/tube.h"

namespace pelt {
namespace {

Layer layer(const std::string& target, DeformerParameters deformer, Mask mask = {}) {
  return {target, std::move(deformer), std::move(mask)};
}

std::string error_of(const Model& model, const Rig& rig) {
  const Result<Bound> bound = bind(model, rig);
  return bound ? "bound" : bound.error().message;
}

// Makes two tubes, "tube" and "other".
Model two_tubes() {
  Model model = test::make_tube();
  model.meshes.push_back(model.meshes[0]);
  model.meshes[1].name = "other";
  return model;
}

TEST(Bind, WithoutLayersIsLinearBlend) {
  const Result<Bound> bound = bind(test::make_tube(), Rig{});
  ASSERT_TRUE(bound) << bound.error().message;
  const Character& character = bound->character;
  ASSERT_EQ(character->meshes.size(), 1u);
  EXPECT_EQ(character->meshes[0].mode, BlendMode::kLinear);
  EXPECT_EQ(character->stage_count, 1u);
  EXPECT_EQ(character->palette_size, 2u);
  ASSERT_EQ(bound->report.meshes.size(), 1u);
  const MeshReport& report = bound->report.meshes[0];
  EXPECT_EQ(report.deformer, "linear_blend");
  EXPECT_EQ(report.max_influences, 2u);
  EXPECT_GE(report.bytes_per_vertex, 12 + 8 + 4 + 20);
  EXPECT_LT(report.bytes_per_vertex, 12 + 8 + 8 + 20 + 4);
}

TEST(Bind, KeepsVertexOrderWhereAsked) {
  BindOptions options;
  options.keep_vertex_order = true;
  const Result<Bound> bound = bind(test::make_tube(), Rig{}, options);
  ASSERT_TRUE(bound);
  const CharacterMesh& mesh = bound->character->meshes[0];
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) EXPECT_EQ(mesh.source_vertex[i], i);
}

TEST(Bind, NamedTargetsLeaveTheRestOnLinearBlend) {
  Rig rig;
  rig.layers.push_back(layer("other", DualQuaternionParameters{}));
  const Result<Bound> bound = bind(two_tubes(), rig);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->character->meshes[0].mode, BlendMode::kLinear);
  EXPECT_EQ(bound->character->meshes[1].mode, BlendMode::kDualQuaternion);
  EXPECT_EQ(bound->character->meshes[1].name, "other");
}

TEST(Bind, AMeshOnOneJointStaysOnLinearBlend) {
  Model model = two_tubes();
  SparseRows rigid;
  for (std::size_t i = 0; i < model.meshes[1].positions.size(); ++i) {
    rigid.append_row(std::vector<Influence>{{1, 1.0f}, {0, 0.0f}});
  }
  model.meshes[1].weights = rigid;
  Rig rig;
  rig.layers.push_back(layer("*", DualQuaternionParameters{}));
  const Result<Bound> bound = bind(model, rig);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->character->meshes[0].mode, BlendMode::kDualQuaternion);
  EXPECT_EQ(bound->character->meshes[1].mode, BlendMode::kLinear);
  ASSERT_EQ(bound->report.notes.size(), 1u);
  EXPECT_THAT(bound->report.notes[0], testing::HasSubstr("'other'"));
}

TEST(Bind, ATopLayerWithoutAMaskHidesThoseBelow) {
  Rig rig;
  rig.layers.push_back(layer("*", LinearBlendParameters{}));
  rig.layers.push_back(layer("*", DualQuaternionParameters{}, {1.0f, {.joints = {"joint0", "joint1"}}}));
  const Result<Bound> bound = bind(test::make_tube(), rig);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->character->meshes[0].mode, BlendMode::kDualQuaternion);
  EXPECT_EQ(bound->report.meshes[0].deformer, "dual_quaternion");
  EXPECT_THAT(bound->report.notes, testing::Contains(testing::HasSubstr("layer 1 (linear_blend): moves nothing")));
}

TEST(Bind, DualQuaternionCannotBeMergedInPart) {
  Rig rig;
  rig.layers.push_back(layer("*", LinearBlendParameters{}));
  rig.layers.push_back(layer("*", DualQuaternionParameters{}, {1.0f, {.joints = {"joint1"}}}));
  EXPECT_THAT(error_of(test::make_tube(), rig), testing::HasSubstr("layer 2 (dual_quaternion): mesh 'tube'"));
  rig.layers[1].mask = {0.0f, {}};
  EXPECT_EQ(error_of(test::make_tube(), rig), "bound") << "a mask of 0 everywhere leaves nothing to merge";
}

// The square of the normal's length does not fit a float.
TEST(Bind, ALongNormalIsRepaired) {
  Model model = test::make_tube();
  model.meshes[0].normals[7] = {0, 1e20f, 0};
  Rig rig;
  rig.layers.push_back(layer("*", LinearBlendParameters{}));
  const Result<Bound> bound = bind(model, rig, {.keep_vertex_order = true});
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_THAT(bound->report.meshes[0].repaired_vertices, testing::Contains(7u));
  const glm::vec3 normal = shared::unpack_normal(bound->character->meshes[0].binding.directions[7].x);
  EXPECT_NEAR(normal.y, 1.0f, 1e-4f);
}

TEST(Bind, NamesWhatTheRigGetsWrong) {
  Rig rig;
  rig.layers.push_back(layer("tub", LinearBlendParameters{}));
  EXPECT_THAT(error_of(test::make_tube(), rig),
              testing::AllOf(testing::HasSubstr("'tub'"), testing::HasSubstr("'tube'")));
  rig.layers[0] = layer("*", LinearBlendParameters{}, {1.0f, {.joints = {"elbow"}}});
  EXPECT_THAT(error_of(test::make_tube(), rig), testing::HasSubstr("'elbow'"));
  rig.layers[0] = layer("*", LinearBlendParameters{}, {1.5f, {}});
  EXPECT_THAT(error_of(test::make_tube(), rig), testing::HasSubstr("1.5"));
  rig.layers[0] = layer("*", LinearBlendParameters{}, {std::numeric_limits<float>::quiet_NaN(), {}});
  EXPECT_NE(error_of(test::make_tube(), rig), "bound");
}

TEST(Bind, NamesWhatTheModelGetsWrong) {
  const auto error_after = [](const auto& change) {
    Model model = test::make_tube();
    change(model);
    return error_of(model, Rig{});
  };
  EXPECT_EQ(error_after([](Model&) {}), "bound");
  EXPECT_NE(error_of(Model{}, Rig{}), "bound");
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].triangles[0].x = 1u << 20; }), testing::HasSubstr("triangle"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].positions[7].x = std::numeric_limits<float>::quiet_NaN(); }),
              testing::HasSubstr("vertex 7"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].positions[7].x = -1e13f; }), testing::HasSubstr("vertex 7"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].normals.pop_back(); }), testing::HasSubstr("normals"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].weights = {}; }), testing::HasSubstr("has no weights"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].weights.influences[9].index = 2; }), testing::HasSubstr("row"));
  EXPECT_THAT(error_after([](Model& m) { m.bound_joints[1].joint = 2; }), testing::HasSubstr("joint 2"));
  EXPECT_THAT(error_after([](Model& m) { m.skeleton.joints[0].parent = 0; }), testing::HasSubstr("parent"));
  EXPECT_NE(error_after([](Model& m) { m.meshes.push_back(m.meshes[0]); }), "bound") << "names repeat";
}

TEST(Bind, RepairsDirectionsAndSaysWhere) {
  Model model = test::make_tube();
  model.meshes[0].normals[4] = glm::vec3(0);
  const Result<Bound> bound = bind(model, Rig{});
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->report.meshes[0].repaired_vertices, std::vector<std::uint32_t>{4});
}

class BindStages : public testing::TestWithParam<std::string_view> {
 protected:
  const Model model_ = test::make_tube({.around = 24, .along = 32, .joints = 3});
  const Rig rig_ = rig_from_deformer_name(std::string(GetParam())).value();
};

TEST_P(BindStages, AreShownFromZeroToOne) {
  BindOptions options = BindOptions();
  double last = 0;
  std::set<std::string> stages;
  options.progress = [&](double fraction, const std::string& what) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1);
    EXPECT_EQ(what == "done", fraction == 1) << fraction << " " << what;
    last = fraction;
    stages.insert(what);
  };
  const Result<Bound> bound = bind(model_, rig_, options);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(last, 1);
  for (const char* stage : {"packing", "done"}) EXPECT_TRUE(stages.count(stage));
  EXPECT_EQ(stages.count("judging"), GetParam() == LinearBlendParameters::kName ? 0u : 1u);
  EXPECT_TRUE(stages.count(fmt::format("layer 1 ({})", GetParam())));
}

// What asks to stop as a stage begins ends the bind within it.
TEST_P(BindStages, AreStoppedAtTheirBeginning) {
  std::vector<std::string> stages;
  BindOptions options = BindOptions();
  options.progress = [&](double, const std::string& what) {
    if (stages.empty() || stages.back() != what) stages.push_back(what);
  };
  ASSERT_TRUE(bind(model_, rig_, options));
  for (const std::string& stage : stages) {
    std::atomic<bool> asked = false;
    options.stop = [&] { return asked.load(); };
    options.progress = [&](double, const std::string& what) {
      EXPECT_FALSE(asked) << what << " after " << stage;
      asked = asked || what == stage;
    };
    const Result<Bound> bound = bind(model_, rig_, options);
    ASSERT_FALSE(bound) << stage;
    EXPECT_EQ(bound.error().code, ErrorCode::kStopped) << stage;
    EXPECT_EQ(bound.error().message, "stopped");
  }
}

// Also from within loops, on whatever thread. How often a bind asks depends on the time that it takes.
TEST_P(BindStages, AreStoppedInTheirMidst) {
  BindOptions options = BindOptions();
  std::atomic<std::size_t> asks = 0;
  for (std::size_t most = 1;; most *= 2) {
    asks = 0;
    options.stop = [&] { return ++asks > most; };
    const Result<Bound> bound = bind(model_, rig_, options);
    EXPECT_EQ(!bound, asks > most) << most;
    if (bound) break;
    EXPECT_EQ(bound.error().code, ErrorCode::kStopped) << bound.error().message;
  }
  EXPECT_GT(asks, GetParam() == LinearBlendParameters::kName ? 4u : 8u);
}

INSTANTIATE_TEST_SUITE_P(Deformers, BindStages, testing::ValuesIn(deformer_names()),
                         [](const auto& test) { return std::string(test.param); });

class BindSizes : public testing::TestWithParam<std::size_t> {};

TEST_P(BindSizes, AnyVertexCount) {
  for (const DeformerParameters& deformer :
       {DeformerParameters(LinearBlendParameters{}), DeformerParameters(DualQuaternionParameters{})}) {
    Rig rig;
    rig.layers.push_back(layer("*", deformer));
    const Result<Bound> bound = bind(test::make_cloud(GetParam()), rig);
    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_EQ(bound->character->vertex_count(), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BindSizes, testing::Values(0, 1, 63, 64, 65, 1234));

TEST(Bind, RefusesALayerWithoutADeformer) {
  Rig rig;
  rig.layers = {Layer{.deformer = LinearBlendParameters{}}, Layer{}};
  EXPECT_EQ(error_of(test::make_tube(), rig), "layer 2 has no deformer");
}

}  // namespace
}  // namespace pelt
