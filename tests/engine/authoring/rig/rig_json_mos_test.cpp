// SPDX-License-Identifier: MIT
// Tests reading the parameters of MOS, and the conditions between them. Which values each takes is compared with the
// schema.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <pelt/curve_keys.h>
#include <pelt/curve_settings.h>
#include <pelt/mos.h>

#include "tests/engine/authoring/rig/rig_text.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

TEST(ParseRig, ReadsEveryKeyOfMos) {
  const std::string text = mos(R"(
      "strategy": "radial_basis", "automatic": false, "split": ["hip"], "remove": ["spine..tail"],
      "chains": [{"name": "arm", "joints": ["shoulder", "elbow", "wrist"]},
                 {"name": "leg", "points": [{"name": "knee", "joint": "hip", "offset": [0, -0.5, 0], "bisecting": true},
                                            {"joint": "ankle"}]}],
      "points_per_bone": 3, "bone_fraction": 0.75, "points_per_joint": 2, "joint_fraction": 0.5, "frames": "joint",
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
  mos.bone_fraction = 0.75f;
  mos.points_per_joint = 2;
  mos.joint_fraction = 0.5f;
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

TEST(ParseRig, MosRefusesParametersOfAnotherStrategy) {
  expect_errors({{mos(R"("width": 0.5)"), "/parameters/width: belongs to the kernel gaussian"},
                 {mos(R"("cage": "cage")"), "/cage: belongs to the strategy catmull_clark"},
                 {mos(R"("strategy": "radial_basis", "cage_file": "cage.obj")"),
                  "/cage_file: belongs to the strategy catmull_clark"},
                 {mos(R"("strategy": "catmull_clark")"), "/cage: the strategy catmull_clark needs"},
                 {mos(R"("strategy": "catmull_clark", "cage": "cage", "cage_file": "cage.obj")"),
                  "/cage_file: set cage or cage_file, not both"}});
  for (const char* strategy : {R"("inverse_distance")", R"("radial_basis")", R"("catmull_clark", "cage": "cage")"}) {
    expect_errors({{mos(R"("edits": [{"operation": "twist"}], "strategy": )" + std::string(strategy)),
                    "/parameters/edits: a twist needs the strategy b_spline"}});
  }
}

TEST(ParseRig, MosChainsHavePointsOrJoints) {
  expect_errors(
      {{chain(R"("joints": ["a", "b"])"), "/chains/0/name: must not be empty"},
       {chain(R"("name": "arm")"), "/chains/0/joints: set points or joints"},
       {chain(R"("name": "arm", "joints": ["a", "b"], "points": [{"joint": "a"}, {"joint": "b"}])"),
        "/chains/0/joints: set points or joints, not both"},
       {chain(R"("name": "arm", "joints": ["a"])"), "/chains/0/joints: a chain must have at least two joints"},
       {chain(R"("name": "arm", "points": [{"joint": "a"}])"), "accepted"}});
}

TEST(ParseRig, MosEditsTakeTheirOwnKeys) {
  const struct {
    const char* key;
    const char* value;
    std::vector<std::string> owners;
  } kKeys[] = {{"factor", "2", {"bulge", "motion"}}, {"pivot", "[0, 0, 1]", {"bulge"}}, {"distance", "1", {"slide"}},
               {"offset", "[0, 0, 1]", {"slide"}},   {"scale", "[1, 1, 2]", {"scale"}}, {"degrees", "1", {"twist"}}};
  for (const auto& key : kKeys) {
    for (const std::string operation : {"bulge", "slide", "scale", "motion", "twist"}) {
      const bool accepted = std::ranges::find(key.owners, operation) != key.owners.end();
      expect_errors(
          {{edit(fmt::format(R"("operation": "{}", "{}": {})", operation, key.key, key.value)),
            accepted ? "accepted" : fmt::format("/edits/0/{}: belongs to the operation {}", key.key, key.owners[0])}});
    }
  }
  expect_errors(
      {{edit(""), "/edits/0: the key 'operation' is missing"},
       {edit(R"("operation": "bulges")"), "\"motion\", \"twist\", is \"bulges\"; did you"},
       {edit(R"("operation": "scale", "scale": [1, 0, 1])"), "/scale/1: must be a number > 0"},
       {edit(R"("operation": "scale", "scale": 2)"), "/edits/0/scale: must be [x, y, z], is 2"},
       {edit(R"("operation": "bulge", "pivot": "root")"), "/pivot: must be [x, y, z] or \"joint\", is \"root\""},
       {edit(R"("operation": "bulge", "pivot": [1, 2])"), "/pivot: must be [x, y, z]"}});
}

TEST(ParseRig, MosSharesNeedADriverAndRest) {
  expect_errors({{driven("[[0, 0], [90, 1]]"), "accepted"},
                 {driven("[[-90, 1], [0, 0]]"), "accepted"},
                 {driven("[]"), "/edits/0/driver: needs a share"},
                 {edit(R"("operation": "bulge", "share": [[0, 0], [90, 1]])"), "/edits/0/share: needs a driver"},
                 {driven("[[0, 0.5], [90, 1]]"), "/edits/0/share: must include the key [0, 0]"},
                 {driven("[[30, 0], [90, 1]]"), "/edits/0/share: must include the key [0, 0]"},
                 {driven("[[0, 0], [90, 1], [90, 2]]"), "/share/2/0: must be above 90"},
                 {driven("[[0, 0], [181, 1]]"), "/share/1/0: must be a number from -180 to 180"},
                 {driven(R"([[0, 0], [90, 1]], "in_bind": false)"), "/edits/0/in_bind: must be true with a driver"}});
}

}  // namespace
}  // namespace pelt
