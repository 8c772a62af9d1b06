// SPDX-License-Identifier: MIT
// The effects of attachments, sub-segments, keys and limits on the control vertices and the skin of a tube whose second
// joint turns by 90 degrees.
#include <gmock/gmock.h>

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <tuple>

#include <pelt/bind.h>
#include <pelt/evaluate.h>

#include "engine/authoring/hierarchical_bspline/surface.h"
#include "engine/character/records.h"
#include "shaders/hierarchical_bspline/limit_pose.h"
#include "tests/support/driven.h"
#include "tests/support/tube_surface.h"

namespace pelt {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kRing = 8;  // control vertices of a ring of the base

Model tube() { return test::make_tube({.around = 12, .along = 32}); }

// Turns joint1, at x = 4, about z.
std::vector<glm::mat4> turned(float degrees) {
  const glm::mat4 turn = glm::rotate(glm::mat4(1), glm::radians(degrees), glm::vec3(0, 0, 1));
  return {glm::mat4(1), glm::translate(glm::mat4(1), glm::vec3(4, 0, 0)) * turn};
}

struct Posed {
  Character character;
  Evaluator evaluator;

  Posed(const HierarchicalBsplineParameters& parameters, std::span<const glm::mat4> joints)
      : character(test::bound(tube(), test::rig_of(parameters)).character), evaluator(character) {
    evaluator.pose(joints);
    evaluator.evaluate();
  }

  std::vector<glm::vec3> of(const std::string& mesh) const { return test::positions_of(evaluator, character, mesh); }
};

glm::vec3 by_second_joint(glm::vec3 p, float degrees) {
  return test::by_matrix(test::turn_about({4, 0, 0}, degrees))(p);
}

TEST(HierarchicalBspline, AttachedVerticesFollowTheirJoint) {
  const HierarchicalBsplineParameters surface = test::tube_surface();
  const std::vector<glm::vec3> control = Posed(surface, turned(90)).of("surface");
  for (std::uint32_t v = 0; v < control.size(); ++v) {
    if (v / kRing == 5) continue;  // the ring of the middle sub-segment
    const glm::vec3 wanted = v / kRing < 5 ? surface.control[v] : by_second_joint(surface.control[v], 90);
    EXPECT_LT(glm::distance(control[v], wanted), 1e-5f) << v;
  }
}

// Unattached control vertices follow the root; a finer level follows the coarser one, unless it is attached.
TEST(HierarchicalBspline, FinerAttachmentsOverrideCoarserOnes) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  const std::uint32_t across = 2 * kRing;
  surface.levels.push_back({.offsets = {{15 * across + 3, {}}, {15 * across + 7, {}}},
                            .attach = {{.joint = "joint0", .vertices = {{15 * across + 3, 15 * across + 3}}}}});
  const std::vector<glm::vec3> rest = Posed(surface, turned(0)).of("surface level 1");
  const std::vector<glm::vec3> control = Posed(surface, turned(90)).of("surface level 1");
  EXPECT_LT(glm::distance(control[0], rest[0]), 1e-5f) << "it is held by joint0";
  EXPECT_LT(glm::distance(control[1], by_second_joint(rest[1], 90)), 2e-5f) << "it follows its level";

  surface.levels[0].attach.clear();
  const std::vector<glm::vec3> free = Posed(surface, turned(90)).of("surface");
  for (std::uint32_t v = 0; v < free.size(); ++v) EXPECT_LT(glm::distance(free[v], surface.control[v]), 1e-6f);
}

// The skin's coordinates in the tangent-plane frame, computed here in double precision from the posed control vertices.
TEST(HierarchicalBspline, SkinKeepsItsCoordinatesInTheTangentPlane) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.frames_per_span = 0;
  const Posed posed(surface, turned(70));
  const std::vector<glm::vec3> skin = posed.of("tube");
  const std::vector<glm::vec3> rest = tube().meshes[0].positions;
  HierarchicalBsplineParameters bent = surface;
  bent.control = posed.of("surface");
  const auto before = *hierarchical_bspline::Surface::create(surface, "");
  const auto after = *hierarchical_bspline::Surface::create(bent, "");
  for (std::size_t v = 0; v < skin.size(); ++v) {
    // On a tube the closest point has the vertex's own x and angle.
    const glm::dvec2 uv(rest[v].x, std::atan2(rest[v].z, rest[v].y) / (2 * 3.14159265358979) * kRing - 1);
    const auto from = before.evaluate(0, uv);
    const auto to = after.evaluate(0, uv);
    const glm::dvec3 local = glm::transpose(from.axes()) * (glm::dvec3(rest[v]) - from.position);
    EXPECT_LT(glm::distance(glm::dvec3(skin[v]), to.position + to.axes() * local), 2e-3) << v;
  }
}

