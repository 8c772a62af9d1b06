// SPDX-License-Identifier: MIT
// Tests skin that is bound to curves, through pelt::bind.
#include "engine/authoring/curve_skeleton/bind.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <numeric>

#include <pelt/builtin.h>
#include <pelt/curve_settings.h>
#include <pelt/curve_skeleton.h>
#include <pelt/finite.h>
#include <pelt/import.h>

#include "engine/authoring/chain/chains.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/posed_limb.h"
#include "tests/support/shared_files.h"

namespace pelt::curve_skeleton {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr CurveFrames kAllFrames[] = {CurveFrames::kAuto, CurveFrames::kTangent, CurveFrames::kEndpoint};

Rig by_curves(const std::function<void(CurveSkeletonParameters&)>& change = [](CurveSkeletonParameters&) {}) {
  CurveSkeletonParameters parameters;
  change(parameters);
  return test::rig_of(parameters);
}

// ---------------------------------------------------------------------------------------------------------- at bind

// Returns the largest distance of a vertex from its position in the model, as a fraction of the size of the character,
// in the pose at bind.
double worst_at_bind(const Model& model, const Character& character) {
  std::vector<std::uint32_t> meshes(model.meshes.size());
  std::iota(meshes.begin(), meshes.end(), 0u);
  const std::vector<glm::dmat4> at_bind = chain::matrices_at_bind(model, meshes);
  Evaluator evaluator(character);
  evaluator.pose(std::vector<glm::mat4>(at_bind.begin(), at_bind.end()));
  evaluator.evaluate();
  double worst = 0;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control || !mesh.deformer.starts_with("curve_skeleton")) continue;
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const glm::vec3 posed = evaluator.positions()[mesh.first_vertex + v];
      worst = std::max(worst, static_cast<double>(glm::distance(posed, mesh.binding.points[v])));
    }
  }
  return worst / static_cast<double>(character.size());
}

void expect_identity(const Model& model) {
  SCOPED_TRACE(model.name);
  // Evaluation in floats at a distance from the origin makes about 16 roundings of 6e-8.
  EXPECT_LT(worst_at_bind(model, test::bound(model, by_curves()).character), 1e-6);
}

TEST(CurveBind, ReturnsTheBuiltInCharactersAtBind) {
  for (const Model& model : {make_limb(), make_tail(), make_biped(), test::make_tube()}) expect_identity(model);
}

TEST(CurveBind, ReturnsEveryCharacterFileAtBind) {
  PELT_REQUIRE_SHARED();
  for (const auto& file : test::character_files()) {
    const Model model = test::must(import_gltf(file));
    expect_identity(model);
  }
}

// The joints stand elsewhere in the rest pose than at bind.
TEST(CurveBind, IsNotAtRest) {
  Model model = test::make_tube({.joints = 4});
  for (std::size_t j = 1; j < 4; ++j) {
    model.skeleton.joints[j].rest.rotation = glm::angleAxis(0.5f, glm::normalize(glm::vec3(0, 1, 2)));
  }
  const Character character = test::bound(model, by_curves()).character;
  EXPECT_LT(worst_at_bind(model, character), 1e-6);
  EXPECT_GT(test::farthest(test::posed(character, test::bind_matrices(model), "tube"), model.meshes[0].positions), 1);
}

// ----------------------------------------------------------------------------------------------------------- posed

TEST(CurveBind, TwistKeepsTheSection) {
  for (const CurveFrames frames : kAllFrames) {
    const test::PosedLimb limb(by_curves([&](CurveSkeletonParameters& p) { p.frames = frames; }));
    limb.expect_that_twist_keeps_the_section();
  }
}

