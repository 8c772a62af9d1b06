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
#include <pelt/typed_name.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using test::bind_error;
using testing::HasSubstr;

Layer layer(const std::string& target, DeformerParameters deformer, Mask mask = {}) {
  return {target, std::move(deformer), std::move(mask)};
}

// Makes two tubes, "tube" and "other".
Model two_tubes() {
  Model model = test::make_tube();
  model.meshes.push_back(model.meshes[0]);
  model.meshes[1].name = "other";
  return model;
}

TEST(Bind, WithoutLayersIsLinearBlend) {
  const Bound bound = test::must(bind(test::make_tube(), Rig{}));
  const Character& character = bound.character;
  ASSERT_EQ(character->meshes.size(), 1u);
  EXPECT_EQ(character->meshes[0].mode, BlendMode::kLinear);
  EXPECT_EQ(character->stage_count, 1u);
  EXPECT_EQ(character->palette_size, 2u);
  ASSERT_EQ(bound.report.meshes.size(), 1u);
  const MeshReport& report = bound.report.meshes[0];
  EXPECT_EQ(report.deformer, "linear_blend");
  EXPECT_EQ(report.max_influences, 2u);
  EXPECT_GE(report.bytes_per_vertex, 12 + 8 + 4 + 20);
  EXPECT_LT(report.bytes_per_vertex, 12 + 8 + 8 + 20 + 4);
}

TEST(Bind, NamedTargetsLeaveTheRestOnLinearBlend) {
  Rig rig;
  rig.layers.push_back(layer("other", DualQuaternionParameters{}));
  const Bound bound = test::must(bind(two_tubes(), rig));
  EXPECT_EQ(bound.character->meshes[0].mode, BlendMode::kLinear);
  EXPECT_EQ(bound.character->meshes[1].mode, BlendMode::kDualQuaternion);
  EXPECT_EQ(bound.character->meshes[1].name, "other");
}

TEST(Bind, AMeshOnOneJointStaysOnLinearBlend) {
  Model model = two_tubes();
  SparseRows rigid;
  for (std::size_t i = 0; i < model.meshes[1].positions.size(); ++i) {
    rigid.append_row(std::vector<Influence>{{1, 1.0f}, {0, 0.0f}});
  }
  model.meshes[1].weights = rigid;
  const Bound bound = test::must(bind(model, {.layers = {layer("*", DualQuaternionParameters{})}}));
  EXPECT_EQ(bound.character->meshes[0].mode, BlendMode::kDualQuaternion);
  EXPECT_EQ(bound.character->meshes[1].mode, BlendMode::kLinear);
  EXPECT_THAT(bound.report.notes, testing::ElementsAre(testing::EndsWith("faces): 'other'")));
}

TEST(Bind, ATopLayerWithoutAMaskHidesThoseBelow) {
  Rig rig;
  rig.layers.push_back(layer("*", LinearBlendParameters{}));
  rig.layers.push_back(layer("*", DualQuaternionParameters{}, {1.0f, {.joints = {"joint0", "joint1"}}}));
  const Bound bound = test::must(bind(test::make_tube(), rig));
  EXPECT_EQ(bound.character->meshes[0].mode, BlendMode::kDualQuaternion);
  EXPECT_EQ(bound.report.meshes[0].deformer, "dual_quaternion");
  EXPECT_THAT(bound.report.notes, testing::Contains(HasSubstr("layer 0 (linear-blend): moves nothing")));
}

TEST(Bind, DualQuaternionCannotBeMergedInPart) {
  Rig rig;
  rig.layers.push_back(layer("*", LinearBlendParameters{}));
  rig.layers.push_back(layer("*", DualQuaternionParameters{}, {1.0f, {.joints = {"joint1"}}}));
  EXPECT_THAT(bind_error(test::make_tube(), rig), HasSubstr("layer 1 (dual-quaternion): mesh 'tube'"));
  rig.layers[1].mask = {0.0f, {}};
  EXPECT_EQ(bind_error(test::make_tube(), rig), "bound") << "a mask of 0 everywhere leaves nothing to merge";
}