// Between frames the error of the skin is that of a chord from its arc: a fourth for half of the cells' width.
TEST(HierarchicalBspline, MoreFramesComeCloserToOneForEveryVertex) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.frames_per_span = 0;
  const std::vector<glm::vec3> exact = Posed(surface, turned(60)).of("tube");
  std::vector<float> errors;
  for (const std::uint32_t frames : {2u, 4u, 8u}) {
    surface.frames_per_span = frames;
    errors.push_back(test::farthest(exact, Posed(surface, turned(60)).of("tube")));
  }
  EXPECT_LT(errors[1], 0.4f * errors[0]);
  EXPECT_LT(errors[2], 0.4f * errors[1]);
  EXPECT_LT(errors[2], 0.01f);
}

const PalettePass& first_pass(const Character& character, PoseKernel kernel) {
  return *std::ranges::find(character->passes, kernel, &PalettePass::kernel);
}

// Returns a flat sheet whose spans are 4 m long along u, and 1 m along v; with u and v the other way round if asked.
HierarchicalBsplineParameters oblong_sheet(bool swapped) {
  HierarchicalBsplineParameters surface;
  surface.shape = swapped ? std::array{5u, 6u} : std::array{6u, 5u};
  for (std::uint32_t i = 0; i < surface.shape[0]; ++i) {
    for (std::uint32_t j = 0; j < surface.shape[1]; ++j) {
      surface.control.emplace_back(4.0f * static_cast<float>(swapped ? j : i) - 4, 0,
                                   static_cast<float>(swapped ? i : j) - 1);
    }
  }
  return surface;
}

// Cells are about 2.5 edges wide in each direction: with edges of 1/6 m, and diagonals, 0.474 m, so that the nearest
// powers of two are 8 frames to 4 m and 2 to 1 m.
TEST(HierarchicalBspline, CellsAreAsWideAsTheSkinsEdgesAskInEachDirection) {
  Model model = tube();
  Mesh mesh{.name = "tube"};
  for (std::uint32_t i = 0; i <= 72; ++i) {
    for (std::uint32_t j = 0; j <= 12; ++j) {
      const std::uint32_t v = i * 13 + j;
      mesh.positions.emplace_back(static_cast<float>(i) / 6, 0, static_cast<float>(j) / 6);
      mesh.normals.emplace_back(0, 1, 0);
      mesh.weights.append_row({{Influence{0, 1.0f}}});
      if (i == 72 || j == 12) continue;
      mesh.triangles.emplace_back(v, v + 1, v + 14);
      mesh.triangles.emplace_back(v, v + 14, v + 13);
    }
  }
  mesh.parts = {{.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size())}};
  model.meshes = {mesh};
  for (const bool swapped : {false, true}) {
    const Character character = test::bound(model, test::rig_of(oblong_sheet(swapped))).character;
    EXPECT_EQ(first_pass(character, PoseKernel::kTangentFrame).record_count, (3u * 8 + 1) * (2 * 2 + 1)) << swapped;
  }
}

// Closest points in the texture coordinates are the closest points.
TEST(HierarchicalBspline, TextureCoordinatesAreParameters) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  Model model = tube();
  for (const glm::vec3 p : model.meshes[0].positions) {
    const float around = std::atan2(p.z, p.y) / (2 * 3.14159265f) * kRing - 1;
    model.meshes[0].uvs.emplace_back(p.x / 8, around / kRing - std::floor(around / kRing));
  }
  const Character closest = test::bound(model, test::rig_of(surface)).character;
  surface.mapping = SurfaceMapping::kTextureCoordinates;
  const Character given = test::bound(model, test::rig_of(surface)).character;
  EXPECT_LT(test::farthest(test::posed(closest, turned(70), "tube"), test::posed(given, turned(70), "tube")), 2e-3f);
  EXPECT_THAT(test::bind_error(tube(), test::rig_of(surface)), HasSubstr("mesh 'tube' needs texture coordinates"));
}

