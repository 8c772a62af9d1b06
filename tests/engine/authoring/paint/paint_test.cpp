// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <set>
#include <utility>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/paint.h>

#include "engine/authoring/model/mesh_weights.h"
#include "tests/engine/authoring/paint/blocks.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/shared_files.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using namespace test::paint;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Expects a limb of 16 blocks along x to follow the joint at x = 0, then that at x = 8, with a transition between.
void expect_limb(const Mesh& mesh) {
  for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
    if (p.x < 5) {
      EXPECT_GT(weight_of(mesh, v, 0), 0.9f) << "x = " << p.x;
    }
    if (p.x > 11) {
      EXPECT_GT(weight_of(mesh, v, 1), 0.9f) << "x = " << p.x;
    }
    if (p.x == 8) {
      EXPECT_NEAR(weight_of(mesh, v, 0), 0.5f, 0.1f);
    }
  });
}

const std::vector<Place> kLimb{{"upper", -1, {0, 1.5f, 1.5f}}, {"lower", 0, {8, 1.5f, 1.5f}}};

// Closed, open at both ends, and turned inside out.
TEST(PaintWeights, DividesALimbAtItsJoint) {
  const Mesh limb = blocks(box({0, 0, 0}, {16, 3, 3}));
  expect_limb(painted(limb, kLimb));
  Mesh tube = limb;
  std::erase_if(tube.triangles, [&](const glm::uvec3& t) {
    const float x = tube.positions[t.x].x;
    return x == tube.positions[t.y].x && x == tube.positions[t.z].x;
  });
  expect_limb(painted(tube, kLimb));
  Mesh inside_out = limb;
  for (glm::uvec3& t : inside_out.triangles) std::swap(t.y, t.z);
  expect_limb(painted(inside_out, kLimb));
}

TEST(PaintWeights, DividesASheet) {
  Mesh sheet = blocks(box({0, 0, 0}, {16, 6, 1}));
  std::erase_if(sheet.triangles, [&](const glm::uvec3& t) {
    return sheet.positions[t.x].z + sheet.positions[t.y].z + sheet.positions[t.z].z != 0;
  });
  const Mesh mesh = painted(sheet, {{"upper", -1, {0, 3, 0}}, {"lower", 0, {8, 3, 0}}});
  for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
    if (p.z != 0) return;
    if (p.x < 4) {
      EXPECT_EQ(mesh.weights.row(v)[0].index, 0u);
    }
    if (p.x > 12) {
      EXPECT_EQ(mesh.weights.row(v)[0].index, 1u);
    }
  });
}

TEST(PaintWeights, GoesAroundAHole) {
  std::set<Cell> cells = box({0, 0, 0}, {8, 20, 2});
  for (int x = 2; x < 6; ++x) {
    for (int y = 4; y < 20; ++y) {
      for (int z = 0; z < 2; ++z) cells.erase({x, y, z});
    }
  }
  const Mesh mesh = painted(blocks(cells), {{"root", -1, {4, 1, 1}},
                                            {"left", 0, {1, 2, 1}},
                                            {"left_end", 1, {1, 20, 1}},
                                            {"right", 0, {7, 2, 1}},
                                            {"right_end", 3, {7, 20, 1}}});
  for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
    if (p.y >= 10) {
      EXPECT_EQ(weight_of(mesh, v, p.x < 4 ? 3 : 1), 0) << p.x << " " << p.y;
    }
  });
}

TEST(PaintWeights, KeepsAnArmFromTheTrunkThatItBeginsIn) {
  const Mesh mesh =
      painted(blocks(box({-18, 20, 2}, {18, 22, 4}, box({-6, 0, 0}, {6, 24, 6}))), {{"hip", -1, {0, 0, 3}},
                                                                                    {"chest", 0, {0, 12, 3}},
                                                                                    {"head", 1, {0, 24, 3}},
                                                                                    {"arm_a", 1, {-4, 21, 3}},
                                                                                    {"hand_a", 3, {-14, 21, 3}},
                                                                                    {"arm_b", 1, {4, 21, 3}},
                                                                                    {"hand_b", 5, {14, 21, 3}}});
  for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
    const float arms = weight_of(mesh, v, 3) + weight_of(mesh, v, 5);
    if (std::abs(p.x) > 8 && std::abs(p.x) < 13) {
      EXPECT_GT(arms, 0.6f) << p.x << " " << p.y;
    }
    if (std::abs(p.x) <= 6 && p.y < 19) {
      EXPECT_LT(arms, 0.3f) << p.x << " " << p.y << " " << p.z;
    }
  });
}

