// SPDX-License-Identifier: MIT
// Tests the evaluator itself: stages, threads, options, no allocation in a frame. properties_test.cpp and the
// known-answer cases test the deformers.
#include <algorithm>
#include <cstring>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>

#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/linear_blend.h>
#include <pelt/pose.h>
#include <pelt/surface_ffd.h>

#include "tests/engine/character/largest_allocation.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

struct Vertices {
  explicit Vertices(const Evaluator& evaluator)
      : positions(evaluator.positions().begin(), evaluator.positions().end()),
        normals(evaluator.normals().begin(), evaluator.normals().end()),
        tangents(evaluator.tangents().begin(), evaluator.tangents().end()) {}
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
};

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Compares bytes: unlike ==, it tells 0 from -0, and NaN equals itself.
bool same_bytes(const Vertices& a, const Vertices& b) {
  return same_bytes(a.positions, b.positions) && same_bytes(a.normals, b.normals) && same_bytes(a.tangents, b.tangents);
}

// Makes "tube" with "cage" round it, in one chain of four joints. Passes and slices are large enough to be split over
// threads.
Model make_model() {
  Model model = test::make_tube({.around = 64, .along = 48, .joints = 4});
  model.meshes.push_back(test::make_tube_mesh({.around = 16, .along = 20, .radius = 1.1f, .joints = 4}));
  model.meshes.back().name = "cage";
  return model;
}

Character bound(const Model& model, const DeformerParameters& parameters) {
  return test::bound(model, test::rig_of(parameters, "tube")).character;
}

// Turns joint j against its parent, by `angle` and more for each further joint.
std::vector<glm::mat4> bent(const Character& character, float angle) {
  std::vector<Transform> local(character->skeleton.joints.size());
  rest_pose(character->skeleton, local);
  for (std::size_t j = 0; j < local.size(); ++j) {
    const glm::vec3 axis = glm::normalize(glm::vec3(1, static_cast<float>(j), -0.5f));
    local[j].rotation = glm::angleAxis(angle * static_cast<float>(j + 1), axis);
  }
  std::vector<glm::mat4> joints(local.size());
  model_matrices(character->skeleton, local, joints);
  return joints;
}

Vertices evaluated(Evaluator& evaluator, const std::vector<glm::mat4>& joints) {
  evaluator.pose(joints);
  evaluator.evaluate();
  return Vertices(evaluator);
}

Vertices evaluated(const Character& character, const std::vector<glm::mat4>& joints, Evaluator::Options options = {}) {
  Evaluator evaluator(character, options);
  return evaluated(evaluator, joints);
}

struct Case {
  const char* name;
  DeformerParameters parameters;
};

const std::vector<Case>& cases() {
  SurfaceFfdParameters extended;
  extended.driver.mesh = "cage";
  SurfaceFfdParameters basic = extended;
  basic.mode = SurfaceFfdParameters::Mode::kBasic;
  static const std::vector<Case> list{{"LinearBlend", LinearBlendParameters{}},
                                      {"DualQuaternion", DualQuaternionParameters{}},
                                      {"SurfaceFfdExtended", extended},
                                      {"SurfaceFfdBasic", basic}};
  return list;
}

class Evaluate : public testing::TestWithParam<Case> {
 protected:
  const Character character_ = bound(make_model(), GetParam().parameters);
};

// Tests a job system that divides loops as finely as can be, and takes them from the end.
TEST_P(Evaluate, GivesTheSameBytesByAnyJobSystem) {
  const std::vector<glm::mat4> joints = bent(character_, 0.2f);
  std::size_t loops = 0;
  const JobSystem backwards{.for_ranges =
                                [](void* user, std::size_t count, std::size_t, const void* body, JobSystem::Call call) {
                                  ++*static_cast<std::size_t*>(user);
                                  while (count-- > 0) call(body, count, count + 1);
                                },
                            .user = &loops};
  EXPECT_TRUE(same_bytes(evaluated(character_, joints, {.jobs = backwards}), evaluated(character_, joints)));
  EXPECT_GT(loops, 0);
}

TEST_P(Evaluate, AllocatesNothingAFrame) {
  const std::vector<glm::mat4> joints = bent(character_, 0.2f);
  Evaluator evaluator(character_);
  evaluator.pose(bent(character_, 0));
  evaluator.evaluate();
  test::forget_allocations();
  evaluator.pose(joints);
  evaluator.evaluate();
  EXPECT_EQ(test::largest_allocation(), 0u);
  EXPECT_TRUE(same_bytes(Vertices(evaluator), evaluated(character_, joints)));
}

