// SPDX-License-Identifier: MIT
// Compares the weights of surface FFD with those of known-answer cases that a brute-force reference computed.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include <pelt/bind.h>
#include <pelt/surface_ffd.h>

#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using Json = nlohmann::json;

std::vector<glm::vec3> points(const Json& list) {
  std::vector<glm::vec3> result;
  for (const Json& p : list) result.emplace_back(p[0], p[1], p[2]);
  return result;
}

// Returns a model of the skin "skin" without weights and the driver "driver" on one joint.
Model model_of(const Json& test_case) {
  Model model;
  model.skeleton.joints.push_back({"root"});
  model.bound_joints.push_back({});
  Mesh skin;
  skin.name = "skin";
  skin.positions = points(test_case["skin"]["positions"]);
  Mesh driver;
  driver.name = "driver";
  driver.positions = points(test_case["driver"]["positions"]);
  for (const Json& t : test_case["driver"]["triangles"]) driver.triangles.emplace_back(t[0], t[1], t[2]);
  const Influence one{0, 1.0f};
  for (std::size_t i = 0; i < driver.positions.size(); ++i) driver.weights.append_row(std::span(&one, 1));
  model.meshes = {skin, driver};
  return model;
}

SurfaceFfdParameters parameters_of(const Json& set) {
  SurfaceFfdParameters parameters;
  parameters.mode = set["mode"] == "basic" ? SurfaceFfdParameters::Mode::kBasic : SurfaceFfdParameters::Mode::kExtended;
  parameters.local = set["local"];
  parameters.distance_unit = set["unit_value"].get<float>();  // one unit for the whole driver
  parameters.elements = set["K"].is_null() ? 0 : set["K"].get<std::uint32_t>();
  parameters.influences = 0;
  parameters.precision = Precision::kNone;
  parameters.weight_similarity = 0;
  parameters.cut = set["cut"] == "hard" ? Cut::kHard : Cut::kContinuous;
  parameters.raise_elements = false;
  parameters.driver.mesh = "driver";
  parameters.driver.follow = Follow::kLinearBlend;
  return parameters;
}

// Returns for each row of the character's only skin the weight of each element or driver vertex, whichever the palette
// has.
std::vector<std::map<std::uint32_t, double>> element_weights(const Character& character) {
  const CharacterMesh& control = character->meshes[0];
  const CharacterMesh& skin = character->meshes[1];
  const std::uint32_t origin = control.frame_entry ? *control.frame_entry : character->passes.back().first_entry;
  const SparseRows rows = unpack_rows(skin.binding);
  std::vector<std::map<std::uint32_t, double>> result(rows.row_count());
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    for (const Influence& influence : rows.row(i)) {
      result[skin.source_vertex[i]][skin.first_entry + influence.index - origin] = influence.weight;
    }
  }
  return result;
}

TEST(KnownWeights, AgreeWithTheReference) {
  PELT_REQUIRE_SHARED();
  std::size_t compared = 0;
  for (const std::filesystem::path& file : test::shared_files("cases", {".json"})) {
    const Json test_case = Json::parse(std::ifstream(file));
    if (test_case.value("system", "") != "surface_ffd") continue;  // some files have only poses
    const Model model = model_of(test_case);
    for (const Json& result : test_case["results"]) {
      const Json& set = result["set"];
      const bool uses_later_work = set["mode"] == "extended_estimated" || !set["exclude"].empty() ||
                                   set.value("use_hops", false) || test_case["driver"].contains("uv");
      if (uses_later_work) continue;
      SCOPED_TRACE(file.filename().string() + ": " + result["variant"].get<std::string>());
      Rig rig;
      rig.layers.push_back({"skin", parameters_of(set), {}});
      const Result<Bound> bound = bind(model, rig);
      ASSERT_TRUE(bound) << bound.error().message;
      const auto rows = element_weights(bound->character);
      const Json& probe = result["probe"];
      for (std::size_t v = 0; v < probe["vertices"].size(); ++v) {
        std::map<std::uint32_t, double> expected;
        for (const Json& entry : probe["weights"][v]) expected[entry[0]] += entry[1].get<double>();
        std::map<std::uint32_t, double> actual = rows[probe["vertices"][v]];
        for (const auto& [element, weight] : expected) {
          EXPECT_NEAR(actual[element], weight, 2.0 / 65535) << "vertex " << probe["vertices"][v] << ", " << element;
          ++compared;
        }
        for (const auto& [element, weight] : actual) EXPECT_NEAR(weight, expected[element], 2.0 / 65535) << element;
      }
    }
  }
  EXPECT_GT(compared, 1000u);
}

}  // namespace
}  // namespace pelt