TEST(HierarchicalBspline, ShapesFollowAControl) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels[0].keys = {{.control = "swell",
                             .keys = {{.at = 1, .offsets = {{20, {0, 1, 0}}}},
                                      {.at = 3, .offsets = {{20, {0, 0, 2}}}},
                                      {.at = -1, .offsets = {{20, {0.5f, 0, 0}}}}}}};
  Posed posed(surface, turned(0));
  const std::optional<std::uint32_t> control = posed.character->find_control("surface/swell");
  ASSERT_TRUE(control);
  const std::vector<std::pair<float, glm::vec3>> shapes{
      {0, {}},        {0.5f, {0, 0.5f, 0}}, {1, {0, 1, 0}},         {2, {0, 0.5f, 1}},
      {3, {0, 0, 2}}, {9, {0, 0, 2}},       {-0.5f, {0.25f, 0, 0}}, {-7, {0.5f, 0, 0}}};
  for (const auto& [value, offset] : shapes) {
    posed.evaluator.control(*control, value);
    posed.evaluator.evaluate();
    EXPECT_LT(glm::distance(posed.of("surface")[20], surface.control[20] + offset), 1e-5f) << value;
  }
}

// The offset of an attached vertex is from its joint; on finer levels, from its refined position.
TEST(HierarchicalBspline, KeysScaleTheLengthsOfOffsets) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels.push_back({.offsets = {{40, {0, 0.1f, 0.2f}}}});
  const KeyAngle turn{"joint1", {0, 0, 1}};
  surface.levels[0].keys = {{.angle = turn, .keys = {{.at = 90, .length = 0.5f}}, .vertices = {{70, 70}}}};
  surface.levels[1].keys = {{.angle = turn, .keys = {{.at = 90, .length = 3}}, .vertices = {{40, 40}}}};
  const Posed rest(surface, turned(0));
  const Posed bent(surface, turned(90));
  const glm::vec3 joint(4, 0, 0);
  EXPECT_LT(glm::distance(bent.of("surface")[70], by_second_joint(joint + 0.5f * (surface.control[70] - joint), 90)),
            1e-5f);
  // Vertex 40 of level 1 lies on the first bone, which does not turn: its offset is of length sqrt(0.05).
  const float added = glm::distance(bent.of("surface level 1")[0], rest.of("surface level 1")[0]);
  EXPECT_NEAR(added, 2 * std::sqrt(0.05f), 1e-4f);
}

// On level 1 offsets are in the tangent-plane frame: along the normal, here towards the axis of the tube.
TEST(HierarchicalBspline, KeysOfFinerLevelsAreInTheFrameOfTheLevelBefore) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels.push_back({.keys = {{.control = "dent", .keys = {{.at = 1, .offsets = {{40, {0, 0, 0.3f}}}}}}}});
  Posed posed(surface, turned(0));
  const glm::vec3 rest = posed.of("surface level 1")[0];
  posed.evaluator.control(*posed.character->find_control("surface/dent"), 1);
  posed.evaluator.evaluate();
  const glm::vec3 wanted = rest - 0.3f * glm::normalize(glm::vec3(0, rest.y, rest.z));
  EXPECT_LT(glm::distance(posed.of("surface level 1")[0], wanted), 1e-4f);
}

// Vertex 8 follows vertex 70, and vertex 72, which joint1 turns, follows the moved vertex 8. Vertex 70 moves with
// joint1 by a way that the test computes; vertex 8 is shifted by it, half of the key's at half of its way, and all of
// it beyond.
TEST(HierarchicalBspline, OneVertexFollowsAnother) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  const glm::vec3 axis(0, 1, 0);
  surface.levels[0].keys = {
      {.follow = SurfaceFollow{0, 70, 2.0f * axis}, .keys = {{.at = 2, .offsets = {{8, {0, 0, 1}}}}}}};
  for (const float degrees : {0.0f, 10.0f, 25.0f, 80.0f}) {
    const float moved = glm::dot(by_second_joint(surface.control[70], degrees) - surface.control[70], axis);
    const glm::vec3 shift(0, 0, std::clamp(moved / 2, 0.0f, 1.0f));
    const Posed posed(surface, turned(degrees));
    EXPECT_LT(glm::distance(posed.of("surface following")[0], surface.control[8] + shift), 1e-5f) << degrees;
  }
}

