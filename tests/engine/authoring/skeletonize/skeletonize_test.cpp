// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <limits>

#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/pose.h>
#include <pelt/skeletonize.h>

#include "engine/authoring/model/builtin/model_builder.h"
#include "tests/support/must.h"
#include "tests/support/shared_files.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Lays the x axis along a line.
void lay(Mesh& mesh, const glm::vec3& a, const glm::vec3& b) {
  const glm::vec3 x = glm::normalize(b - a);
  const glm::vec3 y = glm::normalize(glm::cross(std::abs(x.z) < 0.9f ? glm::vec3(0, 0, 1) : glm::vec3(0, 1, 0), x));
  const glm::mat3 turn(x, y, glm::cross(x, y));
  for (glm::vec3& p : mesh.positions) p = a + turn * p;
}

bool is_tip(const Mesh& mesh, glm::uvec3 t) {
  const auto at_axis = [&](std::uint32_t v) { return mesh.positions[v].y == 0 && mesh.positions[v].z == 0; };
  return at_axis(t.x) || at_axis(t.y) || at_axis(t.z);
}

// Makes a closed capsule between two points.
Mesh capsule(const glm::vec3& a, const glm::vec3& b, float radius) {
  const float length = glm::distance(a, b);
  std::vector<ProfilePoint> profile;
  const auto cap = [&](float x, float from) {
    for (int i = 0; i <= 8; ++i) {
      const float angle = from + glm::half_pi<float>() * static_cast<float>(i) / 8;
      profile.push_back({x + radius * std::sin(angle), radius * std::cos(angle), 0, 1});
    }
  };
  cap(0, -glm::half_pi<float>());
  for (float x = radius / 2; x < length; x += radius / 2) profile.push_back({x, radius, 0, 1});
  cap(length, 0);
  profile.front().radius = profile.back().radius = 0;
  Mesh mesh = revolve("capsule", profile, 24);
  lay(mesh, a, b);
  return mesh;
}

// Makes a cone between two points with flat ends, or an open tube.
Mesh tube(const glm::vec3& a, const glm::vec3& b, float radius_a, float radius_b, bool open = true) {
  const float length = glm::distance(a, b);
  std::vector<ProfilePoint> profile = {{0, 0, -1, 0}};
  for (int i = 0; i <= 16; ++i) {
    const float t = static_cast<float>(i) / 16;
    profile.push_back({t * length, glm::mix(radius_a, radius_b, t), 0, 1});
  }
  profile.push_back({length, 0, 1, 0});
  Mesh mesh = revolve("tube", profile, 24);
  if (open) std::erase_if(mesh.triangles, [&](glm::uvec3 t) { return is_tip(mesh, t); });
  lay(mesh, a, b);
  return mesh;
}

Model model_of(const std::vector<Mesh>& shells) {
  Model model{.name = "test"};
  model.meshes.push_back(concatenate(shells));
  model.meshes[0].name = "skin";
  return model;
}

Skeletonized made(const Model& model, const SkeletonizeOptions& options = {.resolution = 96}) {
  return test::must(make_skeleton(model, options));
}

std::vector<glm::vec3> places(const Model& model) {
  std::vector<glm::vec3> result;
  for (const glm::mat4& matrix : test::bind_matrices(model)) result.emplace_back(matrix[3]);
  return result;
}

std::vector<glm::vec3> ends(const Model& model) {
  const std::vector<glm::vec3> all = places(model);
  std::vector<bool> is_parent(all.size(), false);
  for (const Joint& joint : model.skeleton.joints) {
    if (joint.parent >= 0) is_parent[static_cast<std::size_t>(joint.parent)] = true;
  }
  std::vector<glm::vec3> result;
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (!is_parent[j]) result.push_back(all[j]);
  }
  return result;
}

float distance_to(const std::vector<glm::vec3>& points, const glm::vec3& place) {
  float least = std::numeric_limits<float>::infinity();
  for (const glm::vec3& point : points) least = std::min(least, glm::distance(point, place));
  return least;
}

