// SPDX-License-Identifier: MIT
// Linear blend of imported models agrees with three.js, which reads and poses the same files with its own code.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <glm/gtc/matrix_inverse.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include <pelt/clip_twists.h>
#include <pelt/evaluate.h>
#include <pelt/gltf_export.h>
#include <pelt/import.h>
#include <pelt/pose.h>
#include <pelt/tools/file_io.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
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

// Returns palette entries of a pose, in double, from the float matrices that a game would pass.
std::vector<glm::dmat4> palette_at(const Model& model, const Clip* clip, float time) {
  const std::vector<glm::mat4> matrices = test::clip_joints(model.skeleton, clip, time);
  std::vector<glm::dmat4> palette;
  for (const BoundJoint& bound : model.bound_joints) {
    palette.push_back(glm::dmat4(matrices[bound.joint]) * glm::dmat4(bound.inverse_bind));
  }
  return palette;
}

glm::dvec3 blend(const Mesh& mesh, std::size_t vertex, const std::vector<glm::dmat4>& palette) {
  glm::dvec4 sum(0.0);
  for (const Influence& influence : mesh.weights.row(vertex)) {
    sum += static_cast<double>(influence.weight) * (palette[influence.index] * glm::dvec4(mesh.positions[vertex], 1.0));
  }
  return sum;
}

// three.js gives vertices without weights to the joint that their first slot happens to name. In Pelt they follow the
// joint of their mesh that was nearest at bind.
void expect_nearest_joint(const Model& model, const Mesh& mesh, std::size_t vertex) {
  ASSERT_EQ(mesh.weights.row(vertex).size(), 1u);
  const auto distance = [&](std::uint32_t bound) {
    const glm::dmat4 bind = glm::affineInverse(glm::dmat4(model.bound_joints[bound].inverse_bind));
    return glm::distance(glm::dvec3(bind[3]), glm::dvec3(mesh.positions[vertex]));
  };
  const double followed = distance(mesh.weights.row(vertex)[0].index);
  std::set<std::uint32_t> used;
  for (const Influence& influence : mesh.weights.influences) used.insert(influence.index);
  for (const std::uint32_t bound : used) EXPECT_LE(followed, distance(bound) * (1 + 1e-5)) << vertex;
}