// Looks a quarter of the way along the upper bone: there a twist of 270 degrees has come to 67.5, and one of -90 to
// -22.5.
TEST(CurveBind, TwistIsWhatThePoseSays) {
  const test::PosedLimb limb(by_curves([](auto& p) { p.joints = {{.joint = "joint", .twist_after = 0.0f}}; }));
  const glm::mat4 motion = glm::rotate(glm::mat4(1), glm::radians(270.0f), glm::vec3(1, 0, 0));
  const std::vector<glm::vec3>& rest = limb.model.meshes[0].positions;
  for (const float twist : {-90.0f, 270.0f}) {
    const std::vector<glm::vec3> posed = limb.posed(motion, glm::radians(twist));
    int checked = 0;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      if (std::abs(rest[v].x - 1) > 0.01f || glm::length(glm::vec2(rest[v].y, rest[v].z)) < 0.2f) continue;
      const float turned =
          std::atan2(rest[v].y * posed[v].z - rest[v].z * posed[v].y, rest[v].y * posed[v].y + rest[v].z * posed[v].z);
      EXPECT_NEAR(glm::degrees(turned), twist * rest[v].x / 4,
                  1.0);  // attachments move a little to follow the painting
      ++checked;
    }
    EXPECT_GT(checked, 30);
  }
}

// The built-in limb has the radius 1 and two bones of 4.
TEST(CurveBind, SidesOfASharpBendMeet) {
  const test::PosedLimb limb(by_curves());
  const std::vector<glm::vec3>& rest = limb.model.meshes[0].positions;
  for (const float degrees : {110.0f, 130.0f, 150.0f}) {
    SCOPED_TRACE(degrees);
    const float bend = glm::radians(degrees);
    const std::vector<glm::vec3> posed = limb.posed(glm::rotate(glm::mat4(1), bend, glm::vec3(0, 0, 1)));
    // The plane that halves the bend, and the direction to its outside.
    const glm::vec3 joint(4, 0, 0);
    const glm::vec3 along(std::cos(bend / 2), std::sin(bend / 2), 0);
    const glm::vec3 outside(along.y, -along.x, 0);
    float nearest = 1, deepest = 0, point = 0;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const glm::vec3 off = posed[v] - joint;
      const float beyond = glm::dot(off, along) * (rest[v].x < 4 ? 1.0f : -1.0f);
      const float away = std::abs(rest[v].x - 4);
      if (rest[v].y > 0.9f && away > 0.5f && away < 2) {
        nearest = std::min(nearest, -beyond);
        deepest = std::max(deepest, beyond);
      }
      point = std::max(point, glm::dot(off, outside));
    }
    EXPECT_LT(nearest, 0.1f);  // no hole
    EXPECT_LT(deepest, 0.1f);
    EXPECT_GT(point, 0.8f);
  }
}

// An oval limb neither swells sideways nor is pressed flat at a sharp bend: its sides overlap.
TEST(CurveBind, FleshOverlapsAtASharpBend) {
  Model model = make_limb();
  for (glm::vec3& p : model.meshes[0].positions) p.z *= 0.8f;
  const Character character = test::bound(model, by_curves()).character;
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  joints[1] = test::turn_about({4, 0, 0}, 130) * joints[1];
  const std::vector<glm::vec3> posed = test::posed(character, joints, "limb");
  const float half = glm::radians(65.0f);
  const glm::vec3 along(std::cos(half), std::sin(half), 0);  // perpendicular to the plane that halves the bend
  float widest = 0, deepest = 0;
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const glm::vec3 rest = model.meshes[0].positions[v];
    if (std::abs(rest.x - 4) > 2) continue;
    widest = std::max(widest, std::abs(posed[v].z));
    const float beyond = glm::dot(posed[v] - glm::vec3(4, 0, 0), along) * (rest.x < 4 ? 1.0f : -1.0f);
    if (rest.y > 0.9f) deepest = std::max(deepest, beyond);
  }
  EXPECT_LT(widest, 0.83f);
  EXPECT_GT(deepest, 0.2f);
}