// Expects one root, parents first, every joint bound, and rows that sum to 1 over at most 4 joints, none of them an
// end.
void expect_sound(const Model& model) {
  std::vector<bool> is_parent(model.skeleton.joints.size(), false);
  for (std::size_t j = 0; j < model.skeleton.joints.size(); ++j) {
    const std::int32_t parent = model.skeleton.joints[j].parent;
    ASSERT_LT(parent, static_cast<std::int32_t>(j));
    EXPECT_EQ(parent < 0, j == 0) << "joint " << j;
    if (parent >= 0) is_parent[static_cast<std::size_t>(parent)] = true;
    EXPECT_EQ(model.skeleton.find(model.skeleton.joints[j].name), j) << "names are unique";
  }
  ASSERT_EQ(model.bound_joints.size(), model.skeleton.joints.size());
  for (const Mesh& mesh : model.meshes) {
    ASSERT_EQ(mesh.weights.row_count(), mesh.positions.size());
    EXPECT_TRUE(validate(mesh.weights, model.bound_joints.size(), mesh.name));
    EXPECT_LE(statistics(mesh.weights).max_influences, 4u);
    for (const Influence& influence : mesh.weights.influences) {
      ASSERT_TRUE(is_parent[influence.index] || is_parent.size() == 1) << "an end moves skin";
    }
  }
}

std::uint32_t strongest(const Mesh& mesh, const glm::vec3& place) {
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    if (glm::distance(mesh.positions[i], place) < glm::distance(mesh.positions[nearest], place)) nearest = i;
  }
  return mesh.weights.row(nearest)[0].index;
}

void expect_refused(const Model& model, const std::string& why, const SkeletonizeOptions& options = {}) {
  const Result<Skeletonized> result = make_skeleton(model, options);
  ASSERT_FALSE(result) << "expected: " << why;
  EXPECT_THAT(result.error().message, HasSubstr("test: "));
  EXPECT_THAT(result.error().message, HasSubstr(why));
}

// ---- Shapes

TEST(MakeSkeleton, LaysJointsAlongTheAxisOfACapsule) {
  const Skeletonized result = made(model_of({capsule({1, 2, 3}, {9, 2, 3}, 1)}));
  expect_sound(result.model);
  EXPECT_EQ(result.report.ends, 2u);
  EXPECT_EQ(result.report.junctions, 0u);
  EXPECT_EQ(result.report.pieces, 1u);
  EXPECT_GE(result.report.joints, 3u);
  for (const glm::vec3& place : places(result.model)) {
    EXPECT_LE(std::hypot(place.y - 2, place.z - 3), 0.1f) << "joint at x = " << place.x;
  }
  EXPECT_LE(distance_to(ends(result.model), {1, 2, 3}), 0.5f);
  EXPECT_LE(distance_to(ends(result.model), {9, 2, 3}), 0.5f);
  EXPECT_NEAR(places(result.model)[0].x, 5, 0.5);
}

TEST(MakeSkeleton, DividesLongLimbsAsAsked) {
  const Model model = model_of({capsule({0, 0, 0}, {16, 0, 0}, 1)});
  SkeletonizeOptions options{.resolution = 96};
  options.bone_length = 100;
  const std::size_t undivided = made(model, options).report.joints;
  options.bone_length = 2;
  EXPECT_EQ(undivided, 3u);  // the root between two ends
  EXPECT_GE(made(model, options).report.joints, 8u);
}

TEST(MakeSkeleton, PutsAJointWhereALimbBends) {
  const Model model = model_of({capsule({0, 0, 0}, {6, 0, 0}, 0.5f), capsule({6, 0, 0}, {6, 6, 0}, 0.5f)});
  const Skeletonized result = made(model);
  EXPECT_EQ(result.report.ends, 2u);
  EXPECT_LE(distance_to(places(result.model), {6, 0, 0}), 0.4f);
}

