// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/joint_density.h"

#include <algorithm>

#include <pelt/builtin.h>

#include "engine/authoring/geometry/simplify.h"
#include "tests/support/tube.h"

namespace pelt::from_skin {
namespace {

constexpr float kJoint = 4;  // the bend of make_limb

// Calls check(distance from the joint, density) for the side of a limb of radius 1.
template <class Check>
void for_each_distance(const Mesh& limb, const std::vector<float>& density, Check check) {
  for (std::size_t i = 0; i < density.size(); ++i) check(std::abs(limb.positions[i].x - kJoint), density[i]);
}

TEST(JointDensity, IsOneWithoutWeights) {
  EXPECT_THAT(joint_density(Mesh{}, 3), testing::IsEmpty());
  Mesh limb = make_limb().meshes[0];
  limb.weights = {};
  EXPECT_THAT(joint_density(limb, 3), testing::Each(1.0f));
}

TEST(JointDensity, IsOneWhereOneJointMovesAll) {
  EXPECT_THAT(joint_density(test::make_tube_mesh({.joints = 1}), 3), testing::Each(1.0f));
}

TEST(JointDensity, IsHighWithinARadiusAndLowFromThreeOn) {
  for (const float blend_length : {0.0f, 1.0f, 2.0f}) {
    const Mesh limb = make_limb({.blend_length = blend_length}).meshes[0];
    for_each_distance(limb, joint_density(limb, 3), [](float distance, float density) {
      EXPECT_GE(density, 1.0f);
      EXPECT_LE(density, 3.0f);
      if (distance < 1) {
        EXPECT_FLOAT_EQ(density, 3.0f);
      }
      if (distance > 1.7f && distance < 2.8f) {
        EXPECT_LT(density, 3.0f);
      }
      if (distance > 3.1f) {
        EXPECT_FLOAT_EQ(density, 1.0f);
      }
    });
  }
}

TEST(JointDensity, FollowsTheLimbsSize) {
  const Mesh limb = make_limb().meshes[0];
  Mesh small = limb;
  for (glm::vec3& p : small.positions) p *= 0.0078125f;
  EXPECT_EQ(joint_density(limb, 2), joint_density(small, 2));
}

TEST(JointDensity, SeamsDoNotStopIt) {
  const Mesh limb = make_limb().meshes[0];
  const std::vector<float> density = joint_density(limb, 3);
  const std::vector<float> split_density = joint_density(test::split(limb), 3);
  for (std::size_t t = 0; t < limb.triangles.size(); ++t) {
    for (int corner = 0; corner < 3; ++corner) {
      EXPECT_NEAR(split_density[3 * t + corner], density[limb.triangles[t][corner]], 1e-4f);
    }
  }
}

// Weights mix here without a joint at which the largest passes to another: the surface bends there all the same.
TEST(JointDensity, RisesWhereWeightsMix) {
  Mesh tube = test::make_tube_mesh({.joints = 1});
  SparseRows weights;
  for (std::size_t i = 0; i < tube.positions.size(); ++i) {
    const WeightedElement row[] = {{0, 0.75}, {1, 0.25}};
    append_row(weights, row);
  }
  tube.weights = weights;
  EXPECT_THAT(joint_density(tube, 3), testing::Each(2.0f));
}

double triangles_within(const Mesh& mesh, double from, double to) {
  return static_cast<double>(std::count_if(mesh.triangles.begin(), mesh.triangles.end(), [&](glm::uvec3 t) {
    const float x = (mesh.positions[t.x].x + mesh.positions[t.y].x + mesh.positions[t.z].x) / 3;
    return std::abs(x - kJoint) > from && std::abs(x - kJoint) < to;
  }));
}

TEST(JointDensity, KeepsTwoToThreeTimesAsManyTrianglesNearAJoint) {
  const Mesh limb = make_limb({.around = 96, .along = 128}).meshes[0];
  for (const std::size_t asked : {1000, 2000}) {
    const Mesh even = simplify(limb, asked).mesh;
    const Mesh dense = simplify(limb, asked, joint_density(limb, 3)).mesh;
    EXPECT_NEAR(static_cast<double>(dense.triangles.size()), static_cast<double>(asked),
                0.02 * static_cast<double>(asked));
    const double near = triangles_within(dense, 0, 1.5) / triangles_within(even, 0, 1.5);
    const double far = triangles_within(dense, 3, 3.9) / triangles_within(even, 3, 3.9);
    EXPECT_GT(near / far, 2.0) << asked;
    EXPECT_LT(near / far, 3.5) << asked;
  }
}

}  // namespace
}  // namespace pelt::from_skin
