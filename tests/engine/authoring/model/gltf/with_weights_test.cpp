// SPDX-License-Identifier: MIT
// New weights in a .glb, of which all else stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <glm/gtc/matrix_inverse.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/gltf_pack.h>
#include <pelt/import.h>
#include <pelt/pose.h>

#include "engine/character/glb/container.h"
#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GltfFile;

constexpr std::uint32_t kJoints = 6;

// A mesh on a node of its own, with three primitives on two sets of vertices, next to a chain of joints.
GltfFile beside() {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"][0] = {{"mesh", 0}, {"name", "skin"}, {"translation", {0, 0, 1}}, {"scale", {2, 2, 2}}};
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    json node{{"name", "joint" + std::to_string(j)}, {"translation", {0.1, 0, 0}}};
    if (j + 1 < kJoints) node["children"] = {j + 2};
    file.push("nodes", node);
  }
  const int smile = file.add(std::vector<glm::vec3>{{0, 0, 1}, {0, 0, 2}, {0, 0, 3}});
  const int others = file.add(std::vector<glm::vec3>{{5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {7, 1, 0}});
  const int grin = file.add(std::vector<glm::vec3>{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}});
  const int indices = file.add("SCALAR", std::vector<std::uint16_t>{2, 1, 0});
  const json targets = json::array({{{"POSITION", smile}}});
  file.json["meshes"][0] = {
      {"primitives",
       {{{"attributes", {{"POSITION", 0}}}, {"targets", targets}, {"material", 0}},
        {{"attributes", {{"POSITION", others}}}, {"targets", {{{"POSITION", grin}}}}, {"material", 1}},
        {{"attributes", {{"POSITION", 0}}}, {"targets", targets}, {"material", 1}, {"indices", indices}}}},
      {"extras", {{"targetNames", {"smile"}}}}};
  file.json["materials"] = json::parse(R"([
    {"pbrMetallicRoughness": {"metallicFactor": 0.25, "roughnessFactor": 0.5}, "emissiveFactor": [1, 0.5, 0],
     "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 0.75}}},
    {"doubleSided": true, "alphaMode": "BLEND", "extras": {"kept": [1, "two"]}}])");
  file.json["extensionsUsed"] = {"KHR_materials_clearcoat", "X_any"};
  file.json["extensions"]["X_any"] = {{"node", 3}};
  return file;
}

Model read(const std::string& glb) { return test::must(import_gltf(std::as_bytes(std::span(glb)), "x.glb")); }

// Adds the joints of nodes `first` to `last` at rest, and weights on so many of them for each vertex.
void paint(Model& model, Mesh& mesh, std::uint32_t first, std::uint32_t last) {
  std::vector<glm::mat4> rests(model.skeleton.joints.size());
  rest_matrices(model.skeleton, rests);
  const auto bound = static_cast<std::uint32_t>(model.bound_joints.size());
  for (std::uint32_t j = first; j <= last; ++j) model.bound_joints.push_back({j, glm::affineInverse(rests[j])});
  mesh.weights = {};
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    std::vector<WeightedElement> row;
    for (std::uint32_t k = 0; k <= last - first; ++k) row.push_back({bound + k, static_cast<double>(1 + (k + v) % 7)});
    append_row(mesh.weights, row);
  }
}