TEST(HierarchicalBspline, VerticesFollowOneThatFollows) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels[0].keys = {
      {.follow = SurfaceFollow{0, 70, {0, 1, 0}}, .keys = {{.at = 100, .offsets = {{8, {0, 0, 100}}}}}},
      {.follow = SurfaceFollow{0, 8, {0, 0, 1}}, .keys = {{.at = 100, .offsets = {{72, {50, 0, 0}}}}}}};
  const float moved = by_second_joint(surface.control[70], 60).y - surface.control[70].y;
  const std::vector<glm::vec3> control = Posed(surface, turned(60)).of("surface following 2");
  const glm::vec3 shift = glm::mat3(turned(60)[1]) * glm::vec3(0.5f * moved, 0, 0);
  EXPECT_LT(glm::distance(control[0], by_second_joint(surface.control[72], 60) + shift), 2e-5f);
}

// A vertex that is nearer at bind than its limit is kept at its distance then. A joint's bone goes to the mean of its
// children, that of the last joint on as far as the one before.
TEST(HierarchicalBspline, LimitsAreAtMostTheDistanceAtBind) {
  Model model = test::make_tube({.around = 12, .along = 32, .joints = 4});  // at x = 0, 2, 4, 6
  model.skeleton.joints.push_back({.name = "side", .parent = 1});
  model.skeleton.joints.back().rest.translation = {2, 3, 0};
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels[0].attach.clear();
  surface.levels[0].limits = {{SurfaceLimitKind::kDistance, "joint0", 1, {{8, 8}}},
                              {SurfaceLimitKind::kDistance, "joint0", 100, {{9, 9}, {40, 40}}},
                              {SurfaceLimitKind::kBisector, "joint1", 100, {{10, 10}, {80, 80}}},
                              {SurfaceLimitKind::kDistance, "joint3", 1, {{80 + 1, 80 + 1}}}};
  const Character character = test::bound(model, test::rig_of(surface)).character;
  const PalettePass& pass = first_pass(character, PoseKernel::kLimit);
  ASSERT_EQ(pass.record_count, 6u);
  const auto record = [&](std::size_t i) { return read_record<shared::LimitRecord>(pass.records, i); };
  const std::vector<glm::vec3>& control = surface.control;
  EXPECT_EQ(record(0).distance, 1);
  EXPECT_EQ(record(0).bone, glm::vec3(2, 0, 0));
  EXPECT_NEAR(record(1).distance, glm::length(glm::vec2(control[9].y, control[9].z)), 1e-5f);  // from the bone
  const glm::vec3 arriving(1, 0, 0);
  const glm::vec3 normal = glm::normalize(arriving + glm::normalize(glm::vec3(2, 1.5f, 0)));
  EXPECT_LT(glm::distance(record(2).bone, glm::vec3(2, 1.5f, 0)), 1e-6f);
  for (const auto& [i, v] : {std::pair{2u, 10u}, std::pair{4u, 80u}}) {
    const float above = glm::dot(control[v] - glm::vec3(2, 0, 0), normal);
    EXPECT_NEAR(record(i).distance, std::abs(above), 1e-5f);
    EXPECT_EQ(record(i).side, above < 0 ? -1 : 1);
  }
  EXPECT_NEAR(record(3).distance, glm::distance(control[40], glm::vec3(2, 0, 0)), 1e-5f);  // beyond its end
  EXPECT_EQ(record(5).bone, glm::vec3(2, 0, 0));
}

