// SPDX-License-Identifier: MIT
// Runs the program pelt_conformance: on the known-answer cases, and on small ones that show that it can fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/support/program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

using test::Outcome;

// Runs the program; its error output is added to its output.
Outcome run(const std::string& arguments) {
  Outcome outcome = test::run_program(PELT_CONFORMANCE, arguments);
  outcome.output += outcome.errors;
  return outcome;
}

// Two joints; the second moves up by 2 in the pose. Computed by hand: vertices 0 and 2 move by 2 w; normals do not
// change.
Json linear_blend_case() {
  const Json identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  const Json raised = {1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1, 0};
  const Json rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Json normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  return {{"format", "pelt-cases 1"},
          {"name", "by_hand"},
          {"system", "linear_blend"},
          {"skin", {{"positions", rest}, {"normals", normals}, {"triangles", {{0, 1, 2}}}}},
          {"skeleton", {{"parents", {-1, 0}}, {"rest", {identity, identity}}}},
          {"bind", {{"weights", {{{1, 1.0}}, {{0, 1.0}}, {{0, 0.5}, {1, 0.5}}}}}},
          {"poses",
           {{{"name", "bind"}, {"joints", {identity, identity}}}, {{"name", "up"}, {"joints", {identity, raised}}}}},
          {"results",
           {{{"variant", "linear"},
             {"set", {{"method", "linear_blend"}}},
             {"poses",
              {{{"pose", "bind"}, {"positions", rest}, {"normals", normals}},
               {{"pose", "up"}, {"positions", {{0, 2, 0}, {1, 0, 0}, {0, 2, 0}}}, {"normals", normals}}}}}}}};
}

// Two pairs of turns, each nearly equal but with quaternions that may have opposite signs: by 170 and -170 degrees
// about x, and by 180 about axes at 40 and 50 degrees. Computed by hand: a vertex that follows both equally turns by
// 180 about x, and about (1, -1). Ignoring the signs, it would turn by 0, and about (1, 1).
Json dual_quaternion_case() {
  const double c = 0.984807753;  // cosine of 10 degrees
  const double s = 0.173648178;
  Json json = linear_blend_case();
  json["poses"][1] = {{"name", "turn"},
                      {"joints", {{1, 0, 0, 0, 0, -c, -s, 0, 0, s, -c, 0}, {1, 0, 0, 0, 0, -c, s, 0, 0, -s, -c, 0}}}};
  json["poses"][2] = {{"name", "flip"},
                      {"joints", {{s, -c, 0, 0, -c, -s, 0, 0, 0, 0, -1, 0}, {-s, -c, 0, 0, -c, s, 0, 0, 0, 0, -1, 0}}}};
  Json& result = json["results"][0];
  result["variant"] = "dual";
  result["set"]["method"] = "dual_quaternion";
  result["poses"][1] = {{"pose", "turn"},
                        {"positions", {{0, 0, 0}, {1, 0, 0}, {0, -1, 0}}},
                        {"normals", {{0, s, -c}, {0, -s, -c}, {0, 0, -1}}}};
  result["poses"][2] = {{"pose", "flip"},
                        {"positions", {{0, 0, 0}, {s, -c, 0}, {-1, 0, 0}}},
                        {"normals", {{0, 0, -1}, {0, 0, -1}, {0, 0, -1}}}};
  return json;
}

// A driver of one triangle, one corner of which moves away from the origin by 1 along x. Computed by hand: A stays, and
// in P = A + x e1 + y e2 only e1 changes.
Json surface_ffd_case(const std::string& mode) {
  const Json rest = {{0, 0, 0}, {0.5, 0.25, 0}, {0, 1, 0.5}};
  const Json stretched = {{0, 0, 0}, {1, 0.25, 0}, {0, 1, 0.5}};
  const Json normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  const Json identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  const Json scaled = {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  const Json driver = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  return {{"format", "pelt-cases 1"},
          {"name", "by_hand_ffd"},
          {"system", "surface_ffd"},
          {"skin", {{"positions", rest}, {"normals", normals}, {"triangles", Json::array()}}},
          {"driver", {{"positions", driver}, {"triangles", {{0, 1, 2}}}}},
          {"poses",
           {{{"name", "bind"}, {"driver_positions", driver}, {"driver_transforms", {identity, identity, identity}}},
            {{"name", "stretch"},
             {"driver_positions", {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}}},
             {"driver_transforms", {scaled, scaled, scaled}}}}},
          {"results",
           {{{"variant", mode},
             {"set", {{"mode", mode}, {"local", 4}, {"unit", "auto"}, {"K", nullptr}, {"cut", "hard"}}},
             {"poses",
              {{{"pose", "bind"}, {"positions", rest}, {"normals", normals}},
               {{"pose", "stretch"}, {"positions", stretched}, {"normals", normals}}}}}}}};
}

