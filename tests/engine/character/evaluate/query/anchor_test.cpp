// SPDX-License-Identifier: MIT
// Anchors move with the whole moved skin.
#include <gtest/gtest.h>

#include <limits>

#include <pelt/anchor.h>

#include "tests/engine/character/evaluate/query/posed_skins.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using test::must;
using test::refused;
using test::SkinBox;

float degrees_between(glm::vec3 a, glm::vec3 b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

void expect_orthonormal(const Affine& frame) {
  const glm::mat3 axes = affine_axes(frame);
  const glm::mat3 rest = glm::transpose(axes) * axes - glm::mat3(1.0f);
  for (int i = 0; i < 3; ++i) EXPECT_LT(glm::length(rest[i]), 1e-5f);
  EXPECT_GT(glm::determinant(axes), 0.999f);
}

// Compares a frame with the arrays of an evaluator that has moved all.
void expect_on_skin(const Evaluator& evaluator, const SkinPoint& point, const Affine& frame, float rounding) {
  const CharacterMesh& mesh = evaluator.character()->meshes[point.mesh];
  const glm::uvec3& t = mesh.triangles[point.triangle];
  glm::vec3 position(0), normal(0), edge(0);
  float longest = 0;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t a = mesh.first_vertex + t[i], b = mesh.first_vertex + t[(i + 1) % 3];
    position += point.barycentric[i] * evaluator.positions()[a];
    normal += point.barycentric[i] * evaluator.normals()[a];
    const float length = glm::distance(mesh.binding.points[t[i]], mesh.binding.points[t[(i + 1) % 3]]);
    if (length > longest) longest = length, edge = evaluator.positions()[b] - evaluator.positions()[a];
  }
  EXPECT_LT(glm::distance(affine_origin(frame), position), rounding);
  const glm::mat3 axes = affine_axes(frame);
  // If the corners' normals nearly cancel, their rounding turns the sum by more.
  if (glm::length(normal) < 0.1f) return;
  EXPECT_LT(degrees_between(axes[2], normal) * glm::length(normal), 0.1f);
  const glm::vec3 tangent = edge - glm::normalize(normal) * glm::dot(glm::normalize(normal), edge);
  // Beyond that, the rounding of the corners turns the edge by more.
  if (longest == 0 || glm::length(tangent) < 1e3f * rounding || glm::length(tangent) < 0.1f * glm::length(edge)) return;
  EXPECT_LT(degrees_between(axes[0], tangent) * glm::length(normal), 0.1f);
}

TEST(Anchor, IsWhereTheMovedSkinIs) {
  for (const auto& [name, character] : test::every_skin()) {
    SCOPED_TRACE(name);
    // Vector instructions round palettes and directions otherwise, and wild poses magnify that.
    Evaluator anchored(character, {.same_everywhere = true}), moved(character, {.same_everywhere = true});
    const auto skin = std::ranges::find_if(character->meshes, [](const CharacterMesh& mesh) { return !mesh.control; });
    const auto m = static_cast<std::uint32_t>(skin - character->meshes.begin());
    std::mt19937 random(7);
    std::uniform_real_distribution<float> share(0, 1);
    for (const glm::mat4& motion : test::motions()) {
      const auto seed = static_cast<unsigned>(random());
      for (Evaluator* evaluator : {&anchored, &moved}) {
        std::mt19937 same(seed);
        test::pose_at_random(*evaluator, motion, same);
      }
      anchored.evaluate_controls();
      moved.evaluate();
      const float rounding = SkinBox(moved).rounding();
      for (int i = 0; i < 40; ++i) {
        const float x = share(random), y = share(random) * (1 - x);
        const SkinPoint point{m, static_cast<std::uint32_t>(random() % skin->triangles.size()), {x, y, 1 - x - y}};
        const Affine frame = must(Anchor::at_point(character, point)).frame(anchored);
        expect_orthonormal(frame);
        expect_on_skin(moved, point, frame, rounding);
        const auto v = static_cast<std::uint32_t>(random() % skin->vertex_count());
        const Affine at_vertex = must(Anchor::at_vertex(character, m, v)).frame(anchored);
        expect_orthonormal(at_vertex);
        const std::uint32_t at = skin->first_vertex + v;
        EXPECT_LT(glm::distance(affine_origin(at_vertex), moved.positions()[at]), rounding);
        EXPECT_LT(degrees_between(affine_axes(at_vertex)[2], moved.normals()[at]), 0.1f);
        EXPECT_LT(degrees_between(affine_axes(at_vertex)[0], glm::vec3(moved.tangents()[at])), 0.1f);
      }
    }
    if (HasFailure()) return;
  }
}