// W = R + O: the refined position, of (1 6 1) / 8 in each direction, and the offset, key and move turned by the root.
TEST(HierarchicalBspline, PlainOffsetsTurnWithTheRootOnly) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  constexpr std::uint32_t kNumber = 9 * 16 + 5;  // refined from (4..6, 2..4)
  const glm::vec3 offset(0.1f, 0.5f, -0.2f), key(0, 0.3f, 0.1f), move(0.2f, 0, 0);
  surface.levels.push_back({.offsets = {{kNumber, offset}},
                            .moves = {{kNumber, move}},
                            .attach = {{.plain = true, .vertices = {{kNumber, kNumber}}}},
                            .keys = {{.control = "on", .keys = {{.at = 1, .offsets = {{kNumber, key}}}}}}});
  const glm::mat4 root = test::rigid_motion();
  std::vector<glm::mat4> joints = turned(110);
  for (glm::mat4& joint : joints) joint = root * joint;
  Posed posed(surface, joints);
  posed.evaluator.control(*posed.character->find_control("surface/on"), 1);
  posed.evaluator.evaluate();
  const std::vector<glm::vec3> base = posed.of("surface");
  glm::dvec3 wanted = glm::dmat3(root) * glm::dvec3(offset + key + move);
  const double mask[] = {0.125, 0.75, 0.125};
  for (std::uint32_t a = 0; a < 3; ++a) {
    for (std::uint32_t b = 0; b < 3; ++b) wanted += mask[a] * mask[b] * glm::dvec3(base[(4 + a) * kRing + 2 + b]);
  }
  EXPECT_LT(glm::distance(glm::dvec3(posed.of("surface level 1 shifted")[0]), wanted), 2e-5);
  surface.levels = {surface.levels[0]};
  surface.levels[0].attach = {{.plain = true, .vertices = {{0, 7}}}};
  EXPECT_THAT(test::bind_error(tube(), test::rig_of(surface)), HasSubstr("level 0 has no level before it"));
}

// A sub-segment turns about its middle, which is on the parabola between both bones; they also move with the joints.
TEST(HierarchicalBspline, SubSegmentsWithALengthLieOnAnArc) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  constexpr double kLength = 3;
  for (const std::uint32_t segment : {1u, 2u, 4u}) {
    surface.levels[0].attach[1] = {
        .joint = "joint1", .segment = segment, .segments = 4, .length = kLength, .vertices = {{40, 47}}};
    const double x = (segment - 0.5) / 4;
    const glm::dvec3 joint(4, 0, 0), bone(1, 0, 0);
    const glm::dmat3 turn(turned(100)[1]), part(turned(static_cast<float>(100 * x))[1]);
    const glm::dvec3 before = joint + kLength / 2 * (x * x - (1 - x) * (1 - x)) * bone;
    const glm::dvec3 after = joint + kLength / 2 * (x * x * (turn * bone) - (1 - x) * (1 - x) * bone);
    const std::vector<glm::vec3> control = Posed(surface, turned(100)).of("surface shifted");
    for (std::uint32_t v = 0; v < kRing; ++v) {
      const glm::dvec3 wanted = part * (glm::dvec3(surface.control[40 + v]) - before) + after;
      EXPECT_LT(glm::distance(glm::dvec3(control[v]), wanted), 2e-5) << segment << " " << v;
    }
    std::vector<glm::mat4> apart = turned(0);
    apart[1][3].y += 1;
    const glm::vec3 moved = Posed(surface, apart).of("surface shifted")[0] - surface.control[40];
    EXPECT_LT(glm::distance(moved, glm::vec3(0, x, 0)), 2e-5f) << "the joint moves in its parent";
  }
}

TEST(HierarchicalBspline, SeparatedVerticesKeepTheirDistance) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels[0].separations = {{8, 4, {{72, 72}}}, {8, 100, {{64, 64}}}};
  const Posed posed(surface, turned(150));
  const std::vector<glm::vec3> free = posed.of("surface"), kept = posed.of("surface separated");
  const glm::vec3 other = surface.control[8];
  const float at_bind = glm::distance(surface.control[64], other);
  for (const auto& [v, i, distance] : {std::tuple{64u, 0u, at_bind}, std::tuple{72u, 1u, 4.0f}}) {
    ASSERT_LT(glm::distance(free[v], other), distance);
    EXPECT_LT(glm::distance(kept[i], other + distance * glm::normalize(free[v] - other)), 2e-5f) << v;
  }
}