// Two drivers, each of one triangle: the first moves by 1 along x, the second by 3 along y. Computed by hand, with m =
// 1:
Json combine_case() {
  const Json rest = {{0.25, 0.25, 0}};
  const Json normals = {{0, 0, 1}};
  const Json driver = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Json along_x = {{1, 0, 0}, {2, 0, 0}, {1, 1, 0}};
  const Json along_y = {{0, 3, 0}, {1, 3, 0}, {0, 4, 0}};
  return {
      {"format", "pelt-cases 1"},
      {"name", "by_hand_combine"},
      {"system", "combine"},
      {"skin", {{"positions", rest}, {"normals", normals}, {"triangles", Json::array()}}},
      {"drivers",
       {{{"positions", driver}, {"triangles", {{0, 1, 2}}}}, {{"positions", driver}, {"triangles", {{0, 1, 2}}}}}},
      {"bind", {{"each", {{"local", 2}, {"unit", "auto"}}}}},
      {"poses",
       {{{"name", "bind"}, {"drivers", {driver, driver}}}, {{"name", "apart"}, {"drivers", {along_x, along_y}}}}},
      {"results",
       {{{"variant", "m 1"},
         {"set", {{"m", 1}}},
         {"poses", {{{"pose", "bind"}, {"positions", rest}}, {{"pose", "apart"}, {"positions", {{0.5, 2.5, 0}}}}}}}}}};
}

// The case with a driver of two triangles; the second moves away. The exclusion or the hops must keep it from pulling
// the skin.
Json two_elements_case() {
  Json json = surface_ffd_case("basic");
  for (const char* pose : {"/poses/0", "/poses/1"}) {
    Json& positions = json[Json::json_pointer(std::string(pose) + "/driver_positions")];
    const double away = pose[7] == '1' ? 5 : 0;
    for (const double x : {3.0, 4.0}) positions.push_back({x + away, 0, 0});
    positions.push_back({3 + away, 1, 0});
    json.at(Json::json_pointer(pose)).erase("driver_transforms");
  }
  json["driver"] = {{"positions", json["poses"][0]["driver_positions"]}, {"triangles", {{0, 1, 2}, {3, 4, 5}}}};
  return json;
}

class Conformance : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  test::TemporaryFolder folder;
};

class ConformanceOf : public Conformance, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    const Outcome probe = evaluate(write("probe.case", linear_blend_case().dump()));
    if (probe.status == 2) PELT_SKIP(probe.output);  // there is no device
  }

  Outcome evaluate(const std::string& arguments) const {
#ifndef _WIN32  // Wine gives programs a Vulkan without layers
    return run(arguments + " --validation --backend " + GetParam());
#else
    return run(arguments + " --backend " + GetParam());
#endif
  }
};

INSTANTIATE_TEST_SUITE_P(BackEnds, ConformanceOf, testing::Values(PELT_CONFORMANCE_BACK_ENDS),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(ConformanceOf, KnownAnswersAreReproduced) {
  PELT_REQUIRE_SHARED();
  const std::filesystem::path cases = *test::shared_folder() / "cases";
  const std::filesystem::path next = cases / "next";
  const Outcome result = evaluate(cases.string() + (std::filesystem::exists(next) ? " " + next.string() : ""));
  EXPECT_EQ(result.status, 0) << result.output;
  std::smatch counts;
  ASSERT_TRUE(std::regex_search(result.output, counts, std::regex("\n(\\d+) passed, 0 failed, (\\d+) unsupported\n$")))
      << result.output;
  EXPECT_GE(std::stoi(counts[1]), 36) << result.output;
  EXPECT_GE(std::stoi(counts[1]) + std::stoi(counts[2]), 49) << result.output;
}

TEST_P(ConformanceOf, PassesWhatIsRightByHand) {
  write("a.json", linear_blend_case().dump());
  write("b.json", surface_ffd_case("basic").dump());
  write("c.json", surface_ffd_case("extended").dump());
  write("d.json", dual_quaternion_case().dump());
  write("e.json", combine_case().dump());
  Json excluded = two_elements_case();
  excluded["/results/0/set/exclude"_json_pointer] = {{{"elements", {1}}, {"vertices", {0, 1, 2}}}};
  write("f.json", excluded.dump());
  Json hops = two_elements_case();
  hops["/results/0/set/use_hops"_json_pointer] = true;
  hops["/results/0/set/hops"_json_pointer] = {
      {"parents", {-1, 0, 0}}, {"elements", {1, 2}}, {"vertices", {1, 1, 1}}, {"limit", 1}};
  write("g.json", hops.dump());
  const Outcome result = evaluate(folder.path().string());
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("\n7 passed, 0 failed, 0 unsupported\n"));
  hops["/results/0/set/hops/limit"_json_pointer] = 2;
  EXPECT_EQ(evaluate(write("h.txt", hops.dump())).status, 1) << "the second element pulls";
}

