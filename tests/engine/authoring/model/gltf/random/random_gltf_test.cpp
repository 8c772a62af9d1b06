// SPDX-License-Identifier: MIT
// Imported, bound by linear blend and posed, random glTF files and characters agree with an evaluator in double
// precision (gltf_in_double.py). PELT_SEEDS=FIRST:COUNT runs others than the first 500; about one of 5,000 is beyond
// its limit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include <pelt/evaluate.h>
#include <pelt/import.h>
#include <pelt/linear_blend.h>
#include <pelt/tools/clip_poses.h>

#include "tests/support/driven.h"
#include "tests/support/program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using nlohmann::json;

constexpr const char* kSeeds = "0:500";
constexpr int kMaxDescribed = 10;

// A vertex as gltf_in_double.py writes it; NaN: missing, or not to compare.
struct Row {
  glm::dvec3 position;
  double limit;
  glm::dvec3 normal;
  double normal_limit;
  glm::dvec2 uv;
};

// Takes the rows of a file from the front of `rows`. Returns what differs most, in multiples of its limit, or "".
std::string difference(const json& file, std::span<const Row>& rows) {
  std::span<const Row> expected = rows;
  std::size_t vertices = 0;
  for (const std::size_t mesh : file["meshes"]) vertices += mesh;
  rows = rows.subspan(vertices * file["poses"].size());

  const Result<Model> model = import_gltf(file["path"].get<std::string>());
  if (!model) return model.error().message;
  LinearBlendParameters parameters;
  parameters.exact_normals = false;  // others follow the gradient of the weights, unlike those of glTF
  Rig rig = test::rig_of(parameters);
  rig.paint = PaintMode::kNever;  // nodes without meshes are no skeleton here
  const Result<Bound> bound = bind(*model, rig);
  if (!bound) return bound.error().message;
  const Character& character = bound->character;
  if (model->meshes.size() != file["meshes"].size()) return "the scene shows other meshes";

  std::string what;
  double most = 1;
  Evaluator evaluator(character);
  PosePlayer player(*character);
  for (const json& given : file["poses"]) {
    CheckPose pose{.seconds = given[1]};
    if (!given[0].is_null()) {
      const Clip* clip = find_clip(character->clips, given[0].get<std::string>());
      if (clip == nullptr) return "clip " + given[0].dump() + " is missing";
      pose.clip = static_cast<std::uint32_t>(clip - character->clips.data());
    }
    player.pose(pose, evaluator);
    evaluator.evaluate();
    for (std::size_t m = 0; m < model->meshes.size(); ++m) {
      const Mesh* source = &model->meshes[m];
      if (source->positions.size() != file["meshes"][m]) return source->name + " has other vertices";
      const CharacterMesh& mesh = test::mesh_of(character, source->name);
      std::vector<glm::vec3> positions(mesh.vertex_count());
      std::vector<glm::vec3> normals(mesh.vertex_count());
      to_source_order<glm::vec3>(mesh, evaluator.positions(), positions);
      to_source_order<glm::vec3>(mesh, evaluator.normals(), normals);
      for (std::size_t v = 0; v < positions.size(); ++v) {
        const auto compare = [&](const char* attribute, const auto& got, const auto& wanted, double limit) {
          const double off = glm::distance(std::decay_t<decltype(wanted)>(got), wanted);
          if (std::isnan(limit) || off <= most * limit) return;
          most = off / limit;
          what = attribute + std::to_string(v) + " of '" + source->name + "' in pose " + given.dump() + " is off by " +
                 json(off).dump() + "; its limit is " + json(limit).dump();
        };
        const Row& row = expected[v];
        compare("position ", positions[v], row.position, row.limit);
        compare("normal ", normals[v], row.normal, row.normal_limit);
        if (!std::isnan(row.uv.x)) compare("texture coordinate ", source->uvs.at(v), row.uv, 1e-6);
      }
      expected = expected.subspan(positions.size());
    }
  }
  return what;
}

// Compares the files that random_gltf.py makes, or takes, by these arguments.
void expect_agreement(const std::string& arguments) {
  const std::optional<std::string> python = test::find_python_with_numpy();
  if (!python) PELT_SKIP("there is no python3 with NumPy: package python3-numpy");
  const test::TemporaryFolder folder;
  const std::string command = "-B " PELT_RANDOM_GLTF "/random_gltf.py ";
  const test::Outcome made = test::run_program(*python, command + folder.path().string() + " " + arguments);
  ASSERT_EQ(made.status, 0) << made.errors;
  const json files = json::parse(test::file_text(folder / "files.json"));
  const std::string bytes = test::file_text(folder / "expected.f64");
  std::vector<Row> rows(bytes.size() / sizeof(Row));
  std::memcpy(rows.data(), bytes.data(), rows.size() * sizeof(Row));

  std::span<const Row> rest = rows;
  int failures = 0;
  for (const json& file : files) {
    const std::string why = difference(file, rest);
    if (why.empty() || ++failures > kMaxDescribed) continue;
    ADD_FAILURE() << "file " << file["seed"] << ", " << file["kinds"] << ": " << why
                  << "\nrepeat a random one: PELT_SEEDS=SEED:1; write it: python3 " << command << "FOLDER SEED 1";
  }
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(failures, 0) << "of " << files.size() << " files differ";
}

TEST(RandomGltf, AgreesWithAnEvaluatorInDoublePrecision) {
  const char* const given = std::getenv("PELT_SEEDS");
  std::string seeds = given != nullptr ? given : kSeeds;
  std::printf("PELT_SEEDS=%s\n", seeds.c_str());
  ASSERT_NE(seeds.find(':'), std::string::npos);
  seeds[seeds.find(':')] = ' ';
  expect_agreement(seeds);
}

TEST(Characters, AgreeWithAnEvaluatorInDoublePrecision) {
  PELT_REQUIRE_SHARED();
  std::string files;
  for (const std::filesystem::path& file : test::character_files()) files += " '" + file.string() + "'";
  expect_agreement(files);
}

}  // namespace
}  // namespace pelt