void expect_agreement(const Model& model, const Reference& reference) {
  const auto& meshes = reference.description.at("meshes");
  ASSERT_EQ(meshes.size(), model.meshes.size());
  std::size_t unweighted = 0;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    ASSERT_EQ(meshes[m].at("vertices"), model.meshes[m].positions.size()) << model.meshes[m].name;
    unweighted += meshes[m].at("unweighted").size();
    for (const std::size_t vertex : meshes[m].at("unweighted")) {
      expect_nearest_joint(model, model.meshes[m], vertex);
    }
  }
  EXPECT_EQ(unweighted, model.report.unweighted_vertices);

  const double size = size_of(model);
  double worst = 0;
  std::string where;
  std::size_t next = 0;
  for (const auto& sample : reference.description.at("samples")) {
    const bool at_rest = sample.at("clip").is_null();
    const Clip* clip = at_rest ? nullptr : &model.clips.at(sample.at("clip").get<std::size_t>());
    const std::vector<glm::dmat4> palette = palette_at(model, clip, sample.at("time"));
    for (std::size_t m = 0; m < meshes.size(); ++m) {
      const Mesh& mesh = model.meshes[m];
      const auto& skipped = meshes[m].at("unweighted");
      auto skip = skipped.begin();
      for (std::size_t v = 0; v < mesh.positions.size(); ++v, ++next) {
        if (skip != skipped.end() && *skip == v) {
          ++skip;
          continue;
        }
        const double error = glm::distance(blend(mesh, v, palette), glm::dvec3(reference.positions.at(next))) / size;
        if (error <= worst) continue;
        worst = error;
        std::ostringstream stream;
        stream << "mesh '" << mesh.name << "', vertex " << v << ", clip '" << (clip ? clip->name : "none") << "', "
               << sample.at("time") << " s";
        where = stream.str();
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
  const std::vector<fs::path> files = test::shared_files("assets/characters", {".gltf", ".glb"});
  if (const std::string why = run_three(files); !why.empty()) PELT_SKIP(why);
  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(files[i].string());
    const Reference reference = load_reference(i);
    ASSERT_FALSE(reference.description.contains("error")) << reference.description;
    const Result<Model> model = import_gltf(files[i]);
    ASSERT_TRUE(model) << model.error().message;
    expect_agreement(*model, reference);
  }
  fs::remove_all(kWork / "out");
}

// Makes a tube that bends and morphs, in clips of all interpolations, at weights that are not 0 at rest.
Model morphing_tube() {
  Model model = test::make_tube({.around = 12, .along = 33, .joints = 4});
  model.name = "morphing tube";
  test::add_morph_targets(model.meshes[0], 14);
  model.meshes[0].morph_targets[3].weight = 0.75f;
  for (const Interpolation interpolation :
       {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
    Clip clip{.name = "clip" + std::to_string(model.clips.size()), .duration = 2, .channels = {}, .morph_channels = {}};
    clip.channels.push_back(
        {2, ChannelPath::kRotation, Interpolation::kLinear, {0, 2}, {0, 0, 0, 1, 0, 0, 0.6f, 0.8f}});
    for (std::uint32_t t = 0; t < 14; ++t) {
      const float most = t % 3 == 0 ? 1.0f : 0.0f;
      std::vector<float> values{0, most, 0.5f * most};
      if (interpolation == Interpolation::kCubicSpline) values = {0, 0, most, 0, most, -most, 1, 0.5f * most, 0};
      clip.morph_channels.push_back({model.meshes[0].name, t, interpolation, {0, 0.5f, 2}, values});
    }
    model.clips.push_back(std::move(clip));
  }
  return model;
}

// Returns the model as glTF, with all targets sparse.
test::GltfFile with_sparse_targets(const Model& model) {
  const std::string glb = *format_glb(model);
  std::uint32_t json_bytes = 0;
  std::memcpy(&json_bytes, glb.data() + 12, sizeof json_bytes);
  test::GltfFile file;
  file.json = nlohmann::json::parse(glb.substr(20, json_bytes));
  file.json.erase("buffers");  // text() writes it anew
  file.data = glb.substr(20 + json_bytes + 8);
  for (const nlohmann::json& target : test::primitive(file)["targets"]) {
    for (const auto& [attribute, index] : target.items()) {
      const nlohmann::json& dense = file.json["accessors"][index.get<std::size_t>()];
      const nlohmann::json& view = file.json["bufferViews"][dense["bufferView"].get<std::size_t>()];
      std::vector<std::uint32_t> places;
      std::vector<glm::vec3> values;
      for (std::uint32_t v = 0; v < dense["count"]; ++v) {
        glm::vec3 offset;
        std::memcpy(&offset, &file.data[view["byteOffset"].get<std::size_t>() + v * sizeof offset], sizeof offset);
        if (offset == glm::vec3(0)) continue;
        places.push_back(v);
        values.push_back(offset);
      }
      if (places.empty()) continue;
      nlohmann::json sparse = dense;
      sparse.erase("bufferView");
      sparse.erase("byteOffset");
      sparse["sparse"] = {
          {"count", places.size()},
          {"indices", {{"bufferView", file.add_view(std::as_bytes(std::span(places)))}, {"componentType", 5125}}},
          {"values", {{"bufferView", file.add_view(std::as_bytes(std::span(values)))}}}};
      file.json["accessors"][index.get<std::size_t>()] = sparse;
    }
  }
  return file;
}

// Compares the file with three.js at rest and in its clips. Returns why three.js cannot be run; empty: it was.
std::string compare_with_three(const test::GltfFile& file, const std::string& name) {
  fs::create_directories(kWork);
  const fs::path path = kWork / (name + ".gltf");
  std::ofstream(path) << file.text();
  if (const std::string why = run_three({path}); !why.empty()) return why;
  const Reference reference = load_reference(0);
  const Result<Model> model = import_gltf(path);
  if (reference.description.contains("error") || !model) {
    ADD_FAILURE() << reference.description << (model ? "" : model.error().message);
    return "";
  }
  const Character character = test::bound_by(*model, "linear_blend");
  Evaluator evaluator(character);
  std::vector<Transform> local(character->skeleton.joints.size());
  std::vector<glm::mat4> joints(local.size());
  std::vector<float> inputs(character->input_count);
  double worst = 0;
  std::size_t next = 0;
  for (const auto& sample : reference.description.at("samples")) {
    rest_pose(character->skeleton, local);
    rest_inputs(*character, inputs);
    if (!sample.at("clip").is_null()) {
      const Clip& clip = character->clips.at(sample.at("clip").get<std::size_t>());
      sample_clip(clip, sample.at("time"), local);
      sample_morph_targets(*character, clip, sample.at("time"), inputs);
    }
    model_matrices(character->skeleton, local, joints);
    evaluator.pose(joints);
    evaluator.inputs(inputs);
    evaluator.evaluate();
    for (const glm::vec3& p : test::positions_of(evaluator, character, model->meshes[0].name)) {
      worst = std::max(worst, glm::distance(glm::dvec3(p), glm::dvec3(reference.positions.at(next++))));
    }
  }
  EXPECT_EQ(next, reference.positions.size());
  EXPECT_GE(reference.description.at("samples").size(), 6u);
  EXPECT_LE(worst / size_of(*model), kTolerance);
  fs::remove_all(kWork / "out");
  return "";
}

TEST(ThreeJs, AgreesOnMorphTargets) {
  const std::string why = compare_with_three(with_sparse_targets(morphing_tube()), "morphing_tube");
  if (!why.empty()) PELT_SKIP(why);
}

constexpr std::array kArKitNames{"eyeBlinkLeft",      "eyeLookDownLeft",    "eyeLookInLeft",
                                 "eyeLookOutLeft",    "eyeLookUpLeft",      "eyeSquintLeft",
                                 "eyeWideLeft",       "eyeBlinkRight",      "eyeLookDownRight",
                                 "eyeLookInRight",    "eyeLookOutRight",    "eyeLookUpRight",
                                 "eyeSquintRight",    "eyeWideRight",       "jawForward",
                                 "jawLeft",           "jawRight",           "jawOpen",
                                 "mouthClose",        "mouthFunnel",        "mouthPucker",
                                 "mouthLeft",         "mouthRight",         "mouthSmileLeft",
                                 "mouthSmileRight",   "mouthFrownLeft",     "mouthFrownRight",
                                 "mouthDimpleLeft",   "mouthDimpleRight",   "mouthStretchLeft",
                                 "mouthStretchRight", "mouthRollLower",     "mouthRollUpper",
                                 "mouthShrugLower",   "mouthShrugUpper",    "mouthPressLeft",
                                 "mouthPressRight",   "mouthLowerDownLeft", "mouthLowerDownRight",
                                 "mouthUpperUpLeft",  "mouthUpperUpRight",  "browDownLeft",
                                 "browDownRight",     "browInnerUp",        "browOuterUpLeft",
                                 "browOuterUpRight",  "cheekPuff",          "cheekSquintLeft",
                                 "cheekSquintRight",  "noseSneerLeft",      "noseSneerRight",
                                 "tongueOut"};
static_assert(kArKitNames.size() == 52);

// Returns a head on a neck, an egg 0.3 m high, with a bump a target somewhere on its face. Eight of them are active at
// a time while the head turns.
Model make_head() {
  Model model = test::make_tube({.around = 40, .along = 48, .radius = 0.1f, .length = 0.3f, .joints = 3});
  model.name = "head";
  Mesh& mesh = model.meshes[0];
  for (glm::vec3& p : mesh.positions) {
    const float x = p.x / 0.15f - 1;
    p *= glm::vec3(1, glm::vec2(std::sqrt(std::max(1.05f - x * x, 0.0f))));
  }
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  mesh.tangents.clear();
  for (std::size_t t = 0; t < kArKitNames.size(); ++t) {
    const auto turn = static_cast<float>(t);
    const glm::vec3 at(0.05f + 0.004f * turn, 0.1f * std::cos(turn), 0.1f * std::sin(turn));
    MorphTarget target{.name = kArKitNames[t], .offsets = {}, .weight = t == 17 ? 0.25f : 0.0f};
    std::vector<glm::vec3> moved = mesh.positions;
    for (std::size_t v = 0; v < moved.size(); ++v) {
      const float near = std::max(1 - glm::distance(moved[v], at) / 0.06f, 0.0f);
      target.offsets.push_back(near * near * 0.02f * glm::vec3(std::sin(turn), 1, std::cos(turn)));
      moved[v] += target.offsets[v];
    }
    target.normals = vertex_normals(moved, mesh.triangles);
    for (std::size_t v = 0; v < moved.size(); ++v) target.normals[v] -= mesh.normals[v];
    mesh.morph_targets.push_back(std::move(target));
  }
  Clip clip{.name = "talk", .duration = 2, .channels = {}, .morph_channels = {}};
  clip.channels.push_back({1, ChannelPath::kRotation, Interpolation::kLinear, {0, 2}, {0, 0, 0, 1, 0, 0.6f, 0, 0.8f}});
  for (std::uint32_t t = 0; t < kArKitNames.size(); ++t) {
    const auto weight = [&](std::uint32_t key) {
      return (t + 3 * key) % 7 == 0 ? 0.2f + 0.1f * static_cast<float>(key) : 0.0f;
    };
    clip.morph_channels.push_back(
        {mesh.name, t, Interpolation::kLinear, {0, 0.5f, 2}, {weight(0), weight(1), weight(2)}});
  }
  model.clips = {std::move(clip)};
  return model;
}

TEST(ThreeJs, AgreesOnAHeadWith52Targets) {
  const std::string why = compare_with_three(with_sparse_targets(make_head()), "head");
  if (!why.empty()) PELT_SKIP(why);
}

}  // namespace
}  // namespace pelt