// The twist of a chain starts at the joint nearest the root, in whatever order a case lists its joints.
TEST_P(ConformanceOf, JointsHaveTheirParents) {
  PELT_REQUIRE_SHARED();
  Json json = Json::parse(std::ifstream(*test::shared_folder() / "cases" / "p12_curve_twist.json"));
  Json& results = json["results"];
  while (results.size() > 1) results.erase(results.size() - 1);  // double reflection begins at a chain's first joint
  ASSERT_EQ(json["chain"], Json({0, 1, 2, 3}));
  const auto expect_passes = [&](const char* name) {
    const Outcome result = evaluate(write(name, json.dump()));
    EXPECT_THAT(result.output, HasSubstr("\n1 passed, 0 failed, 0 unsupported\n"));
  };
  json["chain"] = {3, 2, 1, 0};
  expect_passes("against.json");
  const auto turn_round = [](Json& list) { std::reverse(list.begin(), list.end()); };
  turn_round(json["skeleton"]["rest"]);
  json["skeleton"]["parents"] = {1, 2, 3, -1};
  for (Json& pose : json["poses"]) {
    turn_round(pose["joints"]);
    if (!pose["twist"].is_null()) turn_round(pose["twist"]);
  }
  expect_passes("children_first.json");
  json.erase("chain");
  json["chains"] = {{3, 2, 1, 0}};
  json["chain_tops"] = {0};
  for (const char* length : {"f", "f_min", "f_max"}) json["bind"][length] = Json::array({json["bind"][length]});
  for (Json& pose : json["poses"]) {
    if (pose["twist"].is_null()) continue;
    turn_round(pose["twist"]);  // twists of the chain's joints, in order
    pose["twist"] = Json::array({pose["twist"]});
  }
  expect_passes("chains.json");
  json["chain_tops"] = {1};
  const Outcome wrong = evaluate(write("top.json", json.dump()));
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.output, HasSubstr("/chain_tops/0: joint 3 is nearer the root"));
}

TEST_P(ConformanceOf, FailsWhatIsWrong) {
  Json wrong = linear_blend_case();
  wrong["/results/0/poses/1/positions/2"_json_pointer] = {0, 2.001, 0};
  Outcome result = evaluate(write("position.json", wrong.dump()));
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("fail (pose up, vertex 2)"));
  EXPECT_THAT(result.output, HasSubstr("\n0 passed, 1 failed, 0 unsupported\n"));

  // Skipped vertices may have any position.
  wrong["/results/0/poses/1/skip"_json_pointer] = {2};
  EXPECT_EQ(evaluate(write("skipped.json", wrong.dump())).status, 0);

  wrong = linear_blend_case();
  wrong["/results/0/poses/1/normals/0"_json_pointer] = {0.0, 0.05, 0.99875};  // 2.9 degrees
  result = evaluate(write("normal.json", wrong.dump()));
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("2.866 deg fail"));

  wrong = surface_ffd_case("basic");
  wrong["/poses/1/driver_positions/1/0"_json_pointer] = 2.01;
  EXPECT_EQ(evaluate(write("ffd.json", wrong.dump())).status, 1);
}

TEST_P(ConformanceOf, WhatCannotBeBoundFails) {
  Json flat = surface_ffd_case("basic");
  flat["driver"]["positions"] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const Outcome result = evaluate(write("flat.json", flat.dump()));
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("0 passed, 1 failed, 0 unsupported"));
}

TEST_P(ConformanceOf, WritesPositions) {
  const std::string out = (folder / "out" / "deep").string();
  const Outcome result = evaluate(write("hand.json", linear_blend_case().dump()) + " --write " + out);
  EXPECT_EQ(result.status, 0) << result.output;
  const Json written = Json::parse(std::ifstream(out + "/hand.json"));
  EXPECT_EQ(written["name"], "by_hand");
  EXPECT_EQ(written["backend"], GetParam());
  EXPECT_EQ(written["/results/0/variant"_json_pointer], "linear");
  EXPECT_EQ(written["/results/0/poses/1/pose"_json_pointer], "up");
  const Json expected = {{0, 2, 0}, {1, 0, 0}, {0, 2, 0}};
  const Json& positions = written["/results/0/poses/1/positions"_json_pointer];
  ASSERT_EQ(positions.size(), 3u);
  for (std::size_t v = 0; v < 3; ++v) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(positions[v][c].get<double>(), expected[v][c].get<double>(), 1e-4) << v;
    }
  }
}