// An oval limb that is thick for its bones: each vertex keeps its distances from the joint, and along the axis of the
// turn.
TEST(CurveBind, FleshTurnsAboutItsJoint) {
  Model model = make_limb();
  model.skeleton.joints[0].name = "left_thigh";
  model.skeleton.joints[1].name = "left_shin";
  for (glm::vec3& p : model.meshes[0].positions) p *= glm::vec3(1, 1.7f, 1.4f);
  const Character character = test::bound(model, by_curves()).character;
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  const glm::vec3 axis = glm::normalize(glm::vec3(0, 0.3f, 0.9f));
  joints[1] = test::turn_about({4, 0, 0}, 110, axis) * joints[1];
  const std::vector<glm::vec3> posed = test::posed(character, joints, "limb");
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const glm::vec3 rest = model.meshes[0].positions[v] - glm::vec3(4, 0, 0);
    const glm::vec3 off = posed[v] - glm::vec3(4, 0, 0);
    ASSERT_NEAR(glm::length(off), glm::length(rest), 0.03f);
    ASSERT_NEAR(glm::dot(off, axis), glm::dot(rest, axis), 0.03f);
  }
}

// Slightly rounder skin moves slightly differently at a sharp bend.
TEST(CurveBind, RoundnessFadesGradually) {
  std::vector<glm::vec3> before;
  float most = 0;
  for (float width = 0.83f; width < 1; width += 0.006f) {
    Model model = test::make_tube({.around = 16, .along = 32});
    for (glm::vec3& p : model.meshes[0].positions) p.z *= width;
    std::vector<glm::mat4> joints = test::bind_matrices(model);
    joints[1] = test::turn_about({4, 0, 0}, 130) * joints[1];
    const std::vector<glm::vec3> posed = test::posed(test::bound(model, by_curves()).character, joints, "tube");
    if (!before.empty()) most = std::max(most, test::farthest(before, posed));
    before = posed;
  }
  EXPECT_LT(most, 0.06f);
  EXPECT_GT(most, 0.02f);
}

// A degree moves a point of the limb at the distance 1.8 from the joint by 0.03.
TEST(CurveBind, BendsBeginToBePressedSmoothly) {
  const test::PosedLimb limb(by_curves());
  const std::vector<glm::vec3>& rest = limb.model.meshes[0].positions;
  std::vector<glm::vec3> before;
  float most = 0;
  for (float degrees = 15; degrees <= 150; ++degrees) {
    const std::vector<glm::vec3> posed =
        limb.posed(glm::rotate(glm::mat4(1), glm::radians(degrees), glm::vec3(0, 0, 1)));
    for (std::size_t v = 0; v < before.size(); ++v) {
      if (std::abs(rest[v].x - 4) < 1.5f) most = std::max(most, glm::distance(before[v], posed[v]));
    }
    before = posed;
  }
  EXPECT_LT(most, 0.06f);
}

TEST(CurveBind, TablesKeepTheirError) {
  const test::PosedLimb exact(by_curves([](CurveSkeletonParameters& p) { p.table_error = 1e-6f; }));
  for (const float error : {1e-4f, 1e-3f}) {
    const test::PosedLimb coarse(by_curves([&](CurveSkeletonParameters& p) { p.table_error = error; }));
    EXPECT_LT(coarse.character->palette_size, exact.character->palette_size);
    for (const float degrees : {45.0f, 90.0f, 135.0f}) {
      for (const float twist : {0.0f, 180.0f, 360.0f}) {
        const glm::mat4 motion =
            glm::rotate(glm::rotate(glm::mat4(1), glm::radians(twist > 180 ? 0 : degrees), glm::vec3(0, 0.6f, 0.8f)),
                        glm::radians(twist), glm::vec3(1, 0, 0));
        EXPECT_LT(test::farthest(exact.posed(motion, glm::radians(twist)), coarse.posed(motion, glm::radians(twist))),
                  1.2f * error * 8)  // the limb is 8 long
            << degrees << ' ' << twist;
      }
    }
  }
}

class CurveBindBy : public testing::TestWithParam<CurveFrames> {};