// The turn that sub-segments of a third joint share is that against the second, whatever the first does.
TEST(HierarchicalBspline, SubSegmentsShareTheTurnAgainstTheirParent) {
  const Model model = test::make_tube({.around = 12, .along = 32, .joints = 4});
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels[0].attach = {{.joint = "joint2", .segment = 1, .segments = 2, .vertices = {{40, 47}}}};
  const Character character = test::bound(model, test::rig_of(surface)).character;
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  const auto about = [](float x, float degrees) { return test::turn_about({x, 0, 0}, degrees); };
  const glm::mat4 second = about(2, 30);
  for (const std::size_t j : {1u, 2u, 3u}) joints[j] = second * joints[j];
  for (const std::size_t j : {2u, 3u}) joints[j] = second * about(4, 40) * glm::inverse(second) * joints[j];
  const std::vector<glm::vec3> control = test::posed(character, joints, "surface");
  for (std::uint32_t v = 40; v < 48; ++v) {
    const glm::vec3 wanted(second * about(4, 10) * glm::vec4(surface.control[v], 1));  // a quarter of 40
    EXPECT_LT(glm::distance(control[v], wanted), 2e-5f) << v;
  }
}

// Skin beyond the last joint of a curve follows that joint; skin before the bend stays.
TEST(HierarchicalBspline, LimitsHoldVerticesBack) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  // Rings 5 and 6 are carried by joint1 whole: at 90 degrees they cross the plane that bisects the joint.
  surface.levels[0].attach[1].segments = 1;
  surface.levels[0].attach[1].segment = 1;
  surface.levels[0].limits = {{SurfaceLimitKind::kBisector, "joint1", 0.05f, {{6 * kRing, 7 * kRing - 1}}},
                              {SurfaceLimitKind::kDistance, "joint0", 0.8f, {{7 * kRing, 8 * kRing - 1}}}};
  const Posed rest(surface, turned(0));
  EXPECT_LT(test::farthest(rest.of("tube"), tube().meshes[0].positions), 2e-5f);
  const Posed bent(surface, turned(140));
  const std::vector<glm::vec3> free = bent.of("surface");
  const std::vector<glm::vec3> held = bent.of("surface limited");
  const float half = glm::radians(70.0f);
  const glm::vec3 normal(std::cos(half), std::sin(half), 0);  // of the bisecting plane, towards joint1's bone
  bool crossed = false;
  for (std::uint32_t v = 0; v < kRing; ++v) {
    const float above = glm::dot(free[6 * kRing + v] - glm::vec3(4, 0, 0), normal);
    const float now = glm::dot(held[v] - glm::vec3(4, 0, 0), normal);
    crossed = crossed || above < 0.05f;
    EXPECT_NEAR(now, std::max(above, 0.05f), 1e-5f) << v;
  }
  EXPECT_TRUE(crossed);
  bool touched = false;
  for (std::uint32_t v = 0; v < kRing; ++v) {
    const auto from_bone = [](glm::vec3 p) { return glm::distance(p, glm::vec3(std::clamp(p.x, 0.0f, 4.0f), 0, 0)); };
    touched = touched || from_bone(free[7 * kRing + v]) < 0.8f;
    EXPECT_NEAR(from_bone(held[kRing + v]), std::max(from_bone(free[7 * kRing + v]), 0.8f), 1e-5f) << v;
  }
  EXPECT_TRUE(touched);
}

TEST(HierarchicalBspline, CurvesCarryControlVertices) {
  const test::TubeOptions options{.around = 12, .along = 32, .joints = 4};
  HierarchicalBsplineParameters surface = test::tube_surface(options);
  surface.levels[0].attach = {{.curve = {"joint0", "joint1", "joint2", "joint3"}, .vertices = {{0, 11 * kRing - 1}}}};
  const Model model = test::make_tube(options);
  const Character character = test::bound(model, test::rig_of(surface)).character;
  Evaluator evaluator(character);
  evaluator.evaluate();
  EXPECT_LT(test::farthest(test::positions_of(evaluator, character, "surface"), surface.control), 2e-5f);
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  const glm::mat4 bend = test::turn_about({4, 0, 0}, 60);
  for (const std::size_t j : {2u, 3u}) joints[j] = bend * joints[j];
  evaluator.pose(joints);
  evaluator.evaluate();
  const std::vector<glm::vec3> bent = test::positions_of(evaluator, character, "surface");
  for (std::uint32_t v = 0; v < kRing; ++v) {
    EXPECT_LT(glm::distance(bent[v], surface.control[v]), 0.1f) << v;
    const std::uint32_t last = 10 * kRing + v;
    EXPECT_LT(glm::distance(bent[last], glm::vec3(bend * glm::vec4(surface.control[last], 1))), 0.3f) << v;
  }
}

