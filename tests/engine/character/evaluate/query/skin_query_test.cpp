// SPDX-License-Identifier: MIT
// Queries give the same bits as a search of all triangles of the moved skin.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <pelt/builtin.h>
#include <pelt/skin_query.h>

#include "engine/character/triangle.h"
#include "tests/engine/character/evaluate/query/posed_skins.h"
#include "tests/engine/character/largest_allocation.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using test::must;
using test::refused;
using test::SkinBox;

// Calls visit(triangle, corners) for all triangles of a moved skin.
template <class Visit>
void for_each_triangle(const Evaluator& evaluator, const Visit& visit) {
  const CharacterData& data = *evaluator.character();
  for (std::uint32_t m = 0; m < data.meshes.size(); ++m) {
    const CharacterMesh& mesh = data.meshes[m];
    for (std::uint32_t t = 0; !mesh.control && t < mesh.triangles.size(); ++t) {
      const auto at = [&](int corner) { return evaluator.positions()[mesh.first_vertex + mesh.triangles[t][corner]]; };
      visit(SkinTriangle{m, t}, Corners{at(0), at(1), at(2)});
    }
  }
}

struct Found {
  double distance = INFINITY;
  SkinTriangle triangle;
  glm::dvec3 barycentric;

  void offer(double at, SkinTriangle of, const glm::dvec3& shares) {
    if (at < distance) *this = {at, of, shares};
  }
};

Found ray_by_search(const Evaluator& evaluator, glm::vec3 origin, glm::vec3 direction) {
  const TriangleRay ray(origin, glm::normalize(glm::dvec3(direction)));
  Found best;
  for_each_triangle(evaluator, [&](SkinTriangle triangle, const Corners& corners) {
    const auto hit = TriangleRay::meet(ray.seen(corners.a), ray.seen(corners.b), ray.seen(corners.c));
    if (hit) best.offer(hit->distance, triangle, hit->barycentric);
  });
  return best;
}

double distance_from(const Corners& corners, glm::dvec3 p) {
  return glm::distance(corners.point(nearest_on_triangle(corners, p)), p);
}

Found nearest_by_search(const Evaluator& evaluator, glm::vec3 position) {
  Found best;
  for_each_triangle(evaluator, [&](SkinTriangle triangle, const Corners& corners) {
    const glm::dvec3 p(position), on = nearest_on_triangle(corners, p);
    best.offer(glm::distance(corners.point(on), p), triangle, on);
  });
  return best;
}

std::vector<SkinTriangle> overlap_by_search(const Evaluator& evaluator, glm::vec3 center, float radius) {
  std::vector<SkinTriangle> found;
  for_each_triangle(evaluator, [&](SkinTriangle triangle, const Corners& corners) {
    if (distance_from(corners, center) <= radius) found.push_back(triangle);
  });
  return found;
}

// A query's evaluator, which never moves the skin, and one that moves it all, with the same bits.
class Pair {
 public:
  explicit Pair(const Character& character)
      : posed_(character, {.same_everywhere = true}),
        query(must(SkinQuery::create(must(SkinIndex::create(character)), posed_))),
        moved(character, {.same_everywhere = true}) {}

  void pose(const glm::mat4& motion, unsigned seed) {
    for (Evaluator* evaluator : {&posed_, &moved}) {
      std::mt19937 random(seed);
      test::pose_at_random(*evaluator, motion, random);
    }
    posed_.evaluate_controls();
    moved.evaluate();
  }

  // Returns whether the ray hits.
  bool expect_ray(glm::vec3 origin, glm::vec3 direction) {
    const std::optional<SkinHit> hit = must(query.ray(origin, direction));
    const Found expected = ray_by_search(moved, origin, direction);
    expect_equal(hit, expected);
    if (hit && hit->distance > 0) {
      EXPECT_FALSE(must(query.ray(origin, direction, std::nextafter(hit->distance, 0.0f) * 0.9999f)));
    }
    return hit.has_value();
  }
  void expect_nearest(glm::vec3 position) {
    expect_equal(must(query.nearest(position)), nearest_by_search(moved, position));
  }
  void expect_overlap(glm::vec3 center, float radius) {
    const std::vector<SkinTriangle> expected = overlap_by_search(moved, center, radius);
    std::vector<SkinTriangle> found(expected.size() + 1);
    EXPECT_EQ(must(query.overlap(center, radius, found)), expected.size());
    found.pop_back();
    std::ranges::sort(found);
    EXPECT_EQ(found, expected);
    if (expected.size() > 1) {
      found.resize(1);
      EXPECT_EQ(must(query.overlap(center, radius, found)), expected.size());
    }
  }

