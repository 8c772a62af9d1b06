// SPDX-License-Identifier: MIT
// The program pelt in a separate folder, and the contents of its files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include <pelt/evaluate.h>

#include "tests/support/clip_joints.h"
#include "tests/support/program.h"

namespace pelt {

using Json = nlohmann::json;

class Pelt : public testing::Test {
 protected:
  test::Outcome pelt(const std::string& arguments) const {
    return test::run_program(PELT_PROGRAM, arguments, folder.path());
  }

  // Runs a command that must succeed, and returns its output.
  std::string done(const std::string& arguments) const {
    const test::Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.status, 0) << "pelt " << arguments << "\n" << outcome.errors;
    return outcome.output;
  }

  Json json(const std::string& arguments) const { return Json::parse(done(arguments + " --json")); }

  // Runs a command that must fail, and returns the only line of its error.
  std::string failure(const std::string& arguments, int status = 1) const {
    const std::set<std::string> before = files();
    const test::Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.status, status) << "pelt " << arguments << "\n" << outcome.output << outcome.errors;
    EXPECT_THAT(outcome.errors, testing::StartsWith("pelt: "));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), status == 2 ? 2 : 1) << outcome.errors;
    EXPECT_EQ(files(), before) << "pelt " << arguments << " left something";
    return outcome.errors;
  }

  // Runs a command that must fail with these words.
  void fails(const std::string& arguments, const std::string& words, int status = 1) const {
    EXPECT_THAT(failure(arguments, status), testing::HasSubstr(words)) << arguments;
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) names.insert(entry.path());
    return names;
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

  test::TemporaryFolder folder;
};

// Returns the skin's vertices in the model's order, as the engine moves them.
inline std::vector<glm::vec3> moved(const Character& character, const std::string& clip, float seconds) {
  Evaluator evaluator(character);
  evaluator.pose(test::clip_joints(character->skeleton, find_clip(character->clips, clip), seconds));
  evaluator.evaluate();
  std::vector<glm::vec3> all;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    std::vector<glm::vec3> points(mesh.vertex_count());
    to_source_order<glm::vec3>(mesh, evaluator.positions(), points);
    all.insert(all.end(), points.begin(), points.end());
  }
  return all;
}

// Returns an OBJ of a tube along x from 2 to 6, round the middle of builtin:limb.
inline std::string sleeve(int rows, int around, double radius = 1.05) {
  std::string text;
  for (int i = 0; i <= rows; ++i) {
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * 3.14159265358979 * k / around;
      text += "v " + std::to_string(2.0 + 4.0 * i / rows) + " " + std::to_string(radius * std::cos(angle)) + " " +
              std::to_string(radius * std::sin(angle)) + "\n";
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < around; ++k) {
      const int a = 1 + i * around + k;
      const int b = 1 + i * around + (k + 1) % around;
      for (const auto& [x, y, z] : {std::tuple(a, b, b + around), std::tuple(a, b + around, a + around)}) {
        text += "f " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z) + "\n";
      }
    }
  }
  return text;
}

}  // namespace pelt
