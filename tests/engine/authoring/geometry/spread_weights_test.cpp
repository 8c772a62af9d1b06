// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/spread_weights.h"

#include <algorithm>
#include <cmath>

#include <pelt/builtin.h>

#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr std::uint32_t kSecond = 1;  // number of the limb's joint "joint", at x = 4

float weight_of(const SparseRows& rows, std::size_t vertex, std::uint32_t joint) {
  for (const Influence& influence : rows.row(vertex)) {
    if (influence.index == joint) return influence.weight;
  }
  return 0;
}

SparseRows spread(const Model& model, float radii = 8, unsigned threads = 0) {
  const std::vector<Transition> transitions(model.bound_joints.size(), {.radii = radii});
  return spread_weights(model.meshes[0], model.meshes[0].weights, model, transitions, threads);
}

// Expects the same weight of the second joint everywhere; in `rows` it is `joint`.
void expect_same(const SparseRows& rows, const SparseRows& expected, double tolerance, std::uint32_t joint = kSecond) {
  ASSERT_EQ(rows.row_count(), expected.row_count());
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    EXPECT_NEAR(weight_of(rows, i, joint), weight_of(expected, i, kSecond), tolerance) << i;
  }
}

// Returns the standard deviation, along x, of the transition's slope as a density.
double width(const Model& limb, const SparseRows& rows) {
  double sum = 0;
  double moment = 0;
  for (std::size_t i = 0; i + 1 < rows.row_count(); ++i) {
    const double x = 0.5 * (limb.meshes[0].positions[i].x + limb.meshes[0].positions[i + 1].x) - 4;
    const double slope = std::abs(weight_of(rows, i + 1, kSecond) - weight_of(rows, i, kSecond));
    sum += slope;
    moment += slope * x * x;
  }
  return std::sqrt(moment / sum);
}

TEST(SpreadWeights, OfNothingAreNone) { EXPECT_EQ(spread_weights({}, {}, {}, {}).row_count(), 0u); }

TEST(SpreadWeights, LeavesAWideJointAndNoRadiiAlone) {
  const Model limb = make_limb(), wide = make_limb({.blend_length = 8.5f});
  expect_same(spread(limb, 0), limb.meshes[0].weights, 1e-6);
  expect_same(spread(wide), wide.meshes[0].weights, 1e-6);
}

TEST(SpreadWeights, WidensASharpJointAndKeepsItsSeam) {
  for (const float blend_length : {0.5f, 1.0f, 2.0f}) {
    const Model limb = make_limb({.blend_length = blend_length});
    const SparseRows rows = spread(limb);
    ASSERT_TRUE(validate(rows, limb.bound_joints.size(), "rows"));
    for (std::size_t i = 0; i < rows.row_count(); ++i) {
      const float from_joint = limb.meshes[0].positions[i].x - 4;
      const float weight = weight_of(rows, i, kSecond);
      if (from_joint == 0) {
        EXPECT_NEAR(weight, 0.5f, 0.01f);
      }
      if (from_joint == 1) {
        EXPECT_LT(weight, 0.9f);
      }
      if (from_joint > 3.9f) {
        EXPECT_GT(weight, 0.98f);
      }
    }
  }
}

// Another skin may bind the same joint with another matrix: the joint is then two of the model's bound joints.
TEST(SpreadWeights, IsTheSameForAJointThatIsBoundTwice) {
  Model limb = make_limb();
  const SparseRows once = spread(limb);
  const auto again = static_cast<std::uint32_t>(limb.bound_joints.size());
  limb.bound_joints.push_back(limb.bound_joints[kSecond]);
  for (Influence& influence : limb.meshes[0].weights.influences) {
    if (influence.index == kSecond) influence.index = again;
  }
  expect_same(spread(limb), once, 1e-5, again);
}

TEST(SpreadWeights, WidensMoreOverMoreRadii) {
  const Model limb = make_limb();
  EXPECT_LT(width(limb, spread(limb, 0)), width(limb, spread(limb, 4)));
  EXPECT_LT(width(limb, spread(limb, 4)), width(limb, spread(limb, 8)));
}