TEST(Anchor, IsFoundByItsPositionAtBind) {
  const Model model = test::make_tube({.around = 12, .along = 33, .joints = 4});
  const Character character = test::bound_by(model, "linear_blend");
  Evaluator evaluator(character);
  evaluator.pose(test::bind_matrices(model));
  evaluator.evaluate_controls();
  std::mt19937 random(8);
  for (int i = 0; i < 50; ++i) {
    const CharacterMesh& mesh = character->meshes[0];
    const glm::uvec3& t = mesh.triangles[random() % mesh.triangles.size()];
    const glm::vec3 position =
        0.5f * mesh.binding.points[t.x] + 0.3f * mesh.binding.points[t.y] + 0.2f * mesh.binding.points[t.z];
    const SkinPoint found = must(nearest_at_bind(character, position));
    EXPECT_LT(glm::distance(affine_origin(must(Anchor::at_point(character, found)).frame(evaluator)), position), 1e-5f);
  }
  const SkinPoint outside = must(nearest_at_bind(character, {4, 50, 0}));
  EXPECT_NEAR(affine_origin(must(Anchor::at_point(character, outside)).frame(evaluator)).y, 1, 1e-5f);
}

// Linear blend far away, joints that shrink to nothing, points without triangles.
TEST(Anchor, HasAFrameInEveryPose) {
  const Character character = test::bound_by(test::make_tube({.joints = 4}), "dual_quaternion");
  const Anchor anchor = must(Anchor::at_point(character, {0, 20, {0.2f, 0.3f, 0.5f}}));
  Evaluator evaluator(character);
  evaluator.pose(std::vector(character->skeleton.joints.size(), glm::mat4(0.0f)));
  evaluator.evaluate();
  expect_orthonormal(anchor.frame(evaluator));
  evaluator.set_detail(Detail::kLinearBlend);
  std::mt19937 random(9);
  evaluator.pose(test::random_pose(character->skeleton, random));
  evaluator.evaluate();
  expect_on_skin(evaluator, {0, 20, {0.2f, 0.3f, 0.5f}}, anchor.frame(evaluator), 1e-5f);
  const Character cloud = test::bound_by(test::make_cloud(40), "linear_blend");
  Evaluator points(cloud);
  points.evaluate();
  const Affine frame = must(Anchor::at_vertex(cloud, 0, 33)).frame(points);
  EXPECT_LT(glm::distance(affine_origin(frame), points.positions()[33]), 1e-5f);
  expect_orthonormal(frame);
}

TEST(Anchor, RefusesWhatIsNoPointOfASkin) {
  const Character character = test::bound_by(test::make_tube({.joints = 4}), "linear_blend");
  const auto at = [&](const SkinPoint& point) { return Anchor::at_point(character, point); };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(refused(at({.mesh = 1}), ErrorCode::kInvalidArgument, "mesh 1 does not exist: there are 1"));
  EXPECT_TRUE(refused(at({.triangle = 100000}), ErrorCode::kInvalidArgument, "triangle 100000 of mesh 'tube'"));
  for (const glm::vec3 wrong : {glm::vec3(0.5f), glm::vec3(nan, 0, 1), glm::vec3(-0.5f, 0.5f, 1), glm::vec3(0)})
    EXPECT_TRUE(refused(at({0, 0, wrong}), ErrorCode::kInvalidArgument, "are not shares from 0 to 1"));
  EXPECT_TRUE(at({0, 0, {0.3f, 0.3f, 0.40001f}}));
  EXPECT_TRUE(refused(Anchor::at_vertex(character, 0, 9999), ErrorCode::kInvalidArgument, "vertex 9999"));
  EXPECT_TRUE(refused(Anchor::at_vertex(character, 7, 0), ErrorCode::kInvalidArgument, "mesh 7"));
  EXPECT_TRUE(refused(nearest_at_bind(character, {nan, 0, 0}), ErrorCode::kInvalidArgument, "not finite"));
  const Character cloud = test::bound_by(test::make_cloud(40), "linear_blend");
  EXPECT_TRUE(refused(Anchor::at_point(cloud, {}), ErrorCode::kInvalidArgument, "has no triangles"));
  EXPECT_TRUE(refused(nearest_at_bind(cloud, {}), ErrorCode::kInvalidArgument, "no skin"));
  const Character driven = test::make_graded(40, test::Graded::kDriver);
  EXPECT_TRUE(refused(Anchor::at_vertex(driven, 0, 0), ErrorCode::kInvalidArgument, "control mesh"));
}

}  // namespace
}  // namespace pelt
