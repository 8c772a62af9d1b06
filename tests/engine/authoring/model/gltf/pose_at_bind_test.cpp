// SPDX-License-Identifier: MIT
// Tests that rest poses that hide meshes, or are far away, cost no digits.
#include <glm/gtc/matrix_transform.hpp>

#include "tests/engine/authoring/model/gltf/imported.h"

namespace pelt {
namespace {

using test::GltfFile;
using test::imported;
using test::node_target;

constexpr float kStep = 1e-6f;  // two steps of floats at 8 to 16 m

std::vector<float> twice(glm::vec3 first, glm::vec3 second) {
  return {first.x, first.y, first.z, second.x, second.y, second.z};
}

// A mesh with odd coordinates, which floats lose when they are scaled or moved.
GltfFile odd_triangle(GltfFile file) {
  file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] =
      file.add(std::vector<glm::vec3>{{0.1f, 0.2f, 0.3f}, {0.7f, 0.11f, 0.13f}, {0.17f, 0.9f, 0.19f}});
  return file;
}

const std::vector<glm::dvec3> kOdd{{0.1f, 0.2f, 0.3f}, {0.7f, 0.11f, 0.13f}, {0.17f, 0.9f, 0.19f}};

// Expects mesh 0 of the file at the end of its clip as `frame` moves the odd triangle.
void expect_shown(const GltfFile& file, const glm::dmat4& frame, float tolerance) {
  const Model model = imported(file);
  for (std::size_t v = 0; v < 3; ++v) {
    expect_near(at_time(model, model.meshes[0], v, 1), glm::vec3(frame * glm::dvec4(kOdd[v], 1)), tolerance);
  }
}

const glm::dmat4 kPlace = glm::translate(glm::dmat4(1.0), glm::dvec3(10, 5, 0));

TEST(PoseAtBind, KeepsDigitsOfWhatAScaleHides) {
  for (const float scale : {0.01f, 0.001f, 1e-5f, 1e-6f, 1e-9f, 0.0f, -1e-5f}) {
    SCOPED_TRACE(scale);
    for (const bool skinned : {false, true}) {
      GltfFile file = odd_triangle(skinned ? GltfFile::skinned_triangle() : GltfFile::triangle());
      const int node = file.push(
          "nodes", {{"children", {skinned ? 1 : 0}}, {"translation", {10, 5, 0}}, {"scale", {scale, scale, scale}}});
      file.add_channel(node_target(node, "scale"), {0, 1}, "VEC3", twice(glm::vec3(scale), glm::vec3(1)));
      expect_shown(file, kPlace, 2 * kStep);
      const Model model = imported(file);
      expect_near(at_rest(model, model.meshes[0], 1), kPlace * glm::dvec4(kOdd[1] * double(scale), 1), kStep);
    }
  }
}

TEST(PoseAtBind, KeepsDigitsOfWhatIsFlatAtRest) {
  GltfFile file = odd_triangle(GltfFile::triangle());
  file.json["nodes"][0] = {{"mesh", 0}, {"translation", {10, 5, 0}}, {"scale", {1, 0.00001, 0}}};
  file.add_channel(node_target(0, "scale"), {0, 1}, "VEC3", twice({1, 0.00001f, 0}, glm::vec3(1)));
  expect_shown(file, kPlace, 2 * kStep);
}

TEST(PoseAtBind, KeepsScalesThatCostNoDigits) {
  GltfFile file = GltfFile::triangle();  // in millimetres
  attributes(file)["POSITION"] = file.add(std::vector<glm::vec3>{{0, 0, 0}, {1700, 0, 0}, {0, 900, 0}});
  file.json["nodes"][0]["translation"] = {10, 5, 0};
  file.json["nodes"][0]["scale"] = {0.001, 0.001, 0.001};
  expect_near(imported(file).meshes[0].positions[1], {11.7f, 5, 0});
}

TEST(PoseAtBind, HasTheScaleAtWhichClipsShowIt) {
  for (const float scale : {0.0f, 1e-6f}) {
    GltfFile file = odd_triangle(GltfFile::triangle());
    file.json["nodes"][0]["scale"] = {scale, scale, scale};
    file.add_channel(node_target(0, "scale"), {0, 1}, "VEC3", twice(glm::vec3(scale), glm::vec3(0.02f)));
    expect_near(imported(file).meshes[0].positions[1], 0.02f * glm::vec3(kOdd[1]));
  }
}

TEST(PoseAtBind, MovesWhatIsFarToTheOrigin) {
  for (const double far : {1e3, 1e5, 4e6}) {
    SCOPED_TRACE(far);
    for (const bool skinned : {false, true}) {
      GltfFile file = odd_triangle(skinned ? GltfFile::skinned_triangle() : GltfFile::triangle());
      const int node = file.push("nodes", {{"children", {skinned ? 1 : 0}}, {"translation", {far, 0, far}}});
      file.add_channel(node_target(node, "translation"), {0, 1}, "VEC3",
                       twice(glm::vec3(static_cast<float>(far), 0, static_cast<float>(far)), glm::vec3(0)));
      expect_shown(file, glm::dmat4(1.0), 2e-7f);
      const Model model = imported(file);
      const glm::vec3 rest(glm::dvec3(far, 0, far) + kOdd[1]);
      expect_near(at_rest(model, model.meshes[0], 1), rest, static_cast<float>(2e-7 * far));
    }
  }
}

TEST(PoseAtBind, MovesFarThingsAsOneAndLeavesNearOnes) {
  GltfFile file = odd_triangle(GltfFile::triangle());  // on the ground
  const int far = file.push("nodes", {{"name", "far"}, {"translation", {0, 100'000, 0}}, {"children", {2, 3}}});
  file.push("nodes", {{"name", "body"}, {"mesh", 0}, {"translation", {0, 1, 0}}});
  file.push("nodes", {{"name", "hat"}, {"mesh", 0}, {"translation", {0, 3, 0}}});
  file.push("nodes", {{"name", "friend"}, {"mesh", 0}, {"translation", {5, 100'000, 0}}});
  file.push("nodes", {{"name", "all"}, {"children", {0, far, 4}}});
  const Model model = imported(file);
  for (std::size_t v = 0; v < 3; ++v) {
    EXPECT_EQ(model.meshes[0].positions[v], glm::vec3(kOdd[v]));
    const glm::vec3 body = model.find_mesh("body")->positions[v];
    EXPECT_LT(glm::length(body), 10.0f);
    expect_near(model.find_mesh("hat")->positions[v] - body, {0, 2, 0});
    expect_near(model.find_mesh("friend")->positions[v] - body, {5, -1, 0});
    expect_near(at_rest(model, *model.find_mesh("body"), v), glm::dvec3(0, 100'001, 0) + kOdd[v], 0.02f);
  }
}

TEST(PoseAtBind, TakesTheBindThatKeepsDigits) {
  // The joint of most weight was bound a million times smaller.
  GltfFile file = odd_triangle(GltfFile::skinned_triangle());
  glm::mat4 small(1e-6f);
  small[3][3] = 1;
  file.json["skins"][0]["inverseBindMatrices"] = file.add(std::vector<glm::mat4>{small, glm::mat4(1.0f)});
  file.json["nodes"][2]["translation"] = {0, 0, 0};
  file.json["nodes"][1]["translation"] = {10, 5, 0};
  file.add_channel(node_target(2, "scale"), {0, 1}, "VEC3", twice(glm::vec3(1), glm::vec3(1)));
  const Model model = imported(file);
  const glm::vec3 wanted(kPlace * glm::dvec4(kOdd[2], 1));
  expect_near(at_time(model, model.meshes[0], 2, 1), wanted, 2 * kStep);
}

TEST(PoseAtBind, RemembersItsRoot) {
  GltfFile file = odd_triangle(GltfFile::triangle());
  EXPECT_FALSE(imported(file).root_at_bind);
  file.json["nodes"][0]["translation"] = {1, 2, 3};
  EXPECT_FALSE(imported(file).root_at_bind);
  file.json["nodes"][0]["scale"] = {0, 0, 0};
  const Model model = imported(file);
  EXPECT_EQ(model.root_at_bind, glm::translate(glm::mat4(1.0f), glm::vec3(1, 2, 3)));
}

}  // namespace
}  // namespace pelt