TEST(PaintWeights, MovesAnEyeInOnePiece) {
  std::set<Cell> head = box({0, 0, 0}, {8, 8, 8});
  std::set<Cell> eye = box({0, 0, 0}, {1, 1, 1});
  Mesh ball = blocks(eye);
  for (glm::vec3& p : ball.positions) p += kEdge * glm::vec3(2, 5, 7.2f);
  ball.name = "eye";
  const Model model = painted(model_of(
      {blocks(head), ball},
      {{"neck", -1, {4, -4, 4}}, {"head", 0, {4, 1, 4}}, {"eye", 1, {2.5f, 5.5f, 7.7f}}, {"top", 1, {4, 8, 4}}}));
  for (std::size_t v = 0; v < ball.positions.size(); ++v) EXPECT_EQ(weight_of(model.meshes[1], v, 2), 1);
}

// A leg that ends in a foot: its ankle is near the sole, far from the toes.
TEST(PaintWeights, TurnsTheLastBoneToTheSkinBeyondIt) {
  const Mesh mesh =
      painted(blocks(box({0, 0, 0}, {3, 2, 9}, box({0, 0, 0}, {3, 16, 3}))),
              {{"hip", -1, {1.5f, 15, 1.5f}}, {"knee", 0, {1.5f, 8, 1.5f}}, {"ankle", 1, {1.5f, 1.5f, 1.5f}}});
  for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
    if (p.z > 5) {
      EXPECT_GT(weight_of(mesh, v, 2), 0.9f) << p.y << " " << p.z;
    }
    if (p.y > 5 && p.y < 7) {
      EXPECT_GT(weight_of(mesh, v, 1), 0.5f) << p.y << " " << p.z;
    }
  });
}

// A wall round its bones, open above and below.
TEST(PaintWeights, MovesClothesWithoutABody) {
  std::set<Cell> cells = box({0, 0, 0}, {12, 24, 12});
  std::erase_if(cells, [](const Cell& cell) {
    const auto [x, y, z] = cell;
    const float radius = std::hypot(static_cast<float>(x) - 5.5f, static_cast<float>(z) - 5.5f);
    return radius < 4.6f || radius > 6;
  });
  const Mesh mesh =
      painted(blocks(cells), {{"spine", -1, {6, 6, 6}}, {"chest", 0, {6, 12, 6}}, {"neck", 1, {6, 17, 6}}});
  for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
    const std::uint32_t wanted = p.y < 10 ? 0 : p.y > 13 && p.y < 16 ? 1 : 3;
    if (wanted < 3) {
      EXPECT_EQ(mesh.weights.row(v)[0].index, wanted) << p.x << " " << p.y << " " << p.z;
    }
  });
}

TEST(PaintWeights, ContinuesLooseJointsAlongTheirAxes) {
  const Mesh mesh =
      painted(blocks(box({8, 2, 2}, {24, 4, 4}, box({0, 0, 0}, {8, 6, 6}))),
              {{"tip", -1, {22, 3, 3}}, {"b", -1, {14, 3, 3}}, {"palm", -1, {2, 3, 3}}, {"a", -1, {8, 3, 3}}});
  for_vertices(mesh, [&](std::size_t v, const glm::vec3& p) {
    if (p.x == 12) {
      EXPECT_EQ(mesh.weights.row(v)[0].index, 3u);
    }
    if (p.x == 20) {
      EXPECT_EQ(mesh.weights.row(v)[0].index, 1u);
    }
  });
}

TEST(PaintWeights, GivesControlsNothing) {
  std::vector<Place> places = kLimb;
  places.push_back({"end", 1, {14, 1.5f, 1.5f}});
  places.push_back({"control", -1, {8, 1.5f, 1.5f}});
  const Mesh mesh = painted(blocks(box({0, 0, 0}, {16, 3, 3})), places);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) EXPECT_EQ(weight_of(mesh, v, 3), 0);
}

