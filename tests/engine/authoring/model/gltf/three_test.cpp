// SPDX-License-Identifier: MIT
// Linear blend of imported models agrees with three.js, which reads and poses the same files with its own code.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include <pelt/evaluate.h>
#include <pelt/import.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/file_io.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/node.h"
#include "tests/support/shared_files.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

// Relative to the model's size. Joint matrices are floats, and a chain of joints multiplies a dozen of them.
constexpr double kTolerance = 1e-5;

const fs::path kScripts = PELT_THREE_SCRIPTS;
const fs::path kWork = PELT_THREE_WORK;

// three.js's results for one file.
struct Reference {
  nlohmann::json description;
  std::vector<glm::vec3> positions;
};

Reference load_reference(std::size_t index) {
  const fs::path stem = kWork / "out" / std::to_string(index);
  Reference reference;
  std::ifstream(fs::path(stem) += ".json") >> reference.description;
  if (const auto bytes = read_file(fs::path(stem) += ".f32")) {
    reference.positions.resize(bytes->size() / sizeof(glm::vec3));
    std::memcpy(reference.positions.data(), bytes->data(), reference.positions.size() * sizeof(glm::vec3));
  }
  return reference;
}

double size_of(const Model& model) {
  glm::dvec3 low(std::numeric_limits<double>::max());
  glm::dvec3 high(-low);
  for (const Mesh& mesh : model.meshes) {
    for (const glm::vec3& p : mesh.positions) {
      low = glm::min(low, glm::dvec3(p));
      high = glm::max(high, glm::dvec3(p));
    }
  }
  return glm::distance(low, high);
}

// Compares linear blend of the model with three.js at rest and in its clips. three.js gives vertices without weights to
// the joint that their first entry happens to name, so these are not compared.
void expect_agreement(const Model& model, const Reference& reference) {
  ASSERT_FALSE(reference.description.contains("error")) << reference.description;
  const auto& meshes = reference.description.at("meshes");
  ASSERT_EQ(meshes.size(), model.meshes.size());
  std::vector<std::set<std::size_t>> skipped;
  std::size_t unweighted = 0;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    ASSERT_EQ(meshes[m].at("vertices"), model.meshes[m].positions.size()) << model.meshes[m].name;
    skipped.push_back(meshes[m].at("unweighted"));
    unweighted += skipped.back().size();
  }
  EXPECT_EQ(unweighted, model.report.unweighted_vertices);

  const Character character = test::bound_by(model, "linear_blend");
  Evaluator evaluator(character);
  PosePlayer player(*character);
  const double size = size_of(model);
  double worst = 0;
  std::string where;
  std::size_t next = 0;
  for (const auto& sample : reference.description.at("samples")) {
    CheckPose pose;
    if (!sample.at("clip").is_null()) pose = {.clip = sample.at("clip"), .seconds = sample.at("time")};
    player.pose(pose, evaluator);
    evaluator.evaluate();
    for (std::size_t m = 0; m < meshes.size(); ++m) {
      const std::vector<glm::vec3> positions = test::positions_of(evaluator, character, model.meshes[m].name);
      for (std::size_t v = 0; v < positions.size(); ++v, ++next) {
        if (skipped[m].contains(v)) continue;
        const double error = glm::distance(glm::dvec3(positions[v]), glm::dvec3(reference.positions.at(next))) / size;
        if (error <= worst) continue;
        worst = error;
        where = model.meshes[m].name + ", vertex " + std::to_string(v) + ", sample " + sample.dump();
      }
    }
  }
  EXPECT_EQ(next, reference.positions.size());
  EXPECT_LE(worst, kTolerance) << where;
  std::printf("%-36s %4zu poses, largest difference %.1e of the size\n", model.name.c_str(),
              reference.description.at("samples").size(), worst);
}

// Runs three.js on the files; then load_reference has its results. Returns why it cannot run, or "".
std::string run_three(const std::vector<fs::path>& files) {
  if (std::string why = test::install_packages(kScripts, kWork); !why.empty()) return why;
  std::string command = "cd '" + kWork.string() + "' && node skin.js out";
  for (const fs::path& file : files) command += " '" + file.string() + "'";
  EXPECT_TRUE(test::runs(command));
  return "";
}

TEST(ThreeJs, AgreesOnEveryCharacter) {
  PELT_REQUIRE_SHARED();
  const std::vector<fs::path> files = test::character_files();
  if (const std::string why = run_three(files); !why.empty()) PELT_SKIP(why);
  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(files[i].string());
    expect_agreement(test::must(import_gltf(files[i])), load_reference(i));
  }
  fs::remove_all(kWork / "out");
}

}  // namespace
}  // namespace pelt
