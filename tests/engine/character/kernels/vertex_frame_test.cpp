// SPDX-License-Identifier: MIT
// Frames of driver vertices that no function moves (shaders/driver/vertex_frame/pose.h): a streamed cage, and the
// effect of its frames on the skin.
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/finite.h>
#include <pelt/surface_ffd.h>

#include "shaders/driver/vertex_frame/pose.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

using test::by_matrix;
using test::worst_distance;

Rig streamed_rig() {
  SurfaceFfdParameters parameters = test::by_cage();
  parameters.driver.follow = Follow::kStreamed;
  return test::rig_of(parameters, "tube");
}

// Makes a model of a tube and a cage with these corners, which moves the tube.
std::function<Model()> with_cage(std::vector<glm::vec3> positions, std::vector<glm::uvec3> triangles) {
  return [=] {
    Model model = test::make_tube();
    model.meshes.push_back({.name = "cage", .positions = positions, .triangles = triangles});
    return model;
  };
}

// Positions of the skin when `move` moves the cage's vertices.
std::vector<glm::vec3> skin_after(const Character& character, const std::function<glm::vec3(glm::vec3)>& move) {
  Evaluator evaluator(character, {.control_meshes = true});
  evaluator.stream(0, test::moved_points(character, "cage", move));
  evaluator.evaluate();
  for (const glm::vec3 normal : evaluator.normals()) EXPECT_NEAR(glm::length(normal), 1, 1e-3);
  return test::positions_of(evaluator, character, "tube");
}

struct Cage {
  const char* name;
  std::function<Model()> make;
};

void PrintTo(const Cage& cage, std::ostream* out) { *out << cage.name; }

// A cage with two faces on the same vertices, the second of which may face the opposite direction.
Model doubled(bool flipped) {
  Model model = test::make_tube_in_cage();
  Mesh& cage = model.meshes[1];
  for (const glm::uvec3 t : std::vector(cage.triangles)) {
    cage.triangles.push_back(flipped ? glm::uvec3(t.x, t.z, t.y) : t);
  }
  cage.parts = {};
  return model;
}

const std::vector<Cage>& cages() {
  static const std::vector<Cage> list{
      {"Tube", [] { return test::make_tube_in_cage(); }},
      {"Doubled", [] { return doubled(false); }},
      {"TwoSided", [] { return doubled(true); }},
      {"TwoSidedSheet",
       with_cage({{0, 1, -1}, {8, 1, -1}, {8, 1, 1}, {0, 1, 1}}, {{0, 1, 2}, {0, 2, 3}, {0, 2, 1}, {0, 3, 2}})},
      {"Fin", with_cage({{0, 0, 0}, {8, 0, 0}, {4, 2, 0}, {4, -1, 2}, {4, -1, -2}}, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}})},
      {"OneTriangle", with_cage({{0, 1, 0}, {8, 1, 0}, {4, 1, 3}}, {{0, 1, 2}})},
      {"WithAPoint", with_cage({{0, 1, 0}, {8, 1, 0}, {4, 1, 3}, {9, 9, 9}}, {{0, 1, 2}})},
      {"WithATriangleWithoutArea", with_cage({{0, 1, 0}, {8, 1, 0}, {4, 1, 3}, {4, 1, 0}}, {{0, 1, 2}, {0, 3, 1}})},
      {"TwoTrianglesAtOneCorner",
       with_cage({{4, 1, 0}, {0, 1, -1}, {0, 1, 1}, {8, 1, -1}, {8, 1, 1}}, {{0, 1, 2}, {0, 4, 3}})},
  };
  return list;
}

class EstimatedFrames : public testing::TestWithParam<Cage> {
 protected:
  EstimatedFrames() : model_(GetParam().make()), character_(test::bound(model_, streamed_rig()).character) {}

  Model model_;
  Character character_;
};

TEST_P(EstimatedFrames, ImpartASimilarityExactly) {
  for (const float size : {1.0f, 2.5f, 0.2f}) {
    const auto similar = by_matrix(glm::scale(test::rigid_motion(), glm::vec3(size)));
    EXPECT_LT(worst_distance(model_.meshes[0].positions, skin_after(character_, similar), similar),
              5 * test::kTubeTolerance * std::max(size, 1.0f))
        << size;
  }
}

TEST_P(EstimatedFrames, OfACrushedDriverAreFinite) {
  const std::function<glm::vec3(glm::vec3)> motions[] = {
      [](glm::vec3) { return glm::vec3(1, 2, 3); },
      [](glm::vec3 p) { return glm::vec3(p.x, 0, 0); },
      [](glm::vec3 p) { return glm::vec3(p.x, p.y, 0); },
      [](glm::vec3 p) { return glm::vec3(p.x, -p.y, p.z); },
      [](glm::vec3 p) { return p * 1e-20f; },
      [](glm::vec3 p) { return p * 1e12f; },
      [](glm::vec3 p) { return p + 1e7f; },
  };
  for (std::size_t m = 0; m < std::size(motions); ++m) {
    for (const glm::vec3 position : skin_after(character_, motions[m])) ASSERT_TRUE(is_finite(position)) << m;
  }
}

INSTANTIATE_TEST_SUITE_P(Cages, EstimatedFrames, testing::ValuesIn(cages()), testing::PrintToStringParamName());

// The driver has a function that moves its frames, but is asked to estimate them.
TEST(EstimatedFramesOfASkinnedDriver, FollowTheSkeletonNearlyAsItsOwnDo) {
  const Model model = test::make_tube_in_cage();
  SurfaceFfdParameters parameters = test::by_cage();
  const Character exact = test::bound(model, test::rig_of(parameters, "tube")).character;
  parameters.driver.estimate_frames = true;
  const Character estimated = test::bound(model, test::rig_of(parameters, "tube")).character;
  const std::vector<glm::mat4> joints = test::bent(model, 40);
  const float most = test::farthest(test::posed(exact, joints, "tube"), test::posed(estimated, joints, "tube"));
  EXPECT_GT(most, 1e-4f) << "the frames are not estimated";
  EXPECT_LT(most, 0.1f);
}

}  // namespace
}  // namespace pelt