// Arbitrary matrices, in addition to the poses of tests/properties_test.cpp.
TEST_P(CurveBindBy, IsFiniteInAnyPose) {
  const Model model = test::make_tube({.joints = 4});
  const Character character =
      test::bound(model, by_curves([](CurveSkeletonParameters& p) { p.frames = GetParam(); })).character;
  std::vector<std::vector<glm::mat4>> poses{std::vector(4, glm::mat4(0)), std::vector(4, glm::mat4(1e15f))};
  std::uint32_t state = 1;
  for (int i = 0; i < 40; ++i) {
    std::vector<glm::mat4>& pose = poses.emplace_back(test::bind_matrices(model));
    for (glm::mat4& joint : pose) {
      for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 3; ++r) {
          state = state * 1664525u + 1013904223u;
          joint[c][r] = static_cast<float>(state >> 8u) / 8388608.0f - 1.0f;
        }
      }
      if (i % 3 == 1) joint[static_cast<int>(state >> 20u) % 3] = glm::vec4(0);
      if (i % 7 == 2) joint = glm::scale(joint, glm::vec3(1e-18f));
    }
  }
  Evaluator evaluator(character);
  for (std::size_t p = 0; p < poses.size(); ++p) {
    for (const float twist : {0.0f, 1e6f, -1e30f}) {
      evaluator.pose(poses[p]);
      for (std::size_t c = 0; c < character->controls.size(); ++c) evaluator.control(c, twist);
      evaluator.evaluate();
      for (std::size_t v = 0; v < evaluator.positions().size(); ++v) {
        ASSERT_TRUE(is_finite(evaluator.positions()[v])) << p << ' ' << v;
        ASSERT_NEAR(glm::length(evaluator.normals()[v]), 1, 1e-3) << p << ' ' << v;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Frames, CurveBindBy, testing::ValuesIn(kAllFrames));

// ---------------------------------------------------------------------------------------------------------- the bind

TEST(CurveBind, ReportsItsCurvesAndDistances) {
  const Bound bound = test::bound(test::make_tube({.joints = 4}), by_curves());
  EXPECT_THAT(bound.report.notes,
              Contains(AllOf(HasSubstr("curve-skeleton"), HasSubstr("the curve 'joint0..joint3' runs over joint0, "
                                                                    "joint1, joint2, joint3 with "))));
  ASSERT_EQ(bound.report.meshes.size(), 1u);
  EXPECT_NEAR(bound.report.meshes[0].worst_distance, 1, 0.05)
      << "the radius, and how far along the curve places are moved to where they are painted";
  EXPECT_LE(bound.report.meshes[0].max_influences, 2u) << "of one curve";
  for (const float distance : bound.report.meshes[0].distances) EXPECT_NEAR(distance, 1, 0.05);
}

TEST(CurveBind, FollowsWeightsOfCurves) {
  const Model model = test::make_tube({.joints = 4});
  const auto with_weight = [](float value) {
    return by_curves([&](CurveSkeletonParameters& p) {
      p.curves = {{"other", {"joint0", "joint1", "joint2", "joint3"}, {0, 0.5f, 0}, {}}};
      p.weights = {{"other", value, {.box = Box{{-9, -9, -9}, {4, 9, 9}, 0}}}};
    });
  };
  // Returns the number of influences of each vertex.
  const auto counts = [&](const Character& character) {
    const CharacterMesh& mesh = character->meshes[0];
    const SparseRows rows = unpack_rows(mesh.binding);
    std::vector<std::size_t> result(mesh.vertex_count());
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) result[mesh.source_vertex[v]] = rows.row(v).size();
    return result;
  };
  const std::vector<std::size_t> both = counts(test::bound(model, with_weight(1)).character);
  const std::vector<std::size_t> one = counts(test::bound(model, with_weight(0)).character);
  int fewer = 0;
  for (std::size_t v = 0; v < both.size(); ++v) {
    if (model.meshes[0].positions[v].x > 4.1f) {
      EXPECT_EQ(both[v], one[v]) << v;
    }
    fewer += one[v] < both[v] ? 1 : 0;
  }
  EXPECT_GT(fewer, 20);
}

// A tube round one limb, half of it painted to another that is far away.
TEST(CurveBind, SharesAreAsPainted) {
  Model model = test::make_tube({.radius = 0.4f, .joints = 3});
  const auto count = static_cast<std::int32_t>(model.skeleton.joints.size());
  for (std::int32_t j = 0; j < count; ++j) {
    Joint joint = model.skeleton.joints[static_cast<std::size_t>(j)];
    joint.name = "far" + std::to_string(j);
    joint.parent = j == 0 ? -1 : count + j - 1;
    if (j == 0) joint.rest.translation.y += 3;
    BoundJoint bound = model.bound_joints[static_cast<std::size_t>(j)];
    bound.joint = static_cast<std::uint32_t>(count + j);
    bound.inverse_bind = bound.inverse_bind * glm::translate(glm::mat4(1), glm::vec3(0, -3, 0));
    model.skeleton.joints.push_back(joint);
    model.bound_joints.push_back(bound);
  }
  SparseRows halves;
  for (std::size_t v = 0; v < model.meshes[0].positions.size(); ++v) {
    std::vector<Influence> row;
    for (const Influence& influence : model.meshes[0].weights.row(v)) {
      row.push_back({influence.index, 0.5f * influence.weight});
      row.push_back({influence.index + static_cast<std::uint32_t>(count), 0.5f * influence.weight});
    }
    halves.append_row(row);
  }
  model.meshes[0].weights = halves;
  // Returns how far vertices move with the other limb.
  const auto moved_by = [&](float value) {
    const Character character = test::bound(model, by_curves([&](CurveSkeletonParameters& p) {
                                              p.weights = {{"far0..far2", value, {}}};
                                            }))
                                    .character;
    std::vector<glm::mat4> joints = test::bind_matrices(model);
    for (std::size_t j = static_cast<std::size_t>(count); j < joints.size(); ++j) joints[j][3].y += 1;
    const std::vector<glm::vec3> posed = test::posed(character, joints, "tube");
    std::pair<float, float> range(1.0f, 0.0f);
    for (std::size_t v = 0; v < posed.size(); ++v) {
      const float moved = posed[v].y - model.meshes[0].positions[v].y;
      range = {std::min(range.first, moved), std::max(range.second, moved)};
    }
    return range;
  };
  EXPECT_GT(moved_by(1).first, 0.09f);
  EXPECT_LT(moved_by(0).second, 1e-4f);
}

// A separate arm that is stuck into a trunk, and painted to its first joint also before that joint.
TEST(CurveBind, SkinWithoutAPassageFollowsItsJoint) {
  Model model = test::make_tube({.along = 48, .radius = 0.4f, .joints = 3, .blend_length = 1});
  const float joint = model.skeleton.joints[1].rest.translation.x;
  model.meshes.push_back(model.meshes[0]);
  model.meshes[1].name = "trunk";
  Mesh& mesh = model.meshes[0];
  for (Influence& influence : mesh.weights.influences) influence.index = std::max(influence.index, 1u);
  const Character character = test::bound(model, by_curves()).character;
  const glm::mat4 turn = test::turn_about({joint, 0, 0}, 60);
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  for (std::size_t j = 1; j < joints.size(); ++j) joints[j] = turn * joints[j];
  const std::vector<glm::vec3> posed = test::posed(character, joints, "tube");
  float worst = 0;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const glm::vec3 at = mesh.positions[v];
    if (at.x < joint - 1.4f || at.x > joint + 1) continue;
    worst = std::max(worst, glm::distance(posed[v], glm::vec3(turn * glm::vec4(at, 1))));
  }
  EXPECT_LT(worst, 0.05f);
}

