// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/cage_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/import.h>
#include <pelt/tools/file_io.h>

#include "tests/support/program.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Face = std::vector<std::uint32_t>;

std::filesystem::path write(const std::filesystem::path& path, std::string_view text) {
  EXPECT_TRUE(write_file(path, std::as_bytes(std::span(text))));
  return path;
}

Result<CageMesh> load_text(std::string_view text) {
  const test::TemporaryFolder folder;
  return load_cage(write(folder / "cage.obj", text));
}

TEST(LoadCage, KeepsPolygons) {
  const auto cage = load_text(
      "o cage\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0.5 0.25\nvt 0 0\nf 1/1 2/1 3/1 4/1\nf 2 5 3\nf -5 -4 -1 3 4\n");
  ASSERT_TRUE(cage) << cage.error().message;
  EXPECT_THAT(cage->points, ElementsAre(glm::dvec3(0), glm::dvec3(1, 0, 0), glm::dvec3(1, 1, 0), glm::dvec3(0, 1, 0),
                                        glm::dvec3(2, 0.5, 0.25)));
  EXPECT_THAT(cage->faces, ElementsAre(Face{0, 1, 2, 3}, Face{1, 4, 2}, Face{0, 1, 4, 2, 3}));
  EXPECT_THAT(cage->source_vertex, ElementsAre(0, 1, 2, 3, 4));
}

// Lines are read as for models.
TEST(LoadCage, NamesTheLineThatIsWrong) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_TRUE(test::refused(load_text(corners + "l 1 2 3\n"), "cage.obj: has no face"));
  EXPECT_TRUE(test::refused(load_text(corners + "f 1 2 4\n"), "cage.obj:4: names vertex 4, but there are only 3"));
  EXPECT_TRUE(test::refused(load_cage("/nowhere/cage.obj"), ErrorCode::kNotFound));
}

Mesh mesh_of(std::vector<glm::vec3> positions, std::vector<glm::uvec3> triangles) {
  Mesh mesh;
  mesh.positions = std::move(positions);
  mesh.triangles = std::move(triangles);
  mesh.parts.push_back({.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size())});
  return mesh;
}

const std::vector<glm::vec3> kSquare{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

TEST(CageOf, PutsQuadsTogether) {
  EXPECT_THAT(cage_of(mesh_of(kSquare, {{0, 1, 2}, {0, 2, 3}})).faces, ElementsAre(Face{2, 3, 0, 1}));
  EXPECT_THAT(cage_of(mesh_of(kSquare, {{0, 1, 3}, {1, 2, 3}})).faces, ElementsAre(Face{1, 2, 3, 0}));
}

TEST(CageOf, LeavesOtherTrianglesAlone) {
  const std::vector<glm::uvec3> halves{{0, 1, 2}, {0, 2, 3}};
  const Face one{0, 1, 2};
  const Face other{0, 2, 3};
  std::vector<glm::vec3> positions = kSquare;
  positions[3] = {0.5f, 0.5f, 0.7f};  // bent by 90 degrees
  EXPECT_THAT(cage_of(mesh_of(positions, halves)).faces, ElementsAre(one, other));
  positions[3] = {1.5f, 2, 0};  // concave
  EXPECT_THAT(cage_of(mesh_of(positions, halves)).faces, ElementsAre(one, other));
  EXPECT_THAT(cage_of(mesh_of(kSquare, {{0, 1, 2}, {0, 3, 2}})).faces, ElementsAre(one, Face{0, 3, 2}));  // opposite
  EXPECT_THAT(cage_of(mesh_of(kSquare, {{0, 1, 2}, {2, 1, 0}})).faces, ElementsAre(one, Face{2, 1, 0}));
  Mesh apart = mesh_of(kSquare, halves);
  apart.parts = {{.first_triangle = 0, .triangle_count = 1}, {.first_triangle = 1, .triangle_count = 1}};
  EXPECT_THAT(cage_of(apart).faces, ElementsAre(one, other));
}

TEST(CageOf, WeldsVerticesAtOnePosition) {
  // A square with a seam along its diagonal, a vertex of no triangle, and a degenerate triangle.
  const CageMesh cage =
      cage_of(mesh_of({{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 0}, {-0.0f, 0, 0}, {0, 1, 0}},
                      {{1, 2, 3}, {5, 4, 6}, {1, 5, 2}}));
  EXPECT_THAT(cage.points, ElementsAre(glm::dvec3(0), glm::dvec3(1, 0, 0), glm::dvec3(1, 1, 0), glm::dvec3(0, 1, 0)));
  EXPECT_THAT(cage.source_vertex, ElementsAre(1, 2, 3, 6));
  EXPECT_THAT(cage.faces, ElementsAre(Face{2, 3, 0, 1}));
}

TEST(CageOf, IsEmptyOfPointsAlone) {
  const CageMesh cage = cage_of(mesh_of(kSquare, {}));
  EXPECT_THAT(cage.points, IsEmpty());
  EXPECT_THAT(cage.faces, IsEmpty());
}

// The cage of a cube is the same from its polygons and from its triangles.
TEST(CageOf, UndoesTheImport) {
  const test::TemporaryFolder folder;
  const auto path = write(folder / "cube.obj",
                          "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                          "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const auto polygons = load_cage(path);
  const auto model = import_obj(path);
  ASSERT_TRUE(polygons);
  ASSERT_TRUE(model);
  const CageMesh cage = cage_of(model->meshes[0]);
  ASSERT_EQ(cage.points, polygons->points);
  ASSERT_EQ(cage.faces.size(), 6u);
  // The same faces, but for the corner that each begins with.
  const auto sorted = [](std::vector<std::vector<std::uint32_t>> faces) {
    for (std::vector<std::uint32_t>& face : faces) std::ranges::rotate(face, std::ranges::min_element(face));
    std::ranges::sort(faces);
    return faces;
  };
  EXPECT_EQ(sorted(cage.faces), sorted(polygons->faces));
}

}  // namespace
}  // namespace pelt
