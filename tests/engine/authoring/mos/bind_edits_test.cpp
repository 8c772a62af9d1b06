// SPDX-License-Identifier: MIT
// Tests edits of control points.
#include <map>

#include <pelt/curve_keys.h>

#include "shaders/mos/mos.h"
#include "tests/engine/authoring/mos/bound_skin.h"
#include "tests/support/must.h"

namespace pelt::mos {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<MosEdit> each_edit() {
  return {{.operation = MosOperation::kBulge, .factor = 1.4f, .pivot = glm::vec3(4, -2, 0)},
          {.operation = MosOperation::kSlide, .distance = 0.3f, .offset = {0, 0.2f, 0}},
          {.operation = MosOperation::kScale, .points = {"joint1"}, .scale = {1, 1.5f, 1.2f}},
          {.operation = MosOperation::kMotion, .factor = 0.7f},
          {.operation = MosOperation::kTwist, .points = {"joint?"}, .degrees = 50}};
}

Character edited(const Model& model, MosStrategy strategy, std::vector<MosEdit> edits) {
  return test::bound(model, by_mos([&](MosParameters& p) {
                       p.strategy = strategy;
                       p.edits = std::move(edits);
                       p.table_error = 1e-6f;  // tables with and without edits have other samples
                     }))
      .character;
}

// At 90 degrees an edit that is keyed from 0 at 0 degrees is done wholly.
TEST(MosBind, DrivenEditsFollowTheirJoint) {
  const Model model = test::make_tube({.joints = 3});
  for (const MosStrategy strategy : kWithoutCage) {
    const Character plain = edited(model, strategy, {});
    for (const MosEdit& edit : each_edit()) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(strategy) << ' ' << static_cast<int>(edit.operation));
      MosEdit driven = edit;
      driven.driver = KeyAngle{"joint1", {0, 0, 2}};
      driven.share = {{0, 0}, {90, 1}};
      MosEdit always = edit;
      always.in_bind = false;
      const Character moving = edited(model, strategy, {driven});
      const Character constant = edited(model, strategy, {always});
      EXPECT_LE(worst_at_bind(model, moving), kRounding);
      const std::vector<glm::mat4> joints = bent(model, 90);
      const std::vector<glm::vec3> is = posed(model, moving, joints);
      EXPECT_LT(test::farthest(is, posed(model, constant, joints)), 1e-4);
      EXPECT_GT(test::farthest(is, posed(model, plain, joints)), 0.05);
      EXPECT_LT(test::farthest(posed(model, moving, bent(model, -40)), posed(model, plain, bent(model, -40))), 1e-5)
          << "held beyond the keys";
    }
  }
}

TEST(MosBind, EditsShowAtBindWhereAsked) {
  const Model model = test::make_tube({.joints = 3});
  for (const MosStrategy strategy : kWithoutCage) {
    for (MosEdit edit : each_edit()) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(strategy) << ' ' << static_cast<int>(edit.operation));
      EXPECT_LE(worst_at_bind(model, edited(model, strategy, {edit})), kRounding);
      edit.in_bind = false;
      const double shown = worst_at_bind(model, edited(model, strategy, {edit}));
      if (edit.operation == MosOperation::kMotion) {
        EXPECT_LE(shown, kRounding) << "there is no displacement yet";
      } else {
        EXPECT_GT(shown, 0.005);
      }
    }
  }
}

TEST(MosBind, ReportsWhatMovesAPoint) {
  const Model model = test::make_tube({.joints = 3});
  const Bound bound = test::bound(model, by_mos([](MosParameters& p) {
                                    p.chains = {{"along", {}, {"joint0", "joint1"}},
                                                {"listed", {{"a", "joint1", {}}, {"b", "joint2", {0, 1, 0}}}, {}}};
                                  }));
  std::map<std::string, std::string> listed;
  for (const PointReport& point : bound.report.points) {
    if (point.listed) {
      listed[point.name] = point.place;
    } else {
      EXPECT_EQ(point.place, "/edits") << point.name;
    }
  }
  EXPECT_THAT(listed, testing::ElementsAre(testing::Pair("a", "/chains/1/points/0/offset"),
                                           testing::Pair("b", "/chains/1/points/1/offset")));
  EXPECT_GT(bound.report.points.size(), 2u);
}

TEST(MosBind, EditsMovePlacedPointsOneByOne) {
  const Model model = test::make_tube({.joints = 3});
  for (const MosStrategy strategy : kWithoutCage) {
    const Bound plain = test::bound(model, by_mos([&](auto& p) { p.strategy = strategy; }));
    const std::vector<PointReport>& points = plain.report.points;
    ASSERT_GT(points.size(), 3u);
    const PointReport& point = points[2];
    const auto slid = [&](const std::string& name) {
      return edited(model, strategy,
                    {{.operation = MosOperation::kSlide, .points = {name}, .offset = {0, 0, 0.2f}, .in_bind = false}});
    };
    const std::vector<glm::mat4> rest = joints_at_bind(model);
    const std::vector<glm::vec3> before = posed(model, plain.character, rest);
    const std::vector<glm::vec3> after = posed(model, slid(point.name), rest);
    const std::vector<glm::vec3> with_joint = posed(model, slid(model.skeleton.joints[point.joint].name), rest);
    EXPECT_GT(test::farthest(before, after), 0.01) << point.name;
    EXPECT_GT(test::farthest(with_joint, after), 0.05) << "a joint is all of its points";
    for (std::size_t v = 0; v < before.size(); ++v) {
      EXPECT_NEAR(after[v].x, before[v].x, 1e-4);
      EXPECT_NEAR(after[v].y, before[v].y, 1e-4);
    }
  }
}