TEST(CurveBind, ByWeightsNeedsThem) {
  Model model = test::make_tube();
  model.meshes.push_back(model.meshes[0]);
  model.meshes[1].name = "bare";
  model.meshes[1].weights = {};
  EXPECT_THAT(test::bind_error(model, by_curves([](auto& p) { p.binding = CurveBinding::kWeights; })),
              HasSubstr("(curve-skeleton): mesh 'bare' has no weights to bind by"));
  EXPECT_EQ(test::bind_error(model, by_curves()), "bound");
  EXPECT_EQ(test::bind_error(model, by_curves([](auto& p) { p.binding = CurveBinding::kDistance; })), "bound");
}

// A joint off the curves, as of a face, has no settings to change; the others keep theirs.
TEST(CurveBind, NotesJointsOnNoCurve) {
  const auto bend = [](auto& p) { p.joints = {{.joint = "joint1", .float_max = 0.5f}}; };
  const auto bend_and_more = [&](auto& p) {
    bend(p);
    p.curves = {{"own", {"joint0", "joint1", "joint2"}}};
    p.automatic = false;
  };
  const Model model = test::make_tube({.joints = 4});
  const Bound plain = test::bound(model, by_curves(bend_and_more));
  const Bound with = test::bound(model, by_curves([&](auto& p) {
                                   bend_and_more(p);
                                   p.joints.push_back({.joint = "joint3", .float_max = 0.5f});
                                   p.bones = {{.joint = "joint3", .to = "joint2"}};
                                 }));
  const std::string note =
      "layer 0 (curve-skeleton): no curve runs over 'joint3' of 'joints' and 'bones': the settings of it change "
      "nothing";
  EXPECT_THAT(with.report.notes, testing::Contains(note));
  EXPECT_THAT(plain.report.notes, testing::Not(testing::Contains(note)));
  EXPECT_EQ(with.character->palette_size, plain.character->palette_size);
  EXPECT_EQ(with.character->meshes[0].binding.influences, plain.character->meshes[0].binding.influences);
}