 private:
  Evaluator posed_;

 public:
  SkinQuery query;
  Evaluator moved;

 private:
  static void expect_equal(const std::optional<SkinHit>& hit, const Found& expected) {
    ASSERT_EQ(hit.has_value(), expected.distance < INFINITY);
    if (!hit) return;
    EXPECT_EQ((SkinTriangle{hit->point.mesh, hit->point.triangle}), expected.triangle);
    EXPECT_EQ(hit->point.barycentric, glm::vec3(expected.barycentric));
    EXPECT_EQ(hit->distance, static_cast<float>(expected.distance));
  }
};

// Asks everything in a pose; returns how many of the rays at the skin hit.
int expect_the_same(Pair& pair, std::mt19937& random) {
  const SkinBox box(pair.moved);
  int hits = 0;
  const CharacterMesh& mesh = *std::ranges::find_if(pair.moved.character()->meshes, [](const CharacterMesh& each) {
    return !each.control && !each.triangles.empty();
  });
  for (int i = 0; i < 6; ++i) {
    const glm::vec3 a = box.random_point(random), b = box.random_point(random);
    pair.expect_ray(a, b - a);
    pair.expect_nearest(a);
    pair.expect_overlap(b, 0.1f * static_cast<float>(i % 4) * box.size());
    // At a corner, along an edge, and at a corner along an axis.
    const glm::uvec3& t = mesh.triangles[random() % mesh.triangles.size()];
    const glm::vec3 from = pair.moved.positions()[mesh.first_vertex + t.x];
    const glm::vec3 to = pair.moved.positions()[mesh.first_vertex + t.y];
    hits += pair.expect_ray(a, from - a);
    if (from != to) pair.expect_ray(from - 0.5f * (to - from), to - from);
    pair.expect_ray({from.x, from.y, from.z + box.size()}, {0, 0, -1});
    pair.expect_nearest(to);
  }
  return hits;
}

TEST(SkinQuery, FindsWhatASearchOfTheMovedSkinFinds) {
  for (const auto& [name, character] : test::every_skin()) {
    SCOPED_TRACE(name);
    Pair pair(character);
    std::mt19937 random(3);
    int hits = 0;
    for (const glm::mat4& motion : test::motions()) {
      pair.pose(motion, static_cast<unsigned>(random()));
      hits += expect_the_same(pair, random);
    }
    EXPECT_GT(hits, 0);
    if (HasFailure()) return;
  }
}

// A ray at the skin moves less than a twentieth of it, and the same ray again nothing.
TEST(SkinQuery, MovesOnlyWhatItMeets) {
  const Character character = test::bound_by(make_biped(), "linear_blend");
  Evaluator evaluator(character);
  SkinQuery query = must(SkinQuery::create(must(SkinIndex::create(character)), evaluator));
  std::mt19937 random(5);
  for (int pose = 0; pose < 5; ++pose) {
    test::pose_at_random(evaluator, glm::mat4(1), random);
    evaluator.evaluate();
    const glm::vec3 target = evaluator.positions()[random() % character->vertex_count()];
    const glm::vec3 origin = SkinBox(evaluator).random_point(random, 2);
    ASSERT_TRUE(must(query.ray(origin, target - origin, 10)));
    const std::size_t moved = query.moved_vertices();
    EXPECT_GT(moved, 0u);
    EXPECT_LT(moved, character->vertex_count() / 20);
    ASSERT_TRUE(must(query.ray(origin, target - origin, 10)));
    EXPECT_EQ(query.moved_vertices(), moved);
  }
}