TEST_F(Conformance, UnknownThingsAreUnsupported) {
  Json other = linear_blend_case();
  other["system"] = "sideways";
  write("system.json", other.dump());
  other = surface_ffd_case("sideways");
  write("mode.json", other.dump());
  const Outcome result = run(folder.path().string() + " --backend cpu");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("unsupported (system sideways)"));
  EXPECT_THAT(result.output, HasSubstr("unsupported (mode sideways)"));
  EXPECT_THAT(result.output, HasSubstr("\n0 passed, 0 failed, 2 unsupported\n"));
}

TEST_F(Conformance, BadArgumentsExitWithTwo) {
  const std::string good = write("good.json", linear_blend_case().dump());
  EXPECT_EQ(run("").status, 2);
  EXPECT_EQ(run("--backend cpu").status, 2);
  EXPECT_EQ(run(good).status, 2);
  EXPECT_EQ(run(good + " --backend abacus").status, 2);
  EXPECT_EQ(run(good + " --backend cpu --unheard-of").status, 2);
  EXPECT_EQ(run(good + " --backend cpu --write " + good).status, 2) << "a file is no folder";
  EXPECT_EQ(run(good + " --backend cpu --write " + folder.path().string()).status, 2) << "over the case";
  EXPECT_EQ(run(good + " " + good + " --backend cpu --write " + (folder / "out").string()).status, 2) << "twice";
  EXPECT_EQ(run("--help").status, 0);

  Outcome result = run((folder / "none.json").string() + " --backend cpu");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("none.json: no such file"));
  std::filesystem::create_directories(folder / "empty");
  result = run((folder / "empty").string() + " --backend cpu");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("empty: holds no .json files"));
}

TEST_F(Conformance, MalformedFilesNameThePlaceAndExitWithTwo) {
  struct Breakage {
    const char* pointer;  // replaced by `value`, or removed if that is "absent"
    Json value;
    const char* message;
  };
  const Breakage breakages[] = {
      {"/format", "pelt-cases 2", "/format: must be"},
      {"/system", 3, "/system: must be a string"},
      {"/results", "absent", "/: the key 'results' is missing"},
      {"/skin/positions/1", {1, 2}, "/skin/positions/1: must have 3 entries, has 2"},
      {"/skin/positions/1/2", "x", "/skin/positions/1/2: must be a number"},
      {"/skin/positions/1/2", 1e300, "/skin/positions/1/2: is too large"},
      {"/skin/positions", Json::array(), "/skin/positions: is empty"},
      {"/skin/triangles/0/1", -1, "/skin/triangles/0/1: must be an index below 3"},
      {"/bind/weights", {{{0, 1}}}, "/bind/weights: must have 3 entries, has 1"},
      {"/skeleton/parents/1", 1, "/skeleton/parents/1: is above itself"},
      {"/poses/0/name", "rest", "/poses: must begin with 'bind'"},
      {"/results/0/poses/1/pose", "down", "/results/0/poses/1/pose: there is no pose 'down'"},
      {"/results/0/poses/0/skip", {0}, "/results/0/poses/0/skip: nothing is skipped at bind"},
  };
  for (const Breakage& breakage : breakages) {
    Json broken = linear_blend_case();
    const Json::json_pointer at(breakage.pointer);
    if (breakage.value == "absent") {
      broken[at.parent_pointer()].erase(at.back());
    } else {
      broken[at] = breakage.value;
    }
    const Outcome result = run(write("broken.json", broken.dump()) + " --backend cpu");
    EXPECT_EQ(result.status, 2) << breakage.message << "\n" << result.output;
    EXPECT_THAT(result.output, HasSubstr(std::string("broken.json: ") + breakage.message));
  }
}

TEST_F(Conformance, WhatIsNoJsonExitsWithTwo) {
  for (const std::string text : {"", "{", "[]", "{\"format\": 1e999}"}) {
    const Outcome result = run(write("broken.json", text) + " --backend cpu");
    EXPECT_EQ(result.status, 2) << text.substr(0, 40);
    EXPECT_THAT(result.output, HasSubstr("broken.json: "));
  }
  // Other files are still evaluated.
  write("good.json", linear_blend_case().dump());
  const Outcome result = run(folder.path().string() + " --backend cpu");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("\n1 passed, 0 failed, 0 unsupported\n"));
}

}  // namespace
}  // namespace pelt