// Two small parts next to the joint of a limb, one in the other; neither would follow one joint by itself.
TEST(PaintWeights, MovesTeethWithTheirGums) {
  std::set<Cell> block = box({0, 0, 0}, {1, 1, 1});
  Mesh gums = blocks(block);
  Mesh tooth = gums;
  for (glm::vec3& p : gums.positions) p = p * glm::vec3(1, 0.2f, 0.2f) + kEdge * glm::vec3(7.6f, 3.1f, 1.4f);
  for (glm::vec3& p : tooth.positions) p = p * 0.1f + kEdge * glm::vec3(7.7f, 3.15f, 1.45f);
  const Model model = painted(model_of({blocks(box({0, 0, 0}, {16, 3, 3})), gums, tooth}, kLimb));
  for (const std::size_t m : {1, 2}) {
    for (std::size_t v = 0; v < gums.positions.size(); ++v) EXPECT_EQ(weight_of(model.meshes[m], v, 1), 1) << m;
  }
}

TEST(PaintWeights, RefusesASkinWithoutJointsInIt) {
  const std::uint32_t first = 0;
  const Model model = model_of({blocks(box({0, 0, 0}, {4, 4, 4}))}, {{"far", -1, {40, 0, 0}}});
  EXPECT_TRUE(test::refused(paint_weights(model, std::span(&first, 1)), "no joint is in the skin"));
}

// ---- Models

// A limb on a node of its own, next to its skeleton.
Model limb_beside() {
  Model model = make_limb();
  const std::uint32_t node = add_joint(model, "skin", -1, {});
  model.bound_joints = {{node, glm::mat4(1.0f)}};
  Mesh& mesh = model.meshes[0];
  const std::size_t count = mesh.positions.size();
  mesh.weights = {};
  const Influence whole{0, 1.0f};
  for (std::size_t v = 0; v < count; ++v) mesh.weights.append_row({&whole, 1});
  return model;
}

TEST(PaintModel, PaintsAMeshBesideItsSkeleton) {
  for (const char* deformer : {"linear-blend", "surface-ffd", "curve-skeleton", "mos"}) {
    const Bound bound = test::must(bind(limb_beside(), test::must(rig_from_deformer_name(deformer))));
    EXPECT_THAT(bound.report.notes, testing::Contains(HasSubstr("weights were made for"))) << deformer;
    EXPECT_GT(bound.report.meshes[0].max_influences, 1u) << deformer;
  }
}

TEST(PaintModel, TakesTheBindPoseOfAnUnusedSkinIfItFits) {
  Model model = limb_beside();
  const std::vector<BoundJoint> unused = make_limb().bound_joints;
  model.bound_joints.insert(model.bound_joints.end(), unused.begin(), unused.end());
  const Model given = model;
  EXPECT_THAT(test::must(paint_model(model, PaintMode::kAuto)), Not(HasSubstr("unused skin")));
  model = given;
  model.skeleton.joints[0].rest.translation += glm::vec3(100, 0, 0);
  EXPECT_THAT(test::must(paint_model(model, PaintMode::kAuto)), HasSubstr("as the file's unused skin binds them"));
  for (const Influence& influence : model.meshes[0].weights.influences) {
    const BoundJoint& bound = model.bound_joints[influence.index];
    EXPECT_TRUE(std::ranges::any_of(unused, [&](const BoundJoint& other) {
      return other.joint == bound.joint && other.inverse_bind == bound.inverse_bind;
    }));
  }
}

TEST(PaintModel, DropsTheNoteOnMissingWeights) {
  Model model = make_limb();
  model.unpainted.push_back(model.meshes[0].name);
  model.report.notes = {"another", unweighted_note(model.meshes[0])};
  test::must(paint_model(model, PaintMode::kAuto));
  EXPECT_THAT(model.report.notes, testing::ElementsAre("another"));
}

TEST(PaintModel, LeavesAMeshThatItsNodeMovesUnlessAsked) {
  Model model = limb_beside();
  add_rotation_channel(model.clips[0], 2, 4, [](float) { return glm::quat(1, 0, 0, 0); });
  EXPECT_FALSE(may_paint(model, PaintMode::kAuto));
  EXPECT_THAT(test::must(paint_model(model, PaintMode::kAuto)), IsEmpty());
  EXPECT_THAT(test::must(paint_model(model, PaintMode::kAlways)), HasSubstr("for 'limb', on 2 joints"));
}

// Adds a small ball that follows one bound joint.
void add_ball(Model& model, std::uint32_t bound, const glm::vec3& at) {
  Mesh ball = blocks(box({0, 0, 0}, {1, 1, 1}));
  ball.name = "ball";
  for (glm::vec3& p : ball.positions) p += at;
  ball.weights = test::rows_on(bound, ball.positions.size());
  model.meshes.push_back(std::move(ball));
}

