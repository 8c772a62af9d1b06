// SPDX-License-Identifier: MIT
// Runs the program pelt_conformance: on the known-answer cases, and on small ones that show that it can fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

class ConformanceOf : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Outcome probe = evaluate(write("probe.case", linear_blend_case().dump()));
    if (probe.status == 2) PELT_SKIP(probe.output);  // there is no device
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  Outcome evaluate(const std::string& arguments) const {
#ifndef _WIN32  // Wine gives programs a Vulkan without layers
    return run(arguments + " --validation --backend " + GetParam());
#else
    return run(arguments + " --backend " + GetParam());
#endif
  }

  test::TemporaryFolder folder;
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

  wrong["skeleton"]["parents"] = {-1, 1};
  result = evaluate(write("above.json", wrong.dump()));
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("above.json: /skeleton/parents/1: must be an index below 1"));
}

}  // namespace
}  // namespace pelt