TEST(MakeSkeleton, FindsTheJunctionAndTheEndsOfAY) {
  const glm::vec3 tips[] = {{0, -4, 0}, {3, 3, 0}, {-3, 3, 0}};
  std::vector<Mesh> shells;
  for (const glm::vec3& tip : tips) shells.push_back(capsule({0, 0, 0}, tip, 0.6f));
  const Skeletonized result = made(model_of(shells));
  expect_sound(result.model);
  EXPECT_EQ(result.report.ends, 3u);
  EXPECT_EQ(result.report.junctions, 1u);
  EXPECT_LE(glm::length(places(result.model)[0]), 0.5f);
  for (const glm::vec3& tip : tips) EXPECT_LE(distance_to(ends(result.model), tip), 0.5f);
}

TEST(MakeSkeleton, FindsTheFiveLimbsOfTheBiped) {
  const Model biped = make_biped();
  const glm::vec3 left_hand = places(biped)[*biped.skeleton.find("left_hand")];
  for (const std::uint32_t resolution : {128u, 192u}) {
    SkeletonizeOptions options;
    options.resolution = resolution;
    const Skeletonized result = made(biped, options);
    expect_sound(result.model);
    EXPECT_EQ(result.report.ends, 5u) << resolution;
    EXPECT_EQ(result.report.junctions, 2u) << resolution;
    const std::vector<glm::vec3> found = ends(result.model);
    EXPECT_EQ(found.size(), 5u);
    constexpr float kHand = 0.19f;  // metres from the wrist to the tips of the fingers
    for (const float side : {1.0f, -1.0f}) {
      const glm::vec3 mirror(side, 1, 1);
      EXPECT_LE(distance_to(found, mirror * left_hand), kHand) << resolution;
      EXPECT_LE(distance_to(found, mirror * glm::vec3(0.150f, 0.012f, 0.190f)), 0.13f) << resolution;
    }
    EXPECT_LE(distance_to(found, {0, 1.69f, -0.01f}), 0.12f) << resolution;
    EXPECT_TRUE(result.model.clips.empty());
    EXPECT_THAT(result.report.notes, testing::Contains(HasSubstr("skeleton of 59 joints")));
  }
}

