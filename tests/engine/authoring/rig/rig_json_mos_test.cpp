// SPDX-License-Identifier: MIT
// Tests reading the parameters of MOS.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <pelt/curve_keys.h>
#include <pelt/curve_settings.h>
#include <pelt/mos.h>

#include "tests/engine/authoring/rig/rig_text.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::HasSubstr;

TEST(ParseRig, ReadsEveryKeyOfMos) {
  const std::string text = mos(R"(
      "strategy": "radial_basis", "automatic": false, "split": ["hip"], "remove": ["spine..tail"],
      "chains": [{"name": "arm", "joints": ["shoulder", "elbow", "wrist"]},
                 {"name": "leg", "points": [{"name": "knee", "joint": "hip", "offset": [0, -0.5, 0], "bisecting": true},
                                            {"joint": "ankle"}]}],
      "points_per_bone": 3, "spread": 0.75, "points_per_joint": 2, "joint_spread": 0.5, "frames": "joint",
      "exact_normals": false, "clamp_ends": false, "twist": false, "binding": "distance", "chains_per_vertex": 2,
      "chain_reach": 1.5, "table_error": 0.001, "power": 3, "nearest": "all", "cut": "hard", "kernel": "gaussian",
      "width": 0.25,
      "edits": [{"operation": "bulge", "points": ["knee", "arm*"], "factor": 1.5, "pivot": [0, 1, 0.5],
                 "driver": {"joint": "elbow", "axis": [0, 1, 0]}, "share": [[-90, 0.5], [0, 0], [90, 1]]},
                {"operation": "slide", "distance": 0.125, "offset": [0, 0, -0.5], "in_bind": false},
                {"operation": "scale", "scale": [1, 2, 2]},
                {"operation": "motion", "points": ["knee"], "factor": 0.5}])");
  const auto rig = test::must(parse_rig(text, "x.json"));

  MosParameters mos;
  mos.strategy = MosStrategy::kRadialBasis;
  mos.automatic = false;
  mos.split = {"hip"};
  mos.remove = {"spine..tail"};
  mos.chains = {{.name = "arm", .joints = {"shoulder", "elbow", "wrist"}},
                {.name = "leg", .points = {{"knee", "hip", {0.0f, -0.5f, 0.0f}, true}, {.joint = "ankle"}}}};
  mos.points_per_bone = 3;
  mos.spread = 0.75f;
  mos.points_per_joint = 2;
  mos.joint_spread = 0.5f;
  mos.frames = MosFrames::kJoint;
  mos.exact_normals = false;
  mos.clamp_ends = false;
  mos.twist = false;
  mos.binding = CurveBinding::kDistance;
  mos.chains_per_vertex = 2;
  mos.chain_reach = 1.5f;
  mos.table_error = 0.001f;
  mos.power = 3;
  mos.nearest = 0;
  mos.cut = Cut::kHard;
  mos.kernel = MosKernel::kGaussian;
  mos.width = 0.25f;
  mos.edits = {{.operation = MosOperation::kBulge,
                .points = {"knee", "arm*"},
                .factor = 1.5f,
                .pivot = glm::vec3(0.0f, 1.0f, 0.5f),
                .driver = KeyAngle{"elbow", {0.0f, 1.0f, 0.0f}},
                .share = {{-90.0f, 0.5f}, {0.0f, 0.0f}, {90.0f, 1.0f}}},
               {.operation = MosOperation::kSlide, .distance = 0.125f, .offset = {0.0f, 0.0f, -0.5f}, .in_bind = false},
               {.operation = MosOperation::kScale, .scale = {1.0f, 2.0f, 2.0f}},
               {.operation = MosOperation::kMotion, .points = {"knee"}, .factor = 0.5f}};
  EXPECT_EQ(rig.layers.at(0).deformer, DeformerParameters(mos));
  EXPECT_EQ(*parse_rig(format_rig(rig), "again"), rig);
}

