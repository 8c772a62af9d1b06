// SPDX-License-Identifier: MIT
#include "engine/authoring/model/tangents.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <pelt/finite.h>

namespace pelt {
namespace {

// Triangles of unit normal z.
struct Flat {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec2> uvs;
  std::vector<glm::uvec3> triangles;

  VertexTangents tangents() const {
    return vertex_tangents(positions, std::vector<glm::vec3>(positions.size(), {0, 0, 1}), uvs, triangles);
  }
};

// Two triangles that meet only at vertex 0, with right angles there.
Flat bow_tie() {
  Flat bow{.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}},
           .uvs = {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}},
           .triangles = {{0, 1, 2}, {0, 3, 4}}};
  return bow;
}

void expect_tangent(const VertexTangents& made, std::size_t v, const glm::vec4& expected) {
  EXPECT_LT(glm::distance(made.tangents[v], expected), 1e-6f) << v;
}

TEST(VertexTangents, PointWhereURises) {
  const VertexTangents made = bow_tie().tangents();
  for (std::size_t v = 0; v < 5; ++v) {
    expect_tangent(made, v, {1, 0, 0, -1});  // v rises with y, so the bitangent is -y
    EXPECT_FALSE(made.averaged[v]);
  }
}

TEST(VertexTangents, AreMeansWhereCornersDiffer) {
  Flat bow = bow_tie();
  bow.uvs[3] = {0, 1};  // u rises with y, v falls with x
  bow.uvs[4] = {-1, 0};
  const VertexTangents made = bow.tangents();
  expect_tangent(made, 1, {1, 0, 0, -1});
  expect_tangent(made, 3, {0, 1, 0, -1});
  EXPECT_TRUE(made.averaged[0]);
  const float half = std::sqrt(0.5f);
  expect_tangent(made, 0, {half, half, 0, -1});
  for (std::size_t v = 1; v < 5; ++v) EXPECT_FALSE(made.averaged[v]);
}

TEST(VertexTangents, TakeTheHandednessOfTheGreaterAngle) {
  Flat bow = bow_tie();
  bow.positions[3] = {-1, 0, 0};
  bow.positions[4] = {-1, -0.5f, 0};  // 27 degrees
  bow.uvs[3] = {1, 0};
  bow.uvs[4] = {1, -1};  // mirrored
  const VertexTangents made = bow.tangents();
  EXPECT_EQ(made.tangents[3].w, 1);
  EXPECT_TRUE(made.averaged[0]);
  expect_tangent(made, 0, {1, 0, 0, -1});
}

TEST(VertexTangents, AreNotThereWithoutUvs) {
  Flat bow = bow_tie();
  bow.uvs.assign(5, glm::vec2(0.5f));
  for (const glm::vec4& tangent : bow.tangents().tangents) EXPECT_EQ(tangent, glm::vec4(0));
  EXPECT_TRUE(Flat().tangents().tangents.empty());
}

TEST(VertexTangents, AreFiniteWhateverTheNumbersAre) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38f,
                          1e-38f, 1e-45f, -0.0f}) {
    for (int place = 0; place < 8; ++place) {
      Flat bow = bow_tie();
      std::vector<glm::vec3> normals(5, {0, 0, 1});
      for (std::size_t v = 0; v < 2; ++v) {
        if (place < 3) bow.positions[v][place] = bad;
        if (place >= 3 && place < 5) bow.uvs[v][place - 3] = bad;
        if (place >= 5) normals[v][place - 5] = bad;
      }
      const VertexTangents made = vertex_tangents(bow.positions, normals, bow.uvs, bow.triangles);
      for (const glm::vec4& tangent : made.tangents) {
        EXPECT_TRUE(is_finite(tangent)) << bad << ' ' << place;
        const float length = glm::length(glm::vec3(tangent));
        EXPECT_TRUE(length == 0 || std::abs(length - 1) < 1e-5f) << bad << ' ' << place;
      }
    }
  }
}

// Each would take a million times a million steps if every triangle met every other.
TEST(VertexTangents, TakeTimeInProportionToTheTriangles) {
  constexpr std::uint32_t kTriangles = 500'000;
  Flat fan;
  for (std::uint32_t v = 0; v < kTriangles + 2; ++v) {
    const float angle = 6e-6f * static_cast<float>(v);
    fan.positions.emplace_back(std::cos(angle), std::sin(angle), 0);
    fan.uvs.emplace_back(fan.positions.back());
    if (v >= 2) fan.triangles.emplace_back(0, v - 1, v);
  }
  expect_tangent(fan.tangents(), 0, {1, 0, 0, -1});

  for (const bool turned : {false, true}) {  // all at one edge
    Flat pages = fan;
    for (std::uint32_t t = 0; t < kTriangles; ++t) {
      pages.triangles[t] = turned && t % 2 == 0 ? glm::uvec3(1, 0, t + 2) : glm::uvec3(0, 1, t + 2);
    }
    EXPECT_EQ(pages.tangents().tangents.size(), fan.positions.size());
  }
  fan.uvs.assign(fan.uvs.size(), glm::vec2(0));
  fan.triangles.assign(kTriangles, {0, 0, 1});
  EXPECT_EQ(fan.tangents().tangents[0], glm::vec4(0));
}

}  // namespace
}  // namespace pelt