// The chain is named after its joints, and so are its points.
TEST(MosBind, WildcardsMeanNoPlacedPoints) {
  const Model model = test::make_tube({.joints = 3});
  const auto error = [&](const std::string& name) {
    return test::bind_error(model, by_mos([&](MosParameters& p) { p.edits = {{.points = {name}, .factor = 2}}; }));
  };
  EXPECT_EQ(error("joint*"), "bound");
  EXPECT_THAT(error("joint*.1"), HasSubstr("there is no point 'joint*.1'"));
}

TEST(MosBind, RefusesEditsThatMakeNoSense) {
  const Model model = test::make_tube();
  const auto error = [&](
                         std::vector<MosEdit> edits, const Change& change = [](MosParameters&) {}) {
    return test::bind_error(model, by_mos([&](MosParameters& p) {
                              p.edits = std::move(edits);
                              change(p);
                            }));
  };
  const MosEdit bulge{.factor = 2};
  EXPECT_EQ(error({bulge}), "bound");
  EXPECT_THAT(error({bulge, {.points = {"joint1", "joint7*"}}}),
              AllOf(HasSubstr("layer 0 (mos): edit 2: there is no point 'joint7*'"), HasSubstr("did you mean 'joint")));
  EXPECT_THAT(error(std::vector(shared::kMaxMosEdits + 1, bulge)), HasSubstr("edit 65 exceeds 64 edits of point"));
  EXPECT_EQ(error(std::vector(shared::kMaxMosEdits, bulge)), "bound");

  MosEdit driven = bulge;
  driven.driver = KeyAngle{"joint1", {0, 0, 1}};
  const auto keyed = [&](std::vector<CurveKey> keys) {
    driven.share = std::move(keys);
    return error({driven});
  };
  std::vector<CurveKey> many;
  for (std::size_t k = 0; k <= shared::kMaxMosKeys; ++k) many.push_back({static_cast<float>(k), 0});
  EXPECT_THAT(keyed(many), HasSubstr("edit 1 has 65 keys of its share, not 2 to 64"));
  EXPECT_THAT(keyed({{0, 0}}), HasSubstr("edit 1 has 1 keys of its share"));
  EXPECT_EQ(keyed({{0, 0}, {90, 1}}), "bound");
  driven.driver->joint = "joint2";
  EXPECT_THAT(keyed({{0, 0}, {90, 1}}), AllOf(HasSubstr("edit 1"), HasSubstr("'joint2'")));

  const MosEdit twist{.operation = MosOperation::kTwist, .degrees = 20};
  EXPECT_EQ(error({twist}), "bound");
}

// Points on the bone, which the edit turns by one angle, turn the skin by that angle: by angles on a chain of one
// joint, by their frames with other strategies.
TEST(MosBind, TwistsTheSkinOfOneJoint) {
  const Model model = test::make_tube();
  for (const MosStrategy strategy : kWithoutCage) {
    for (const bool angles : {true, false}) {
      const Rig rig = by_mos([&](MosParameters& p) {
        p.strategy = strategy;
        p.twist = angles;
        p.automatic = false;
        p.chains = {
            {"one", {{"a", "joint1", {0.5f, 0, 0}}, {"b", "joint1", {1, 0, 0}}, {"c", "joint1", {3, 0, 0}}}, {}}};
        p.edits = {{.operation = MosOperation::kTwist, .degrees = 250, .in_bind = false}};
      });
      const std::vector<glm::vec3> is = posed(model, test::bound(model, rig).character, joints_at_bind(model));
      const glm::mat4 turn = glm::rotate(glm::mat4(1), glm::radians(250.0f), glm::vec3(1, 0, 0));
      EXPECT_LT(test::worst_distance(model.meshes[0].positions, is, test::by_matrix(turn)), 1e-4f)
          << static_cast<int>(strategy) << angles;
    }
  }
}

// On a chain of one joint, the angle between two points is shared, so that a section between them keeps its radius.
TEST(MosBind, TwistsAChainOfOneJointByAngles) {
  const Model model = test::make_tube();
  const Rig rig = by_mos([&](MosParameters& p) {
    p.automatic = false;
    p.chains = {{"one", {{"a", "joint1", {-4, 0, 0}}, {"b", "joint1", {4, 0, 0}}}, {}}};
    p.edits = {{.operation = MosOperation::kTwist, .points = {"b"}, .degrees = 180, .in_bind = false}};
  });
  const std::vector<glm::vec3> is = posed(model, test::bound(model, rig).character, joints_at_bind(model));
  for (std::size_t v = 0; v < is.size(); ++v) {
    const auto radius = [](glm::vec3 p) { return glm::length(glm::vec2(p.y, p.z)); };
    ASSERT_NEAR(radius(is[v]), radius(model.meshes[0].positions[v]), 5e-3f) << v;
  }
}

}  // namespace
}  // namespace pelt::mos