TEST(PaintModel, LeavesAPropThatHangsOnABone) {
  Model model = limb_beside();
  const std::uint32_t node = add_joint(model, "hat", 0, {.translation = {1, 2, 0}});
  model.bound_joints.push_back({node, glm::translate(glm::mat4(1.0f), glm::vec3(-1, -2, 0))});
  add_ball(model, 1, {1, 2, 0});
  const SparseRows before = model.meshes[1].weights;
  EXPECT_THAT(test::must(paint_model(model, PaintMode::kAuto)), HasSubstr("for 'limb', on 2 joints"));
  EXPECT_EQ(model.meshes[1].weights, before);
}

// A skin, one that follows its first joint only, and a prop.
TEST(PaintModel, PaintsMeshesOfOneJointIfAskedButNoProps) {
  const std::vector<Place> chain{
      {"a", -1, {0, 1.5f, 1.5f}}, {"b", 0, {8, 1.5f, 1.5f}}, {"c", 1, {16, 1.5f, 1.5f}}, {"d", 2, {20, 1.5f, 1.5f}}};
  Model model = painted(model_of({blocks(box({0, 0, 0}, {24, 3, 3}))}, chain));
  Mesh sleeve = model.meshes[0];
  sleeve.name = "sleeve";
  sleeve.weights = test::rows_on(0, sleeve.positions.size());
  for (glm::vec3& p : sleeve.positions) p = glm::vec3(p.x, 1.2f * p.y, p.z);
  model.meshes.push_back(sleeve);
  add_ball(model, 1, kEdge * glm::vec3(8, 8, 1));
  const SparseRows prop = model.meshes[2].weights;
  EXPECT_FALSE(may_paint(model, PaintMode::kAuto));
  EXPECT_THAT(test::must(paint_model(model, PaintMode::kAlways)), HasSubstr("for 'skin', 'sleeve', on 4 joints"));
  EXPECT_EQ(model.meshes[2].weights, prop);
}

TEST(PaintModel, RepaintsOnlyIfAsked) {
  Model model = make_limb();
  const SparseRows before = model.meshes[0].weights;
  EXPECT_FALSE(may_paint(model, PaintMode::kAuto));
  EXPECT_FALSE(may_paint(model, PaintMode::kNever));
  EXPECT_THAT(test::must(paint_model(model, PaintMode::kAlways)), HasSubstr("weights were made"));
  EXPECT_NE(model.meshes[0].weights, before);
  EXPECT_FALSE(may_paint(model, PaintMode::kAlways)) << "painted already";
}

// The strongest joint of artists for most vertices; their painting is not looked at. Prints docs/skeletonize.md's
// table.
TEST(PaintWeights, AgreesWithArtists) {
  PELT_REQUIRE_SHARED();
  const auto compare = [](const Model& given) {
    const Model model = painted(given);
    double count = 0, strongest = 0, among_two = 0;
    for (std::size_t m = 0; m < model.meshes.size(); ++m) {
      const std::vector<Influence>& all = given.meshes[m].weights.influences;
      if (std::ranges::all_of(all, [&](const Influence& one) { return one.index == all[0].index; }))
        continue;  // a prop
      for (std::size_t v = 0; v < model.meshes[m].positions.size(); ++v) {
        const std::uint32_t wanted = given.meshes[m].weights.row(v)[0].index;
        const auto row = model.meshes[m].weights.row(v);
        ++count;
        strongest += row[0].index == wanted ? 1 : 0;
        among_two += row[0].index == wanted || (row.size() > 1 && row[1].index == wanted) ? 1 : 0;
      }
    }
    fmt::print("| {} | {:.0f}% | {:.0f}% |\n", given.name, 100 * strongest / count, 100 * among_two / count);
    return std::pair(strongest / count, among_two / count);
  };
  const auto shared = [](const char* name) {
    return test::must(import_model((*test::shared_folder() / "assets/characters" / name).string()));
  };
  for (const Model& given : {make_biped(), shared("CesiumMan.glb"), shared("luke/luke.gltf"), shared("lumberjack.glb"),
                             shared("mannequiny-0.3.0.glb")}) {
    const auto [strongest, among_two] = compare(given);
    EXPECT_GE(strongest, 0.8) << given.name;
    EXPECT_GE(among_two, 0.9) << given.name;
  }
  for (const char* name : {"Fox.glb", "Knight.glb", "dm_dog_skin.glb", "leftHandLow.glb", "robot.glb"})
    compare(shared(name));
}

}  // namespace
}  // namespace pelt