TEST(CurveBind, ErrorsNameTheLayer) {
  const Model model = test::make_tube();
  EXPECT_THAT(test::bind_error(model, by_curves([](auto& p) { p.joints = {{.joint = "elbow"}}; })),
              HasSubstr("layer 0 (curve-skeleton): there is no joint 'elbow'"));
  EXPECT_THAT(test::bind_error(model, by_curves([](auto& p) {
                                 p.weights = {{"joint0..joint1", 1, {.group = "nowhere"}}};
                               })),
              AllOf(HasSubstr("layer 0 (curve-skeleton): the weight of 'joint0..joint1'"), HasSubstr("nowhere")));
  Model without = model;
  without.skeleton.joints.resize(1);
  without.bound_joints.resize(1);
  without.meshes[0].weights = test::rows_on(0, without.meshes[0].positions.size());
  EXPECT_EQ(test::bind_error(without, by_curves()), "bound") << "one joint and its tip";
}

// A row can name 65536 palette entries at most.
TEST(CurveBind, TakesCoarserTablesRatherThanTooLargeOnes) {
  const Model model = test::make_tube({.around = 4, .along = 300, .length = 600, .joints = 150, .blend_length = 1});
  const Bound coarser = test::bound(model, by_curves([](auto& p) { p.table_error = 2e-9f; }));
  EXPECT_THAT(coarser.report.notes, Contains(HasSubstr("the tables of the curves may be off by")));
  EXPECT_LE(coarser.character->palette_size, 65536u + model.bound_joints.size());
  EXPECT_THAT(test::bind_error(model, by_curves([](auto& p) { p.table_error = 1e-12f; })),
              AllOf(HasSubstr("layer 0 (curve-skeleton): 1 curves take"), HasSubstr("samples, more than 65536")));
  const Bound fine = test::bound(model, by_curves());
  EXPECT_THAT(fine.report.notes, Not(Contains(HasSubstr("may be off by"))));
}

}  // namespace
}  // namespace pelt::curve_skeleton