TEST(ParseRig, ReadsTheStrategiesOfMos) {
  const auto parameters = [](const std::string& members) {
    const auto rig = parse_rig(mos(members), "x.json");
    EXPECT_TRUE(rig) << rig.error().message;
    return rig ? rig->layers.at(0).deformer.get<MosParameters>() : MosParameters{};
  };
  EXPECT_EQ(parameters(""), MosParameters{});
  EXPECT_EQ(parameters(R"("strategy": "inverse_distance")").strategy, MosStrategy::kInverseDistance);
  const MosParameters on_mesh = parameters(R"("strategy": "catmull_clark", "cage": "cage")");
  EXPECT_EQ(on_mesh.strategy, MosStrategy::kCatmullClark);
  EXPECT_EQ(on_mesh.cage, "cage");
  EXPECT_EQ(parameters(R"("strategy": "catmull_clark", "cage_file": "cage.obj")").cage_file, "cage.obj");
  const MosParameters twisted = parameters(R"("edits": [{"operation": "twist", "degrees": 450},
                                                        {"operation": "bulge", "pivot": "joint"}])");
  ASSERT_EQ(twisted.edits.size(), 2u);
  EXPECT_EQ(twisted.edits[0], (MosEdit{.operation = MosOperation::kTwist, .degrees = 450}));
  EXPECT_EQ(twisted.edits[1], MosEdit{});
}

TEST(ParseRig, WrongValuesOfMosNameThePlaceAndWhatIsWanted) {
  EXPECT_EQ(error_of(mos(R"("strategy": "bspline")")),
            "x.json: /layers/0/parameters/strategy: must be one of \"b_spline\", \"catmull_clark\", "
            "\"inverse_distance\", \"radial_basis\", is \"bspline\"; did you mean 'b_spline'?");
  EXPECT_THAT(error_of(mos(R"("frames": "joints")")), HasSubstr("one of \"relative\", \"joint\""));
  EXPECT_THAT(error_of(mos(R"("kernel": "gauss")")), HasSubstr("did you mean 'gaussian'?"));
  EXPECT_THAT(error_of(mos(R"("binding": "near")")), HasSubstr("one of \"auto\", \"distance\", \"weights\""));
  for (const char* count : {"0", "17", "1.5", "-1"}) {
    EXPECT_THAT(error_of(mos(R"("points_per_bone": )" + std::string(count))),
                HasSubstr("/points_per_bone: must be an integer from 1 to 16, is " + std::string(count)));
  }
  EXPECT_THAT(error_of(mos(R"("spread": 1.5)")), HasSubstr("/spread: must be a number from 0 to 1, is 1.5"));
  EXPECT_THAT(error_of(mos(R"("chains_per_vertex": 4)")), HasSubstr("must be an integer from 1 to 3, is 4"));
  EXPECT_THAT(error_of(mos(R"("chain_reach": 1)")), HasSubstr("/chain_reach: must be a number > 1, is 1"));
  EXPECT_THAT(error_of(mos(R"("table_error": 0)")), HasSubstr("/table_error: must be a number > 0"));
  EXPECT_THAT(error_of(mos(R"("power": -1)")), HasSubstr("/power: must be a number from 0.001 to 1000"));
  EXPECT_THAT(error_of(mos(R"("nearest": 0)")), HasSubstr("/nearest: must be an integer from 1 to 4294967295 or"));
  EXPECT_THAT(error_of(mos(R"("kernel": "gaussian", "width": 0)")), HasSubstr("/width: must be a number > 0 or"));
}

TEST(ParseRig, MosRefusesParametersOfAnotherStrategy) {
  EXPECT_THAT(error_of(mos(R"("width": 0.5)")), HasSubstr("/parameters/width: belongs to the kernel gaussian"));
  EXPECT_THAT(error_of(mos(R"("cage": "cage")")), HasSubstr("/cage: belongs to the strategy catmull_clark"));
  EXPECT_THAT(error_of(mos(R"("strategy": "radial_basis", "cage_file": "cage.obj")")),
              HasSubstr("/cage_file: belongs to the strategy catmull_clark"));
  EXPECT_THAT(error_of(mos(R"("strategy": "catmull_clark")")), HasSubstr("/cage: the strategy catmull_clark needs"));
  EXPECT_THAT(error_of(mos(R"("strategy": "catmull_clark", "cage": "cage", "cage_file": "cage.obj")")),
              HasSubstr("/cage_file: there is cage or cage_file, not both"));
  for (const char* strategy : {R"("inverse_distance")", R"("radial_basis")", R"("catmull_clark", "cage": "cage")"}) {
    EXPECT_THAT(error_of(mos(R"("edits": [{"operation": "twist"}], "strategy": )" + std::string(strategy))),
                HasSubstr("/parameters/edits: a twist needs the strategy b_spline"));
  }
}

