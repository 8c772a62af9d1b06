// SPDX-License-Identifier: MIT
#include <cmath>

#include <pelt/builtin.h>
#include <pelt/evaluate.h>
#include <pelt/tools/inspect.h>

#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/stretched.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

// Returns the skin of a model of this mesh, with tangents along x. `split`: with corners of its own for each triangle.
CharacterMesh skin_of(Mesh mesh, bool split = false) {
  if (mesh.normals.empty()) mesh.normals.assign(mesh.positions.size(), glm::vec3(0, 0, 1));
  mesh.weights = test::rows_on(0, mesh.positions.size());
  if (split) mesh = test::split(mesh);
  mesh.tangents.assign(mesh.positions.size(), glm::vec4(1, 0, 0, -1));
  Model model = test::make_tube();
  model.meshes = {std::move(mesh)};
  return test::bound_with(model, "linear_blend").character->meshes[0];
}

// Expects the tension of a skin whose points are moved by `move` to be `wanted(point)`, within `most` steps.
template <class Move, class Wanted>
void expect_tension(const CharacterMesh& skin, const Move& move, const Wanted& wanted, int most) {
  std::vector<glm::vec3> posed;
  for (const glm::vec3& p : skin.binding.points) posed.push_back(move(p));
  const std::vector<glm::i8vec2> tension = tension_of(skin, posed);
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const glm::ivec2 off = glm::ivec2(tension[v]) - glm::ivec2(wanted(skin.binding.points[v]));
    ASSERT_LE(std::max(std::abs(off.x), std::abs(off.y)), most) << "vertex " << v;
  }
}

TEST(Tension, OfAStripIsItsScale) {
  for (const bool split : {false, true}) {
    const CharacterMesh skin = skin_of(test::make_grid(6), split);
    const auto expect_steps = [&](glm::vec3 scale, glm::ivec2 steps) {
      expect_tension(
          skin, [&](glm::vec3 p) { return p * scale + 5.0f; }, [&](glm::vec3) { return steps; }, 0);
    };
    expect_steps({1, 1, 1}, {0, 0});
    expect_steps({1.5f, 0.75f, 1}, {74, -53});  // 127 log2 1.5 and 127 log2 0.75
    expect_steps({2, 0.5f, 1}, {127, -127});
    expect_steps({9, 0, 1}, {127, -127});
    // A fold stretches nothing.
    const auto fold = [](glm::vec3 p) { return p.x < 3 ? p : glm::vec3(3, p.y, p.x - 3); };
    expect_tension(
        skin, fold, [](glm::vec3) { return glm::ivec2(0); }, 0);
  }
}

// Bent along a circle of curvature k, the tube is 1 - k y as long.
TEST(Tension, OfABentTubeFollowsItsSides) {
  constexpr float k = 0.2f;
  const CharacterMesh skin = skin_of(test::make_tube_mesh({.around = 32, .along = 64}));
  const auto bend = [&](glm::vec3 p) {
    const float radius = 1 / k - p.y;
    return glm::vec3(radius * std::sin(k * p.x), 1 / k - radius * std::cos(k * p.x), p.z);
  };
  expect_tension(
      skin, bend, [&](glm::vec3 p) { return glm::ivec2(std::lround(127 * std::log2(1 - k * p.y)), 0); },
      3);  // 3 steps: 2%
}

TEST(Tension, OfTheBipedIsThatOfItsPosedTriangles) {
  const Character character = test::bound_with(make_biped(), "surface_ffd").character;
  Evaluator evaluator(character, {.tension = true});
  const Clip* clip = find_clip(character->clips, "flex");
  evaluator.pose(test::clip_joints(character->skeleton, clip, 1.3f));
  evaluator.evaluate();
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    test::expect_tension_of_triangles(mesh, evaluator.positions().subspan(mesh.first_vertex, mesh.vertex_count()),
                                      evaluator.tension().subspan(mesh.first_vertex, mesh.vertex_count()));
  }
}

}  // namespace
}  // namespace pelt