std::string written(const std::string& glb, const Model& model) {
  const auto bytes = test::must(with_weights(std::as_bytes(std::span(glb)), model, "x.glb"));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

json document_of(const std::string& glb) {
  return test::must(parse_gltf_json(test::must(open_gltf(std::as_bytes(std::span(glb)), "x")).json, "x"));
}

// Expects that both move the vertices of a mesh in the same way, whatever their joints do.
void expect_same_skin(const Model& a, const Mesh& mesh_a, const Model& b, const Mesh& mesh_b) {
  ASSERT_EQ(mesh_a.positions.size(), mesh_b.positions.size());
  for (std::size_t v = 0; v < mesh_a.positions.size(); ++v) {
    EXPECT_LT(glm::distance(mesh_a.positions[v], mesh_b.positions[v]), 1e-6f) << v;
    std::map<std::string, std::pair<float, glm::vec3>> moved[2];  // weight and position at the joint, by its name
    for (const auto& [to, model, mesh] : {std::tuple(&moved[0], &a, &mesh_a), {&moved[1], &b, &mesh_b}}) {
      for (const Influence& influence : mesh->weights.row(v)) {
        const BoundJoint& bound = model->bound_joints[influence.index];
        (*to)[model->skeleton.joints[bound.joint].name] = {
            influence.weight, glm::vec3(bound.inverse_bind * glm::vec4(mesh->positions[v], 1))};
      }
    }
    ASSERT_EQ(moved[0].size(), moved[1].size()) << v;
    for (const auto& [name, at] : moved[0]) {
      EXPECT_NEAR(at.first, moved[1][name].first, 1e-6f) << v << " " << name;
      EXPECT_LT(glm::distance(at.second, moved[1][name].second), 1e-6f) << v << " " << name;
    }
  }
}

TEST(WithWeights, KeepsAllElse) {
  const std::string before = beside().glb();
  Model model = read(before);
  paint(model, model.meshes[0], 1, kJoints);
  const std::string after = written(before, model);
  const Model again = read(after);
  expect_same_skin(model, model.meshes[0], again, again.meshes[0]);
  EXPECT_EQ(again.meshes[0].morph_targets[0].name, "smile");

  const json old = document_of(before);
  json document = document_of(after);
  json& primitives = document["meshes"][0]["primitives"];
  EXPECT_EQ(primitives[0]["attributes"], primitives[2]["attributes"]);
  EXPECT_NE(primitives[0]["attributes"]["JOINTS_0"], primitives[1]["attributes"]["JOINTS_0"]);
  for (json& primitive : primitives) {
    for (const char* name : {"JOINTS_0", "WEIGHTS_0", "JOINTS_1", "WEIGHTS_1"}) {
      EXPECT_EQ(primitive["attributes"].erase(name), 1u) << name;
    }
  }
  EXPECT_EQ(document["nodes"][0].erase("skin"), 1u);
  EXPECT_EQ(document.erase("skins"), 1u);
  for (const char* array : {"accessors", "bufferViews"}) {
    document[array].get_ref<json::array_t&>().resize(old[array].size());
  }
  document["buffers"] = old["buffers"];
  EXPECT_EQ(document, old);
}

TEST(WithWeights, KeepsASkinThatHasTheJoints) {
  GltfFile file = GltfFile::skinned_triangle();
  test::attributes(file) = {{"POSITION", 0}};
  const std::string before = file.glb();
  Model model = read(before);
  EXPECT_TRUE(document_of(written(before, model))["meshes"][0]["primitives"][0]["attributes"].contains("JOINTS_0"))
      << "also if they are the nearest joints";
  model.meshes[0].weights = {};
  for (std::size_t v = 0; v < 3; ++v)
    append_row(model.meshes[0].weights, std::vector<WeightedElement>{{0, 1.0}, {1, 1.0 + static_cast<double>(v)}});
  const std::string after = written(before, model);
  EXPECT_EQ(document_of(after)["skins"], document_of(before)["skins"]);
  expect_same_skin(model, model.meshes[0], read(after), read(after).meshes[0]);

  // A joint that it lacks.
  model = read(before);
  paint(model, model.meshes[0], 0, 2);
  const std::string more = written(before, model);
  EXPECT_EQ(document_of(more)["nodes"][0]["skin"], 1);
  expect_same_skin(model, model.meshes[0], read(more), read(more).meshes[0]);
}

TEST(WithWeights, CopiesAMeshThatSeveralNodesShow) {
  GltfFile file = beside();
  file.push("nodes", {{"mesh", 0}, {"name", "other"}});
  file.push("nodes", {{"mesh", 0}, {"name", "unpainted"}});
  const std::string before = file.glb();
  Model model = read(before);
  paint(model, model.meshes[0], 1, 2);
  paint(model, model.meshes[1], 2, kJoints);
  for (std::size_t b = model.bound_joints.size(); b-- > 0;) {  // each joint once
    const auto first = std::ranges::find(model.bound_joints, model.bound_joints[b].joint, &BoundJoint::joint);
    for (Mesh& mesh : model.meshes) {
      for (Influence& influence : mesh.weights.influences) {
        if (influence.index == b) influence.index = static_cast<std::uint32_t>(first - model.bound_joints.begin());
      }
    }
  }
  const Model again = read(written(before, model));
  for (std::size_t m = 0; m < 3; ++m) expect_same_skin(model, model.meshes[m], again, again.meshes[m]);
}

TEST(WithWeights, RefusesInstancesAndOtherFiles) {
  GltfFile file = beside();
  file.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["TRANSLATION"] =
      file.add(std::vector<glm::vec3>{{0, 0, 0}, {0, 9, 0}});
  const std::string glb = file.glb();
  Model model = read(glb);
  paint(model, model.meshes[0], 1, 2);
  EXPECT_TRUE(test::refused(with_weights(std::as_bytes(std::span(glb)), model, "x.glb"),
                            "x.glb: mesh 'skin_0' is an instance"));
  model.meshes[0].positions[0].x += 1;
  EXPECT_TRUE(test::refused(with_weights(std::as_bytes(std::span(glb)), model, "x.glb"),
                            "x.glb: has changed since it was read"));
}

}  // namespace
}  // namespace pelt