TEST(Bind, KeepsVertexOrderWhereAskedAndSaysWhereItRepairsDirections) {
  Model model = test::make_tube();
  model.meshes[0].normals[4] = glm::vec3(0);
  model.meshes[0].normals[7] = {0, 1e20f, 0};  // the square of its length does not fit a float
  model.meshes.push_back({.name = "points", .positions = model.meshes[0].positions});  // without normals
  model.meshes[1].weights = model.meshes[0].weights;
  const Bound bound = test::must(bind(model, Rig{}, {.keep_vertex_order = true}));
  EXPECT_THAT(bound.report.meshes[0].repaired_vertices, testing::ElementsAre(4u, 7u));
  EXPECT_THAT(bound.report.meshes[1].repaired_vertices, testing::IsEmpty()) << "those of points have no meaning";
  const CharacterMesh& mesh = bound.character->meshes[0];
  EXPECT_NEAR(shared::unpack_normal(mesh.binding.directions[7].x).y, 1.0f, 1e-4f);
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) EXPECT_EQ(mesh.source_vertex[i], i);
}

// That regions and masks are checked is tested with them.
TEST(Bind, NamesWhatTheRigGetsWrong) {
  EXPECT_THAT(bind_error(test::make_tube(), {.layers = {layer("tub", LinearBlendParameters{})}}),
              testing::AllOf(HasSubstr("'tub'"), HasSubstr("'tube'")));
  EXPECT_EQ(bind_error(test::make_tube(), {.layers = {layer("*", LinearBlendParameters{}), Layer{}}}),
            "layer 1 has no deformer");
}

TEST(Bind, NamesWhatTheModelGetsWrong) {
  const auto error_after = [](const auto& change) {
    Model model = test::make_tube();
    change(model);
    return bind_error(model, Rig{});
  };
  EXPECT_EQ(error_after([](Model&) {}), "bound");
  EXPECT_NE(bind_error(Model{}, Rig{}), "bound");
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].triangles[0].x = 1u << 20; }), HasSubstr("triangle"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].positions[7].x = std::numeric_limits<float>::quiet_NaN(); }),
              HasSubstr("vertex 7"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].positions[7].x = -1e13f; }), HasSubstr("vertex 7"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].normals.pop_back(); }), HasSubstr("normals"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].weights = {}; }), HasSubstr("has no weights"));
  EXPECT_THAT(error_after([](Model& m) { m.meshes[0].weights.influences[9].index = 2; }), HasSubstr("row"));
  EXPECT_THAT(error_after([](Model& m) { m.bound_joints[1].joint = 2; }), HasSubstr("joint 2"));
  EXPECT_THAT(error_after([](Model& m) { m.skeleton.joints[0].parent = 0; }), HasSubstr("parent"));
  EXPECT_NE(error_after([](Model& m) { m.meshes.push_back(m.meshes[0]); }), "bound") << "names repeat";
  const MeshLines wrong[] = {{"tub", {{0, 1}}}, {"tube", {}}, {"tube", {{0, 1u << 20}}}};
  for (const MeshLines& lines : wrong)
    EXPECT_THAT(error_after([&](Model& m) { m.lines = {lines}; }), HasSubstr("the lines of mesh 'tub"));
}

class BindStages : public testing::TestWithParam<std::string_view> {
 protected:
  const Model model_ = test::make_tube({.around = 24, .along = 32, .joints = 3});
  const Rig rig_ = rig_from_deformer_name(std::string(GetParam())).value();
};

TEST_P(BindStages, AreShownFromZeroToOne) {
  BindOptions options;
  double last = 0;
  std::set<std::string> stages;
  options.progress = [&](double fraction, const std::string& what) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1);
    EXPECT_EQ(what == "done", fraction == 1) << fraction << " " << what;
    last = fraction;
    stages.insert(what);
  };
  test::must(bind(model_, rig_, options));
  EXPECT_EQ(last, 1);
  for (const char* stage : {"packing", "done"}) EXPECT_TRUE(stages.count(stage));
  EXPECT_EQ(stages.count("checking"), GetParam() == LinearBlendParameters::kName ? 0u : 1u);
  EXPECT_TRUE(stages.count(fmt::format("layer 0 ({})", typed_name(GetParam()))));
}

// A request to stop at the start of a stage ends the bind within it.
TEST_P(BindStages, AreStoppedAtTheirBeginning) {
  std::vector<std::string> stages;
  BindOptions options;
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
  BindOptions options;
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

}  // namespace
}  // namespace pelt