TEST_P(Evaluate, GivesOnlyWhatIsAskedFor) {
  const std::vector<glm::mat4> joints = bent(character_, 0.2f);
  const Vertices everything = evaluated(character_, joints);
  EXPECT_EQ(everything.positions.size(), character_->vertex_count());
  EXPECT_EQ(everything.normals.size(), character_->vertex_count());
  EXPECT_EQ(everything.tangents.size(), character_->vertex_count());

  const Vertices no_tangents = evaluated(character_, joints, {.tangents = false});
  EXPECT_TRUE(same_bytes(no_tangents.positions, everything.positions));
  EXPECT_TRUE(same_bytes(no_tangents.normals, everything.normals));
  EXPECT_TRUE(no_tangents.tangents.empty());

  const Vertices positions = evaluated(character_, joints, {.normals = false});
  EXPECT_TRUE(same_bytes(positions.positions, everything.positions));
  EXPECT_TRUE(positions.normals.empty());
  EXPECT_TRUE(positions.tangents.empty()) << "a tangent is made orthogonal to its normal";

  const Vertices of_tools = evaluated(character_, joints, {.control_meshes = true});
  EXPECT_TRUE(same_bytes(of_tools.positions, everything.positions));
  for (const CharacterMesh& mesh : character_->meshes) {
    for (std::uint32_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
      ASSERT_NEAR(glm::length(of_tools.normals[v]), 1, 1e-4f);
      ASSERT_NEAR(glm::length(glm::vec3(of_tools.tangents[v])), 1, 1e-4f);
      ASSERT_EQ(everything.normals[v], mesh.control ? glm::vec3(0) : of_tools.normals[v]);
      ASSERT_EQ(everything.tangents[v], mesh.control ? glm::vec4(0) : of_tools.tangents[v]);
    }
  }
}

TEST_P(Evaluate, CopiesOfACharacterDoNotMeet) {
  const std::vector<glm::mat4> one = bent(character_, 0.2f);
  const std::vector<glm::mat4> other = bent(character_, -0.4f);
  auto character = std::make_unique<Character>(character_);
  Evaluator first(*character), second(*character);
  character.reset();
  first.pose(one);
  second.pose(other);
  first.evaluate();
  second.evaluate();
  const Evaluator moved = std::move(first);
  EXPECT_TRUE(same_bytes(Vertices(moved), evaluated(character_, one)));
  EXPECT_TRUE(same_bytes(Vertices(second), evaluated(character_, other)));
}

INSTANTIATE_TEST_SUITE_P(All, Evaluate, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& deformer) { return deformer.param.name; });

// The joint does not influence the vertex: the padding of its row must not name the joint, since 0 * NaN is NaN.
TEST(Evaluator, ANonFiniteMatrixSpoilsOnlyWhatItMoves) {
  const Model model = make_model();
  for (const DeformerParameters& parameters :
       {DeformerParameters(LinearBlendParameters{}), DeformerParameters(DualQuaternionParameters{})}) {
    const Character character = bound(model, parameters);
    std::vector<glm::mat4> joints = bent(character, 0.2f);
    const Vertices good = evaluated(character, joints);
    joints[3] = glm::mat4(std::numeric_limits<float>::quiet_NaN());
    const Vertices spoilt = evaluated(character, joints);
    std::size_t kept = 0;
    for (const CharacterMesh& mesh : character->meshes) {
      const SparseRows painted = painted_rows(mesh);
      for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
        const std::uint32_t v = mesh.first_vertex + i;
        const std::span<const Influence> row = painted.row(i);
        const bool moves = std::any_of(row.begin(), row.end(), [](const Influence& w) { return w.index == 3; });
        if (moves) {
          ASSERT_FALSE(is_finite(spoilt.positions[v])) << v;
        } else {
          ASSERT_EQ(spoilt.positions[v], good.positions[v]) << v;
          ASSERT_EQ(spoilt.normals[v], good.normals[v]) << v;
          ASSERT_EQ(spoilt.tangents[v], good.tangents[v]) << v;
          ++kept;
        }
      }
    }
    EXPECT_GT(kept, 0u);
    EXPECT_LT(kept, good.positions.size());
  }
}

// Palettes without stretches are moved without reading them.
TEST(Evaluator, DualQuaternionsFollowJointsThatBeginToScaleAndEnd) {
  Model model = make_model();
  test::add_morph_targets(model.meshes[0], 2);
  const Character character = bound(model, DualQuaternionParameters{});
  Evaluator fast(character);
  Evaluator by_scalars(character, {.same_everywhere = true});
  for (Evaluator* evaluator : {&fast, &by_scalars}) evaluator->control(0, 0.7f);
  const std::vector<glm::mat4> rigid = bent(character, 0.2f);
  std::vector<glm::mat4> scaled = rigid;
  scaled[1] = glm::scale(scaled[1], glm::vec3(1, 1.5f, 0.8f));
  std::vector<glm::vec3> first;
  for (const std::vector<glm::mat4>& joints : {rigid, scaled, rigid}) {
    const Vertices expected = evaluated(by_scalars, joints);
    const Vertices actual = evaluated(fast, joints);
    for (std::size_t v = 0; v < expected.positions.size(); ++v) {
      ASSERT_LT(glm::distance(actual.positions[v], expected.positions[v]), 1e-5f) << v;
      ASSERT_LT(glm::distance(actual.normals[v], expected.normals[v]), 1e-4f) << v;
      ASSERT_LT(glm::distance(actual.tangents[v], expected.tangents[v]), 2e-4f) << v;
    }
    if (first.empty()) first = actual.positions;
    EXPECT_EQ(actual.positions == first, joints == rigid);
  }
}

#ifndef NDEBUG
TEST(EvaluatorDeathTest, PoseAssertsOneMatrixAJoint) {
  const Character character = bound(make_model(), LinearBlendParameters{});
  Evaluator evaluator(character);
  std::vector<glm::mat4> joints = bent(character, 0);
  joints.pop_back();
  EXPECT_DEATH(evaluator.pose(joints), "joints.size");
  joints.resize(joints.size() + 2);
  EXPECT_DEATH(evaluator.pose(joints), "joints.size");
}
#endif

}  // namespace
}  // namespace pelt