TEST(ParseRig, MosChainsHavePointsOrJoints) {
  EXPECT_THAT(error_of(chain(R"("joints": ["a", "b"])")), HasSubstr("/chains/0/name: must not be empty"));
  EXPECT_THAT(error_of(chain(R"("name": "arm")")), HasSubstr("/chains/0/joints: a chain has points or joints"));
  EXPECT_THAT(error_of(chain(R"("name": "arm", "joints": ["a", "b"], "points": [{"joint": "a"}, {"joint": "b"}])")),
              HasSubstr("/chains/0/joints: a chain has points or joints, not both"));
  EXPECT_THAT(error_of(chain(R"("name": "arm", "joints": ["a"])")),
              HasSubstr("/chains/0/joints: a chain runs over at least two joints"));
  EXPECT_EQ(error_of(chain(R"("name": "arm", "points": [{"joint": "a"}])")), "accepted");
  EXPECT_THAT(error_of(chain(R"("name": "arm", "points": [{"joint": "a"}, {"name": "b"}])")),
              HasSubstr("/chains/0/points/1/joint: must not be empty"));
}

TEST(ParseRig, MosEditsTakeTheirOwnKeys) {
  EXPECT_THAT(error_of(edit("")), HasSubstr("/edits/0: the key 'operation' is missing"));
  EXPECT_THAT(error_of(edit(R"("operation": "bulges")")), HasSubstr("\"motion\", \"twist\", is \"bulges\"; did you"));
  const struct {
    const char* key;
    const char* value;
    std::vector<std::string> owners;
  } kKeys[] = {{"factor", "2", {"bulge", "motion"}}, {"pivot", "[0, 0, 1]", {"bulge"}}, {"distance", "1", {"slide"}},
               {"offset", "[0, 0, 1]", {"slide"}},   {"scale", "[1, 1, 2]", {"scale"}}, {"degrees", "1", {"twist"}}};
  for (const auto& key : kKeys) {
    for (const std::string operation : {"bulge", "slide", "scale", "motion", "twist"}) {
      const std::string error =
          error_of(edit(fmt::format(R"("operation": "{}", "{}": {})", operation, key.key, key.value)));
      const bool accepted = std::find(key.owners.begin(), key.owners.end(), operation) != key.owners.end();
      EXPECT_THAT(
          error, accepted ? HasSubstr("accepted")
                          : HasSubstr(fmt::format("/edits/0/{}: belongs to the operation {}", key.key, key.owners[0])));
    }
  }
  EXPECT_THAT(error_of(edit(R"("operation": "scale", "scale": [1, 0, 1])")),
              HasSubstr("/scale/1: must be a number > 0"));
  EXPECT_THAT(error_of(edit(R"("operation": "scale", "scale": 2)")), HasSubstr("/scale: must be an array of numbers"));
  EXPECT_THAT(error_of(edit(R"("operation": "bulge", "factor": 1e39)")), HasSubstr("/factor: must be a number"));
  EXPECT_THAT(error_of(edit(R"("operation": "bulge", "pivot": "root")")),
              HasSubstr("/pivot: must be [x, y, z] or \"joint\", is \"root\""));
  EXPECT_THAT(error_of(edit(R"("operation": "bulge", "pivot": [1, 2])")), HasSubstr("/pivot: must be [x, y, z]"));
}

TEST(ParseRig, MosSharesNeedADriverAndRest) {
  EXPECT_EQ(error_of(driven("[[0, 0], [90, 1]]")), "accepted");
  EXPECT_EQ(error_of(driven("[[-90, 1], [0, 0]]")), "accepted");
  EXPECT_THAT(error_of(driven("[]")), HasSubstr("/edits/0/driver: needs a share"));
  EXPECT_THAT(error_of(edit(R"("operation": "bulge", "share": [[0, 0], [90, 1]])")),
              HasSubstr("/edits/0/share: needs a driver"));
  EXPECT_THAT(error_of(driven("[[0, 0.5], [90, 1]]")), HasSubstr("/edits/0/share: must hold the key [0, 0]"));
  EXPECT_THAT(error_of(driven("[[30, 0], [90, 1]]")), HasSubstr("/edits/0/share: must hold the key [0, 0]"));
  EXPECT_THAT(error_of(driven("[[0, 0], [90, 1], [90, 2]]")), HasSubstr("/share/2/0: must be above 90"));
  EXPECT_THAT(error_of(driven("[[0, 0], [181, 1]]")), HasSubstr("/share/1/0: must be a number from -180 to 180"));
  EXPECT_THAT(error_of(driven(R"([[0, 0], [90, 1]], "in_bind": false)")),
              HasSubstr("/edits/0/in_bind: must be true beside a driver"));
}

}  // namespace
}  // namespace pelt