// A patch in a sheet of skin is as painted, unless patches spread too; a limb spreads in both cases.
TEST(SpreadWeights, LeavesAPatchOfSkinAlone) {
  Model model = test::make_tube();
  Mesh& mesh = model.meshes[0];
  mesh = test::make_grid(20);
  for (const glm::vec3 p : mesh.positions) {
    const float distance = glm::distance(p, {10, 10, 0});
    const float inside = distance < 3 ? 1.0f : distance < 4 ? 0.5f : 0.0f;
    mesh.weights.append_row(std::vector<Influence>{{0, 1 - inside}, {kSecond, inside}});
  }
  const auto moved = [](const Model& of, bool patches) {
    const std::vector<Transition> transitions(of.bound_joints.size(), {.radii = 3, .patches = patches});
    return spread_weights(of.meshes[0], of.meshes[0].weights, of, transitions, 0);
  };
  expect_same(moved(model, false), mesh.weights, 1e-6);
  EXPECT_LT(weight_of(moved(model, true), 10 * 21 + 10, kSecond), 0.9f);
  EXPECT_EQ(moved(make_limb(), false), moved(make_limb(), true));
}

// The same limb, its two halves apart: nothing joins them, so each stays rigid.
TEST(SpreadWeights, LeavesRigidPartsAlone) {
  Model limb = make_limb({.blend_length = 0});
  Mesh& mesh = limb.meshes[0];
  std::erase_if(mesh.triangles, [&](glm::uvec3 t) {
    const auto [least, most] = std::minmax({mesh.positions[t.x].x, mesh.positions[t.y].x, mesh.positions[t.z].x});
    return least < 4 && most >= 4;
  });
  EXPECT_EQ(spread(limb), mesh.weights);
}

// Two limbs of one parent that touch along their whole length, as legs do: skin that follows one must not begin to
// follow the other.
TEST(SpreadWeights, DoesNotLeakToALimbThatTouches) {
  Model model = make_limb();
  Mesh& mesh = model.meshes[0];
  const auto count = static_cast<std::uint32_t>(mesh.positions.size());
  model.skeleton.joints.push_back(model.skeleton.joints[1]);
  model.skeleton.joints[2].name = "other";
  model.bound_joints.push_back({.joint = 2, .inverse_bind = model.bound_joints[1].inverse_bind});
  const Mesh first = mesh;
  for (const glm::vec3 p : first.positions) mesh.positions.push_back(p + glm::vec3(0, 0, 2));
  for (const glm::uvec3 t : first.triangles) mesh.triangles.push_back(t + count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Influence> row(first.weights.row(i).begin(), first.weights.row(i).end());
    for (Influence& influence : row) influence.index *= 2;
    mesh.weights.append_row(row);
  }
  const SparseRows rows = spread(model);
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    const bool touching = std::abs(mesh.positions[i].z - 1) < 1e-5f && mesh.positions[i].x < 7;
    if (!touching) {
      EXPECT_EQ(weight_of(rows, i, i < count ? 2 : 1), 0.0f) << i;
    }
  }
}

TEST(SpreadWeights, KeepsLeftAndRightOfTheBipedApart) {
  const Model biped = make_biped();
  const SparseRows rows = spread(biped);
  ASSERT_TRUE(validate(rows, biped.bound_joints.size(), "rows"));
  // Skin that the left limbs move still lies on the left.
  const SparseRows& before = biped.meshes[0].weights;
  for (std::uint32_t b = 0; b < biped.bound_joints.size(); ++b) {
    const std::string& name = biped.skeleton.joints[biped.bound_joints[b].joint].name;
    if (name.find("left") == std::string::npos) continue;
    float least = 0;
    float least_before = 0;
    for (std::size_t i = 0; i < rows.row_count(); ++i) {
      const float x = biped.meshes[0].positions[i].x;
      if (weight_of(rows, i, b) > 0.1f) least = std::min(least, x);
      if (weight_of(before, i, b) > 0.1f) least_before = std::min(least_before, x);
    }
    EXPECT_GT(least, least_before - 0.03f) << name;
  }
}

TEST(SpreadWeights, DoNotDependOnScale) {
  const Model limb = make_limb();
  Model small = limb;
  constexpr float kScale = 0.0078125f;
  for (glm::vec3& p : small.meshes[0].positions) p *= kScale;
  for (BoundJoint& bound : small.bound_joints) {
    bound.inverse_bind[3] = glm::vec4(glm::vec3(bound.inverse_bind[3]) * kScale, 1.0f);
  }
  expect_same(spread(small), spread(limb), 1e-5);
}

}  // namespace
}  // namespace pelt
