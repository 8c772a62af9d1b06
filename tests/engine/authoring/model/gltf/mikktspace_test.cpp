// SPDX-License-Identifier: MIT
// Tangents agree with those of MikkTSpace's own program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>

#include <pelt/import.h>
#include <pelt/tools/file_io.h>

#include "engine/authoring/model/tangents.h"
#include "tests/support/must.h"
#include "tests/support/node.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

constexpr double kSinglePrecision = 0.1;  // degrees; MikkTSpace computes in floats

const fs::path kTangentWork = PELT_MIKKTSPACE_WORK;

double degrees_between(const glm::vec4& a, const glm::vec4& b) {
  const glm::dvec3 x(a);
  const glm::dvec3 y(b);
  return glm::degrees(std::atan2(glm::length(glm::cross(x, y)), glm::dot(x, y)));
}

// Returns MikkTSpace's tangent of each corner of the triangles, with the handedness of glTF.
std::vector<glm::vec4> reference_tangents(const Mesh& mesh) {
  std::vector<float> values;
  const auto append = [&](const auto& of_vertices) {
    for (const glm::uvec3& t : mesh.triangles) {
      for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < of_vertices[0].length(); ++i) values.push_back(of_vertices[t[c]][i]);
      }
    }
  };
  append(mesh.positions);
  append(mesh.normals);
  append(mesh.uvs);
  std::ofstream(kTangentWork / "corners.f32", std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  EXPECT_TRUE(test::runs("cd '" + kTangentWork.string() + "' && node tangents.js corners.f32 tangents.f32"));
  std::vector<glm::vec4> tangents(3 * mesh.triangles.size());
  const auto bytes = read_file(kTangentWork / "tangents.f32");
  if (!bytes || bytes->size() != tangents.size() * sizeof(glm::vec4)) {
    ADD_FAILURE() << "MikkTSpace gives no tangents";
    return tangents;
  }
  std::memcpy(tangents.data(), bytes->data(), bytes->size());
  for (glm::vec4& tangent : tangents) tangent.w = -tangent.w;
  return tangents;
}

bool has_corners_at_one_place(const Mesh& mesh, const glm::uvec3& t) {
  const std::vector<glm::vec3>& p = mesh.positions;
  return p[t.x] == p[t.y] || p[t.y] == p[t.z] || p[t.z] == p[t.x];
}

bool has_uv_area(const Mesh& mesh, const glm::uvec3& t) {
  const glm::vec2 a = mesh.uvs[t.y] - mesh.uvs[t.x];
  const glm::vec2 b = mesh.uvs[t.z] - mesh.uvs[t.x];
  return a.x * b.y != a.y * b.x;
}

struct Agreement {
  std::size_t compared = 0;
  std::size_t averaged = 0;
  std::size_t without = 0;
  std::size_t differing = 0;
  double worst = 0;  // degrees, of those that agree

  void add(const Agreement& other) {
    compared += other.compared;
    averaged += other.averaged;
    without += other.without;
    differing += other.differing;
    worst = std::max(worst, other.worst);
  }
};

// Compares each vertex with its corners: if they agree, it must have their tangent, and otherwise report a mean.
// MikkTSpace leaves (1, 0, 0) and -1 at corners that get no tangent, which Pelt may do better.
Agreement compare(const Mesh& mesh) {
  const VertexTangents made = vertex_tangents(mesh.positions, mesh.normals, mesh.uvs, mesh.triangles);
  const std::vector<glm::vec4> reference = reference_tangents(mesh);
  const glm::vec4 none(1, 0, 0, 1);
  std::vector<std::vector<glm::vec4>> corners_of(mesh.positions.size());
  for (const bool degenerate : {false, true}) {
    std::vector<bool> done(mesh.positions.size());
    for (std::size_t v = 0; v < done.size(); ++v) done[v] = !corners_of[v].empty();
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const glm::uvec3& t = mesh.triangles[i / 3];
      const std::uint32_t v = t[static_cast<int>(i % 3)];
      if (done[v] || has_corners_at_one_place(mesh, t) != degenerate) continue;
      const bool must_have_one = !degenerate && has_uv_area(mesh, t);
      if (must_have_one || reference[i] != none) corners_of[v].push_back(reference[i]);
    }
  }
  Agreement result;
  for (std::uint32_t v = 0; v < corners_of.size(); ++v) {
    const std::vector<glm::vec4>& corners = corners_of[v];
    if (corners.empty()) {
      ++result.without;
      continue;
    }
    EXPECT_NEAR(glm::length(glm::vec3(made.tangents[v])), 1, 1e-5f) << v;
    double spread = 0;
    for (const glm::vec4& corner : corners) {
      spread = std::max(spread, corner.w == corners[0].w ? degrees_between(corner, corners[0]) : 180.0);
    }
    const double off = degrees_between(made.tangents[v], corners[0]);
    if (made.averaged[v] && spread > 0.05) {
      ++result.averaged;
    } else if (made.averaged[v] || spread > 2 * kSinglePrecision || made.tangents[v].w != corners[0].w ||
               off > kSinglePrecision) {
      ++result.differing;
    } else {
      result.worst = std::max(result.worst, off);
      ++result.compared;
    }
  }
  return result;
}

// Triangles between random places, edges of many among them, some UVs without an area. Each corner is a vertex.
Mesh random_triangles(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(-1, 1);
  std::uniform_int_distribution<std::size_t> place(0, 29);
  std::uniform_int_distribution<int> step(0, 3);
  Mesh places;
  for (int p = 0; p < 30; ++p) {
    places.positions.emplace_back(any(random), any(random), any(random));
    places.normals.push_back(glm::normalize(glm::vec3(any(random), any(random), 1)));
    places.uvs.emplace_back(step(random), step(random));
  }
  Mesh mesh;
  for (std::uint32_t v = 0; v < 450; v += 3) {
    for (int c = 0; c < 3; ++c) {
      const std::size_t p = place(random);
      mesh.positions.push_back(places.positions[p]);
      mesh.normals.push_back(places.normals[p]);
      mesh.uvs.push_back(places.uvs[p]);
    }
    mesh.triangles.emplace_back(v, v + 1, v + 2);
  }
  return mesh;
}

class MikkTSpace : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = test::install_packages(PELT_MIKKTSPACE_SCRIPTS, kTangentWork);
    if (!why.empty()) PELT_SKIP(why);
  }
};

// Its floats decide the tangents of a few vertices, at which derivatives cancel.
TEST_F(MikkTSpace, AgreesOnAnyTriangles) {
  Agreement all;
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    all.add(compare(random_triangles(seed)));
  }
  EXPECT_LE(all.differing, all.compared / 100);
  EXPECT_EQ(all.averaged, 0u);
  EXPECT_GT(all.compared, 2000u);
  EXPECT_GT(all.without, 100u);
}

TEST_F(MikkTSpace, AgreesOnEveryCharacter) {
  PELT_REQUIRE_SHARED();
  for (const fs::path& file : test::character_files()) {
    SCOPED_TRACE(file.string());
    const Model model = test::must(import_gltf(file));
    Agreement all;
    for (const Mesh& mesh : model.meshes) {
      if (!mesh.uvs.empty()) all.add(compare(mesh));
    }
    EXPECT_LE(all.differing, (all.compared + all.averaged) / 100);
    if (all.compared == 0) continue;
    std::printf("%-24s %5zu vertices within %.4f degrees, %zu means, %zu without, %zu differ\n", model.name.c_str(),
                all.compared, all.worst, all.averaged, all.without, all.differing);
  }
}

}  // namespace
}  // namespace pelt