TEST(HierarchicalBspline, SaysWhatLiesBeyondTheCurvature) {
  const HierarchicalBsplineParameters surface = test::tube_surface();
  Model model = tube();
  model.meshes[0].positions[70] = {5, -0.02f, 0.01f};  // across the axis
  const Bound bound = test::bound(model, test::rig_of(surface));
  const auto& notes = bound.report.notes;
  const auto says = [](const std::string& note) { return note.find("radius of curvature") != std::string::npos; };
  EXPECT_EQ(std::ranges::count_if(notes, says), 0) << "its closest point is on its own side";

  HierarchicalBsplineParameters given = surface;
  given.mapping = SurfaceMapping::kTextureCoordinates;
  model = tube();
  for (const glm::vec3 p : model.meshes[0].positions) {
    const float around = std::atan2(p.z, p.y) / (2 * 3.14159265f) - 1.0f / kRing;
    model.meshes[0].uvs.emplace_back(p.x / 8, around - std::floor(around));
  }
  glm::vec3& deep = model.meshes[0].positions[70];
  deep = {deep.x, -0.3f * deep.y, -0.3f * deep.z};               // 1.3 radii below its position
  model.meshes[0].positions[100] *= glm::vec3(1, -0.1f, -0.1f);  // less far
  const Bound far = test::bound(model, test::rig_of(given));
  const auto note = std::ranges::find_if(far.report.notes, says);
  ASSERT_NE(note, far.report.notes.end());
  EXPECT_THAT(*note, HasSubstr("2 vertices of mesh 'tube' are farther from the surface than its radius of curvature; "
                               "the farthest is vertex 70, 1.3 m off"));
}

// Over a bowl of radius 4, the surface turns over in both directions at once.
TEST(HierarchicalBspline, SaysWhatLiesBeyondBothCentresOfCurvature) {
  HierarchicalBsplineParameters surface;
  surface.shape = {5, 5};
  surface.mapping = SurfaceMapping::kTextureCoordinates;
  for (int i = -2; i <= 2; ++i) {
    for (int j = -2; j <= 2; ++j) surface.control.emplace_back(i, static_cast<float>(i * i + j * j) / 8, j);
  }
  Model model = tube();
  Mesh& mesh = model.meshes[0];
  mesh.uvs.assign(mesh.positions.size(), glm::vec2(0.5f));
  for (const float height : {3.0f, 6.0f}) {
    std::ranges::fill(mesh.positions, glm::vec3(0, height, 0));
    const Bound bound = test::bound(model, test::rig_of(surface));
    EXPECT_EQ(!bound.report.notes.empty() && bound.report.notes.back().find("radius of curvature") != std::string::npos,
              height > 4)
        << height;
  }
}

TEST(HierarchicalBspline, RefusesWhatIsWrongAndNamesThePlace) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  const auto expect_refused = [&](const char* why) {
    EXPECT_THAT(test::bind_error(tube(), test::rig_of(surface)), HasSubstr(why));
    surface = test::tube_surface();
  };
  surface.levels[0].attach[0].joint = "joint7";
  expect_refused("joint7");
  surface.levels[0].attach[0].vertices.push_back({80, 80});
  expect_refused("vertex 80 is attached twice");
  surface.levels[0].secondary = {{.vertices = {{80, 80}}}, {.vertices = {{80, 80}}}};
  expect_refused("vertex 80 swings twice");
  surface.levels.push_back({.secondary = {{.vertices = {{40, 40}}}}});
  expect_refused("vertex 40 cannot swing");
  surface.levels[0].limits.assign(2, {SurfaceLimitKind::kDistance, "joint0", 1, {{9, 9}}});
  expect_refused("vertex 9 is limited twice");
  const SurfaceKey lifted{.offsets = {{1, {0, 1, 0}}}};
  surface.levels[0].keys = {{.follow = SurfaceFollow{1, 3}, .keys = {lifted}}};
  expect_refused("vertex 3 of level 1");
  surface.levels[0].keys = {{.follow = SurfaceFollow{0, 3, {}}, .keys = {lifted}}};
  expect_refused("has no direction");
  surface.levels[0].keys = {{.control = "a", .keys = {lifted, lifted}}};
  expect_refused("keys must be at different values");
  surface.levels[0].attach[0] = {.curve = {"joint0"}, .vertices = {{0, 7}}};
  expect_refused("curve");
}

}  // namespace
}  // namespace pelt