TEST(MakeSkeleton, WantsOneJointForABallAndFewerVoxels) {
  const Skeletonized result = made(model_of({capsule({0, 0, 0}, {0.01f, 0, 0}, 2)}), {.resolution = 128});
  expect_sound(result.model);
  EXPECT_LE(result.report.voxels, 550'000u);
  EXPECT_THAT(result.report.notes, testing::Contains(HasSubstr("instead of 128")));
  ASSERT_EQ(result.report.joints, 1u);
  EXPECT_LE(glm::length(places(result.model)[0]), 0.1f);
}

// A thin arm hangs next to a thick trunk, joined to it at the top: the flank is nearer to the arm's axis than to the
// trunk's.
TEST(MakeSkeleton, WeighsByWaysInside) {
  const Model model = model_of({capsule({0, 0, 0}, {0, 8, 0}, 1), capsule({0, 8, 0}, {1.5f, 8, 0}, 0.25f),
                                capsule({1.5f, 8, 0}, {1.5f, 1, 0}, 0.25f)});
  const Skeletonized result = made(model);
  expect_sound(result.model);
  const Mesh& mesh = result.model.meshes[0];
  EXPECT_EQ(strongest(mesh, {1, 4, 0}), strongest(mesh, {-1, 4, 0}));
  EXPECT_NE(strongest(mesh, {1, 4, 0}), strongest(mesh, {1.75f, 4, 0}));
}

// A capsule with a hole in one tip, and a shell of a tenth's thickness with the same.
TEST(MakeSkeleton, ClosesHolesAndFillsHollows) {
  std::vector<Mesh> shells{capsule({0, 0, 0}, {8, 0, 0}, 1), capsule({0, 0, 0}, {8, 0, 0}, 0.9f)};
  for (glm::uvec3& t : shells[1].triangles) std::swap(t.y, t.z);
  for (Mesh& shell : shells) shell.triangles.resize(shell.triangles.size() - 24);
  for (const Model& model : {model_of({shells[0]}), model_of(shells)}) {
    const Skeletonized result = made(model);
    expect_sound(result.model);
    EXPECT_EQ(result.report.ends, 2u);
    for (const glm::vec3& place : places(result.model)) EXPECT_LE(std::hypot(place.y, place.z), 0.25f) << place.x;
    EXPECT_THAT(result.report.notes, testing::Contains(HasSubstr("is open at the edge from vertex")));
  }
}

// ---- Open limbs

TEST(MakeSkeleton, GivesAnOpenTubeTheJointsOfAClosedOne) {
  struct Limb {
    glm::vec3 end;
    float radius;
  };
  for (const Limb& limb : {Limb{{10, 0, 0}, 1}, {{10, 0, 0}, 0.5f}, {{30, 0, 0}, 1}, {{7, 4, 2}, 1}}) {
    const Skeletonized open = made(model_of({tube({0, 0, 0}, limb.end, 1, limb.radius)}));
    const Skeletonized closed = made(model_of({tube({0, 0, 0}, limb.end, 1, limb.radius, false)}));
    expect_sound(open.model);
    EXPECT_LE(open.report.joints, closed.report.joints + 2);
    EXPECT_GE(open.report.joints + 2, closed.report.joints);
    EXPECT_EQ(open.report.ends, 2u);
    EXPECT_EQ(open.report.junctions, 0u);
    const glm::vec3 axis = glm::normalize(limb.end);
    for (const glm::vec3& place : places(open.model)) {
      const float along = glm::dot(place, axis);
      EXPECT_GE(along, 0);
      EXPECT_LE(along, glm::length(limb.end));
      EXPECT_LE(glm::distance(place, along * axis), limb.radius);
      EXPECT_LE(distance_to(places(closed.model), place), 0.5f * limb.radius);
    }
  }
}

// A pipe, of which the wall, however thick, is no limb. One across the voxels may get a limb more at its mouth.
TEST(MakeSkeleton, GivesAPipeTheJointsOfARod) {
  for (const auto& [end, inner] : {std::pair(glm::vec3(8, 0, 0), 0.3f), {{8, 0, 0}, 0.9f}, {{6, 5, 2}, 0.6f}}) {
    const bool oblique = end.y != 0;
    std::vector<Mesh> shells{tube({0, 0, 0}, end, 1, 1), tube({0, 0, 0}, end, inner, inner)};
    for (glm::uvec3& t : shells[1].triangles) std::swap(t.y, t.z);
    Model model = model_of(shells);
    Mesh& mesh = model.meshes[0];
    const auto half = static_cast<std::uint32_t>(mesh.positions.size() / 2);
    for (const std::uint32_t rim : {1u, half - 25}) {
      for (std::uint32_t k = 0; k < 24; ++k) {
        const std::uint32_t a = rim + k;
        const std::uint32_t b = rim + (k + 1) % 24;
        mesh.triangles.emplace_back(a, b, b + half);
        mesh.triangles.emplace_back(a, b + half, a + half);
      }
    }
    const Skeletonized result = made(model);
    expect_sound(result.model);
    EXPECT_LE(result.report.ends, oblique ? 3u : 2u) << inner;
    EXPECT_LE(result.report.joints, oblique ? 8u : 4u) << inner;
    for (const glm::vec3& place : oblique ? std::vector<glm::vec3>() : places(result.model)) {
      EXPECT_LE(glm::distance(place, glm::dot(place, glm::normalize(end)) * glm::normalize(end)), 0.25f) << inner;
    }
  }
}

// A skirt with legs; all ends are open.
TEST(MakeSkeleton, HangsTheLegsOfTrousersFromTheWaist) {
  std::vector<Mesh> shells{tube({0, 4, 0}, {0, 6.5f, 0}, 1.8f, 1.6f)};
  for (const float side : {1.0f, -1.0f})
    shells.push_back(tube({side * 0.9f, 4.6f, 0}, {side * 1.3f, -4, 0}, 0.8f, 0.6f));
  const Skeletonized result = made(model_of(shells));
  expect_sound(result.model);
  EXPECT_LE(result.report.joints, 12u);
  EXPECT_GT(places(result.model)[0].y, 3);
  EXPECT_LE(std::abs(places(result.model)[0].x), 0.5f);
  for (const float side : {1.0f, -1.0f}) EXPECT_LE(distance_to(ends(result.model), {side * 1.3f, -4, 0}), 1.0f);
  EXPECT_NE(strongest(result.model.meshes[0], {1.9f, -3, 0}), strongest(result.model.meshes[0], {-1.9f, -3, 0}));
}

// A head and two hands, cut off; the winding of one hand is wrong.
TEST(MakeSkeleton, GivesPartsThatAreApartTheirOwnChains) {
  std::vector<Mesh> shells{tube({0, 6, 0}, {0, 9, 0}, 0.6f, 1)};
  for (const float side : {1.0f, -1.0f}) shells.push_back(tube({side * 4, 4, 0}, {side * 6.5f, 4, 0}, 0.4f, 0.5f));
  for (glm::uvec3& t : shells.back().triangles) std::swap(t.y, t.z);
  const Skeletonized result = made(model_of(shells));
  expect_sound(result.model);
  EXPECT_EQ(result.report.pieces, 3u);
  EXPECT_EQ(result.report.ends, 6u);
  EXPECT_LE(result.report.joints, 12u);
}

TEST(MakeSkeleton, RefusesFlatShells) {
  Model model = model_of({tube({0, 0, 0}, {6, 0, 0}, 1, 1)});
  Mesh& mesh = model.meshes[0];
  std::erase_if(mesh.triangles, [&](glm::uvec3 t) {
    return std::min({mesh.positions[t.x].y, mesh.positions[t.y].y, mesh.positions[t.z].y}) < -1e-3f;
  });
  expect_refused(model, "mesh 'skin' is open at the edge from vertex");
  expect_refused(model, "is too flat to be filled");
}

TEST(MakeSkeleton, RefusesToMakeHundredsOfJoints) {
  std::vector<Mesh> shells;
  for (int i = 0; i < 8; ++i) {
    const auto y = static_cast<float>(2 * i);
    shells.push_back(capsule({0, y, 0}, {16, y, 0}, 0.3f));
  }
  expect_refused(model_of(shells), "joints are the most", {.resolution = 128, .detail = 0, .bone_length = 1});
}

TEST(MakeSkeleton, KeepsWhatTheMeshHas) {
  Model model = model_of({capsule({0, 0, 0}, {8, 0, 0}, 1)});
  const std::size_t count = model.meshes[0].positions.size();
  model.materials.push_back({.name = "red"});
  model.meshes[0].attributes.push_back({.name = "_MASK", .values = std::vector<float>(count, 0.5f)});
  model.meshes.push_back({.name = "dots", .positions = {{1, 0, 0}, {1e6f, 0, 0}}});
  const Skeletonized result = made(model);
  expect_sound(result.model);
  EXPECT_EQ(result.model.meshes[0].positions, model.meshes[0].positions);
  EXPECT_EQ(result.model.meshes[0].attributes.size(), 1u);
  EXPECT_EQ(result.model.materials.size(), 1u);
}

// ---- Whatever the threads, the position and the size

TEST(MakeSkeleton, DoesNotDependOnThreads) {
  const Model biped = make_biped();
  SkeletonizeOptions options;
  options.resolution = 96;
  options.threads = 1;
  const Skeletonized one = made(biped, options);
  options.threads = 4;
  const Skeletonized four = made(biped, options);
  EXPECT_EQ(places(one.model), places(four.model));
  EXPECT_EQ(one.model.meshes[0].weights, four.model.meshes[0].weights);
}

TEST(MakeSkeleton, DoesNotDependOnSizeAndPlace) {
  const Model model = model_of({capsule({0, 0, 0}, {8, 0, 0}, 1), capsule({4, 0, 0}, {4, 6, 0}, 0.5f)});
  const SkeletonizeOptions options{.resolution = 64};
  const Skeletonized result = made(model, options);
  for (const float scale : {0x1p-30f, 0x1p30f}) {
    Model other = model;
    for (glm::vec3& p : other.meshes[0].positions) p *= scale;
    const Skeletonized scaled = made(other, options);
    ASSERT_EQ(scaled.report.joints, result.report.joints) << scale;
    for (std::size_t j = 0; j < result.report.joints; ++j) {
      EXPECT_LE(glm::distance(places(scaled.model)[j] / scale, places(result.model)[j]), 0.1f) << scale;
    }
  }
}

// ---- Errors

TEST(MakeSkeleton, RefusesWhatHasNoInside) {
  expect_refused({.name = "test"}, "no triangle with area");
  Model model{.name = "test"};
  Mesh& mesh = model.meshes.emplace_back();
  mesh.name = "sheet";
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  expect_refused(model, "no triangle with area");
  mesh.triangles = {{0, 0, 1}};
  expect_refused(model, "no triangle with area");
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  expect_refused(model, "mesh 'sheet' is open at the edge from vertex 0 to 1, at (0, 0, 0)");
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 2, 1}, {0, 3, 2}};
  expect_refused(model, "no part is as thick as a voxel");
  mesh.positions.assign(4, glm::vec3(1, 2, 3));
  expect_refused(model, "no triangle with area");
}