// Vector instructions round otherwise than queries.
TEST(SkinQuery, FindsPointsOfTheSkinThatVectorInstructionsMove) {
  for (const auto& [name, character] : test::every_skin()) {
    Evaluator evaluator(character);
    SkinQuery query = must(SkinQuery::create(must(SkinIndex::create(character)), evaluator));
    std::mt19937 random(6);
    for (const glm::mat4& motion : test::motions()) {
      test::pose_at_random(evaluator, motion, random);
      evaluator.evaluate();
      const SkinBox box(evaluator);
      const std::optional<SkinHit> hit = must(query.nearest(box.random_point(random)));
      ASSERT_TRUE(hit);
      const CharacterMesh& mesh = character->meshes[hit->point.mesh];
      glm::vec3 expected(0);
      for (int corner = 0; corner < 3; ++corner) {
        const std::uint32_t v = mesh.triangles[hit->point.triangle][corner];
        expected += hit->point.barycentric[corner] * evaluator.positions()[mesh.first_vertex + v];
      }
      EXPECT_LT(glm::distance(hit->position, expected), box.rounding()) << name;
    }
  }
}

TEST(SkinQuery, AllocatesNothing) {
  const Character character = test::bound_by(test::make_tube({.joints = 4}), "linear_blend");
  Evaluator evaluator(character);
  SkinQuery query = must(SkinQuery::create(must(SkinIndex::create(character)), evaluator));
  std::vector<SkinTriangle> found(10);
  test::forget_allocations();
  evaluator.evaluate_controls();
  EXPECT_TRUE(query.ray({4, 5, 0.1f}, {0, -1, 0}));
  EXPECT_TRUE(query.nearest({4, 5, 0}));
  EXPECT_TRUE(query.overlap({4, 1, 0}, 1, found));
  EXPECT_EQ(test::allocated_bytes(), 0u);
}

TEST(SkinQuery, RefusesWhatItCannotAnswer) {
  const Character character = test::bound_by(test::make_tube({.joints = 4}), "linear_blend");
  EXPECT_TRUE(refused(SkinIndex::create(test::make_graded(40, test::Graded::kSkin)), ErrorCode::kInvalidArgument,
                      "has triangles"));
  const SkinIndex index = must(SkinIndex::create(character));
  Evaluator other(test::bound_by(test::make_tube({.joints = 4}), "linear_blend"));
  EXPECT_TRUE(refused(SkinQuery::create(index, other), ErrorCode::kInvalidArgument, "another character"));
  Evaluator evaluator(character);
  SkinQuery query = must(SkinQuery::create(index, evaluator));
  EXPECT_TRUE(refused(query.ray({}, {0, 0, 1}), ErrorCode::kInvalidArgument, "nothing was evaluated"));
  evaluator.evaluate();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(refused(query.ray({}, {}), ErrorCode::kInvalidArgument, "direction of the ray is 0"));
  EXPECT_TRUE(refused(query.ray({nan, 0, 0}, {0, 0, 1}), ErrorCode::kInvalidArgument, "not finite"));
  EXPECT_TRUE(refused(query.ray({}, {0, nan, 1}), ErrorCode::kInvalidArgument, "not finite"));
  EXPECT_TRUE(refused(query.ray({}, {0, 0, 1}, nan), ErrorCode::kInvalidArgument, "not finite"));
  EXPECT_TRUE(refused(query.nearest({0, nan, 0}), ErrorCode::kInvalidArgument, "not finite"));
  EXPECT_TRUE(refused(query.nearest({}, -1), ErrorCode::kInvalidArgument, "negative"));
  EXPECT_TRUE(refused(query.overlap({}, nan, {}), ErrorCode::kInvalidArgument, "not finite"));
  EXPECT_TRUE(refused(query.overlap({}, -1, {}), ErrorCode::kInvalidArgument, "negative"));
  EXPECT_TRUE(query.overlap({}, 0, {}));
  evaluator.set_detail(Detail::kLinearBlend);
  evaluator.evaluate();
  EXPECT_TRUE(refused(query.nearest({}), ErrorCode::kUnsupported, "kFull"));
}

}  // namespace
}  // namespace pelt