TEST(MakeSkeleton, RefusesBrokenMeshes) {
  const Model sound = model_of({capsule({0, 0, 0}, {8, 0, 0}, 1)});
  for (const float bad : {kNan, std::numeric_limits<float>::infinity(), 2e12f}) {
    Model model = sound;
    model.meshes[0].positions[5].y = bad;
    expect_refused(model, "mesh 'skin': vertex 5 ");
  }
  Model model = sound;
  model.meshes[0].triangles[7].z = 1'000'000;
  expect_refused(model, "mesh 'skin': triangle 7 has vertex 1000000");
}

TEST(MakeSkeleton, RefusesOptionsOutOfRange) {
  const Model model = model_of({capsule({0, 0, 0}, {8, 0, 0}, 1)});
  expect_refused(model, "resolution is 7;", {.resolution = 7});
  expect_refused(model, "resolution is 257;", {.resolution = 257});
  expect_refused(model, "detail", {.detail = -0.1});
  expect_refused(model, "detail", {.detail = std::numeric_limits<double>::quiet_NaN()});
  expect_refused(model, "bones", {.bone_length = 0.5});
  EXPECT_TRUE(make_skeleton(model, {.resolution = 8}));
  EXPECT_TRUE(make_skeleton(model, {.resolution = 64, .detail = 0}));
  EXPECT_TRUE(make_skeleton(model, {.resolution = 64, .detail = 1, .bone_length = 1}));
}

// ---- Characters

TEST(MakeSkeleton, WorksOnCharacters) {
  PELT_REQUIRE_SHARED();
  struct Known {
    const char* file;
    std::size_t least;  // ends
    std::size_t most;
  };
  // A body; a hand, perhaps with its wrist; a scorpion with 8 legs, 2 claws of 2 fingers and a tail, of which some may
  // be closed.
  constexpr Known kKnown[] = {{"CesiumMan.glb", 5, 5}, {"leftHandLow.glb", 5, 6}, {"scorpion.obj", 11, 13}};
  for (const Known& known : kKnown) {
    const auto file = *test::shared_folder() / "assets/characters" / known.file;
    const Skeletonized result = made(test::must(import_model(file.string())), {});
    expect_sound(result.model);
    EXPECT_GE(result.report.ends, known.least) << known.file;
    EXPECT_LE(result.report.ends, known.most) << known.file;
  }
}

}  // namespace
}  // namespace pelt
